//! Judges an observation against the truth.
//!
//! Knows the script and what the repository saw of the harvester; must never know the harvester itself, or it
//! would inherit its mistakes. What a harvester or its store reader cannot tell is [`Knowledge::Unknown`] or
//! `None`, and is not judged.

mod case; // an observation beside its truth
mod inquiry; // how a property collects what it finds
mod listing; // which page a record was on, and what became of it
mod observation; // what actually happened
mod properties; // what must be true, one file each
mod property; // their names
mod store; // a store beside the truth, row by row
#[cfg(test)]
mod testing; // what a right harvester leaves, for tests to spoil
mod trace; // rules that a scenario asks for, one file each
mod verdict; // what was found
mod why; // record by record, why a store lacks it

pub use inquiry::EVIDENCE_MAX;
pub use observation::{
    ChangeCounts, HeldRow, Knowledge, Observation, RunEnd, RunObservation, Sight,
};
pub use property::Property;
pub use verdict::{Class, Finding, Judged, JudgedRule, RunSummary, Verdict};
pub use why::{Told, Why, explain};

use pmh_scenario::{Fate, Script};

use crate::case::Case;
use crate::store::{Standing, standings};

/// Judges one case by every property.
#[must_use]
pub fn judge(script: &Script, observation: &Observation) -> Verdict {
    let case = Case::new(script, observation);
    Verdict {
        scenario: script.id.clone(),
        title: script.title.clone(),
        runs: case.runs().iter().map(|run| summarise(&case, run)).collect(),
        properties: Property::ALL
            .into_iter()
            .map(|property| Judged { property, finding: properties::judge(property, &case) })
            .collect(),
        trace: script
            .expect
            .trace
            .iter()
            .map(|rule| JudgedRule { name: rule.name(), finding: trace::judge(rule, &case) })
            .collect(),
        unjudged: observation.unjudged.clone(),
    }
}

fn summarise(case: &Case<'_>, run: &RunObservation) -> RunSummary {
    let end = match &run.end {
        RunEnd::Ended { outcome, guard: Some(guard), exit, .. } => {
            format!("{outcome}, guard {guard}, exit {exit}")
        }
        RunEnd::Ended { outcome, guard: None, exit, .. } => format!("{outcome}, exit {exit}"),
        RunEnd::Crashed => "killed".to_owned(),
        RunEnd::OverBudget => "stopped over budget".to_owned(),
        RunEnd::OutOfTime => "stopped by the clock".to_owned(),
    };
    let knowable = || {
        standings(case, run)
            .filter(|(_, row, _)| !matches!(row.fate, Fate::Unknowable | Fate::Unsettled))
    };
    RunSummary {
        name: run.name.clone(),
        end,
        requests: case.exchanges(&run.name).count(),
        right: case
            .observation
            .sight
            .rows
            .then(|| knowable().filter(|(_, _, standing)| *standing == Standing::Right).count()),
        of: knowable().count(),
    }
}
