//! A scenario played with a command: one server for the case, one process a run, one folder for all it keeps.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pmh_oracle::{Knowledge, Observation, RunEnd, RunObservation, Sight};
use pmh_scenario::{Run, Script};

use super::fair::{cannot_be_asked, fair};
use super::harvester::Values;
use super::reader::Read;
use super::room::{Place, Room};
use super::{Harvester, Trial};
use crate::executioner::{Executioner, Sentence};
use crate::loopback::LoopbackError;
use crate::observe::{PlayedRun, runs_of};
use crate::process_group::ProcessGroup;
use crate::server::{Pace, Server};
use crate::simulate::{end_in_words, place_of};
use crate::waiting::{Patience, wait};

/// A stranger's clock is the wall's; only pauses inside answers are shortened.
const PACE: Pace = Pace { clock_factor: 1, pause_scale: 0.01, wall_dates: true };
/// So much of what a run said on standard error is looked at, from its end.
const SAID_BYTES_MAX: u64 = 64 << 10;
/// Characters of a reason.
const REASON_CHARS_MAX: usize = 160;

/// Plays a script with a stranger.
///
/// # Errors
/// When there is no room, port or process, or a store that a run says it filled cannot be read.
pub fn try_harvester(
    script: &Arc<Script>,
    harvester: &Harvester,
    place: &Place,
) -> Result<Trial, LoopbackError> {
    let started = Instant::now();
    if let Some(why) = cannot_be_asked(script, harvester) {
        return Ok(Trial::left_out(&harvester.name, why));
    }
    let (script, unjudged) = fair(script, &harvester.knowable());
    let script = Arc::new(script);
    let room = Room::make(&script.id, &harvester.name, place)?;
    for name in ["work", "home", "tmp"] {
        fs::create_dir_all(room.path().join(name)).map_err(LoopbackError::Room)?;
    }
    let executioner = Arc::new(Executioner::new(None));
    let server = Server::start(&script, &executioner, PACE)?;
    let mut session = Session {
        script: &script,
        harvester,
        place,
        room: room.path(),
        server: &server,
        executioner: &executioner,
        unjudged,
    };
    let mut runs = Vec::new();
    for played in runs_of(&script) {
        runs.push(session.run(&played)?);
    }
    let observation = Observation {
        runs,
        journal: server.repository().journal().clone(),
        // Who removes a record and who keeps a mark of it have both understood a deletion.
        sight: Sight { rows: harvester.store.sees_rows(), tombstones: false },
        unjudged: session.unjudged,
    };
    room.keep(&observation.journal)?;
    let mut trial = Trial::of(&harvester.name, &script, observation, started);
    trial.set_aside_idle_rules();
    Ok(trial)
}

struct Session<'a> {
    script: &'a Arc<Script>,
    harvester: &'a Harvester,
    place: &'a Place,
    room: &'a Path,
    server: &'a Server,
    executioner: &'a Executioner,
    unjudged: Vec<String>,
}

