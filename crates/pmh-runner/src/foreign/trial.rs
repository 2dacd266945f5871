//! What came of a scenario and a harvester, whoever's it is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pmh_oracle::{
    Class, Finding, JudgedRule, Observation, RunEnd, RunSummary, Verdict, Why, explain, judge,
};
use pmh_scenario::{Journal, Script};
use pmh_specimens::Specimen;

use super::fair::{Knowable, asks_for_ways_of_ours, fair};
use super::room::{Place, Room};
use crate::loopback::{Loopback, LoopbackError};
use crate::report::{failed_in, why_text};
use crate::specimen::play_specimen;

/// What reports call the shipped harvester.
const SHIPPED: &str = "pmh";

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
    /// Runs that a guard was to end, whose signs are known.
    to_be_stopped: Vec<String>,
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
        self.result.as_ref().map(failed_in).unwrap_or_default()
    }

    /// Whether it failed by stopping before the end, and said so: nothing that it claims is wrong. Who was to stop, and
    /// says another guard than the one that was to stop it, has not given up.
    #[must_use]
    pub fn gave_up(&self) -> bool {
        let Ok(verdict) = &self.result else { return false };
        let may = |run: &&RunSummary| !self.to_be_stopped.contains(&run.name);
        verdict.runs.iter().filter(may).any(|run| run.end.starts_with("incomplete"))
            && self.failed() == [pmh_oracle::Property::AsExpected.name()]
    }

    /// Everything there is to say about it: the verdict, and why records are not as they should be.
    #[must_use]
    pub fn story(&self) -> String {
        match &self.result {
            Ok(verdict) => format!("{}{}", verdict.to_text(), why_text(&self.whys)),
            Err(why) => format!("{why}\n"),
        }
    }

    /// A rule without anything to look at says that a scenario is weak, when it is ours that was played; a stranger need
    /// not send what the rule is about.
    pub(super) fn set_aside_idle_rules(&mut self) {
        let Ok(verdict) = &mut self.result else { return };
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

    /// Of a scenario that cannot be asked of this harvester.
    pub(super) fn left_out(harvester: &str, why: String) -> Self {
        Self {
            harvester: harvester.to_owned(),
            result: Err(why),
            whys: Vec::new(),
            journal: Journal::default(),
            took: Duration::ZERO,
            to_be_stopped: Vec::new(),
        }
    }

    pub(super) fn of(
        harvester: &str,
        script: &Script,
        observation: Observation,
        started: Instant,
    ) -> Self {
        Self {
            harvester: harvester.to_owned(),
            result: Ok(judge(script, &observation)),
            whys: explain(script, &observation),
            journal: observation.journal,
            took: started.elapsed(),
            to_be_stopped: script
                .runs
                .iter()
                .filter(|run| run.expect.guard.is_some())
                .map(|run| run.name.clone())
                .collect(),
        }
    }
}

/// Plays a script with the shipped harvester as a process, to stand beside others.
///
/// # Errors
/// As [`Loopback::play`].
pub fn try_shipped(
    script: &Arc<Script>,
    loopback: &Loopback,
    place: &Place,
) -> Result<Trial, LoopbackError> {
    let started = Instant::now();
    let room = Room::make(&script.id, SHIPPED, place)?;
    let observation = loopback.play_in(script, room.path())?;
    room.keep(&observation.journal)?;
    Ok(Trial::of(SHIPPED, script, observation, started))
}

/// Plays a script with a harvester that is wrong on purpose, which is held to no more than a stranger beside it: it has no
/// guards of ours, and none of our words for how it ends.
///
/// # Errors
/// When there is no room for what is to be kept.
pub fn try_specimen(
    script: &Arc<Script>,
    specimen: Specimen,
    place: &Place,
) -> Result<Trial, LoopbackError> {
    let started = Instant::now();
    if let Some(why) = script.runs.iter().find_map(asks_for_ways_of_ours) {
        return Ok(Trial::left_out(specimen.name(), why));
    }
    let knowable = Knowable { guards: &[], rows: true, doubles: true, payloads: true };
    let (script, unjudged) = fair(script, &knowable);
    let script = Arc::new(script);
    let mut observation = Observation { unjudged, ..play_specimen(&script, specimen) };
    for run in &mut observation.runs {
        if let RunEnd::Ended { outcome, .. } = &mut run.end
            && outcome == "refused"
        {
            // A stranger has one word for both.
            *outcome = "incomplete".to_owned();
        }
    }
    if place.keep.is_some() {
        Room::make(&script.id, specimen.name(), place)?.keep(&observation.journal)?;
    }
    let mut trial = Trial::of(specimen.name(), &script, observation, started);
    trial.set_aside_idle_rules();
    Ok(trial)
}

#[cfg(test)]
mod tests {
    use pmh_scenario::load;

    use super::*;
    use crate::vocabulary;

    fn sound(text: &str) -> Trial {
        let text = format!("format = 1\nrepository.records.generate = {{ count = 30 }}\n{text}");
        let loaded = load("x", &text, &vocabulary()).expect("the file is sound");
        let place = Place { project: std::path::PathBuf::from("."), keep: None };
        try_specimen(&Arc::new(loaded.script()), Specimen::SOUND, &place).expect("it needs no room")
    }

    #[test]
    fn a_specimen_beside_strangers_is_held_to_what_they_are_held_to() {
        let guarded = sound(
            "[[run]]\naction = \"harvest\"\n[[run]]\naction = \"incremental\"\n\
             before = [{ delete = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }]\n\
             expect = { outcome = \"incomplete\", guard = \"mass-delete\", changes = 0 }\n\
             [expect]\nstore = \"withheld\"\n",
        );
        assert_eq!(guarded.class(), Some(Class::Held), "{:?}", guarded.result);
        let refused = sound(
            "[[fault]]\nname = \"forbidden\"\nwhen = { page = 1 }\ndo.http = { status = 403 }\n\
             [[run]]\naction = \"harvest\"\nexpect = { outcome = \"complete\" }\n",
        );
        assert!(refused.gave_up(), "{:?}", refused.result);
        let strict = sound("[[run]]\naction = \"harvest\"\nstrict = true\n");
        assert!(strict.result.is_err(), "it has no such setting");
    }
}
