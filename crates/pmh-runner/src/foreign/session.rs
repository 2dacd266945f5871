//! A scenario played with a command: one server for the case, one process a run, one folder for all it keeps.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pmh_oracle::{
    Class, Finding, JudgedRule, Knowledge, Observation, RunEnd, RunObservation, Sight, Verdict,
    Why, explain, judge,
};
use pmh_scenario::{Journal, Run, Script};
use pmh_specimens::Specimen;

use super::Harvester;
use super::fair::{cannot_be_asked, fair};
use super::harvester::Values;
use super::reader::Read;
use crate::executioner::{Executioner, Sentence};
use crate::loopback::{Loopback, LoopbackError};
use crate::observe::{PlayedRun, runs_of};
use crate::server::{Pace, Server};
use crate::simulate::{end_in_words, place_of};
use crate::specimen::play_specimen;
use crate::waiting::wait;

/// A stranger's clock is the wall's; only pauses inside answers are shortened.
const PACE: Pace = Pace { clock_factor: 1, pause_scale: 0.01 };
/// So much of what a run said on standard error is looked at, from its end.
const SAID_BYTES_MAX: u64 = 64 << 10;
/// Characters of a reason.
const REASON_CHARS_MAX: usize = 160;

/// Where strangers are played.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder that commands start in.
    pub project: PathBuf,
    /// Keep what they leave, in a folder per case below this one.
    pub keep: Option<PathBuf>,
}

/// A scenario played with one harvester.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The harvester.
    pub harvester: String,
    /// What was found, or why the scenario cannot be asked of it.
    pub result: Result<Verdict, String>,
    /// Why its store lacks what it should hold.
    pub whys: Vec<Why>,
    /// What the repository saw.
    pub journal: Journal,
    /// How long it took.
    pub took: Duration,
}

impl Trial {
    /// The class, where it was played.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        self.result.as_ref().ok().map(Verdict::class)
    }

    /// Names of everything that failed, rules of the scenario included.
    #[must_use]
    pub fn failed(&self) -> Vec<&'static str> {
        let Ok(verdict) = &self.result else { return Vec::new() };
        let is_failure = |finding: &Finding| matches!(finding, Finding::Failed { .. });
        let properties = verdict.failed().map(pmh_oracle::Property::name);
        let rules = verdict.trace.iter().filter(|rule| is_failure(&rule.finding));
        properties.chain(rules.map(|rule| rule.name)).collect()
    }

    fn of(harvester: &str, script: &Script, observation: Observation, started: Instant) -> Self {
        Self {
            harvester: harvester.to_owned(),
            result: Ok(judge(script, &observation)),
            whys: explain(script, &observation),
            journal: observation.journal,
            took: started.elapsed(),
        }
    }
}

/// Plays a script with the shipped harvester as a process, to stand beside others.
///
/// # Errors
/// As [`Loopback::play`].
pub fn try_shipped(script: &Arc<Script>, loopback: &Loopback) -> Result<Trial, LoopbackError> {
    let started = Instant::now();
    let observation = loopback.play(script)?;
    Ok(Trial::of("pmh", script, observation, started))
}

/// Plays a script with a harvester that is wrong on purpose.
#[must_use]
pub fn try_specimen(script: &Arc<Script>, specimen: Specimen) -> Trial {
    let started = Instant::now();
    let observation = play_specimen(script, specimen);
    Trial::of(specimen.name(), script, observation, started)
}

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
        return Ok(Trial {
            harvester: harvester.name.clone(),
            result: Err(why),
            whys: Vec::new(),
            journal: Journal::default(),
            took: Duration::ZERO,
        });
    }
    let (script, unjudged) = fair(script, harvester);
    let script = Arc::new(script);
    let room = Room::make(&script.id, harvester, place)?;
    let executioner = Arc::new(Executioner::new(None));
    let server = Server::start(&script, &executioner, PACE)?;
    let mut session = Session {
        script: &script,
        harvester,
        place,
        room: &room.path,
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
    if place.keep.is_some() {
        fs::write(room.path.join("journal.ndjson"), observation.journal.to_ndjson())
            .map_err(LoopbackError::Room)?;
    }
    let mut trial = Trial::of(&harvester.name, &script, observation, started);
    if let Ok(verdict) = &mut trial.result {
        set_aside_idle_rules(verdict);
    }
    Ok(trial)
}

