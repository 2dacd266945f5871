//! A run that follows an unfinished one goes on with its token, or opens the same list again.

use super::{in_words, is_of_list, selection};
use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    let mut opened: Option<Vec<(&str, &str)>> = None;
    let mut unfinished: Option<&str> = None;
    for run in case.runs() {
        let lists = case.exchanges(&run.name).filter(|exchange| is_of_list(exchange));
        for (position, exchange) in lists.enumerate() {
            let goes_on = exchange.arg("resumptionToken").is_some();
            let asked = selection(exchange);
            if let (0, Some(before), Some(name)) = (position, &opened, unfinished) {
                inquiry.check(goes_on || asked == *before, || {
                    format!(
                        "#{} asked for {} although run `{name}` had left the list of {} unfinished",
                        exchange.n,
                        in_words(&asked),
                        in_words(before)
                    )
                });
            }
            if !goes_on {
                opened = Some(asked);
            }
        }
        unfinished = (!run.end.claims_complete()).then_some(run.name.as_str());
    }
    inquiry.finding("no run followed an unfinished one")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::{exchange, with_crash};
    use crate::trace::testing::check;

    #[test]
    fn another_window_after_an_unfinished_run_is_found() {
        check(TraceRule::SameWindowOnResume, &with_crash(), |_| (), &[]);
        check(
            TraceRule::SameWindowOnResume,
            &with_crash(),
            |seen| {
                exchange(seen, 3).args[1] = ("from".to_owned(), "2024-01-01".to_owned());
            },
            &["#3 asked for `from=2024-01-01` although run `harvest` had left the list of \
               `metadataPrefix=oai_dc` unfinished"],
        );
    }
}
