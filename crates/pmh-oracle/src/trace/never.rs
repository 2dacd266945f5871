//! No request with a verb and arguments.

use super::has_verb;
use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>, verb: Option<&str>, args: &[(String, String)]) -> Finding {
    let mut inquiry = Inquiry::default();
    for exchange in case.observation.journal.exchanges() {
        let has_all = args.iter().all(|(name, value)| exchange.arg(name) == Some(value));
        inquiry.check(!(has_verb(exchange, verb) && has_all), || {
            let sent: Vec<String> =
                exchange.args.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("#{} sent `{}`", exchange.n, sent.join("&"))
        });
    }
    inquiry.finding("no request was sent")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::one_run;
    use crate::trace::testing::check;

    #[test]
    fn what_must_not_be_sent_is_found() {
        let rule = |verb: &str, args: &[(&str, &str)]| TraceRule::Never {
            verb: Some(verb.to_owned()),
            args: args.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        };
        check(rule("GetRecord", &[]), &one_run(), |_| (), &[]);
        check(rule("ListRecords", &[("set", "a")]), &one_run(), |_| (), &[]);
        check(
            rule("ListRecords", &[("resumptionToken", "t2")]),
            &one_run(),
            |_| (),
            &["#2 sent `verb=ListRecords&resumptionToken=t2`"],
        );
    }
}
