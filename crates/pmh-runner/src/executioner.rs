//! Brings a harvester to the place of its crash and kills it there, for real.
//!
//! It watches the exchanges as the server sees them. To keep a page from being committed it holds the store's
//! write lock: taken before the page is answered, once everything before the page is committed, and given back
//! when the process is dead. So the store's last state is known exactly, however the race inside the process ran.

use std::path::PathBuf;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use pmh_repository::BUDGET_SPENT;
use pmh_scenario::{Crash, CrashPhase, Exchange};
use pmh_store::{SqliteStore, WriteHold};

/// Waiting for a commit, a lock or a process id: far beyond what any takes.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// How long a process has to notice a signal before the answer to its request leaves.
const HEARING: Duration = Duration::from_millis(200);
/// How long a process has to take half an answer.
const READING: Duration = Duration::from_millis(50);
/// A harvester that does not read ahead asks nothing more: after this long without a request it is killed.
const READ_AHEAD_GRACE: Duration = Duration::from_millis(500);

/// Kills at most one process a run.
pub(crate) struct Executioner {
    /// The store that tells how far a harvester got, and can be held; only ours has one.
    store: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    crash: Option<Crash>,
    target: Option<Pid>,
    hold: Option<WriteHold>,
    /// When the page of the crash was delivered.
    delivered: Option<Instant>,
    /// When a request or an answer of this run was seen last.
    heard: Option<Instant>,
    sentence: Sentence,
    /// Whether a sentence was carried out, also when it has been told since.
    has_killed: bool,
    asked_to_stop: bool,
}

/// What was done to a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sentence {
    /// Nothing.
    #[default]
    None,
    /// Killed at the place of its crash.
    Crashed,
    /// Killed because the requests of the budget were spent.
    OverBudget,
    /// It could not be brought to the place of its crash.
    Failed(String),
}

impl Executioner {
    pub(crate) fn new(store: Option<PathBuf>) -> Self {
        Self { store, state: Mutex::default() }
    }

    /// A run begins that is to crash there, or nowhere.
    pub(crate) fn await_run(&self, crash: Option<Crash>) {
        *self.state() = State { crash, ..State::default() };
    }

    /// The run's process is this one.
    pub(crate) fn aim(&self, child: &Child) {
        self.state().target = i32::try_from(child.id()).ok().map(Pid::from_raw);
    }

    /// The process is gone: gives back the store's lock and says what was done.
    pub(crate) fn release(&self) -> Sentence {
        let mut state = self.state();
        state.hold = None;
        state.target = None;
        std::mem::take(&mut state.sentence)
    }

    /// An answer is about to leave, and leaves when this returns.
    pub(crate) fn before(&self, exchange: &Exchange) {
        self.state().heard = Some(Instant::now());
        if exchange.faults.iter().any(|fault| fault == BUDGET_SPENT) {
            self.execute(Sentence::OverBudget);
            return;
        }
        let (crash, delivered) = {
            let state = self.state();
            (state.crash, state.delivered)
        };
        let Some(crash) = crash else { return };
        let is_page =
            exchange.list == crash.list && exchange.page == crash.page && delivered.is_none();
        let reached = match crash.phase {
            CrashPhase::Uncommitted | CrashPhase::AfterResponse if is_page => {
                self.hold_store(crash)
            }
            CrashPhase::NextRequest if is_page => self.hold_store(crash),
            CrashPhase::NextRequest if delivered.is_some() => {
                self.execute(Sentence::Crashed);
                Ok(())
            }
            CrashPhase::BeforeResponse if is_page && crash.is_orderly => {
                self.ask_to_stop();
                Ok(())
            }
            CrashPhase::BeforeResponse if is_page => self
                .await_pages(u64::from(crash.page) - 1)
                .map(|()| self.execute(Sentence::Crashed)),
            CrashPhase::Committed if delivered.is_some() => {
                self.await_pages(u64::from(crash.page)).map(|()| self.execute(Sentence::Crashed))
            }
            _ => Ok(()),
        };
        if let Err(why) = reached {
            self.execute(Sentence::Failed(why));
        }
    }

    /// When a request or an answer of this run was seen last, if any was.
    pub(crate) fn heard(&self) -> Option<Instant> {
        self.state().heard
    }

