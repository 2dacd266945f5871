//! Triggers: whether a place is one.

use toml::Spanned;

use super::{check_name, check_positive};
use crate::expand;
use crate::finding::Finding;
use crate::model::{File, Match, When};
use crate::pattern::Pattern;
use crate::suggest::{listed, nearest};
use crate::time::span_of;

pub(super) const VERBS: [&str; 6] =
    ["Identify", "ListMetadataFormats", "ListSets", "ListIdentifiers", "ListRecords", "GetRecord"];

pub(super) fn check(when: &When, file: &File, findings: &mut Vec<Finding>) {
    if let Some(run) = &when.run {
        let names = || file.run.iter().map(|run| expand::run_name(run.get_ref()));
        if !names().any(|name| name == run.get_ref()) {
            findings.push(
                Finding::error(
                    run.span(),
                    format!("no run is called `{}`", run.get_ref()),
                    format!("runs in this file: {}", listed(names())),
                )
                .suggest(nearest(run.get_ref(), names())),
            );
        }
    }
    if let Some(verb) = &when.verb {
        check_name(verb, "verb", &VERBS, findings);
    }
    let numbers = [
        (&when.list, "list"),
        (&when.page, "page"),
        (&when.record, "record"),
        (&when.attempt, "attempt"),
        (&when.request, "request"),
    ];
    for (number, what) in numbers {
        if let Some(number) = number {
            check_positive(number, what, findings);
        }
    }
    if let Some(request) = &when.request {
        let message = "one retry moves this place to another request";
        let help = "`page`, `token` and `attempt` stay where they are, however often something is asked for";
        findings.push(Finding::warning(request.span(), message, "").help(help));
    }
    if let Some(chance) = when.chance.as_ref().filter(|share| !is_share(*share.get_ref())) {
        let message = format!("`{}` is not a share", chance.get_ref());
        findings.push(Finding::error(chance.span(), message, "expected a number from 0 to 1"));
    }
    if let Some(matching) = &when.matching {
        check_match(matching, findings);
    }
}

fn is_share(number: f64) -> bool {
    (0.0..=1.0).contains(&number)
}

fn check_match(matching: &Match, findings: &mut Vec<Finding>) {
    if let Some(span) = &matching.contains_window
        && span_of(span.get_ref()).is_none()
    {
        let message = format!("`{}` is no span of time", span.get_ref());
        let label = "expected a year, a month, a day or an instant, such as \"2024-05\"";
        findings.push(Finding::error(span.span(), message, label));
    }
    if let Some(text) = &matching.query_regex
        && let Err(why) = Pattern::parse(text.get_ref())
    {
        findings.push(Finding::error(text.span(), "this is no regular expression", why));
    }
    if let Some(path) = matching.path.as_ref().filter(|path| !path.get_ref().starts_with('/')) {
        let message = format!("`{}` is no path", path.get_ref());
        findings.push(Finding::error(path.span(), message, "a path begins with `/`"));
    }
}

/// Whether any request fits.
pub(super) fn fits_all(when: Option<&Spanned<When>>) -> bool {
    let Some(when) = when.map(Spanned::get_ref) else { return true };
    let When {
        run: None,
        verb: None,
        args,
        list: None,
        page: None,
        token: None,
        record: None,
        attempt: None,
        after: None,
        chance: None,
        request: None,
        matching: None,
    } = when
    else {
        return false;
    };
    args.is_empty()
}
