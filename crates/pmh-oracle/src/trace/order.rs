//! The first requests with some verbs come in an order.

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>, verbs: &[String]) -> Finding {
    let mut inquiry = Inquiry::default();
    let first = |verb: &String| {
        let mut exchanges = case.observation.journal.exchanges();
        exchanges.find(|exchange| exchange.arg("verb") == Some(verb)).map(|exchange| exchange.n)
    };
    for pair in verbs.windows(2) {
        let (earlier, later) = (first(&pair[0]), first(&pair[1]));
        let Some(later) = later else { continue };
        inquiry.check(earlier.is_some_and(|earlier| earlier < later), || match earlier {
            Some(earlier) => format!("#{later} was {}, before #{earlier} was {}", pair[1], pair[0]),
            None => format!("#{later} was {}, and {} was never asked for", pair[1], pair[0]),
        });
    }
    inquiry.finding("no two of these verbs were asked for")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::{exchange, one_run};
    use crate::trace::testing::check;

    #[test]
    fn another_order_is_found() {
        let rule = || TraceRule::Order(vec!["Identify".to_owned(), "ListRecords".to_owned()]);
        check(
            rule(),
            &one_run(),
            |_| (),
            &["#1 was ListRecords, and Identify was never asked for"],
        );
        check(
            rule(),
            &one_run(),
            |seen| exchange(seen, 1).args = vec![("verb".into(), "Identify".into())],
            &[],
        );
        check(
            rule(),
            &one_run(),
            |seen| exchange(seen, 3).args = vec![("verb".into(), "Identify".into())],
            &["#1 was ListRecords, before #3 was Identify"],
        );
    }
}
