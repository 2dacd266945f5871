//! The pure arm: the harvester's core and a repository in one process, joined by function calls.
//!
//! Time is a number and a crash drops the run, keeping what the store had committed. Nothing here sleeps, opens
//! or listens; the same script gives the same journal, byte for byte.

use std::collections::VecDeque;
use std::sync::Arc;

use pmh_harvest::{
    Cursor, Entry, Harvest, Instant, Key, MemoryStore, Outcome, Plan, Step, Store as _, StoreFault,
    interpret,
};
use pmh_oracle::{Knowledge, Observation, RunEnd};
use pmh_protocol::{Headers, HttpPage, HttpRequest, Stamp};
use pmh_repository::{AskedRequest, BUDGET_SPENT, Reply, Repository};
use pmh_scenario::{Crash, CrashPhase, Script};

use crate::observe::{RowReader, counts_of, end_of, runs_of};
use crate::plan::plan_of;
use crate::receive::{Received, receive};

/// The base URL in the pure arm: on loopback, as in the other arm, so that pace is the same.
pub(crate) const BASE_URL: &str = "http://127.0.0.1/oai";
/// What our own calendar clock says when the first run begins; later than any repository's.
pub(crate) const CLIENT_START: Stamp = Stamp::from_seconds(1_780_000_000);
/// How long an answer takes.
pub(crate) const ANSWER_MILLIS: u64 = 10;
/// Steps of one run at the most: far beyond any budget of requests.
const STEPS_MAX: usize = 1_000_000;

/// Plays a script against the shipped harvester's core.
#[must_use]
pub fn simulate(script: &Arc<Script>) -> Observation {
    simulate_with(script, &Schedule::LATEST).0
}

/// Whether a store that keeps up is asked for something else than one that is as late as can be, which is what
/// [`simulate`] has and `latest` was seen with: then what was seen with the fast one. How fast the store is must not be
/// seen in what is asked. Scripts with a crash are passed over: what a crash takes away depends on the store.
#[must_use]
pub fn differs_at_once(script: &Arc<Script>, latest: &Observation) -> Option<Observation> {
    if script.runs.iter().any(|run| run.crash.is_some()) {
        return None;
    }
    // Rows take their time, and are hardly ever looked at.
    let (at_once, _) = play(script, &Schedule::AT_ONCE, false);
    let differs = at_once.journal != latest.journal;
    differs.then(|| simulate_with(script, &Schedule::AT_ONCE).0)
}

/// How fast the store is, and where it or the harvester fails, beyond what a script says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    /// How many entries may be outstanding before one is committed; the core waits for receipts by itself too.
    pub(crate) lag: usize,
    /// Where runs end without a word.
    pub(crate) death: Option<Death>,
    /// Where the store fails.
    pub(crate) store: Option<StoreTrouble>,
}

impl Schedule {
    /// Entries are committed when the core cannot go on without, and nothing fails.
    pub(crate) const LATEST: Self = Self { lag: usize::MAX, death: None, store: None };
    /// Every entry is committed at once, and nothing fails.
    pub(crate) const AT_ONCE: Self = Self { lag: 0, death: None, store: None };
}

/// A death that is placed by counting events: answers that left the repository, and commits that are durable. What the
/// harvester had in memory is gone either way, so these are all the places there are: a commit that fails is a death
/// before it, one whose receipt is lost a death after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Death {
    /// The first run that dies, from 0.
    pub(crate) run: usize,
    /// The last run that does, unless one before it brought the store no further.
    pub(crate) last_run: usize,
    /// After so many events of the run.
    pub(crate) events: u32,
}

/// A store that fails at one place of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreTrouble {
    /// The run, from 0.
    pub(crate) run: usize,
    /// The commit of that run, from 0.
    pub(crate) commit: u32,
    /// How.
    pub(crate) kind: StoreFailure,
}

/// How a store fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFailure {
    /// The commit is refused: nothing of it is durable.
    Refused,
    /// The commit is durable, and the store says that it failed.
    Unconfirmed,
    /// From this commit on the disk is full.
    Full,
}

/// Plays a script under a schedule; also whether the first death, or the failure of the store, came about.
pub(crate) fn simulate_with(script: &Arc<Script>, schedule: &Schedule) -> (Observation, bool) {
    play(script, schedule, true)
}

