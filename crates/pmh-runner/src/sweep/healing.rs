//! A script whose troubles end: what a sweep plays in place of the script itself.

use std::sync::Arc;

use pmh_oracle::judge;
use pmh_scenario::{Expect, Fault, Run, RunExpect, Script, StoreExpect};

use crate::simulate::simulate;

/// Runs without trouble at the end: what one of them finds due, the next one does.
const HEALED_RUNS: usize = 3;

/// The script up to its run `index` and `again` repetitions of that run with everything that goes wrong, then runs in
/// which nothing does: the last of those must be complete with exactly the truth, and one more must change nothing. Where a
/// brake rightly stops all of them, the script's own further runs come first, for as long as it does.
pub(crate) fn settled(script: &Script, index: usize, again: usize) -> Script {
    let lasts = index..script.runs.len();
    let held = |healing: &Script| {
        let healing = Arc::new(healing.clone());
        judge(&healing, &simulate(&healing)).failed().next().is_none()
    };
    lasts
        .map(|last| healing(script, index, again, last))
        .find(held)
        .unwrap_or_else(|| healing(script, index, again, index))
}

/// The same with the script's own runs up to `last`.
fn healing(script: &Script, index: usize, again: usize, last: usize) -> Script {
    let mut healing = script.clone();
    let further: Vec<Run> = healing.runs.drain(index + 1..).take(last - index).collect();
    let Some(run) = healing.runs.last().cloned() else { return healing };
    let named = |name: String| Run {
        name,
        before: Vec::new(),
        crash: None,
        expect: RunExpect::default(),
        truth: None,
        // What was to be read again has been opened; going on with it is what is looked at.
        full: false,
        ..run.clone()
    };
    healing.runs.extend((1..=again).map(|number| named(format!("again-{number}"))));
    let troubled: Vec<String> = healing.runs.iter().map(|run| run.name.clone()).collect();
    healing.runs.extend(further);
    for run in &mut healing.runs {
        (run.crash, run.expect, run.truth) = (None, RunExpect::default(), None);
    }
    healing.runs.extend((1..=HEALED_RUNS).map(|number| named(format!("healed-{number}"))));
    if let Some(last) = healing.runs.last_mut() {
        last.expect.outcome = Some("complete".to_owned());
    }
    healing.faults = script.faults.iter().flat_map(|fault| within(fault, &troubled)).collect();
    healing.expect = Expect { idempotent: true, store: StoreExpect::Truth, ..Expect::default() };
    healing.catches = Vec::new();
    let runs = u32::try_from(healing.runs.len()).unwrap_or(u32::MAX);
    healing.budget.requests = script.budget.requests.saturating_mul(runs);
    healing
}

/// The fault in these runs and in no other, in each by a name of its own: the journal tells faults apart by their names.
fn within(fault: &Fault, runs: &[String]) -> Vec<Fault> {
    let of = |run: &String| {
        let name = format!("{} ({run})", fault.name);
        let mut fault = Fault { optional: true, name, ..fault.clone() };
        fault.when.run = Some(run.clone());
        fault
    };
    match &fault.when.run {
        Some(run) => runs.iter().filter(|name| *name == run).map(of).collect(),
        None => runs.iter().map(of).collect(),
    }
}
