//! A run that stopped early says so: the watermark stays where it was, and the window stays open. A run that says
//! it is complete was stopped by nothing and leaves nothing open.
//!
//! Whoever cuts a window into slices may know the earlier of them complete and yet not all, and whoever asks for records
//! one by one may know which he lacks: then the watermark may move forward, and the property *watermark* sees to it that
//! it passes nothing that is missing.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::Stamp;
use pmh_scenario::{CrashPhase, Exchange};

use super::stops_after_empty_token::ends_list;
use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::listing::Listing;
use crate::observation::{Knowledge, RunEnd, RunObservation};
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs() {
        inquiry.add_checked(1);
        if run.end.claims_complete() {
            judge_complete(run, &mut inquiry);
        } else if !died_after_close(case, run) {
            let before = case.watermark_before(run);
            let knows_parts = has_read_a_slice(case, run) || has_asked_one_by_one(case, run);
            judge_stopped(run, before, knows_parts, &mut inquiry);
        }
    }
    inquiry.finding("no run took place")
}

/// Whether everything may have been done when the run died, or when its store failed: it was complete, and could not say
/// so any more.
fn died_after_close(case: &Case<'_>, run: &RunObservation) -> bool {
    let script = case.script.runs.iter().find(|script| script.name == run.name);
    let crash = script.and_then(|script| script.crash);
    crash.is_some_and(|crash| crash.phase == CrashPhase::AfterClose)
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

/// Whether a list that ends earlier than the operator asked for was read to its end, in this run or before. Also one whose
/// every page came and whose end did not: the announced size says as much.
fn has_read_a_slice(case: &Case<'_>, run: &RunObservation) -> bool {
    let asked = case.script.runs.iter().find(|script| script.name == run.name);
    let asked = asked.and_then(|script| script.until).map(|until| until.to_string());
    // Pages that have not come yet, of each slice.
    let mut slices: BTreeMap<_, BTreeSet<u32>> = BTreeMap::new();
    case.exchanges_until(run).any(|exchange| {
        let list = (exchange.run.as_str(), exchange.list);
        if exchange.arg("until").is_some_and(|until| Some(until) != asked.as_deref()) {
            let listing = Listing::opened_by(case, exchange);
            let pages = listing.map_or(0, |listing| listing.pages_count());
            slices.insert(list, (1..=pages).collect());
        }
        let Some(missing) = slices.get_mut(&list) else { return false };
        let answer = &exchange.answer;
        let has_come = answer.records > 0 && answer.status == 200 && !answer.unread;
        (has_come && missing.remove(&exchange.page) && missing.is_empty()) || ends_list(exchange)
    })
}

/// Whether the headers of a list were read to their end and records asked for by name, in this run: then it is known which of
/// them could not be had.
fn has_asked_one_by_one(case: &Case<'_>, run: &RunObservation) -> bool {
    let verb = |exchange: &Exchange, verb: &str| exchange.arg("verb") == Some(verb);
    let mut is_listed = false;
    case.exchanges(&run.name).any(|exchange| {
        is_listed |= verb(exchange, "ListIdentifiers") && ends_list(exchange);
        is_listed && verb(exchange, "GetRecord")
    })
}

fn judge_stopped(
    run: &RunObservation,
    before: Knowledge<Option<Stamp>>,
    knows_parts: bool,
    inquiry: &mut Inquiry,
) {
    let name = &run.name;
    if let (Knowledge::Known(before), Knowledge::Known(after)) = (before, run.watermark)
        && before != after
        && !(knows_parts && after > before)
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
    use crate::testing::{self, ended, exchange, one_run, with_crash, with_deletion};

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
    fn a_stopped_run_that_read_a_slice_may_move_the_watermark_forward_and_never_back() {
        let slice = |seen: &mut Observation| {
            exchange(seen, 1).args.push(("until".into(), "2024-05-01T00:00:00Z".into()));
        };
        let spoil = |seen: &mut Observation, run: usize| {
            seen.runs[run].end = ended("incomplete", None, 4);
            seen.runs[run].window_open = Knowledge::Known(true);
        };
        testing::check(
            Property::OpenWindow,
            &one_run(),
            |seen| {
                slice(seen);
                spoil(seen, 0);
            },
            &[],
        );
        testing::check(
            Property::OpenWindow,
            &with_deletion(),
            |seen| {
                slice(seen);
                spoil(seen, 1);
                seen.runs[1].watermark = Knowledge::Known(None);
            },
            &[
                "run `again` was not complete and moved the watermark from 2025-01-01T00:00:01Z to none",
            ],
        );
    }

    #[test]
    fn a_slice_whose_every_page_came_is_read_whatever_follows_it() {
        let found = |spoil: &dyn Fn(&mut Observation)| {
            let mut seen = testing::right(&one_run());
            seen.runs[0].end = ended("incomplete", None, 4);
            seen.runs[0].window_open = Knowledge::Known(true);
            exchange(&mut seen, 1).args.push(("until".into(), "2030-05-01T00:00:00Z".into()));
            exchange(&mut seen, 3).answer.token = Some("t4".to_owned());
            spoil(&mut seen);
            testing::finding(Property::OpenWindow, &one_run(), &seen)
        };
        let whole = found(&|_| ());
        assert!(matches!(whole, Finding::Held { .. }), "{whole:?}");
        let cut = found(&|seen| exchange(seen, 2).answer.unread = true);
        assert!(matches!(cut, Finding::Failed { .. }), "{cut:?}");
    }

    #[test]
    fn a_stopped_run_that_asked_one_by_one_knows_what_it_lacks() {
        let ask = |seen: &mut Observation, verb: &str, n: u32| {
            let args = &mut exchange(seen, n).args;
            args.retain(|(name, _)| name == "resumptionToken");
            args.push(("verb".into(), verb.into()));
        };
        let spoil = |seen: &mut Observation| seen.runs[0].end = ended("incomplete", None, 4);
        let found = |change: &dyn Fn(&mut Observation)| {
            let mut seen = testing::right(&one_run());
            spoil(&mut seen);
            seen.runs[0].window_open = Knowledge::Known(true);
            change(&mut seen);
            testing::finding(Property::OpenWindow, &one_run(), &seen)
        };
        let last = testing::right(&one_run()).journal.exchanges().count() as u32;
        let both = found(&|seen| {
            ask(seen, "ListIdentifiers", last);
            let mut asked = exchange(seen, last).clone();
            asked.n += 1;
            seen.journal.events.push(pmh_scenario::Event::Exchange(asked));
            ask(seen, "GetRecord", last + 1);
        });
        assert!(matches!(both, Finding::Held { .. }), "{both:?}");
        let listed = found(&|seen| ask(seen, "ListIdentifiers", last));
        assert!(matches!(listed, Finding::Failed { .. }), "{listed:?}");
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
    fn each_set_has_a_watermark_of_its_own() {
        let mut script = with_deletion();
        script.runs[1].set = Some("maps".to_owned());
        let refused = |seen: &mut Observation, watermark| {
            seen.runs[1].end = ended("refused", None, 3);
            seen.runs[1].watermark = Knowledge::Known(watermark);
        };
        let at = Stamp::from_seconds(0);
        testing::check(Property::OpenWindow, &script, |seen| refused(seen, None), &[]);
        testing::check(
            Property::OpenWindow,
            &script,
            |seen| refused(seen, Some(at)),
            &[
                "run `again` was not complete and moved the watermark from none to 1970-01-01T00:00:00Z",
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