    /// Whether the process of this run has been killed: what it had sent before that may still arrive.
    pub(crate) fn has_killed(&self) -> bool {
        self.state().has_killed
    }

    /// Whether the process is to die in the middle of this answer.
    pub(crate) fn wants_half(&self, exchange: &Exchange) -> bool {
        let state = self.state();
        state.crash.is_some_and(|crash| {
            crash.phase == CrashPhase::MidBody
                && exchange.list == crash.list
                && exchange.page == crash.page
                && state.delivered.is_none()
        })
    }

    /// Half of an answer has been handed to the socket.
    pub(crate) fn midway(&self, exchange: &Exchange) {
        // Time to take what has come.
        thread::sleep(READING);
        match self.await_pages(u64::from(exchange.page).saturating_sub(1)) {
            Ok(()) => self.execute(Sentence::Crashed),
            Err(why) => self.execute(Sentence::Failed(why)),
        }
    }

    /// The last byte of an answer has been handed to the socket.
    pub(crate) fn after(&self, exchange: &Exchange) {
        let mut state = self.state();
        state.heard = Some(Instant::now());
        let Some(crash) = state.crash else { return };
        if state.delivered.is_some() {
            drop(state);
            if crash.phase == CrashPhase::Uncommitted {
                self.execute(Sentence::Crashed);
            }
        } else if exchange.list == crash.list && exchange.page == crash.page {
            state.delivered = Some(Instant::now());
            drop(state);
            if crash.phase == CrashPhase::AfterResponse {
                self.execute(Sentence::Crashed);
            }
        }
    }

    /// Asks the process to end in order, and gives it time to hear that before it is answered.
    fn ask_to_stop(&self) {
        let asked = retry(|| {
            let target = self.state().target?;
            Some(killpg(target, Signal::SIGTERM).is_ok())
        });
        if asked == Some(true) {
            self.state().asked_to_stop = true;
            thread::sleep(HEARING);
        }
    }

    /// Whether the process of this run was asked to end in order.
    pub(crate) fn asked_to_stop(&self) -> bool {
        self.state().asked_to_stop
    }

    /// Kills the process and all it started.
    pub(crate) fn kill(&self) {
        let started = Instant::now();
        // The process may ask its first question before its number is known here.
        while started.elapsed() < PATIENCE {
            if let Some(target) = self.state().target {
                // An error means that it is gone already.
                let _ = killpg(target, Signal::SIGKILL);
                return;
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Looks at the clock: a harvester that does not read ahead is killed while it waits for its commit.
    pub(crate) fn look(&self) {
        let due = {
            let state = self.state();
            state.hold.is_some()
                && state.delivered.is_some_and(|at| at.elapsed() > READ_AHEAD_GRACE)
        };
        if due {
            self.execute(Sentence::Crashed);
        }
    }

    fn execute(&self, sentence: Sentence) {
        {
            let mut state = self.state();
            if state.sentence != Sentence::None {
                return;
            }
            state.sentence = sentence;
            state.has_killed = true;
        }
        self.kill();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the open traversal has `pages` pages committed.
    fn await_pages(&self, pages: u64) -> Result<(), String> {
        let Some(path) = &self.store else { return Ok(()) };
        let committed = || {
            let store = SqliteStore::open_read_only(path).ok()?;
            let open = store.keys().ok()?.into_iter().next()?.known.open?;
            Some(open.tally.pages)
        };
        retry(|| committed().filter(|&committed| committed >= pages))
            .map(drop)
            .ok_or_else(|| format!("page {pages} was not committed"))
    }

    /// Brings the store to the state in which the page of the crash may arrive.
    fn hold_store(&self, crash: Crash) -> Result<(), String> {
        let Some(path) = &self.store else { return Ok(()) };
        self.await_pages(u64::from(crash.page) - 1)?;
        let hold = retry(|| WriteHold::acquire(path).ok())
            .ok_or_else(|| "the store's write lock could not be had".to_owned())?;
        self.state().hold = Some(hold);
        Ok(())
    }
}

fn retry<T>(mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if let Some(value) = attempt() {
            return Some(value);
        }
        thread::sleep(LOOK_EVERY);
    }
    None
}
