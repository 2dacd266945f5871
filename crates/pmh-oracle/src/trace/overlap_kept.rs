//! A later run asks from no later than the first answer of the last complete one (rule 237).

use pmh_protocol::{Datestamp, Stamp};

use super::is_of_list;
use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    let mut complete: Option<(u32, Stamp)> = None;
    for run in case.runs() {
        for exchange in case.exchanges(&run.name) {
            let (Some(from), Some((n, opened))) = (exchange.arg("from"), complete) else {
                continue;
            };
            let holds = Datestamp::parse_lenient(from).is_ok_and(|from| from.stamp <= opened);
            inquiry.check(holds, || {
                format!(
                    "#{} asked from {from}, after the list of #{n} was opened at {opened}",
                    exchange.n
                )
            });
        }
        if run.end.claims_complete() {
            let mut lists = case.exchanges(&run.name).filter(|exchange| is_of_list(exchange));
            let first =
                lists.next().and_then(|first| Some((first.n, Stamp::parse(&first.t).ok()?)));
            complete = first.or(complete);
        }
    }
    inquiry.finding("no run after a complete one asked from a date")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::{exchange, with_deletion};
    use crate::trace::testing::check;

    #[test]
    fn a_gap_between_two_runs_is_found() {
        let from = |text: &str| ("from".to_owned(), text.to_owned());
        check(
            TraceRule::OverlapKept,
            &with_deletion(),
            |seen| exchange(seen, 4).args.push(from("2025-01-01T00:00:01Z")),
            &[],
        );
        check(
            TraceRule::OverlapKept,
            &with_deletion(),
            |seen| exchange(seen, 4).args.push(from("2025-01-01T00:00:02Z")),
            &[
                "#4 asked from 2025-01-01T00:00:02Z, after the list of #1 was opened at 2025-01-01T00:00:01Z",
            ],
        );
    }
}
