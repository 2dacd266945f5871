//! A run that says it is complete holds every live record, in its newest version.

use pmh_scenario::Fate;

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::listing::{Listing, blame_wrong};
use crate::store::standings;
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs().iter().filter(|run| run.end.claims_complete()) {
        let looked_at = blame_wrong(case, run, "", &mut inquiry, |_, row| {
            matches!(row.fate, Fate::Live { .. })
        });
        inquiry.add_checked(looked_at);
    }
    inquiry.finding("no run said that it was complete")
}

/// Where nobody sees the store: what never came cannot be held. Each entry that came may have been another record, so that
/// nobody is blamed who may be right.
pub(crate) fn judge_unseen(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs().iter().filter(|run| run.end.claims_complete()) {
        let lists = || case.exchanges_until(run).filter(|exchange| exchange.page > 0);
        if lists().any(|exchange| exchange.answer.unread && exchange.answer.status == 200) {
            continue;
        }
        let came: u64 =
            case.exchanges_until(run).map(|exchange| u64::from(exchange.answer.records)).sum();
        let live = standings(case, run).filter(|(_, row, _)| matches!(row.fate, Fate::Live { .. }));
        let live = live.count() as u64;
        inquiry.check(came >= live, || {
            let read = lists().last().zip(Listing::of(case, run)).map(|(last, list)| {
                format!(", and its last request was for page {} of {}", last.page, list.pages_count())
            });
            format!(
                "run `{}` says that it is complete: {} came in all, too few for {live} live records{}",
                run.name,
                match came {
                    1 => "1 entry".to_owned(),
                    _ => format!("{came} entries"),
                },
                read.unwrap_or_default()
            )
        });
    }
    inquiry.finding("the store was not read")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Observation;
    use crate::property::Property;
    use crate::testing::{self, ended, exchange, lose, one_run, right, row, with_deletion};

    fn check(spoil: impl FnOnce(&mut Observation), evidence: &[&str]) {
        testing::check(Property::NothingLost, &one_run(), spoil, evidence);
    }

    #[test]
    fn a_complete_run_that_holds_everything_has_lost_nothing() {
        check(|_| (), &[]);
    }

    #[test]
    fn a_page_that_was_refused_is_named_with_its_exchange() {
        check(
            |seen| {
                lose(seen, 0, &[3, 4]);
                let refused = exchange(seen, 2);
                refused.answer.records = 0;
                refused.answer.error = Some("badResumptionToken".to_owned());
            },
            &["run `harvest`: `oai:repository.example:000003` and 1 more are missing; \
               page 2: #2 answered badResumptionToken; not asked for again"],
        );
    }

    #[test]
    fn a_page_that_was_never_asked_for_is_named() {
        check(
            |seen| {
                lose(seen, 0, &[5, 6]);
                seen.journal.events.retain(|event| {
                    !matches!(event, pmh_scenario::Event::Exchange(exchange) if exchange.n == 3)
                });
            },
            &[
                "run `harvest`: `oai:repository.example:000005` and 1 more are missing; page 3 was never asked for",
            ],
        );
    }

    #[test]
    fn a_record_that_was_delivered_and_not_kept_is_missing() {
        check(
            |seen| lose(seen, 0, &[1]),
            &["run `harvest`: `oai:repository.example:000001` is missing; \
               page 1: #1 brought 2 entries"],
        );
    }

    #[test]
    fn what_later_runs_did_is_no_part_of_the_story() {
        testing::check(
            Property::NothingLost,
            &with_deletion(),
            |seen| lose(seen, 0, &[1]),
            &[
                "run `harvest`: `oai:repository.example:000001` is missing; page 1: #1 brought 2 entries",
            ],
        );
    }

    #[test]
    fn a_live_record_held_as_withdrawn_is_lost() {
        check(
            |seen| row(seen, 0, 1).deleted = true,
            &[
                "run `harvest`: `oai:repository.example:000001` is held as withdrawn though it lives; \
               page 1: #1 brought 2 entries",
            ],
        );
    }

    #[test]
    fn an_older_version_is_lost() {
        check(
            |seen| row(seen, 0, 6).datestamp = Some("2020-01-01T00:00:00Z".to_owned()),
            &["run `harvest`: `oai:repository.example:000006` is held in an older version; \
               page 3: #3 brought 2 entries"],
        );
    }

    #[test]
    fn what_never_came_cannot_be_held_by_whoever_shows_no_store() {
        let script = one_run();
        let unseen = |spoil: &dyn Fn(&mut Observation)| {
            let mut observation = right(&script);
            observation.sight.rows = false;
            spoil(&mut observation);
            testing::finding(Property::NothingLost, &script, &observation)
        };
        assert!(matches!(unseen(&|_| ()), Finding::Held { .. }));
        let early = |seen: &mut Observation| {
            seen.journal.events.retain(|event| {
                !matches!(event, pmh_scenario::Event::Exchange(exchange) if exchange.n == 3)
            });
        };
        let Finding::Failed { evidence } = unseen(&early) else { panic!("it was not found") };
        assert_eq!(
            evidence,
            [
                "run `harvest` says that it is complete: 4 entries came in all, too few for 6 live records, and its last \
              request was for page 2 of 3"
            ]
        );
        let unread = unseen(&|seen| {
            early(seen);
            exchange(seen, 2).answer.unread = true;
        });
        assert!(matches!(unread, Finding::NotApplicable { .. }), "{unread:?}");
    }

    #[test]
    fn a_run_that_does_not_claim_to_be_complete_may_lack_records() {
        let script = one_run();
        let mut observation = right(&script);
        lose(&mut observation, 0, &[1]);
        observation.runs[0].end = ended("incomplete", Some("short-list"), 4);
        let found = testing::finding(Property::NothingLost, &script, &observation);
        assert!(matches!(found, Finding::NotApplicable { .. }), "{found:?}");
    }
}
