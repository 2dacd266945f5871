//! After a crash, going on reaches the same store as never crashing; and the run that goes on begins no later than
//! at the first page that was not stored.

use pmh_scenario::{Effect, Fate, ListKind, Order, RepoEffect, TokenEffect, TokenStyle};

use crate::case::Case;
use crate::inquiry::{Inquiry, first_of};
use crate::listing::{Listing, blame_wrong};
use crate::observation::{RunEnd, RunObservation};
use crate::store::{Held, invented};
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    let mut unproven = None;
    for (position, crashed) in case.runs().iter().enumerate() {
        if crashed.end != RunEnd::Crashed {
            continue;
        }
        inquiry.add_checked(1);
        let later = &case.runs()[position + 1..];
        if let Some(next) = later.first() {
            judge_place(case, crashed, next, &mut inquiry);
        }
        match later.iter().find(|run| run.end.claims_complete()) {
            Some(complete) => judge_store(case, complete, &mut inquiry),
            None => unproven = Some(crashed),
        }
    }
    match (inquiry.finding("nothing was killed"), unproven) {
        (Finding::Held { .. }, Some(crashed)) => Finding::Vacuous {
            why: format!("run `{}` was killed, and no later run was complete", crashed.name),
        },
        (finding, _) => finding,
    }
}

/// Everything on the pages before the one that the next run goes on at must have been stored when the run died.
fn judge_place(
    case: &Case<'_>,
    crashed: &RunObservation,
    next: &RunObservation,
    inquiry: &mut Inquiry,
) {
    // A token that lives in a session leads wherever the session is; nobody who sends it can choose the page. What is
    // held in the end is judged all the same.
    if case.script.repository.protocol.token == TokenStyle::Session {
        return;
    }
    if has_brought_less(case, crashed) || is_cut_otherwise(case, next) {
        return;
    }
    let first =
        case.exchanges(&next.name).find(|exchange| exchange.arg("verb").is_some_and(is_list));
    let Some(first) =
        first.filter(|exchange| exchange.arg("resumptionToken").is_some() && exchange.page > 0)
    else {
        return;
    };
    let Some(listing) = Listing::of(case, crashed) else {
        return;
    };
    let held = Held::of(crashed);
    // Tombstones may wait for the end of a run before they take effect; only live records must be there already.
    let skipped: Vec<&str> = case
        .truth(crashed)
        .rows
        .iter()
        .filter(|(_, row)| matches!(row.fate, Fate::Live { .. }))
        .map(|(identifier, _)| identifier.as_str())
        .filter(|identifier| listing.page(identifier).is_some_and(|page| page < first.page))
        .filter(|identifier| held.rows(identifier).is_empty())
        .collect();
    if let Some(page) = skipped.iter().filter_map(|identifier| listing.page(identifier)).min() {
        inquiry.blame(format!(
            "run `{}` went on at page {} (#{}) although page {page} was not stored when run `{}` was killed: {}",
            next.name,
            first.page,
            first.n,
            crashed.name,
            first_of(&skipped)
        ));
    }
}

/// Whether a page, of this run or one before, came with something wrong in its document or was left out, so that less was brought
/// than is listed. On which page the lack shows is not known where records changed since. What is held in the end is judged
/// all the same.
fn has_brought_less(case: &Case<'_>, run: &RunObservation) -> bool {
    has_met(case, run, |effect| {
        matches!(effect, Effect::Oai(_) | Effect::Xml(_) | Effect::Token(TokenEffect::Skip(_)))
    })
}

/// Whether the number of a page says nothing of what came before it: pages got another size, a list that is cut anew for
/// each page changed, or follows another rule for each page anyway.
fn is_cut_otherwise(case: &Case<'_>, run: &RunObservation) -> bool {
    let protocol = &case.script.repository.protocol;
    let is_moving = protocol.paging.list != ListKind::Frozen;
    protocol.paging.order == Order::Unstable
        || protocol.filter.forgotten_after.is_some()
        || has_met(case, run, |effect| match effect {
            Effect::Repo(RepoEffect::Deploy { page_size: Some(_) }) => true,
            Effect::Repo(RepoEffect::Change(_) | RepoEffect::Reorder) => is_moving,
            _ => false,
        })
}

/// Whether a fault with such an effect was met until this run had ended.
fn has_met(case: &Case<'_>, run: &RunObservation, wanted: impl Fn(&Effect) -> bool) -> bool {
    let faults = case.script.faults.iter().filter(|fault| wanted(&fault.effect));
    let names: Vec<&String> = faults.map(|fault| &fault.name).collect();
    case.exchanges_until(run)
        .any(|exchange| exchange.faults.iter().any(|fault| names.contains(&fault)))
}

