//! Every run ends by itself within the budget, and is silent afterwards.

use std::collections::BTreeSet;

use pmh_scenario::Event;

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::observation::RunEnd;
use crate::verdict::Finding;

/// What the repository writes down when it answers no more.
const BUDGET_SPENT: &str = "budget-spent";

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs() {
        inquiry.check(!matches!(run.end, RunEnd::OverBudget | RunEnd::OutOfTime), || {
            let (name, requests) = (&run.name, case.exchanges(&run.name).count());
            if run.end == RunEnd::OverBudget {
                return format!("run `{name}` had to be stopped after {requests} requests");
            }
            format!(
                "run `{name}` had to be stopped by the clock: after {requests} requests it neither asked nor ended"
            )
        });
    }
    let most = case.script.budget.requests;
    let made = case.observation.journal.exchanges().count();
    let spent = case.observation.journal.exchanges().find(|exchange| {
        exchange.n > most || exchange.faults.iter().any(|fault| fault == BUDGET_SPENT)
    });
    if let Some(exchange) = spent {
        inquiry.blame(format!(
            "run `{}` spent the budget of {most} requests: {made} were made, #{} was the first too many",
            exchange.run, exchange.n
        ));
    }
    judge_silence(case, &mut inquiry);
    match inquiry.finding("no run took place") {
        Finding::NotApplicable { why } => Finding::Vacuous { why },
        Finding::Held { .. } if made == 0 => {
            Finding::Vacuous { why: "no request was ever made".to_owned() }
        }
        finding => finding,
    }
}

/// What a dying process had sent already may still arrive; only a run that ended by itself must be silent.
fn judge_silence(case: &Case<'_>, inquiry: &mut Inquiry) {
    let by_itself = |name: &str| {
        case.runs().iter().any(|run| run.name == name && matches!(run.end, RunEnd::Ended { .. }))
    };
    let mut over: BTreeSet<&str> = BTreeSet::new();
    for event in &case.observation.journal.events {
        match event {
            Event::RunEnd { run, .. } if by_itself(run) => {
                over.insert(run);
            }
            Event::Exchange(exchange) if over.contains(exchange.run.as_str()) => {
                inquiry.blame(format!(
                    "#{} was sent after run `{}` had ended",
                    exchange.n, exchange.run
                ));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use pmh_scenario::Script;

    use super::*;
    use crate::observation::Observation;
    use crate::property::Property;
    use crate::testing::{self, exchange, finding, one_run, right};

    fn check(script: &Script, spoil: impl FnOnce(&mut Observation), evidence: &[&str]) {
        testing::check(Property::Terminates, script, spoil, evidence);
    }

    #[test]
    fn a_run_that_ends_by_itself_is_right() {
        check(&one_run(), |_| (), &[]);
    }

    #[test]
    fn a_run_that_had_to_be_stopped_is_found() {
        check(
            &one_run(),
            |seen| seen.runs[0].end = RunEnd::OverBudget,
            &["run `harvest` had to be stopped after 3 requests"],
        );
    }

    #[test]
    fn a_run_that_neither_asks_nor_ends_is_found() {
        check(
            &one_run(),
            |seen| seen.runs[0].end = RunEnd::OutOfTime,
            &[
                "run `harvest` had to be stopped by the clock: after 3 requests it neither asked nor ended",
            ],
        );
    }

    #[test]
    fn a_request_beyond_the_budget_is_found() {
        let mut script = one_run();
        script.budget.requests = 2;
        check(
            &script,
            |_| (),
            &[
                "run `harvest` spent the budget of 2 requests: 3 were made, #3 was the first too many",
            ],
        );
        script.budget.requests = 3;
        check(
            &script,
            |seen| exchange(seen, 2).faults.push(BUDGET_SPENT.to_owned()),
            &[
                "run `harvest` spent the budget of 3 requests: 3 were made, #2 was the first too many",
            ],
        );
    }

    #[test]
    fn a_request_after_the_end_is_found() {
        check(
            &one_run(),
            |seen| seen.journal.events.rotate_right(1),
            &[
                "#1 was sent after run `harvest` had ended",
                "#2 was sent after run `harvest` had ended",
                "#3 was sent after run `harvest` had ended",
            ],
        );
    }

    #[test]
    fn nothing_was_proved_where_nothing_was_asked() {
        let script = one_run();
        let mut observation = right(&script);
        observation.journal.events.clear();
        let found = finding(Property::Terminates, &script, &observation);
        assert!(matches!(found, Finding::Vacuous { .. }), "{found:?}");
        let found = finding(Property::Terminates, &script, &Observation::default());
        assert!(matches!(found, Finding::Vacuous { .. }), "{found:?}");
    }
}
