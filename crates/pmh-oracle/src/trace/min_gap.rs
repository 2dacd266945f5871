//! So long between two requests of a run, on the harvester's clock (rules 234 and 240).

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>, seconds: u64) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs() {
        let exchanges: Vec<_> = case.exchanges(&run.name).collect();
        for pair in exchanges.windows(2) {
            let (Some(before), Some(after)) = (pair[0].client_ms, pair[1].client_ms) else {
                continue;
            };
            let gap = after.saturating_sub(before);
            inquiry.check(gap >= seconds.saturating_mul(1_000), || {
                format!("#{} came {gap} ms after #{}, and not {seconds} s", pair[1].n, pair[0].n)
            });
        }
    }
    inquiry.finding("no run sent two requests")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::{exchange, one_run};
    use crate::trace::testing::check;

    #[test]
    fn requests_that_follow_too_soon_are_found() {
        // A right harvester sends one a second here.
        check(TraceRule::MinGap(1), &one_run(), |_| (), &[]);
        check(
            TraceRule::MinGap(1),
            &one_run(),
            |seen| exchange(seen, 2).client_ms = Some(1_999),
            &["#2 came 999 ms after #1, and not 1 s"],
        );
    }
}
