//! No date is sent before Identify was asked for or a header has shown how the repository writes them, and none finer than
//! the repository takes (rule 115).

use pmh_protocol::Datestamp;

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    let granularity = case.script.repository.protocol.granularity;
    let mut is_learned = false;
    for exchange in case.observation.journal.exchanges() {
        is_learned |= exchange.arg("verb") == Some("Identify");
        for (name, text) in [("from", exchange.arg("from")), ("until", exchange.arg("until"))] {
            let Some(text) = text else { continue };
            inquiry.check(is_learned, || {
                format!("#{} sent `{name}={text}` before Identify was asked for", exchange.n)
            });
            let fits = Datestamp::parse(text).is_ok_and(|date| date.granularity == granularity);
            inquiry.check(fits, || {
                let wanted = granularity.pattern();
                format!("#{} sent `{name}={text}` to a repository of {wanted}", exchange.n)
            });
        }
        is_learned |= exchange.answer.records > 0;
    }
    inquiry.finding("no date was sent")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::{exchange, one_run};
    use crate::trace::testing::check;

    #[test]
    fn a_date_that_is_too_early_or_too_fine_is_found() {
        let date = |text: &str| ("from".to_owned(), text.to_owned());
        check(
            TraceRule::GranularityLearned,
            &one_run(),
            |seen| {
                exchange(seen, 1).args = vec![("verb".into(), "Identify".into())];
                exchange(seen, 2).args.push(date("2024-01-01T00:00:00Z"));
            },
            &[],
        );
        check(
            TraceRule::GranularityLearned,
            &one_run(),
            |seen| exchange(seen, 1).args.push(date("2024-01-01")),
            &[
                "#1 sent `from=2024-01-01` before Identify was asked for",
                "#1 sent `from=2024-01-01` to a repository of YYYY-MM-DDThh:mm:ssZ",
            ],
        );
        // The headers that #1 brought have shown the form.
        check(
            TraceRule::GranularityLearned,
            &one_run(),
            |seen| exchange(seen, 2).args.push(date("2024-01-01T00:00:00Z")),
            &[],
        );
    }
}