impl Session<'_> {
    fn run(&mut self, played: &PlayedRun) -> Result<RunObservation, LoopbackError> {
        let run = self.script.runs.get(played.index).or(self.script.runs.last());
        let crash = self.script.runs.get(played.index).and_then(|run| run.crash);
        self.server.begin_run(played.index);
        self.executioner.await_run(crash);
        let stderr = self.room.join(format!("{}.stderr", played.name));
        let (mut child, _group) = self.spawn(run, &played.name)?;
        self.executioner.aim(&child);
        let budget = Duration::from_secs(self.script.budget.wall_seconds);
        let patience = Patience::of(self.harvester.timeout.unwrap_or(budget));
        let status = wait(&mut child, patience, self.executioner).map_err(LoopbackError::Wait)?;
        // Whoever it has started goes with it.
        self.executioner.kill();
        if self.executioner.asked_to_stop() {
            let place = crash.map_or_else(String::new, place_of);
            self.server.repository().crash(&place);
        }
        let end = match (self.executioner.release(), status) {
            (Sentence::Failed(why), _) => {
                let place = crash.map_or_else(String::new, place_of);
                return Err(LoopbackError::Kill { place, why });
            }
            (Sentence::OverBudget, _) => RunEnd::OverBudget,
            (Sentence::Crashed, _) => {
                self.server.repository().crash(&crash.map_or_else(String::new, place_of));
                RunEnd::Crashed
            }
            (Sentence::None, None) => RunEnd::OutOfTime,
            (Sentence::None, Some(status)) => {
                let awaited = run.and_then(|run| run.expect.guard.as_deref());
                self.end_of(awaited, status, &tail(&stderr).map_err(LoopbackError::Room)?)
            }
        };
        self.server.repository().end_run(&end_in_words(&end));
        let Read { rows, passed_over } = self.read_store(run, &end)?;
        for sentence in passed_over {
            self.unjudged.push(format!("after run `{}`, {sentence}", played.name));
        }
        Ok(RunObservation {
            name: played.name.clone(),
            end,
            rows,
            watermark: Knowledge::Unknown,
            counts: None,
            window_open: Knowledge::Unknown,
            complaints: Knowledge::Unknown,
            added_by_harness: played.added_by_harness,
        })
    }

    fn values<'a>(&'a self, run: Option<&'a Run>, work: &'a Path) -> Values<'a> {
        Values { base_url: self.server.base_url(), work, run }
    }

    /// What lies in the store. Who has not come far may have no store yet.
    fn read_store(&self, run: Option<&Run>, end: &RunEnd) -> Result<Read, LoopbackError> {
        let work = self.room.join("work");
        match self.harvester.store.read(&self.values(run, &work)) {
            Ok(read) => Ok(read),
            Err(why) if end.claims_complete() => {
                Err(LoopbackError::Reader { harvester: self.harvester.name.clone(), why })
            }
            Err(why) => {
                let why = self.neutral(&why);
                Ok(Read { rows: Vec::new(), passed_over: vec![format!("its store: {why}")] })
            }
        }
    }

    /// Starts the command in a process group of its own, with an environment that is built and not inherited.
    fn spawn(&self, run: Option<&Run>, name: &str) -> Result<(Child, ProcessGroup), LoopbackError> {
        let out =
            |name: String| fs::File::create(self.room.join(name)).map_err(LoopbackError::Room);
        let work = self.room.join("work");
        let words = self.harvester.words(&self.values(run, &work));
        let Some((program, arguments)) = words.split_first() else {
            let why = "an empty command".to_owned();
            return Err(LoopbackError::Reader { harvester: self.harvester.name.clone(), why });
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.place.project)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.room.join("home"))
            .env("TMPDIR", self.room.join("tmp"))
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8")
            .env("NO_PROXY", "*")
            .stdin(Stdio::null())
            .stdout(out(format!("{name}.stdout"))?)
            .stderr(out(format!("{name}.stderr"))?);
        ProcessGroup::start(&mut command)
            .map_err(|source| LoopbackError::Spawn { program: program.into(), source })
    }

    fn end_of(&self, awaited: Option<&str>, status: ExitStatus, said: &str) -> RunEnd {
        let exit = exit_of(status);
        let fitting = || self.harvester.guards.iter().filter(|sign| sign.fits(exit, said));
        // One exit code may stand for several guards.
        let guard = fitting().find(|sign| awaited == Some(sign.name.as_str())).or(fitting().next());
        let is_complete = exit == 0 && guard.is_none();
        let reason = said.lines().rev().find(|line| !line.trim().is_empty());
        RunEnd::Ended {
            outcome: if is_complete { "complete" } else { "incomplete" }.to_owned(),
            guard: guard.map(|sign| sign.name.clone()),
            reason: reason.filter(|_| exit != 0).map(|line| self.neutral(line)),
            exit,
        }
    }

    /// Text of a stranger without what differs from one proof to the next: the port, the folder, addresses in memory.
    fn neutral(&self, text: &str) -> String {
        let port =
            self.server.base_url().rsplit(':').next().and_then(|rest| rest.split('/').next());
        let mut text = text.replace(&self.room.join("work").display().to_string(), "{work}");
        if let Some(port) = port {
            text = text.replace(port, "PORT");
        }
        let mut parts = text.split("0x");
        let mut neutral = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            neutral.push_str("0x…");
            neutral.push_str(part.trim_start_matches(|letter: char| letter.is_ascii_hexdigit()));
        }
        neutral.trim().chars().take(REASON_CHARS_MAX).collect()
    }
}

fn exit_of(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        // As a shell has it.
        return 128 + signal;
    }
    status.code().unwrap_or(-1)
}

/// The end of a file, as text.
fn tail(path: &Path) -> std::io::Result<String> {
    let mut file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(SAID_BYTES_MAX)))?;
    let mut bytes = Vec::new();
    file.take(SAID_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