/// The same; without `has_rows` the store is not read after the runs.
fn play(script: &Arc<Script>, schedule: &Schedule, has_rows: bool) -> (Observation, bool) {
    let mut has_died = false;
    let mut stands_still = false;
    let mut repository = Repository::new(Arc::clone(script));
    let mut store = MemoryStore::default();
    let mut clock = CLIENT_START;
    let mut reader = RowReader::default();
    let mut runs = Vec::new();
    for played in runs_of(script) {
        let death = schedule
            .death
            .filter(|death| (death.run..=death.last_run).contains(&played.index))
            .filter(|_| !stands_still);
        let store_trouble = schedule.store.filter(|trouble| trouble.run == played.index);
        repository.begin_run(played.index);
        let crash = script.runs.get(played.index).and_then(|run| run.crash);
        // Whoever dies by a schedule does so at no other place.
        let crash = crash.filter(|_| death.is_none() && store_trouble.is_none());
        let mut run = Run {
            repository: &mut repository,
            store: &mut store,
            crash,
            now: Instant::START,
            stored: VecDeque::new(),
            crashing: Crashing::No,
            lag: schedule.lag,
            events: 0,
            dies_after: death.map(|death| death.events),
            commits: 0,
            store_trouble,
            has_store_failed: false,
        };
        let plan = plan_of(script, played.index, &script.base_url_for_client(BASE_URL));
        let key = plan.key.clone();
        let before = death.map(|_| reached(run.store, &key));
        let (end, outcome) = run.play(plan, clock);
        has_died |= run.has_store_failed;
        clock = clock.plus_seconds(i64::try_from(run.now.millis() / 1_000).unwrap_or(i64::MAX));
        if let Some(death) = death {
            has_died |= played.index == death.run && end == RunEnd::Crashed;
            stands_still |= before == Some(reached(&mut store, &key));
        }
        repository.end_run(&end_in_words(&end));
        let Ok(known) = store.known(&key);
        let rows = if has_rows { store.rows(&key.source, &key.prefix) } else { Vec::new() };
        let rows = reader.in_words(rows);
        let counts = outcome.as_ref().map(|outcome| counts_of(&outcome.counts));
        let complaints = outcome.map_or(Knowledge::Unknown, |outcome| {
            Knowledge::Known(outcome.complaints.into_keys().collect())
        });
        runs.push(played.observed(end, counts, complaints, rows, &known));
    }
    let journal = repository.into_journal();
    (Observation { runs, journal, ..Observation::default() }, has_died)
}

impl StoreTrouble {
    /// How this commit fails, if it does.
    fn at(self, commit: u32) -> Option<StoreFailure> {
        let is_met = match self.kind {
            StoreFailure::Refused | StoreFailure::Unconfirmed => commit == self.commit,
            StoreFailure::Full => commit >= self.commit,
        };
        is_met.then_some(self.kind)
    }
}

/// How far a key has come: its rows, and where its list goes on.
fn reached(store: &mut MemoryStore, key: &Key) -> (usize, Option<Cursor>) {
    let Ok(known) = store.known(key);
    let rows = store.rows(&key.source, &key.prefix).len();
    (rows, known.open.and_then(|open| open.cursor))
}

/// The end of a run as the journal has it, the same in every arm.
pub(crate) fn end_in_words(end: &RunEnd) -> String {
    match end {
        RunEnd::Ended { outcome, guard: Some(guard), exit, .. } => {
            format!("{outcome}, guard {guard}, exit {exit}")
        }
        RunEnd::Ended { outcome, exit, .. } => format!("{outcome}, exit {exit}"),
        RunEnd::Crashed => "killed".to_owned(),
        RunEnd::OverBudget => "stopped over budget".to_owned(),
        RunEnd::OutOfTime => "stopped by the clock".to_owned(),
    }
}

/// One run of the harvester.
struct Run<'a> {
    repository: &'a mut Repository,
    store: &'a mut MemoryStore,
    crash: Option<Crash>,
    now: Instant,
    /// Entries handed out and not committed: kept back for as long as the core can go on without them.
    stored: VecDeque<Arc<Entry>>,
    crashing: Crashing,
    /// See [`Schedule::lag`].
    lag: usize,
    /// Answers that left the repository, and commits.
    events: u32,
    /// The number of events after which the run is dead.
    dies_after: Option<u32>,
    /// Commits so far, also those that failed.
    commits: u32,
    store_trouble: Option<StoreTrouble>,
    /// The trouble of the store came about.
    has_store_failed: bool,
}

/// Whether the page of the crash has been taken, and what its phase asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crashing {
    /// It has not, or there is no crash.
    No,
    /// From here on nothing is committed.
    Uncommitted,
    /// The page is committed; nothing more arrives.
    Committed,
}

