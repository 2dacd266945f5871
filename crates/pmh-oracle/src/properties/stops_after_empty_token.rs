//! Nothing is asked for beyond the end of a list: no empty token is ever sent, and none at all after a page
//! without one (rule 137).

use std::collections::BTreeMap;

use pmh_scenario::Exchange;

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

const BLANK: &str = "a token of nothing but white space, which is an empty one";

/// The page that ended a list.
struct End<'a> {
    exchange: &'a Exchange,
    asked_again: bool,
}

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    let mut ends: BTreeMap<(&str, u32), End<'_>> = BTreeMap::new();
    for exchange in case.observation.journal.exchanges() {
        let sent = exchange.arg("resumptionToken");
        if sent.is_some_and(|sent| sent.trim().is_empty()) {
            let what = sent.filter(|sent| !sent.is_empty()).map_or("an empty token", |_| BLANK);
            inquiry.blame(format!("#{} sent {what}", exchange.n));
            continue;
        }
        let list = (exchange.run.as_str(), exchange.list);
        if let (Some(sent), Some(end)) = (sent, ends.get_mut(&list)) {
            // A list that ended short of its size may be asked for its last page once more.
            let once_more = end.exchange.arg("resumptionToken") == Some(sent) && !end.asked_again;
            end.asked_again = true;
            if !once_more {
                inquiry.blame(format!(
                    "#{} sent a token after #{} had ended the list",
                    exchange.n, end.exchange.n
                ));
            } else if !ends_list(exchange) {
                ends.remove(&list);
            }
        } else if ends_list(exchange) {
            inquiry.add_checked(1);
            ends.insert(list, End { exchange, asked_again: false });
        }
    }
    inquiry.finding("no list came to its end")
}

/// An answer with neither records nor a token element is no page of a list, and says nothing of its end.
pub(super) fn ends_list(exchange: &Exchange) -> bool {
    let answer = &exchange.answer;
    exchange.list > 0
        && answer.status == 200
        && !answer.unread
        && answer.error.is_none()
        && (answer.records > 0 || answer.token.is_some())
        && answer.token.as_ref().is_none_or(|token| token.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use crate::observation::Observation;
    use crate::property::Property;
    use crate::testing::{self, exchange, one_run, repeat};

    fn check(spoil: impl FnOnce(&mut Observation), evidence: &[&str]) {
        testing::check(Property::StopsAfterEmptyToken, &one_run(), spoil, evidence);
    }

    #[test]
    fn a_list_that_is_left_at_its_end_is_right() {
        for end in [Some(String::new()), Some(" \n".to_owned()), None] {
            check(|seen| exchange(seen, 3).answer.token = end, &[]);
        }
    }

    #[test]
    fn an_answer_that_nobody_can_read_is_no_end() {
        check(
            |seen| {
                exchange(seen, 3).answer.token = None;
                exchange(seen, 3).answer.unread = true;
                repeat(seen, 3, |_| {});
                repeat(seen, 3, |again| again.answer.unread = false);
            },
            &[],
        );
    }

    #[test]
    fn an_empty_token_is_never_sent() {
        check(|seen| repeat(seen, 3, |again| again.args[1].1.clear()), &["#4 sent an empty token"]);
        check(
            |seen| repeat(seen, 3, |again| again.args[1].1.replace_range(.., "\n ")),
            &["#4 sent a token of nothing but white space, which is an empty one"],
        );
    }

    #[test]
    fn the_last_page_may_be_asked_for_once_more() {
        check(|seen| repeat(seen, 3, |_| ()), &[]);
    }

    #[test]
    fn a_list_that_goes_on_when_asked_once_more_has_not_ended() {
        check(
            |seen| {
                exchange(seen, 2).answer.token = None;
                let third = exchange(seen, 3);
                third.args[1].1 = "t2".to_owned();
                third.answer.token = Some("t3".to_owned());
                repeat(seen, 3, |again| {
                    again.args[1].1 = "t3".to_owned();
                    again.answer.token = None;
                });
            },
            &[],
        );
    }

    #[test]
    fn the_last_page_must_not_be_asked_for_again_and_again() {
        check(
            |seen| {
                repeat(seen, 3, |_| ());
                repeat(seen, 3, |_| ());
            },
            &["#5 sent a token after #3 had ended the list"],
        );
    }

    #[test]
    fn an_older_token_is_not_sent_after_the_end() {
        check(|seen| repeat(seen, 2, |_| ()), &["#4 sent a token after #3 had ended the list"]);
    }
}
