//! A process that is killed at every page: the shipped harvester, and any command.

use std::sync::Arc;

use pmh_oracle::{Class, judge};
use pmh_scenario::{Crash, CrashPhase, Script};

use super::accused::Wrong;
use super::crash::{CrashSweep, may_end_complete};
use super::healing::settled;
use super::place::CrashPlace;
use crate::foreign::{Harvester, Place, try_harvester};
use crate::loopback::{Loopback, LoopbackError};
use crate::simulate::simulate;

/// Every moment of a page that the shipped harvester can be brought to.
const PHASES: [CrashPhase; 6] = [
    CrashPhase::BeforeResponse,
    CrashPhase::MidBody,
    CrashPhase::AfterResponse,
    CrashPhase::NextRequest,
    CrashPhase::Uncommitted,
    CrashPhase::Committed,
];
/// The moments of a page that a repository sees.
const SEEN_PHASES: [CrashPhase; 3] =
    [CrashPhase::BeforeResponse, CrashPhase::AfterResponse, CrashPhase::NextRequest];
/// The moments at the end of a list, which has only one.
const CLOSING: [CrashPhase; 2] = [CrashPhase::BeforeClose, CrashPhase::AfterClose];

/// Kills the shipped harvester by SIGKILL at every phase of every page of every run, page after page until one is never
/// reached or `pages_max`. Then the troubles end, and it must arrive at the truth and change nothing more. `None` where the
/// script does not end complete. With `only` no other place is looked at.
///
/// # Errors
/// When the loopback arm cannot be set up.
pub fn sweep_kills(
    script: &Arc<Script>,
    loopback: &Loopback,
    pages_max: u32,
    only: Option<&str>,
) -> Result<Option<CrashSweep>, LoopbackError> {
    if !may_end_complete(script) {
        return Ok(None);
    }
    let mut sweep = CrashSweep::of(only);
    for run in 0..script.runs.len() {
        let mut kill = |dying: &Arc<Script>| {
            // The pure arm tells whether the place is ever reached, without waiting for it.
            if judge(dying, &simulate(dying)).class() == Class::Vacuous {
                return Ok(Killed::Unreached);
            }
            match loopback.play(dying) {
                Ok(observation) => {
                    let verdict = judge(dying, &observation);
                    Ok(Killed::Judged(Wrong::of(&verdict), verdict.to_text()))
                }
                // What is asked for again, because something was wrong with it, is not committed where it is waited for.
                Err(LoopbackError::Kill { .. }) => Ok(Killed::Alive),
                Err(error) => Err(error),
            }
        };
        let healing = settled(script, run, 0);
        kill_at_pages(&healing, run, pages_max, &PHASES, &mut sweep, &mut kill)?;
        kill_at(&healing, run, 1, &CLOSING, &mut sweep, &mut kill)?;
    }
    Ok(Some(sweep))
}

/// The same with the process group of a command, at every moment that can be seen from outside. `None` also where the script
/// cannot be asked of it.
///
/// # Errors
/// As [`try_harvester`].
pub fn sweep_stranger(
    script: &Arc<Script>,
    harvester: &Harvester,
    place: &Place,
    pages_max: u32,
    only: Option<&str>,
) -> Result<Option<CrashSweep>, LoopbackError> {
    if !may_end_complete(script) {
        return Ok(None);
    }
    let mut sweep = CrashSweep::of(only);
    for run in 0..script.runs.len() {
        let mut kill = |dying: &Arc<Script>| {
            let trial = try_harvester(dying, harvester, place)?;
            Ok(match &trial.result {
                Err(_) => Killed::Unaskable,
                Ok(verdict) if verdict.runs.iter().any(|line| line.end == "killed") => {
                    Killed::Judged(Wrong::of(verdict), trial.story())
                }
                Ok(_) => Killed::Unreached,
            })
        };
        let healing = settled(script, run, 0);
        let end = kill_at_pages(&healing, run, pages_max, &SEEN_PHASES, &mut sweep, &mut kill)?;
        if end == Reached::Unaskable {
            return Ok(None);
        }
    }
    Ok(Some(sweep))
}

/// What came of trying to kill somebody.
enum Killed {
    /// It never came to that place.
    Unreached,
    /// The script cannot be asked of it.
    Unaskable,
    /// It came there, and its store never to the state in which it was to die.
    Alive,
    /// It died, and this is what was wrong afterwards, and the story.
    Judged(Option<Wrong>, String),
}

/// Whether any of some places was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    Some,
    None,
    Unaskable,
}

type Kill<'a> = dyn FnMut(&Arc<Script>) -> Result<Killed, LoopbackError> + 'a;

/// Kills a run at these phases of page after page, until a page is never reached.
fn kill_at_pages(
    healing: &Script,
    run: usize,
    pages_max: u32,
    phases: &[CrashPhase],
    sweep: &mut CrashSweep,
    kill: &mut Kill<'_>,
) -> Result<Reached, LoopbackError> {
    for page in 1..=pages_max {
        let reached = kill_at(healing, run, page, phases, sweep, kill)?;
        if reached != Reached::Some {
            return Ok(reached);
        }
    }
    Ok(Reached::Some)
}

fn kill_at(
    healing: &Script,
    run: usize,
    page: u32,
    phases: &[CrashPhase],
    sweep: &mut CrashSweep,
    kill: &mut Kill<'_>,
) -> Result<Reached, LoopbackError> {
    let mut reached = Reached::None;
    for &phase in phases {
        let place = CrashPlace::Page { run, page, phase };
        if !sweep.wants(&place) {
            reached = Reached::Some;
            continue;
        }
        let mut dying = healing.clone();
        dying.runs[run].crash = Some(Crash { list: 1, page, phase, is_orderly: false });
        match kill(&Arc::new(dying))? {
            Killed::Unreached => {}
            Killed::Alive => {
                sweep.left_out += 1;
                reached = Reached::Some;
            }
            Killed::Unaskable => return Ok(Reached::Unaskable),
            Killed::Judged(wrong, story) => {
                sweep.died(place, wrong, story);
                reached = Reached::Some;
            }
        }
    }
    Ok(reached)
}
