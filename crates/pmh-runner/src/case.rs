//! One scenario, proved: played in the arms asked for, judged, and shown to bite.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pmh_oracle::{Class, Verdict, Why, explain, judge};
use pmh_scenario::{Journal, Script};
use pmh_specimens::Specimen;

use crate::loopback::{Loopback, LoopbackError};
use crate::simulate::simulate;
use crate::specimen::play_specimen;

/// How a scenario is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    /// The harvester's core and the repository in one process, joined by function calls.
    Pure,
    /// The harvester as a process, SQLite files, sockets on loopback.
    Loopback,
}

impl Arm {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Loopback => "loopback",
        }
    }
}

/// What came of one scenario.
#[derive(Clone, Debug)]
pub struct Case {
    /// The scenario's id.
    pub id: String,
    /// Its sentence.
    pub title: String,
    /// Every arm it was played in.
    pub played: Vec<Played>,
    /// Every specimen that it must catch.
    pub bites: Vec<Bite>,
}

/// A scenario played in one arm.
#[derive(Clone, Debug)]
pub struct Played {
    /// The arm.
    pub arm: Arm,
    /// The judge's finding.
    pub verdict: Verdict,
    /// Why the store lacks what it should hold.
    pub whys: Vec<Why>,
    /// What the repository saw.
    pub journal: Journal,
    /// How long it took.
    pub took: Duration,
}

/// A wrong harvester before a scenario that names it.
#[derive(Clone, Debug)]
pub struct Bite {
    /// The specimen.
    pub specimen: Specimen,
    /// What was found; it must be a failure.
    pub verdict: Verdict,
}

impl Bite {
    /// Whether the scenario caught it.
    #[must_use]
    pub fn is_caught(&self) -> bool {
        self.verdict.class() == Class::Failed
    }
}

impl Case {
    /// The worst of everything: a failed property, arms that disagree or a specimen that got through is a failure.
    #[must_use]
    pub fn class(&self) -> Class {
        let worst = self.played.iter().map(|played| played.verdict.class()).max();
        if self.disagreement().is_some() || self.bites.iter().any(|bite| !bite.is_caught()) {
            return Class::Failed;
        }
        worst.unwrap_or(Class::Vacuous)
    }

    /// The two texts that should have been one: the first verdict, and the first that differs from it.
    #[must_use]
    pub fn disagreement(&self) -> Option<(&Played, &Played)> {
        let (first, rest) = self.played.split_first()?;
        let other =
            rest.iter().find(|played| played.verdict.to_text() != first.verdict.to_text())?;
        Some((first, other))
    }
}

/// Proves `script` in every one of `arms`; the loopback arm plays through `loopback`.
///
/// # Errors
/// When the loopback arm cannot be set up: no port, no process, no store.
pub fn prove(
    script: &Arc<Script>,
    arms: &[Arm],
    loopback: &Loopback,
) -> Result<Case, LoopbackError> {
    let mut played = Vec::new();
    for &arm in arms {
        let started = Instant::now();
        let observation = match arm {
            Arm::Pure => simulate(script),
            Arm::Loopback => loopback.play(script)?,
        };
        played.push(Played {
            arm,
            verdict: judge(script, &observation),
            whys: explain(script, &observation),
            journal: observation.journal,
            took: started.elapsed(),
        });
    }
    let bites = script
        .catches
        .iter()
        .filter_map(|name| Specimen::named(name))
        .map(|specimen| Bite { specimen, verdict: judge(script, &play_specimen(script, specimen)) })
        .collect();
    Ok(Case { id: script.id.clone(), title: script.title.clone(), played, bites })
}
