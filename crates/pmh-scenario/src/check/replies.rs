//! Replies, and the truth that somebody wrote down beside them.

use toml::Spanned;

use super::faults::check_wire;
use super::{check_twins, when};
use crate::expand;
use crate::finding::Finding;
use crate::model::{File, Holdings, Reply};

/// More replies than this are no story any more.
const REPLIES_MAX: usize = 1_000;

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    if let Some(beyond) = file.reply.get(REPLIES_MAX) {
        let message = format!("there are more than {REPLIES_MAX} replies");
        findings.push(Finding::error(beyond.span(), message, ""));
    }
    let names: Vec<String> = file
        .reply
        .iter()
        .enumerate()
        .map(|(index, reply)| expand::reply_name(reply.get_ref(), index + 1))
        .collect();
    check_twins(
        "replies",
        names.iter().map(String::as_str).zip(file.reply.iter().map(Spanned::span)),
        findings,
    );
    let mut takes_all: Option<&Spanned<Reply>> = None;
    for written in &file.reply {
        let reply = written.get_ref();
        check_reply(written, file, findings);
        if let Some(earlier) = takes_all {
            let message = "no request comes as far as this reply";
            findings.push(
                Finding::error(written.span(), message, "")
                    .related(earlier.span(), "this one fits every request"),
            );
        } else if when::fits_all(reply.when.as_ref())
            && reply.times.is_none()
            && reply.tape.is_none()
        {
            takes_all = Some(written);
        }
    }
    check_truths(file, findings);
}

fn check_reply(written: &Spanned<Reply>, file: &File, findings: &mut Vec<Finding>) {
    let reply = written.get_ref();
    if let Some(when) = &reply.when {
        when::check(when.get_ref(), file, findings);
    }
    let contents =
        [("file", &reply.file), ("tape", &reply.tape), ("body", &reply.body), ("xml", &reply.xml)];
    let mut given = contents.iter().filter_map(|(key, text)| Some((key, text.as_ref()?.span())));
    if let (Some((first, first_span)), Some((second, span))) = (given.next(), given.next()) {
        let message = format!("a reply has one content: `{first}` or `{second}`");
        findings.push(Finding::error(span, message, "").related(first_span, "the first is here"));
    }
    if let Some(wire) = &reply.wire {
        check_wire(wire, findings);
    }
    let said = [
        ("status", reply.status.as_ref().map(Spanned::span)),
        ("times", reply.times.as_ref().map(Spanned::span)),
        ("headers", reply.headers.values().next().map(Spanned::span)),
    ];
    for (key, span) in said {
        if let (Some(span), Some(tape)) = (span, &reply.tape) {
            let message = format!("a recording says its own `{key}`");
            findings.push(
                Finding::error(span, message, "take this out")
                    .related(tape.span(), "the recording"),
            );
        }
    }
    if let Some(status) = &reply.status
        && !(200..=599).contains(status.get_ref())
    {
        let message = format!("an answer cannot have the status {}", status.get_ref());
        findings.push(Finding::error(status.span(), message, "200 to 599"));
    }
    for (name, value) in &reply.headers {
        let is_token = !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
        if !is_token {
            let message = format!("`{name}` is not the name of a header field");
            findings.push(Finding::error(value.span(), message, ""));
        }
        if value.get_ref().chars().any(char::is_control) {
            let message = "a header field cannot hold control characters";
            findings.push(Finding::error(value.span(), message, ""));
        }
    }
    if let Some(times) = reply.times.as_ref().filter(|times| *times.get_ref() == 0) {
        let message = "the reply may answer no time at all";
        findings.push(Finding::error(times.span(), message, "at least 1, or no `times`"));
    }
}

fn check_truths(file: &File, findings: &mut Vec<Finding>) {
    let truths: Vec<&Holdings> = file
        .truth
        .iter()
        .chain(file.run.iter().filter_map(|run| run.get_ref().truth.as_ref()))
        .collect();
    for truth in &truths {
        let lists = [truth.present.as_deref().unwrap_or_default(), &truth.deleted, &truth.absent];
        let all = lists.into_iter().flatten();
        check_twins(
            "records of the truth",
            all.map(|name| (name.get_ref().as_str(), name.span())),
            findings,
        );
    }
    if expand::is_modelled(file) {
        let named = truths.iter().flat_map(|truth| {
            let lists =
                [truth.present.as_deref().unwrap_or_default(), &truth.deleted, &truth.absent];
            lists.into_iter().flatten().map(Spanned::span)
        });
        if let Some(span) = named.min_by_key(|span| span.start) {
            let message =
                "the truth follows from the repository and cannot be written down beside it";
            let help = "`[truth]` belongs to files whose `[[reply]]` say what a repository without `records` holds";
            findings.push(Finding::error(span, message, "").help(help));
        }
    } else if let (true, Some(last)) = (truths.is_empty(), file.run.last()) {
        let message = "nothing says what the store must hold";
        let help = "add `[truth]` with `present`: the identifiers of all records";
        findings.push(Finding::warning(last.get_ref().action.span(), message, "").help(help));
    }
}
