//! Everything that was to go wrong did. Where it did not, the scenario proves less than it says.

use pmh_scenario::Event;

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::observation::RunEnd;
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut fired = Inquiry::default();
    let mut missed = Vec::new();
    for fault in &case.script.faults {
        let has_fired = case
            .observation
            .journal
            .exchanges()
            .any(|exchange| exchange.faults.contains(&fault.name));
        if has_fired {
            fired.add_checked(1);
        } else if !fault.optional {
            missed.push(format!("`{}` never fired", fault.name));
        }
    }
    for reply in &case.script.replies {
        let name = Some(&reply.name);
        if case.observation.journal.exchanges().any(|exchange| exchange.reply.as_ref() == name) {
            fired.add_checked(1);
        } else if !reply.optional {
            missed.push(format!("`{}` was never given", reply.name));
        }
    }
    // Whoever is asked to stop ends by itself; that it was asked stands in the journal.
    let was_asked = |name: &str| {
        let events = &case.observation.journal.events;
        events.iter().any(|event| matches!(event, Event::Crash { run, .. } if run == name))
    };
    for run in case.script.runs.iter().filter(|run| run.crash.is_some()) {
        match case.observed(&run.name) {
            Some(observed) if observed.end == RunEnd::Crashed || was_asked(&run.name) => {
                fired.add_checked(1);
            }
            _ => missed.push(format!("run `{}` was not killed", run.name)),
        }
    }
    if missed.is_empty() {
        fired.finding("the scenario has no fault that must fire")
    } else {
        Finding::Vacuous { why: missed.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use pmh_scenario::Script;

    use super::*;
    use crate::observation::Observation;
    use crate::property::Property;
    use crate::testing::{ended, exchange, fault, finding, one_run, right, with_crash};

    fn check(script: &Script, spoil: impl FnOnce(&mut Observation), expected: &Finding) {
        let mut observation = right(script);
        spoil(&mut observation);
        assert_eq!(finding(Property::FaultsFired, script, &observation), *expected);
    }

    fn vacuous(why: &str) -> Finding {
        Finding::Vacuous { why: why.to_owned() }
    }

    #[test]
    fn a_fault_must_have_fired() {
        let mut script = one_run();
        script.faults.push(fault("the token dies"));
        let fire =
            |seen: &mut Observation| exchange(seen, 2).faults.push("the token dies".to_owned());
        check(&script, fire, &Finding::Held { checked: 1 });
        check(&script, |_| (), &vacuous("`the token dies` never fired"));
    }

    #[test]
    fn an_optional_fault_need_not() {
        let mut script = one_run();
        script.faults.push(fault("the token dies"));
        script.faults[0].optional = true;
        let why = "the scenario has no fault that must fire".to_owned();
        check(&script, |_| (), &Finding::NotApplicable { why });
    }

    #[test]
    fn a_run_that_was_to_be_killed_must_have_been() {
        check(&with_crash(), |_| (), &Finding::Held { checked: 1 });
        check(
            &with_crash(),
            |seen| seen.runs[0].end = ended("complete", None, 0),
            &vacuous("run `harvest` was not killed"),
        );
    }
}
