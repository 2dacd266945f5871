//! A resumptionToken is sent exactly as it was delivered (rule 136).

use std::collections::BTreeSet;

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

/// What may stand around a token in a document without being part of it.
const XML_WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// A token can be long; so much of it is shown.
const SHOWN_CHARS_MAX: usize = 60;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    let mut delivered: BTreeSet<&str> = BTreeSet::new();
    for exchange in case.observation.journal.exchanges() {
        // An empty one was never a token: that is another rule's matter.
        if let Some(sent) = exchange.arg("resumptionToken").filter(|sent| !sent.trim().is_empty()) {
            inquiry.check(delivered.contains(sent), || {
                let shown: String = sent.chars().take(SHOWN_CHARS_MAX).collect();
                format!("#{} sent the token `{shown}`, which had not been delivered", exchange.n)
            });
        }
        if let Some(token) = &exchange.answer.token {
            delivered.insert(token.trim_matches(XML_WHITE_SPACE));
        }
    }
    inquiry.finding("no token was sent")
}

#[cfg(test)]
mod tests {
    use crate::property::Property;
    use crate::testing::{check, exchange, one_run};

    #[test]
    fn a_token_sent_as_delivered_is_right() {
        check(Property::TokenVerbatim, &one_run(), |_| (), &[]);
    }

    #[test]
    fn white_space_around_a_delivered_token_is_not_part_of_it() {
        check(
            Property::TokenVerbatim,
            &one_run(),
            |seen| exchange(seen, 1).answer.token = Some("\n  t2 ".to_owned()),
            &[],
        );
    }

    #[test]
    fn an_edited_token_is_found() {
        check(
            Property::TokenVerbatim,
            &one_run(),
            |seen| exchange(seen, 2).args[1].1 = "T2".to_owned(),
            &["#2 sent the token `T2`, which had not been delivered"],
        );
    }

    #[test]
    fn a_token_guessed_before_it_was_delivered_is_found() {
        check(
            Property::TokenVerbatim,
            &one_run(),
            |seen| exchange(seen, 2).args[1].1 = "t3".to_owned(),
            &["#2 sent the token `t3`, which had not been delivered"],
        );
    }
}
