//! After a lost answer to a token the same token is sent again (rule 243).

use super::is_of_list;
use super::lost::is_lost;
use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs() {
        let requests: Vec<_> =
            case.exchanges(&run.name).filter(|exchange| is_of_list(exchange)).collect();
        for pair in requests.windows(2) {
            let Some(token) = pair[0].arg("resumptionToken") else { continue };
            if !is_lost(pair[0]) {
                continue;
            }
            inquiry.check(pair[1].arg("resumptionToken") == Some(token), || {
                format!(
                    "the answer to #{} was lost, and #{} did not ask for it again",
                    pair[0].n, pair[1].n
                )
            });
        }
    }
    inquiry.finding("no answer to a token was lost")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::{exchange, one_run};
    use crate::trace::testing::{check, finding};
    use crate::verdict::Finding;

    #[test]
    fn a_lost_page_that_is_not_asked_for_again_is_found() {
        check(
            TraceRule::ResendsLastToken,
            &one_run(),
            |seen| exchange(seen, 2).answer.status = 500,
            &["the answer to #2 was lost, and #3 did not ask for it again"],
        );
        check(
            TraceRule::ResendsLastToken,
            &one_run(),
            |seen| {
                exchange(seen, 2).answer.status = 500;
                let token = exchange(seen, 2).args.clone();
                exchange(seen, 3).args = token;
            },
            &[],
        );
        let found = finding(TraceRule::ResendsLastToken, &one_run(), |_| ());
        assert!(matches!(found, Finding::Vacuous { .. }), "{found:?}");
    }
}