/// A rule without anything to look at says that a scenario is weak, when it is ours that was played; a stranger need
/// not send what the rule is about.
fn set_aside_idle_rules(verdict: &mut Verdict) {
    let (idle, met): (Vec<JudgedRule>, _) =
        std::mem::take(&mut verdict.trace).into_iter().partition(|rule| {
            matches!(rule.finding, Finding::Vacuous { .. } | Finding::NotApplicable { .. })
        });
    verdict.trace = met;
    for rule in idle {
        if let Finding::Vacuous { why } | Finding::NotApplicable { why } = rule.finding {
            verdict.unjudged.push(format!("the rule {}: {why}", rule.name));
        }
    }
}

/// The folder of one case: `work` for the harvester, beside it what is ours. It is gone with this value, unless kept.
struct Room {
    path: PathBuf,
    _temporary: Option<tempfile::TempDir>,
}

impl Room {
    fn make(id: &str, harvester: &Harvester, place: &Place) -> Result<Self, LoopbackError> {
        let wrong = LoopbackError::Room;
        let (path, temporary) = match &place.keep {
            None => {
                let folder = tempfile::tempdir().map_err(wrong)?;
                (folder.path().to_owned(), Some(folder))
            }
            Some(keep) => {
                let name = format!("{}.{}", id, harvester.name);
                let name: String = name
                    .chars()
                    .map(|letter| if "/\\ :".contains(letter) { '.' } else { letter })
                    .collect();
                let path = keep.join(name);
                if path.exists() {
                    // What an earlier proof left would be taken for this one's.
                    fs::remove_dir_all(&path).map_err(wrong)?;
                }
                (path, None)
            }
        };
        for name in ["work", "home", "tmp"] {
            fs::create_dir_all(path.join(name)).map_err(wrong)?;
        }
        // A command starts elsewhere: what it is told must not depend on where.
        let path = fs::canonicalize(path).map_err(wrong)?;
        Ok(Self { path, _temporary: temporary })
    }
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
        let mut child = self.spawn(run, &played.name)?;
        self.executioner.aim(&child);
        let budget = Duration::from_secs(self.script.budget.wall_seconds);
        let patience = self.harvester.timeout.unwrap_or(budget);
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
            (Sentence::OverBudget, _) | (_, None) => RunEnd::OverBudget,
            (Sentence::Crashed, _) => {
                self.server.repository().crash(&crash.map_or_else(String::new, place_of));
                RunEnd::Crashed
            }
            (Sentence::None, Some(status)) => {
                self.end_of(status, &tail(&stderr).map_err(LoopbackError::Room)?)
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
    fn spawn(&self, run: Option<&Run>, name: &str) -> Result<Child, LoopbackError> {
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
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map_err(|source| LoopbackError::Spawn { program: program.into(), source })
    }

    fn end_of(&self, status: ExitStatus, said: &str) -> RunEnd {
        let exit = exit_of(status);
        let guard = self.harvester.guards.iter().find(|sign| sign.fits(exit, said));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::{GuardSign, StoreReader};

    /// Reads pages until there is no token, and writes down what it was given: as much as a shell can do.
    const LOOP: &str = r#"
        url="$1?verb=ListRecords&metadataPrefix=oai_dc"
        for turn in 1 2 3 4 5 6 7 8 9; do
            page=$(curl -sf "$url") || exit 7
            printf '%s' "$page" > "$2/$turn.xml"
            token=$(printf '%s' "$page" | sed -n 's/.*<resumptionToken[^>]*>\([^<]*\)<.*/\1/p')
            [ -n "$token" ] || exit 0
            url="$1?verb=ListRecords&resumptionToken=$token"
        done"#;

    fn shell(script: &str, store: StoreReader) -> Harvester {
        let words = ["sh", "-c", script, "sh", "{base-url}", "{work}"].map(str::to_owned).to_vec();
        Harvester::new("shell".to_owned(), words, store).expect("a command")
    }

    fn play(harvester: &Harvester, script: Script) -> Trial {
        let place = Place { project: PathBuf::from("."), keep: None };
        try_harvester(&Arc::new(script), harvester, &place).expect("it can be played")
    }

    fn words(trial: &Trial) -> String {
        trial.result.as_ref().expect("it was played").to_text()
    }

    #[test]
    fn a_loop_in_a_shell_is_proved_by_what_it_leaves() {
        let trial = play(&shell(LOOP, StoreReader::XmlDir(".".to_owned())), Script::plain(6, 2, 1));
        assert_eq!(trial.class(), Some(Class::Held), "{}", words(&trial));
        assert!(words(&trial).contains("6 of 6 records held"), "{}", words(&trial));
        assert_eq!(trial.journal.exchanges().count(), 3);
    }

    #[test]
    fn who_stops_after_a_page_and_says_it_is_complete_is_told_which_page_is_missing() {
        let early = LOOP.replace("1 2 3 4 5 6 7 8 9", "1 2");
        let trial =
            play(&shell(&early, StoreReader::XmlDir(".".to_owned())), Script::plain(6, 2, 1));
        assert_eq!(trial.class(), Some(Class::Failed), "{}", words(&trial));
        assert!(trial.failed().contains(&"nothing-lost"), "{:?}", trial.failed());
        assert_eq!(trial.whys[0].identifiers.len(), 2);
        assert!(
            trial.whys[0].conclusion.contains("page 3 was never asked for"),
            "{:?}",
            trial.whys
        );
    }

    #[test]
    fn a_store_that_nobody_sees_is_not_judged() {
        let early = LOOP.replace("1 2 3 4 5 6 7 8 9", "1 2");
        let trial = play(&shell(&early, StoreReader::Unread), Script::plain(6, 2, 1));
        assert_eq!(trial.class(), Some(Class::Held), "{}", words(&trial));
        assert!(words(&trial).contains("not judged: the store: nobody can see it"));
    }

    #[test]
    fn who_never_ends_is_stopped_with_all_that_it_has_started() {
        let mut harvester = shell(&format!("sleep 60 & {LOOP}\nwait"), StoreReader::Unread);
        harvester.command[2] = harvester.command[2].replace("exit 0", "break");
        harvester.timeout = Some(Duration::from_millis(900));
        let started = Instant::now();
        let trial = play(&harvester, Script::plain(6, 2, 1));
        assert!(started.elapsed() < Duration::from_secs(20), "the child of the child was left");
        assert_eq!(trial.failed(), ["terminates"], "{}", words(&trial));
    }

    #[test]
    fn a_rule_about_what_a_stranger_never_does_is_no_fault_of_it() {
        let mut script = Script::plain(6, 2, 1);
        let verb = Some("Identify".to_owned());
        script.expect.trace = vec![pmh_scenario::TraceRule::AtMost { n: 1, verb }];
        let trial = play(&shell(LOOP, StoreReader::XmlDir(".".to_owned())), script);
        assert_eq!(trial.class(), Some(Class::Held), "{}", words(&trial));
        assert!(words(&trial).contains("not judged: the rule at-most: "), "{}", words(&trial));
    }

    #[test]
    fn a_brake_is_known_by_its_sign() {
        let mut harvester =
            shell("echo too many >&2; curl -s $1?verb=Identify; exit 3", StoreReader::Unread);
        harvester.guards.push(GuardSign::parse("no-progress=stderr:too many").unwrap());
        let trial = play(&harvester, Script::plain(6, 2, 1));
        assert!(words(&trial).contains("guard no-progress, exit 3"), "{}", words(&trial));
    }
}
