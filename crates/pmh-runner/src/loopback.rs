//! The loopback arm: the harvester as a process, a store on disk, sockets in between.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use pmh_harvest::Known;
use pmh_oracle::{ChangeCounts, HeldRow, Knowledge, Observation, RunEnd, RunObservation};
use pmh_scenario::{Crash, CrashPhase, Script};
use pmh_store::{SqliteStore, StoreError};
use thiserror::Error;

use crate::executioner::{Executioner, Sentence};
use crate::observe::{PlayedRun, row_of, runs_of};
use crate::plan::{arguments_of, plan_of};
use crate::process_group::ProcessGroup;
use crate::server::{Pace, Server};
use crate::simulate::{CLIENT_START, end_in_words, place_of, simulate};
use crate::waiting::{Patience, wait};

/// How much faster than ours the clock of a case runs, where nobody waits for long.
const CLOCK_FACTOR: u64 = 100;
/// What all waits of a case may take together, so that two hours of a patient harvester are no hours of ours.
const WAITS_MILLIS_MAX: u64 = 2_000;

/// The loopback arm could not be set up or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoopbackError {
    /// No folder, file or runtime.
    #[error("failed to make room for a case")]
    Room(#[source] io::Error),
    /// No port.
    #[error("failed to listen on 127.0.0.1")]
    Listen(#[source] io::Error),
    /// No process.
    #[error("failed to start `{}`", program.display())]
    Spawn {
        /// What was to be started.
        program: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The process cannot be waited for.
    #[error("failed to wait for the harvester")]
    Wait(#[source] io::Error),
    /// The store cannot be read.
    #[error("failed to read the harvester's store")]
    Store(#[source] StoreError),
    /// What lies in a stranger's store cannot be told.
    #[error("failed to read the store of `{harvester}`: {why}")]
    Reader {
        /// The harvester.
        harvester: String,
        /// Why not, and what to write instead where that is known.
        why: String,
    },
    /// The place of a crash was never reached.
    #[error("failed to kill the harvester at {place}: {why}")]
    Kill {
        /// The place.
        place: String,
        /// What was waited for.
        why: String,
    },
}

/// Plays scripts with a program.
#[derive(Clone, Debug)]
pub struct Loopback {
    program: PathBuf,
}

impl Loopback {
    /// The arm that plays with the harvester in `program`: this one, or another build of it.
    #[must_use]
    pub const fn new(program: PathBuf) -> Self {
        Self { program }
    }

    /// Plays a script: one server for the case, one process a run, one store.
    ///
    /// # Errors
    /// When there is no room, port or process, or the store cannot be read.
    pub fn play(&self, script: &Arc<Script>) -> Result<Observation, LoopbackError> {
        let room = tempfile::tempdir().map_err(LoopbackError::Room)?;
        self.play_in(script, room.path())
    }

    /// As [`Self::play`], in this folder, where the store stays behind.
    pub(crate) fn play_in(
        &self,
        script: &Arc<Script>,
        room: &Path,
    ) -> Result<Observation, LoopbackError> {
        let executioner = Arc::new(Executioner::new(Some(room.join(STORE))));
        let pace = pace_of(script);
        let server = Server::start(script, &executioner, pace)?;
        let mut runs = Vec::new();
        for played in runs_of(script) {
            let case = Running { script, program: &self.program, room, server: &server, pace };
            runs.push(case.run(played, &executioner)?);
        }
        let journal = server.repository().journal().clone();
        Ok(Observation { runs, journal, ..Observation::default() })
    }
}

/// What a run needs.
struct Running<'a> {
    script: &'a Arc<Script>,
    program: &'a Path,
    room: &'a Path,
    server: &'a Server,
    pace: Pace,
}

/// How fast a case is played: the pure arm tells how long it takes on its own clock.
fn pace_of(script: &Arc<Script>) -> Pace {
    let observation = simulate(script);
    let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
    for exchange in observation.journal.exchanges() {
        let end = ends.entry(exchange.run.as_str()).or_default();
        *end = exchange.client_ms.unwrap_or_default().max(*end);
    }
    let millis: u64 = ends.values().sum();
    let clock_factor = CLOCK_FACTOR.max(millis / WAITS_MILLIS_MAX);
    Pace { clock_factor, pause_scale: wait_scale(clock_factor), wall_dates: false }
}

/// The share of their time that waits take.
#[expect(clippy::cast_precision_loss, reason = "it is some thousands")]
fn wait_scale(clock_factor: u64) -> f64 {
    1.0 / clock_factor as f64
}

impl Running<'_> {
    fn run(
        &self,
        played: PlayedRun,
        executioner: &Executioner,
    ) -> Result<RunObservation, LoopbackError> {
        let crash = self.script.runs.get(played.index).and_then(|run| run.crash);
        self.server.begin_run(played.index);
        executioner.await_run(crash);
        let (mut child, _group) = self.spawn(played.index)?;
        executioner.aim(&child);
        let patience = Patience::of(Duration::from_secs(self.script.budget.wall_seconds));
        let status = wait(&mut child, patience, executioner).map_err(LoopbackError::Wait)?;
        if executioner.asked_to_stop() {
            let place = crash.map_or_else(String::new, place_of);
            self.server.repository().crash(&place);
        }
        let mut said = Said::default();
        let end = match (executioner.release(), status) {
            (Sentence::Failed(why), _) => {
                let place = crash.map_or_else(String::new, place_of);
                return Err(LoopbackError::Kill { place, why });
            }
            (Sentence::OverBudget, _) => RunEnd::OverBudget,
            (Sentence::Crashed, _) => {
                let crash = crash.expect("only a crash ends so");
                self.server.repository().crash(&place_of(crash));
                RunEnd::Crashed
            }
            // It has killed itself at the place that only it can know.
            (Sentence::None, None) => RunEnd::OutOfTime,
            (Sentence::None, Some(status)) if status.code().is_none() && is_at_close(crash) => {
                self.server.repository().crash(&crash.map_or_else(String::new, place_of));
                RunEnd::Crashed
            }
            (Sentence::None, Some(status)) => {
                let (end, told) = self.read_end(status).map_err(LoopbackError::Room)?;
                said = told;
                end
            }
        };
        self.server.repository().end_run(&end_in_words(&end));
        let (rows, known) = self.read_store(played.index).map_err(LoopbackError::Store)?;
        Ok(played.observed(end, said.counts, said.complaints, rows, &known))
    }

    /// Starts the harvester in a process group of its own, with an environment that is built and not inherited.
    fn spawn(&self, run_index: usize) -> Result<(Child, ProcessGroup), LoopbackError> {
        let out = |name| fs::File::create(self.room.join(name)).map_err(LoopbackError::Room);
        let mut command = Command::new(self.program);
        command
            .arg("harvest")
            .arg(self.server.base_url())
            .arg("--store")
            .arg(self.store())
            .arg("--json")
            .arg(format!("--wait-scale={}", wait_scale(self.pace.clock_factor)))
            .arg(format!("--today={CLIENT_START}"))
            .args(arguments_of(self.script, run_index))
            .args(self.death_of(run_index))
            .current_dir(self.room)
            .env_clear()
            .env("HOME", self.room)
            .env("TMPDIR", self.room)
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(out(STDOUT)?)
            .stderr(out(STDERR)?);
        ProcessGroup::start(&mut command)
            .map_err(|source| LoopbackError::Spawn { program: self.program.to_owned(), source })
    }

    /// A place that no one outside can see, so that the process must end itself there.
    fn death_of(&self, run_index: usize) -> Option<&'static str> {
        match self.script.runs.get(run_index)?.crash?.phase {
            CrashPhase::BeforeClose => Some("--die-at=before-close"),
            CrashPhase::AfterClose => Some("--die-at=after-close"),
            _ => None,
        }
    }

    fn store(&self) -> PathBuf {
        self.room.join(STORE)
    }

    /// What the harvester said of its run.
    fn read_end(&self, status: ExitStatus) -> io::Result<(RunEnd, Said)> {
        let said = fs::read_to_string(self.room.join(STDOUT))?;
        let exit = status.code().unwrap_or(-1);
        let Ok(said) = serde_json::from_str::<serde_json::Value>(&said) else {
            // It died without a word: what it had to say stands in its errors.
            let reason = fs::read_to_string(self.room.join(STDERR))?;
            let end = RunEnd::Ended {
                outcome: "failed".to_owned(),
                guard: None,
                reason: Some(reason),
                exit,
            };
            return Ok((end, Said::default()));
        };
        let text = |name: &str| said[name].as_str().map(str::to_owned);
        let number = |name: &str| said[name].as_u64().unwrap_or_default();
        let end = RunEnd::Ended {
            outcome: text("outcome").unwrap_or_default(),
            guard: text("guard"),
            reason: text("text"),
            exit,
        };
        let counts = ChangeCounts {
            new: number("new"),
            changed: number("changed"),
            unchanged: number("unchanged"),
            withdrawn: number("withdrawn"),
            revived: number("revived"),
        };
        let names = said["complaints"].as_object().into_iter().flatten().map(|(name, _)| name);
        let complaints = Knowledge::Known(names.cloned().collect());
        Ok((end, Said { counts: Some(counts), complaints }))
    }

    fn read_store(&self, run_index: usize) -> Result<(Vec<HeldRow>, Known), StoreError> {
        if !self.store().exists() {
            return Ok((Vec::new(), Known::default()));
        }
        let store = SqliteStore::open_read_only(self.store())?;
        let wanted = plan_of(self.script, run_index, self.server.base_url()).key;
        let rows = store.rows(&wanted.source, &wanted.prefix)?;
        let status = store.keys()?.into_iter().find(|status| status.key == wanted);
        let known = status.map(|status| status.known).unwrap_or_default();
        Ok((rows.iter().map(row_of).collect(), known))
    }
}

/// What a harvester says of a run that ended.
#[derive(Default)]
struct Said {
    counts: Option<ChangeCounts>,
    complaints: Knowledge<Vec<String>>,
}

fn is_at_close(crash: Option<Crash>) -> bool {
    let phase = crash.map(|crash| crash.phase);
    matches!(phase, Some(CrashPhase::BeforeClose | CrashPhase::AfterClose))
}

const STORE: &str = "store.sqlite";
const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";