/// How the exchange of a fetch touches the run.
enum Met {
    /// Not at all.
    Nothing,
    /// It was the page of the crash.
    CrashPage,
    /// The budget is spent.
    BudgetSpent,
}

impl Run<'_> {
    fn play(&mut self, plan: Plan, clock: Stamp) -> (RunEnd, Option<Outcome>) {
        let key = &plan.key.clone();
        let Ok(known) = self.store.known(key);
        let mut harvest = Harvest::resume(plan, known, clock);
        for _ in 0..STEPS_MAX {
            if self.is_dead() {
                return self.crashed();
            }
            match harvest.step(self.now) {
                Step::Fetch(request) => {
                    let (Received { answer, seconds }, met) = self.answer(&request);
                    let millis = ANSWER_MILLIS + seconds * 1_000;
                    self.now = Instant::from_millis(self.now.millis() + millis);
                    self.events += 1;
                    // The answer has left the repository, and nobody is there to take it.
                    if self.is_dead() {
                        return self.crashed();
                    }
                    if matches!(met, Met::BudgetSpent) {
                        return (RunEnd::OverBudget, None);
                    }
                    match self.crashing {
                        Crashing::No if matches!(met, Met::CrashPage) => {
                            if let Some(crashed) = self.crash_before(key, &mut harvest) {
                                return crashed;
                            }
                        }
                        Crashing::No => {}
                        // The page after the one that is not committed has arrived.
                        Crashing::Uncommitted => return self.crashed(),
                        // The page is committed, and the answer to the next request never arrives.
                        Crashing::Committed => {
                            while self.commit_next(key, &mut harvest) {}
                            return self.crashed();
                        }
                    }
                    harvest.fetched(interpret(answer), self.now);
                    if matches!(met, Met::CrashPage) {
                        while self.commit_next(key, &mut harvest) {}
                        self.crashing = match self.crash.map(|crash| crash.phase) {
                            Some(CrashPhase::Uncommitted | CrashPhase::NextRequest) => {
                                Crashing::Uncommitted
                            }
                            Some(CrashPhase::AfterResponse) => return self.crashed(),
                            Some(CrashPhase::Committed) => Crashing::Committed,
                            // These have had their moment before the page arrived, or have it at the end.
                            Some(
                                CrashPhase::BeforeResponse
                                | CrashPhase::MidBody
                                | CrashPhase::BeforeClose
                                | CrashPhase::AfterClose,
                            )
                            | None => Crashing::No,
                        };
                    }
                }
                Step::Wait { until } => self.now = until,
                Step::Store(entry) => {
                    let is_close = matches!(*entry, Entry::Close(_));
                    let phase = self.crash.map(|crash| crash.phase).filter(|_| is_close);
                    if phase == Some(CrashPhase::BeforeClose) {
                        while self.commit_next(key, &mut harvest) {}
                        return self.crashed();
                    }
                    self.stored.push_back(entry);
                    while self.stored.len() > self.lag && !self.is_dead() {
                        self.commit_next(key, &mut harvest);
                    }
                    if phase == Some(CrashPhase::AfterClose) {
                        while self.commit_next(key, &mut harvest) {}
                        return self.crashed();
                    }
                }
                Step::Idle if self.crashing == Crashing::Uncommitted => return self.crashed(),
                Step::Idle => {
                    assert!(self.commit_next(key, &mut harvest), "idle with nothing outstanding");
                }
                Step::Finish(outcome) => {
                    return (end_of(&outcome), Some(*outcome));
                }
            }
        }
        (RunEnd::OverBudget, None)
    }

    /// The page of the crash is about to arrive: what becomes of the run, if that is its end.
    fn crash_before(
        &mut self,
        key: &Key,
        harvest: &mut Harvest,
    ) -> Option<(RunEnd, Option<Outcome>)> {
        let crash = self.crash?;
        match crash.phase {
            CrashPhase::BeforeResponse if crash.is_orderly => {
                harvest.stop();
                self.repository.crash(&place_of(crash));
                self.crash = None;
                None
            }
            CrashPhase::BeforeResponse | CrashPhase::MidBody => {
                while self.commit_next(key, harvest) {}
                Some(self.crashed())
            }
            _ => None,
        }
    }

    fn crashed(&mut self) -> (RunEnd, Option<Outcome>) {
        let place = match self.dies_after.filter(|_| self.is_dead()) {
            Some(events) => format!("after event {events} of the run"),
            None => place_of(self.crash.expect("only a crash ends here")),
        };
        self.repository.crash(&place);
        (RunEnd::Crashed, None)
    }

    fn is_dead(&self) -> bool {
        self.dies_after.is_some_and(|events| self.events >= events)
    }

    /// Commits the oldest entry that is kept back; whether there was one.
    fn commit_next(&mut self, key: &Key, harvest: &mut Harvest) -> bool {
        let Some(entry) = self.stored.pop_front() else { return false };
        self.events += 1;
        let number = self.commits;
        self.commits += 1;
        let failure = self.store_trouble.and_then(|trouble| trouble.at(number));
        self.has_store_failed |= failure.is_some();
        if failure == Some(StoreFailure::Refused) {
            self.stored.clear();
            harvest.commit_failed(StoreFault("the commit was refused".to_owned()));
            return true;
        }
        let Ok(mut receipts) = self.store.commit(key, &[entry]);
        match failure {
            Some(StoreFailure::Unconfirmed) => {
                self.stored.clear();
                harvest.commit_failed(StoreFault("the commit was not confirmed".to_owned()));
                return true;
            }
            Some(StoreFailure::Full) => {
                receipts.iter_mut().for_each(|receipt| receipt.free_bytes = Some(0));
            }
            Some(StoreFailure::Refused) | None => {}
        }
        receipts.iter().for_each(|receipt| harvest.committed(receipt));
        true
    }

    fn answer(&mut self, request: &HttpRequest) -> (Received, Met) {
        let reply = match ask(self.repository, request, self.now.millis()) {
            Ok(reply) => reply,
            Err(page) => return (Received { answer: Ok(page), seconds: 0 }, Met::Nothing),
        };
        let met = if is_over_budget(&reply) {
            Met::BudgetSpent
        } else if self.crash.is_some_and(|crash| is_place_of(crash, &reply)) {
            Met::CrashPage
        } else {
            Met::Nothing
        };
        let delay_seconds = reply.delay_seconds;
        let Received { answer, seconds } = receive(reply);
        (Received { answer, seconds: seconds.saturating_add(delay_seconds) }, met)
    }
}

