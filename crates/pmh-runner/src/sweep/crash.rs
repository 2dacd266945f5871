//! A death at every place there is.

use std::fmt;
use std::sync::Arc;

use pmh_oracle::{Class, judge};
use pmh_scenario::{Crash, CrashPhase, Script};

use super::accused::Wrong;
use super::healing::healing;
use crate::loopback::{Loopback, LoopbackError};
use crate::simulate::{Death, Schedule, simulate, simulate_with};

/// Runs that die one after the other at the most.
const DEATHS_MAX: usize = 5;
/// Places of one run at the most: far beyond the events of any run within its budget.
const EVENTS_MAX: u32 = 20_000;
/// How far the store may be behind. With 0 a page is durable before the next is asked for; with 1 the next one has
/// arrived; with the last everything waits for as long as it can.
const LAGS: [usize; 4] = [0, 1, 2, usize::MAX];
/// Every phase of a death in the loopback arm that belongs to a page.
const PHASES: [CrashPhase; 5] = [
    CrashPhase::BeforeResponse,
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
                match *lag {
                    usize::MAX => f.write_str(", commits as late as can be")?,
                    0 => f.write_str(", commits at once")?,
                    lag => write!(f, ", commits {lag} behind")?,
                }
                f.write_str(if *is_repeated { ", again and again" } else { "" })
            }
            Self::Page { run, page, phase } => {
                write!(f, "run {} dies at page {page}, {phase:?}", run + 1)
            }
        }
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
/// nothing moves any more. Then the troubles end, and it must arrive at the truth. `None` where the script itself does
/// not end complete, or is played from replies that know nothing of further runs.
#[must_use]
pub fn sweep_crashes(script: &Arc<Script>) -> Option<CrashSweep> {
    may_end_complete(script).then_some(())?;
    let mut sweep = CrashSweep::default();
    for run in 0..script.runs.len() {
        for is_repeated in [false, true] {
            let again = if is_repeated { DEATHS_MAX - 1 } else { 0 };
            let mut healing = healing(script, run, again);
            for dying in &mut healing.runs[run..=run + again] {
                // The judge is told that it dies, and that everything may have been done before. Where it dies is up to
                // the schedule.
                let phase = CrashPhase::AfterClose;
                dying.crash = Some(Crash { page: 1, phase, is_orderly: false });
            }
            let healing = Arc::new(healing);
            for lag in LAGS {
                for events in 0..EVENTS_MAX {
                    let death = Death { run, last_run: run + again, events };
                    let schedule = Schedule { lag, death: Some(death) };
                    let (observation, has_died) = simulate_with(&healing, &schedule);
                    if !has_died {
                        break;
                    }
                    sweep.places += 1;
                    let verdict = judge(&healing, &observation);
                    if let Some(wrong) = Wrong::of(&verdict) {
                        let place = CrashPlace::Event { run, events, lag, is_repeated };
                        sweep.failures.push((place, wrong, verdict.to_text()));
                    }
                }
            }
        }
    }
    Some(sweep)
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
            healing.runs[run].crash = Some(Crash { page, phase, is_orderly: false });
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
