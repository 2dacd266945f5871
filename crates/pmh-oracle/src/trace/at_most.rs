//! So many requests with a verb over all runs, and no more.

use super::has_verb;
use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>, most: u32, verb: Option<&str>) -> Finding {
    let mut inquiry = Inquiry::default();
    let exchanges = case.observation.journal.exchanges();
    let sent: Vec<_> = exchanges.filter(|exchange| has_verb(exchange, verb)).collect();
    if let Some(last) = sent.last() {
        let holds = u32::try_from(sent.len()).is_ok_and(|number| number <= most);
        inquiry.check(holds, || {
            let verb = verb.unwrap_or("all verbs");
            format!(
                "{} requests of {verb}, the last of them #{}, and not {most}",
                sent.len(),
                last.n
            )
        });
    }
    inquiry.finding("no such request was sent")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::one_run;
    use crate::trace::testing::{check, finding};
    use crate::verdict::Finding;

    fn rule(n: u32, verb: &str) -> TraceRule {
        TraceRule::AtMost { n, verb: Some(verb.to_owned()) }
    }

    #[test]
    fn requests_are_counted_by_verb() {
        check(rule(3, "ListRecords"), &one_run(), |_| (), &[]);
        check(
            rule(2, "ListRecords"),
            &one_run(),
            |_| (),
            &["3 requests of ListRecords, the last of them #3, and not 2"],
        );
        let found = finding(rule(2, "Identify"), &one_run(), |_| ());
        assert!(matches!(found, Finding::Vacuous { .. }), "{found:?}");
    }
}