/// Asks a repository by function call, at `millis` on the harvester's clock; or the page that its server has for every
/// other path.
pub(crate) fn ask(
    repository: &mut Repository,
    request: &HttpRequest,
    millis: u64,
) -> Result<Reply, HttpPage> {
    let (address, raw_query) = request.url.split_once('?').unwrap_or((&request.url, ""));
    let path = address.split_once("//").and_then(|(_, rest)| Some(&rest[rest.find('/')?..]));
    let Some(path) = path.filter(|path| repository.is_at(path)) else {
        let body = b"There is nothing here.\n".to_vec();
        return Err(HttpPage { status: 404, headers: Headers::default(), body });
    };
    let headers: Vec<(String, String)> =
        request.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Ok(repository.answer(&AskedRequest {
        method: request.method,
        path,
        headers: &headers,
        raw_query,
        form_body: request.body.as_deref(),
        base_url: BASE_URL,
        client_ms: Some(millis),
        // Whoever asks by function call has his answer before he can ask again.
        in_flight: Some(1),
    }))
}

/// Whether the reply says that the budget is spent.
pub(crate) fn is_over_budget(reply: &Reply) -> bool {
    reply.exchange.faults.iter().any(|fault| fault == BUDGET_SPENT)
}

/// Whether the reply is the page of a crash.
pub(crate) fn is_place_of(crash: Crash, reply: &Reply) -> bool {
    reply.exchange.list == crash.list && reply.exchange.page == crash.page
}

/// A crash as the journal has it, the same in every arm.
pub(crate) fn place_of(crash: Crash) -> String {
    let phase = match crash.phase {
        CrashPhase::BeforeResponse if crash.is_orderly => "asked for, and then asked to stop",
        CrashPhase::Uncommitted => "arrived and not committed",
        CrashPhase::Committed => "committed",
        CrashPhase::BeforeResponse => "asked for",
        CrashPhase::MidBody => "arrived by half",
        CrashPhase::AfterResponse => "arrived, and nothing asked for after it",
        CrashPhase::NextRequest => "arrived, and the next asked for",
        CrashPhase::BeforeClose => {
            return "all pages committed, and the end of the list not".to_owned();
        }
        CrashPhase::AfterClose => return "the end of the list committed".to_owned(),
    };
    match crash.list {
        1 => format!("page {} {phase}", crash.page),
        list => format!("page {} of list {list} {phase}", crash.page),
    }
}