fn judge_store(case: &Case<'_>, complete: &RunObservation, inquiry: &mut Inquiry) {
    blame_wrong(case, complete, "", inquiry, |_, _| true);
    let foreign: Vec<&str> =
        invented(case, complete).iter().map(|row| row.identifier.as_str()).collect();
    if !foreign.is_empty() {
        inquiry.blame(format!("run `{}`: {} invented", complete.name, first_of(&foreign)));
    }
    let doubles: Vec<&str> =
        Held::of(complete).doubles().map(|(identifier, _)| identifier).collect();
    if !doubles.is_empty() {
        inquiry.blame(format!(
            "run `{}`: {} held more than once",
            complete.name,
            first_of(&doubles)
        ));
    }
}

fn is_list(verb: &str) -> bool {
    matches!(verb, "ListRecords" | "ListIdentifiers")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::{Fault, OaiEffect};

    use super::*;
    use crate::observation::Observation;
    use crate::property::Property;
    use crate::testing::{self, ended, lose, right, with_crash};

    fn check(spoil: impl FnOnce(&mut Observation), evidence: &[&str]) {
        testing::check(Property::Resumption, &with_crash(), spoil, evidence);
    }

    #[test]
    fn going_on_at_the_page_that_was_not_stored_reaches_the_truth() {
        check(|_| (), &[]);
    }

    #[test]
    fn a_page_skipped_by_going_on_too_late_is_found_at_the_request_and_in_the_store() {
        check(
            |seen| {
                lose(seen, 1, &[3, 4]);
                seen.journal.events.retain(|event| {
                    !matches!(event, pmh_scenario::Event::Exchange(exchange) if exchange.n == 3)
                });
            },
            &[
                "run `again` went on at page 3 (#4) although page 2 was not stored when run `harvest` was \
                 killed: `oai:repository.example:000003` and 1 more",
                "run `again`: `oai:repository.example:000003` and 1 more are missing; \
                 page 2: #2 brought 2 entries to run `harvest`; not asked for again",
            ],
        );
    }

    #[test]
    fn numbers_of_pages_are_not_compared_where_pages_got_another_size() {
        let mut script = with_crash();
        script.faults.push(Fault {
            effect: Effect::Repo(RepoEffect::Deploy { page_size: Some(7) }),
            optional: true,
            ..testing::fault("a new version")
        });
        let spoil = |seen: &mut Observation| {
            seen.journal.events.retain(|event| {
                !matches!(event, pmh_scenario::Event::Exchange(exchange) if exchange.n == 3)
            });
        };
        let mut observation = right(&script);
        spoil(&mut observation);
        let found = testing::finding(Property::Resumption, &script, &observation);
        assert!(matches!(found, Finding::Failed { .. }), "{found:?}");
        let deployed = testing::exchange(&mut observation, 2);
        deployed.faults.push("a new version".to_owned());
        let found = testing::finding(Property::Resumption, &script, &observation);
        assert!(matches!(found, Finding::Held { .. }), "{found:?}");
    }

    #[test]
    fn what_was_left_out_or_could_not_be_read_need_not_have_been_stored() {
        for effect in [Effect::Oai(OaiEffect::NoIdentifier(1)), Effect::Token(TokenEffect::Skip(1))]
        {
            let mut script = with_crash();
            script.faults.push(Fault { effect, ..testing::fault("less is brought") });
            let mut observation = right(&script);
            lose(&mut observation, 0, &[1]);
            observation.journal.events.retain(
                |event| !matches!(event, pmh_scenario::Event::Exchange(exchange) if exchange.n == 3),
            );
            let blamed = |observation: &Observation| match testing::finding(
                Property::Resumption,
                &script,
                observation,
            ) {
                Finding::Failed { evidence } => evidence.concat().contains("page 1 was not stored"),
                _ => false,
            };
            assert!(blamed(&observation));
            let spoilt = testing::exchange(&mut observation, 1);
            spoilt.faults.push("less is brought".to_owned());
            assert!(!blamed(&observation));
        }
    }

    #[test]
    fn a_page_stored_twice_is_found() {
        check(
            |seen| {
                let again = seen.runs[1].rows[2].clone();
                seen.runs[1].rows.push(again);
            },
            &["run `again`: `oai:repository.example:000003` held more than once"],
        );
    }

    #[test]
    fn a_crash_that_nothing_complete_follows_proves_nothing() {
        let script = with_crash();
        let mut observation = right(&script);
        observation.runs[1].end = ended("incomplete", None, 4);
        let found = testing::finding(Property::Resumption, &script, &observation);
        assert!(matches!(found, Finding::Vacuous { .. }), "{found:?}");
    }
}
