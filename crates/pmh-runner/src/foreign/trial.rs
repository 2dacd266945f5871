//! What came of a scenario and a harvester, whoever's it is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pmh_oracle::{Class, Finding, JudgedRule, Observation, Verdict, Why, explain, judge};
use pmh_scenario::{Journal, Script};
use pmh_specimens::Specimen;

use crate::loopback::{Loopback, LoopbackError};
use crate::specimen::play_specimen;

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

    /// Whether it failed by stopping before the end, and said so: nothing that it claims is wrong.
    #[must_use]
    pub fn gave_up(&self) -> bool {
        let Ok(verdict) = &self.result else { return false };
        let says_so = verdict.runs.iter().any(|run| run.end.starts_with("incomplete"));
        says_so && self.failed() == [pmh_oracle::Property::AsExpected.name()]
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
    let mut trial = Trial::of(specimen.name(), script, observation, started);
    trial.set_aside_idle_rules();
    trial
}
