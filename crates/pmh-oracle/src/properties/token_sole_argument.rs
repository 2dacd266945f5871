//! A resumptionToken stands alone beside the verb (rule 181).

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for exchange in case.observation.journal.exchanges() {
        if exchange.arg("resumptionToken").is_none() {
            continue;
        }
        let beside: Vec<&str> = exchange
            .args
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !matches!(*name, "verb" | "resumptionToken"))
            .collect();
        inquiry.check(beside.is_empty() && exchange.args.len() == 2, || {
            if beside.is_empty() {
                format!("#{} sent verb or resumptionToken more than once", exchange.n)
            } else {
                format!("#{} sent `{}` beside the token", exchange.n, beside.join("`, `"))
            }
        });
    }
    inquiry.finding("no token was sent")
}

#[cfg(test)]
mod tests {
    use crate::property::Property;
    use crate::testing::{check, exchange, one_run};

    #[test]
    fn verb_and_token_are_all_there_is() {
        check(Property::TokenSoleArgument, &one_run(), |_| (), &[]);
    }

    #[test]
    fn an_argument_beside_the_token_is_found() {
        check(
            Property::TokenSoleArgument,
            &one_run(),
            |seen| exchange(seen, 2).args.insert(1, ("metadataPrefix".into(), "oai_dc".into())),
            &["#2 sent `metadataPrefix` beside the token"],
        );
    }

    #[test]
    fn a_token_sent_twice_is_found() {
        check(
            Property::TokenSoleArgument,
            &one_run(),
            |seen| exchange(seen, 3).args.push(("resumptionToken".into(), "t3".into())),
            &["#3 sent verb or resumptionToken more than once"],
        );
    }
}
