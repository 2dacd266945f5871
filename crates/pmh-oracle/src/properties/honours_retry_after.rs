//! No request before its Retry-After has passed, on the harvester's clock (rule 78).

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs() {
        let mut asked_to_wait: Option<(u32, u64, u64)> = None;
        for exchange in case.exchanges(&run.name) {
            if let (Some((n, busy_ms, seconds)), Some(now_ms)) = (asked_to_wait, exchange.client_ms)
            {
                let waited = now_ms.saturating_sub(busy_ms);
                inquiry.check(waited >= seconds.saturating_mul(1000), || {
                    format!(
                        "#{n} asked for {seconds} s of waiting, and #{} came after {waited} ms",
                        exchange.n
                    )
                });
            }
            asked_to_wait = match (exchange.client_ms, exchange.answer.retry_after_seconds) {
                (Some(now_ms), Some(seconds)) => Some((exchange.n, now_ms, seconds)),
                _ => None,
            };
        }
    }
    inquiry.finding("no request followed an answer with Retry-After")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Observation;
    use crate::property::Property;
    use crate::testing::{self, exchange, finding, one_run, right};

    fn check(next_ms: u64, evidence: &[&str]) {
        testing::check(
            Property::HonoursRetryAfter,
            &one_run(),
            |seen| be_busy(seen, next_ms),
            evidence,
        );
    }

    /// The second exchange, at 2,000 ms, asks for two seconds.
    fn be_busy(seen: &mut Observation, next_ms: u64) {
        let busy = exchange(seen, 2);
        busy.answer.status = 503;
        busy.answer.retry_after_seconds = Some(2);
        exchange(seen, 3).client_ms = Some(next_ms);
    }

    #[test]
    fn a_wait_of_exactly_what_was_asked_is_right() {
        check(4_000, &[]);
    }

    #[test]
    fn a_wait_that_is_too_short_is_found() {
        check(3_999, &["#2 asked for 2 s of waiting, and #3 came after 1999 ms"]);
    }

    #[test]
    fn an_unknown_clock_is_not_judged() {
        let script = one_run();
        let mut observation = right(&script);
        be_busy(&mut observation, 0);
        exchange(&mut observation, 3).client_ms = None;
        let found = finding(Property::HonoursRetryAfter, &script, &observation);
        assert!(matches!(found, Finding::NotApplicable { .. }), "{found:?}");
    }
}
