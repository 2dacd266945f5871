//! After badResumptionToken the list is opened again with the same dates, set and format (rule 243).

use super::{in_words, is_of_list, selection};
use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    let mut opened = None;
    for run in case.runs() {
        let mut refused = None;
        for exchange in case.exchanges(&run.name).filter(|exchange| is_of_list(exchange)) {
            if exchange.arg("resumptionToken").is_none() {
                let asked = selection(exchange);
                if let (Some(n), Some(before)) = (refused.take(), opened.replace(asked.clone())) {
                    inquiry.check(before == asked, || {
                        let (before, asked) = (in_words(&before), in_words(&asked));
                        format!("#{n} was refused its token, and #{} asked for {asked} and not for {before}", exchange.n)
                    });
                }
            }
            if exchange.answer.error.as_deref() == Some("badResumptionToken") {
                refused = Some(exchange.n);
            }
        }
    }
    inquiry.finding("no list was opened again after badResumptionToken")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::observation::Observation;
    use crate::testing::{exchange, one_run};
    use crate::trace::testing::check;

    /// Page 2 is refused, and the list opened again with these arguments beside the verb.
    fn reopened(seen: &mut Observation, arguments: &[(&str, &str)]) {
        exchange(seen, 2).answer.error = Some("badResumptionToken".to_owned());
        let again = exchange(seen, 3);
        again.args.truncate(1);
        again.args.extend(arguments.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    }

    #[test]
    fn another_window_after_a_refused_token_is_found() {
        check(
            TraceRule::RestartFromWindow,
            &one_run(),
            |seen| reopened(seen, &[("metadataPrefix", "oai_dc")]),
            &[],
        );
        check(
            TraceRule::RestartFromWindow,
            &one_run(),
            |seen| reopened(seen, &[("metadataPrefix", "oai_dc"), ("from", "2024-01-01")]),
            &[
                "#2 was refused its token, and #3 asked for `from=2024-01-01&metadataPrefix=oai_dc` \
               and not for `metadataPrefix=oai_dc`",
            ],
        );
    }
}
