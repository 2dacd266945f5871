//! A stranger that dies at every place that can be seen from outside.

use std::sync::Arc;

use pmh_scenario::{Crash, CrashPhase, Script};

use super::accused::Wrong;
use super::crash::{CrashPlace, CrashSweep, may_end_complete};
use super::healing::healing;
use crate::foreign::{Harvester, Place, try_harvester};
use crate::loopback::LoopbackError;

/// The moments of a page that a repository sees.
const PHASES: [CrashPhase; 3] =
    [CrashPhase::BeforeResponse, CrashPhase::AfterResponse, CrashPhase::NextRequest];

/// Kills the process group of a command at every moment of every page, page after page until one is never reached or
/// `pages_max`, in every run. Then the troubles end, and it must arrive at the truth and change nothing more. `None` where
/// the script does not end complete, or cannot be asked of it.
///
/// # Errors
/// As [`try_harvester`].
pub fn sweep_stranger(
    script: &Arc<Script>,
    harvester: &Harvester,
    place: &Place,
    pages_max: u32,
) -> Result<Option<CrashSweep>, LoopbackError> {
    if !may_end_complete(script) {
        return Ok(None);
    }
    let mut sweep = CrashSweep::default();
    for run in 0..script.runs.len() {
        for page in 1..=pages_max {
            let mut is_reached = false;
            for phase in PHASES {
                let mut healing = healing(script, run, 0);
                healing.runs[run].crash = Some(Crash { list: 1, page, phase, is_orderly: false });
                let trial = try_harvester(&Arc::new(healing), harvester, place)?;
                let Ok(verdict) = &trial.result else { return Ok(None) };
                if !verdict.runs.iter().any(|line| line.end == "killed") {
                    continue;
                }
                is_reached = true;
                sweep.places += 1;
                if let Some(wrong) = Wrong::of(verdict) {
                    let place = CrashPlace::Page { run, page, phase };
                    sweep.failures.push((place, wrong, trial.story()));
                }
            }
            if !is_reached {
                break;
            }
        }
    }
    Ok(Some(sweep))
}
