//! Characters of a token that a URL gives a meaning to are percent-encoded (rule 144).

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for exchange in case.observation.journal.exchanges() {
        let Some(token) = exchange.arg("resumptionToken") else { continue };
        // Where nothing needs to be encoded, nothing can be seen.
        if !token.chars().any(is_special) {
            continue;
        }
        let raw = exchange.query.split('&').find_map(|pair| pair.strip_prefix("resumptionToken="));
        let found = raw.and_then(|raw| raw.chars().find(|c| is_special(*c)));
        inquiry.check(raw.is_some() && found.is_none(), || match found {
            Some(c) => format!("#{} sent `{c}` in its token as it is", exchange.n),
            None => format!("#{} did not send its token whole", exchange.n),
        });
    }
    inquiry.finding("no token was sent that needs to be encoded")
}

/// What a query gives a meaning to, or does not allow; a plus stands for a blank there.
fn is_special(c: char) -> bool {
    matches!(c, '/' | '?' | '#' | '=' | '&' | ':' | ';' | ' ' | '|') || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::observation::Observation;
    use crate::testing::{exchange, one_run};
    use crate::trace::testing::{check, finding};
    use crate::verdict::Finding;

    fn send(seen: &mut Observation, decoded: &str, raw: &str) {
        exchange(seen, 2).args[1].1 = decoded.to_owned();
        exchange(seen, 2).query = format!("verb=ListRecords&resumptionToken={raw}");
    }

    #[test]
    fn a_token_that_is_not_encoded_is_found() {
        check(TraceRule::TokenEncoded, &one_run(), |seen| send(seen, "a|b", "a%7Cb"), &[]);
        check(
            TraceRule::TokenEncoded,
            &one_run(),
            |seen| send(seen, "a|b", "a|b"),
            &["#2 sent `|` in its token as it is"],
        );
        let found = finding(TraceRule::TokenEncoded, &one_run(), |_| ());
        assert!(matches!(found, Finding::Vacuous { .. }), "{found:?}");
    }
}
