//! A run that stopped early says so: the watermark stays where it was, and the window stays open. A run that says
//! it is complete was stopped by nothing and leaves nothing open.

use std::collections::BTreeMap;

use pmh_protocol::Stamp;
use pmh_scenario::CrashPhase;

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::observation::{Knowledge, RunEnd, RunObservation};
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    // Every format and every set has a watermark of its own.
    let mut watermarks = BTreeMap::new();
    for run in case.runs() {
        inquiry.add_checked(1);
        let asked = case.script.runs.iter().find(|script| script.name == run.name);
        let key = asked.or(case.script.runs.last()).map(|asked| (asked.prefix(), &asked.set));
        let watermark_before = watermarks.entry(key).or_insert(Knowledge::Known(None));
        if run.end.claims_complete() {
            judge_complete(run, &mut inquiry);
        } else if !died_after_close(case, run) {
            judge_stopped(run, *watermark_before, &mut inquiry);
        }
        *watermark_before = run.watermark;
    }
    inquiry.finding("no run took place")
}

/// Whether everything was done when the run died: it was complete, and could not say so any more.
fn died_after_close(case: &Case<'_>, run: &RunObservation) -> bool {
    let script = case.script.runs.iter().find(|script| script.name == run.name);
    let crash = script.and_then(|script| script.crash);
    run.end == RunEnd::Crashed && crash.is_some_and(|crash| crash.phase == CrashPhase::AfterClose)
}

fn judge_complete(run: &RunObservation, inquiry: &mut Inquiry) {
    let name = &run.name;
    if let Some(guard) = run.end.guard() {
        inquiry
            .blame(format!("run `{name}` says it is complete although guard `{guard}` ended it"));
    }
    if run.window_open == Knowledge::Known(true) {
        inquiry.blame(format!("run `{name}` says it is complete and leaves its window open"));
    }
}

fn judge_stopped(run: &RunObservation, before: Knowledge<Option<Stamp>>, inquiry: &mut Inquiry) {
    let name = &run.name;
    if let (Knowledge::Known(before), Knowledge::Known(after)) = (before, run.watermark)
        && before != after
    {
        inquiry.blame(format!(
            "run `{name}` was not complete and moved the watermark from {} to {}",
            or_none(before),
            or_none(after)
        ));
    }
    if let RunEnd::Ended { outcome, exit: 0, .. } = &run.end {
        inquiry.blame(format!("run `{name}` was {outcome} and ended with exit code 0"));
    }
    if run.end.outcome() == Some("incomplete") && run.window_open == Knowledge::Known(false) {
        inquiry.blame(format!("run `{name}` was incomplete and closed its window"));
    }
}

fn or_none(watermark: Option<Stamp>) -> String {
    watermark.map_or_else(|| "none".to_owned(), |stamp| stamp.to_string())
}

#[cfg(test)]
mod tests {
    use pmh_protocol::Stamp;

    use super::*;
    use crate::observation::Observation;
    use crate::property::Property;
    use crate::testing::{self, ended, one_run, with_crash};

    fn check(spoil: impl FnOnce(&mut RunObservation), evidence: &[&str]) {
        let spoil = |seen: &mut Observation| spoil(&mut seen.runs[0]);
        testing::check(Property::OpenWindow, &one_run(), spoil, evidence);
    }

    fn stop(run: &mut RunObservation) {
        run.end = ended("incomplete", Some("short-list"), 4);
        run.watermark = Knowledge::Known(None);
        run.window_open = Knowledge::Known(true);
    }

    #[test]
    fn a_complete_run_closes_its_window() {
        check(|_| (), &[]);
        check(
            |run| run.window_open = Knowledge::Known(true),
            &["run `harvest` says it is complete and leaves its window open"],
        );
    }

    #[test]
    fn a_stopped_run_that_keeps_its_window_open_is_right() {
        check(stop, &[]);
    }

    #[test]
    fn a_stopped_run_must_not_close_its_window() {
        check(
            |run| {
                stop(run);
                run.window_open = Knowledge::Known(false);
            },
            &["run `harvest` was incomplete and closed its window"],
        );
    }

    #[test]
    fn a_stopped_run_must_not_move_the_watermark() {
        check(
            |run| {
                stop(run);
                run.watermark = Knowledge::Known(Some(Stamp::from_seconds(0)));
            },
            &[
                "run `harvest` was not complete and moved the watermark from none to 1970-01-01T00:00:00Z",
            ],
        );
    }

    #[test]
    fn a_killed_run_must_not_move_the_watermark() {
        testing::check(
            Property::OpenWindow,
            &with_crash(),
            |seen| seen.runs[0].watermark = Knowledge::Known(Some(Stamp::from_seconds(0))),
            &[
                "run `harvest` was not complete and moved the watermark from none to 1970-01-01T00:00:00Z",
            ],
        );
    }

    #[test]
    fn a_stopped_run_must_not_look_like_success() {
        check(
            |run| {
                stop(run);
                run.end = ended("incomplete", None, 0);
            },
            &["run `harvest` was incomplete and ended with exit code 0"],
        );
    }

    #[test]
    fn a_run_ended_by_a_guard_is_not_complete() {
        check(
            |run| run.end = ended("complete", Some("no-progress"), 0),
            &["run `harvest` says it is complete although guard `no-progress` ended it"],
        );
    }
}
