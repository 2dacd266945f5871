//! A death at every place there is.

use std::fmt;
use std::sync::Arc;

use pmh_oracle::{Class, judge};
use pmh_scenario::{Crash, CrashPhase, Script};

use super::accused::Wrong;
use super::healing::healing;
use super::panics::caught;
use crate::loopback::{Loopback, LoopbackError};
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
/// Every phase of a death in the loopback arm that belongs to a page.
const PHASES: [CrashPhase; 6] = [
    CrashPhase::BeforeResponse,
    CrashPhase::MidBody,
    CrashPhase::AfterResponse,
    CrashPhase::NextRequest,
    CrashPhase::Uncommitted,
    CrashPhase::Committed,
];

/// A place in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrashPlace {
    /// Counted by events, in the pure arm.
    Event {
        /// The run that dies, from 0.
        run: usize,
        /// After so many events: answers that left the repository, and commits.
        events: u32,
        /// Entries that may be outstanding.
        lag: usize,
        /// Whether the runs after it die there as well, for as long as they bring the store on.
        is_repeated: bool,
    },
    /// The store fails, in the pure arm.
    Store {
        /// The run, from 0.
        run: usize,
        /// The commit, from 0.
        commit: u32,
        /// Entries that may be outstanding.
        lag: usize,
        /// How it fails.
        kind: StoreFailure,
    },
    /// Named by page and phase, in the loopback arm.
    Page {
        /// The run that dies, from 0.
        run: usize,
        /// The page of its first list.
        page: u32,
        /// The moment.
        phase: CrashPhase,
    },
}

impl fmt::Display for CrashPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event { run, events, lag, is_repeated } => {
                write!(f, "run {} dies after event {events}", run + 1)?;
                f.write_str(&rhythm(*lag))?;
                f.write_str(if *is_repeated { ", again and again" } else { "" })
            }
            Self::Store { run, commit, lag, kind } => {
                let how = match kind {
                    StoreFailure::Refused => "is refused",
                    StoreFailure::Unconfirmed => "is durable and not confirmed",
                    StoreFailure::Full => "is the first on a full disk",
                };
                write!(f, "commit {} of run {} {how}{}", commit + 1, run + 1, rhythm(*lag))
            }
            Self::Page { run, page, phase } => {
                write!(f, "run {} dies at page {page}, {phase:?}", run + 1)
            }
        }
    }
}

fn rhythm(lag: usize) -> String {
    match lag {
        usize::MAX => ", commits as late as can be".to_owned(),
        0 => ", commits at once".to_owned(),
        lag => format!(", commits {lag} behind"),
    }
}

/// What a sweep of one scenario found.
#[derive(Clone, Debug, Default)]
pub struct CrashSweep {
    /// Deaths died.
    pub places: u64,
    /// Where something was wrong afterwards, what, and the verdict in full.
    pub failures: Vec<(CrashPlace, Wrong, String)>,
}

/// Kills the shipped harvester at every place of every run of the script, in the pure arm: once, and in every run until
/// nothing moves any more; and has the store fail at every commit, in every way. Then the troubles end, and it must arrive at the truth. `None` where the script itself does
/// not end complete, or is played from replies that know nothing of further runs.
#[must_use]
pub fn sweep_crashes(script: &Arc<Script>) -> Option<CrashSweep> {
    may_end_complete(script).then_some(())?;
    let mut sweep = CrashSweep::default();
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
    let mut healing = healing(script, run, again);
    for dying in &mut healing.runs[run..=run + again] {
        let phase = CrashPhase::AfterClose;
        dying.crash = Some(Crash { list: 1, page: 1, phase, is_orderly: false });
    }
    healing
}

impl CrashSweep {
    /// Plays one place; whether it came about.
    fn play(&mut self, healing: &Arc<Script>, schedule: &Schedule, place: CrashPlace) -> bool {
        let played = caught(|| {
            let (observation, has_died) = simulate_with(healing, schedule);
            has_died.then(|| judge(healing, &observation))
        });
        let (wrong, text) = match played {
            Ok(None) => return false,
            Ok(Some(verdict)) => (Wrong::of(&verdict), verdict.to_text()),
            Err(wrong) => (Some(wrong), String::new()),
        };
        self.places += 1;
        if let Some(wrong) = wrong {
            self.failures.push((place, wrong, text));
        }
        true
    }
}

/// The same with a process and SIGKILL, at every phase of every page up to `pages_max`.
///
/// # Errors
/// When the loopback arm cannot be set up.
pub fn sweep_kills(
    script: &Arc<Script>,
    loopback: &Loopback,
    pages_max: u32,
) -> Result<Option<CrashSweep>, LoopbackError> {
    if !may_end_complete(script) {
        return Ok(None);
    }
    let mut sweep = CrashSweep::default();
    for run in 0..script.runs.len() {
        let mut killed = |page, phase| -> Result<bool, LoopbackError> {
            let mut healing = healing(script, run, 0);
            healing.runs[run].crash = Some(Crash { list: 1, page, phase, is_orderly: false });
            let healing = Arc::new(healing);
            // The pure arm tells whether the place is ever reached, without waiting for it.
            let has_died = judge(&healing, &simulate(&healing)).class() != Class::Vacuous;
            if !has_died {
                return Ok(false);
            }
            let verdict = judge(&healing, &loopback.play(&healing)?);
            sweep.places += 1;
            if let Some(wrong) = Wrong::of(&verdict) {
                let place = CrashPlace::Page { run, page, phase };
                sweep.failures.push((place, wrong, verdict.to_text()));
            }
            Ok(true)
        };
        for page in 1..=pages_max {
            let mut is_reached = false;
            for phase in PHASES {
                is_reached |= killed(page, phase)?;
            }
            if !is_reached {
                break;
            }
        }
        killed(1, CrashPhase::BeforeClose)?;
        killed(1, CrashPhase::AfterClose)?;
    }
    Ok(Some(sweep))
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
        let sweep = sweep_crashes(&Arc::new(Script::plain(6, 2, 1))).expect("it ends complete");
        assert!(sweep.failures.is_empty(), "{:?}", sweep.failures);
        // Identify, formats and three pages are asked for, and each entry is committed, in four rhythms, once and
        // again and again.
        assert!(sweep.places >= 4 * 2 * 8, "{}", sweep.places);
    }
}
