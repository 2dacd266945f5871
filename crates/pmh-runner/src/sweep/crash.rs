//! A death at every place there is.

use std::sync::Arc;

use pmh_oracle::judge;
use pmh_scenario::{Crash, CrashPhase, Script};

use super::accused::Wrong;
use super::healing::settled;
use super::panics::caught;
use super::place::CrashPlace;
use crate::simulate::{Death, Schedule, StoreFailure, StoreTrouble, simulate, simulate_with};

/// Runs that die one after the other at the most.
const DEATHS_MAX: usize = 5;
/// Places of one run at the most: far beyond the events of any run within its budget.
const EVENTS_MAX: u32 = 20_000;
/// How far the store may be behind. With 0 a page is durable before the next is asked for; with 1 the next one has
/// arrived; with the last everything waits for as long as it can.
const LAGS: [usize; 4] = [0, 1, 2, usize::MAX];
/// Every way in which a store fails.
const STORE_FAILURES: [StoreFailure; 3] =
    [StoreFailure::Refused, StoreFailure::Unconfirmed, StoreFailure::Full];
/// What a sweep of one scenario found.
#[derive(Clone, Debug, Default)]
pub struct CrashSweep {
    /// The only place that is looked at, in the words of [`CrashPlace`]; `None` is all of them.
    only: Option<String>,
    /// Deaths died.
    pub places: u64,
    /// Places at which a process could not be brought to its death, in the loopback arm.
    pub left_out: u64,
    /// Where something was wrong afterwards, what, and the verdict in full.
    pub failures: Vec<(CrashPlace, Wrong, String)>,
}

/// Kills the shipped harvester at every place of every run of the script, in the pure arm: once, and in every run until
/// nothing moves any more; and has the store fail at every commit, in every way. Then the troubles end, and it must arrive at the truth. `None` where the script itself does
/// not end complete, or is played from replies that know nothing of further runs. With `only` no other place is looked at.
#[must_use]
pub fn sweep_crashes(script: &Arc<Script>, only: Option<&str>) -> Option<CrashSweep> {
    may_end_complete(script).then_some(())?;
    let mut sweep = CrashSweep::of(only);
    for run in 0..script.runs.len() {
        for is_repeated in [false, true] {
            let again = if is_repeated { DEATHS_MAX - 1 } else { 0 };
            let healing = Arc::new(dying(script, run, again));
            for lag in LAGS {
                for events in 0..EVENTS_MAX {
                    let death = Death { run, last_run: run + again, events };
                    let schedule = Schedule { lag, death: Some(death), store: None };
                    let place = CrashPlace::Event { run, events, lag, is_repeated };
                    if !sweep.play(&healing, &schedule, place) {
                        break;
                    }
                }
            }
        }
        let healing = Arc::new(dying(script, run, 0));
        for kind in STORE_FAILURES {
            for lag in [0, usize::MAX] {
                for commit in 0..EVENTS_MAX {
                    let trouble = StoreTrouble { run, commit, kind };
                    let schedule = Schedule { lag, death: None, store: Some(trouble) };
                    let place = CrashPlace::Store { run, commit, lag, kind };
                    if !sweep.play(&healing, &schedule, place) {
                        break;
                    }
                }
            }
        }
    }
    Some(sweep)
}

/// The script up to its run `run`, which ends where nobody knows, and so do `again` repetitions of it; then runs in which
/// nothing goes wrong. The judge is told that everything may have been done before the end.
fn dying(script: &Script, run: usize, again: usize) -> Script {
    let mut healing = settled(script, run, again);
    for dying in &mut healing.runs[run..=run + again] {
        let phase = CrashPhase::AfterClose;
        dying.crash = Some(Crash { list: 1, page: 1, phase, is_orderly: false });
    }
    healing
}

impl CrashSweep {
    pub(super) fn of(only: Option<&str>) -> Self {
        Self { only: only.map(str::to_owned), ..Self::default() }
    }

    /// Whether this place is one to look at.
    pub(super) fn wants(&self, place: &CrashPlace) -> bool {
        self.only.as_ref().is_none_or(|only| *only == place.to_string())
    }

    /// Takes down what came of a death.
    pub(super) fn died(&mut self, place: CrashPlace, wrong: Option<Wrong>, story: String) {
        self.places += 1;
        self.failures.extend(wrong.map(|wrong| (place, wrong, story)));
    }

    /// Plays one place; whether it came about, as far as that was looked at.
    fn play(&mut self, healing: &Arc<Script>, schedule: &Schedule, place: CrashPlace) -> bool {
        if !self.wants(&place) {
            return true;
        }
        let played = caught(|| {
            let (observation, has_died) = simulate_with(healing, schedule);
            has_died.then(|| judge(healing, &observation))
        });
        let (wrong, text) = match played {
            Ok(None) => return false,
            Ok(Some(verdict)) => (Wrong::of(&verdict), verdict.to_text()),
            Err(wrong) => (Some(wrong), String::new()),
        };
        self.died(place, wrong, text);
        true
    }
}

pub(super) fn may_end_complete(script: &Arc<Script>) -> bool {
    let observation = simulate(script);
    let last = observation.runs.iter().rev().find(|run| !run.added_by_harness);
    script.replies.is_empty()
        && last.is_some_and(|run| run.end.outcome() == Some("complete"))
        && judge(script, &observation).held()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_a_small_harvest_is_died_at_and_nothing_is_lost() {
        let script = Arc::new(Script::plain(6, 2, 1));
        let sweep = sweep_crashes(&script, None).expect("it ends complete");
        assert!(sweep.failures.is_empty(), "{:?}", sweep.failures);
        // Identify, formats and three pages are asked for, and each entry is committed, in four rhythms, once and
        // again and again.
        assert!(sweep.places >= 4 * 2 * 8, "{}", sweep.places);
        let place = CrashPlace::Event { run: 0, events: 3, lag: 1, is_repeated: true };
        let again = sweep_crashes(&script, Some(&place.to_string())).expect("it ends complete");
        assert_eq!(again.places, 1, "a place is found again by its words");
    }
}
