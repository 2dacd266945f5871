//! A resumptionToken stands alone beside the verb (rule 181). What the base URL brings along is no argument.

use pmh_protocol::decode_arguments;

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    let of_base_url = decode_arguments(case.script.base_url_query.as_deref().unwrap_or_default());
    for exchange in case.observation.journal.exchanges() {
        if exchange.arg("resumptionToken").is_none() {
            continue;
        }
        let sent: Vec<&str> = exchange
            .args
            .iter()
            .filter(|argument| !of_base_url.contains(argument))
            .map(|(name, _)| name.as_str())
            .collect();
        let beside: Vec<&str> = sent
            .iter()
            .copied()
            .filter(|name| !matches!(*name, "verb" | "resumptionToken"))
            .collect();
        inquiry.check(beside.is_empty() && sent.len() == 2, || {
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
    use crate::observation::Observation;
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

    #[test]
    fn what_the_base_url_brings_along_is_no_argument_and_what_comes_on_top_is() {
        let mut script = one_run();
        script.base_url_query = Some("mode=oaipmh".to_owned());
        let mode = || ("mode".to_owned(), "oaipmh".to_owned());
        let add = |seen: &mut Observation| exchange(seen, 2).args.insert(0, mode());
        check(Property::TokenSoleArgument, &script, add, &[]);
        check(
            Property::TokenSoleArgument,
            &script,
            |seen| {
                add(seen);
                exchange(seen, 2).args.push(("set".into(), "maps".into()));
            },
            &["#2 sent `set` beside the token"],
        );
    }
}
