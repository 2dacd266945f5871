//! So many requests at once, and no more.

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>, most: u32) -> Finding {
    let mut inquiry = Inquiry::default();
    for exchange in case.observation.journal.exchanges() {
        let Some(in_flight) = exchange.in_flight else { continue };
        inquiry.check(in_flight <= most, || {
            format!("#{} was asked as one of {in_flight} at once, and not of {most}", exchange.n)
        });
    }
    inquiry.finding("nobody knows which requests were sent at once")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::{exchange, one_run};
    use crate::trace::testing::{check, finding};
    use crate::verdict::Finding;

    #[test]
    fn requests_that_do_not_wait_for_each_other_are_found() {
        let rule = || TraceRule::MaxConcurrency(2);
        check(rule(), &one_run(), |seen| exchange(seen, 2).in_flight = Some(2), &[]);
        check(
            rule(),
            &one_run(),
            |seen| exchange(seen, 2).in_flight = Some(3),
            &["#2 was asked as one of 3 at once, and not of 2"],
        );
        let found = finding(rule(), &one_run(), |_| ());
        assert!(matches!(found, Finding::Vacuous { .. }), "{found:?}");
    }
}
