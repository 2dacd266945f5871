//! What must come of it: trace rules, guards, watermarks, and what runs ask for.

use toml::Spanned;

use super::{check_name, when::VERBS};
use crate::expand;
use crate::finding::Finding;
use crate::load::Vocabulary;
use crate::model::{File, Run, TraceRule};

/// Departures that an operator may choose for a source.
const SWITCHES: [&str; 5] =
    ["prefix-with-token", "token-raw", "end-by-count", "post", "ignore-size"];

pub(super) fn check(file: &File, known: &Vocabulary<'_>, findings: &mut Vec<Finding>) {
    for guard in &file.expect.guards {
        check_name(guard, "guard", known.guards, findings);
    }
    if let (Some(true), Some(guard)) = (file.expect.no_guards, file.expect.guards.first()) {
        let message = "no guard may end a run, and this one must";
        findings.push(Finding::error(guard.span(), message, "take out `no-guards` or this"));
    }
    for rule in &file.expect.trace {
        check_rule(rule, known, findings);
    }
    for run in file.run.iter().map(Spanned::get_ref) {
        check_run(run, findings);
    }
    if let Some(query) = &file.client.base_url_query
        && (query.get_ref().is_empty()
            || query.get_ref().bytes().any(|b| !b.is_ascii_graphic() || b"?#\"<>".contains(&b)))
    {
        let message = "this cannot stand in a URL behind its question mark";
        let help = "arguments as they are written in a URL, such as `mode=oaipmh&lang=en`";
        findings.push(Finding::error(query.span(), message, "").help(help));
    }
    if let Some(thresholds) = &file.client.guards_at {
        for (name, value) in thresholds.given() {
            if name == "mass-delete" && *value.get_ref() > 100 {
                let message = format!("{} is no share in percent", value.get_ref());
                findings.push(Finding::error(value.span(), message, "0 to 100"));
            }
            let least = u32::from(matches!(
                name,
                "pages" | "records" | "tries" | "repeated-pages" | "barren-pages"
            ));
            if *value.get_ref() < least {
                let message = format!("with `{name}` at 0 nothing could be harvested");
                findings.push(Finding::error(value.span(), message, "at least 1"));
            }
        }
    }
}

fn check_rule(rule: &TraceRule, known: &Vocabulary<'_>, findings: &mut Vec<Finding>) {
    match rule {
        TraceRule::MaxConcurrency(most) if *most.get_ref() == 0 => {
            let message = "no harvester does without a request";
            findings.push(Finding::error(most.span(), message, "at least 1"));
        }
        TraceRule::NoRequestAfter(guard) => check_name(guard, "guard", known.guards, findings),
        TraceRule::AtMost(most) => {
            most.verb.iter().for_each(|verb| check_name(verb, "verb", &VERBS, findings));
        }
        TraceRule::Never(never) => {
            never.verb.iter().for_each(|verb| check_name(verb, "verb", &VERBS, findings));
        }
        TraceRule::Order(verbs) => {
            verbs.iter().for_each(|verb| check_name(verb, "verb", &VERBS, findings));
        }
        _ => {}
    }
}

fn check_run(run: &Run, findings: &mut Vec<Finding>) {
    if let (Some(from), Some(until)) = (&run.from, &run.until) {
        let (first, last) = (from.get_ref().0, until.get_ref().0);
        if first.granularity != last.granularity {
            let message = "`from` and `until` must have the same form: two days, or two instants";
            findings.push(Finding::error(until.span(), message, "").related(from.span(), "`from`"));
        } else if first > last {
            let message = format!("`from` ({first}) is later than `until` ({last})");
            findings.push(Finding::error(from.span(), message, ""));
        }
    }
    if run.full == Some(true)
        && let Some(date) = run.from.as_ref().or(run.until.as_ref())
    {
        let message = "a run that asks for everything has no span";
        findings.push(Finding::error(date.span(), message, "take out `full` or this"));
    }
    if let Some(infer) = run.infer_deletions.as_ref().filter(|infer| *infer.get_ref())
        && run.full != Some(true)
    {
        let message = "deletions are inferred from a list of everything";
        findings.push(Finding::error(infer.span(), message, "").help("add `full = true`"));
    }
    for switch in &run.switches {
        check_name(switch, "switch", &SWITCHES, findings);
    }
    if let Some(text) = &run.expect.watermark
        && expand::watermark(text.get_ref()).is_none()
    {
        let message = format!("`{}` is no place of a watermark", text.get_ref());
        let label = "expected \"unchanged\", \"none\" or an instant";
        findings.push(Finding::error(text.span(), message, label));
    }
}
