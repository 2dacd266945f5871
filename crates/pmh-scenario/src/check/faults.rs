//! Faults: where they are due, and whether they ever can be.

mod bytes; // effects on documents and on their way
mod http; // answers that HTTP can carry
mod midway; // what can change while a list is read
mod rivals; // two that cannot both be played
mod tokens; // what can be done to a token

pub(super) use bytes::check_wire;

use toml::Spanned;

use super::{Worlds, check_positive, check_twins, page_size_span, when};
use crate::expand;
use crate::finding::Finding;
use crate::model::{Effect, Fault, File, TokenEffect, When};

/// A longer row of empty pages proves nothing that this one does not.
const EMPTY_PAGES_MAX: u32 = 10_000;

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    let names = file.fault.iter().map(|fault| &fault.get_ref().name);
    check_twins("faults", names.map(|name| (name.get_ref().as_str(), name.span())), findings);
    rivals::check(file, findings);
    for fault in file.fault.iter().map(Spanned::get_ref) {
        if let Some(when) = &fault.when {
            when::check(when.get_ref(), file, findings);
        }
        if let Some(times) = fault.times.as_ref().filter(|times| *times.get_ref() == 0) {
            let message = "the fault may fire no time at all";
            findings.push(Finding::error(times.span(), message, "at least 1, or no `times`"));
        }
        match &fault.effect {
            Effect::Http(http) => http::check(http, findings),
            Effect::Wire(wire) => check_wire(wire, findings),
            Effect::Xml(xml) => bytes::check_xml(xml, findings),
            Effect::Token(TokenEffect::EmptyPages(count))
                if !(1..=EMPTY_PAGES_MAX).contains(count.get_ref()) =>
            {
                let message = format!("there cannot be {} empty pages", count.get_ref());
                findings.push(Finding::error(
                    count.span(),
                    message,
                    format!("from 1 to {EMPTY_PAGES_MAX}"),
                ));
            }
            Effect::Repo(effect) => midway::check_repo(effect, fault.name.span(), file, findings),
            Effect::Oai(effect) => midway::check_oai(effect, fault.name.span(), findings),
            Effect::Time(effect) => midway::check_time(effect, file, findings),
            Effect::Token(effect) => tokens::check(effect, fault.name.span(), file, findings),
        }
    }
}

/// Whether faults happen on pages that exist, and lead to such.
pub(super) fn check_pages(file: &File, worlds: &Worlds, findings: &mut Vec<Finding>) {
    for fault in file.fault.iter().map(Spanned::get_ref) {
        let when = fault.when.as_ref().map(Spanned::get_ref);
        let named = when.and_then(|when| when.run.as_ref());
        // Without a name any run will do: the one with the longest list decides.
        let run = file
            .run
            .iter()
            .enumerate()
            .filter(|(_, run)| {
                named.is_none_or(|name| name.get_ref() == expand::run_name(run.get_ref()))
            })
            .map(|(index, _)| index)
            .max_by_key(|index| worlds.pages(*index));
        let Some(run) = run else { continue };
        check_target(fault, when, worlds.pages(run), findings);
        if let Some(finding) = never_due(fault, when, worlds.records(run), worlds.pages(run)) {
            findings.push(match page_size_span(file) {
                Some(span) => finding.related(span, worlds.sum(run)),
                None => finding,
            });
        }
    }
}

/// Whether the page that a token is made to lead to exists.
fn check_target(fault: &Fault, when: Option<&When>, pages: u32, findings: &mut Vec<Finding>) {
    let (Effect::Token(TokenEffect::WrapTo(target)) | Effect::Token(TokenEffect::RewindTo(target))) =
        &fault.effect
    else {
        return;
    };
    check_positive(target, "page", findings);
    if *target.get_ref() > pages {
        let message = format!("there is no page {} to lead to", target.get_ref());
        findings.push(Finding::error(
            target.span(),
            message,
            format!("page {} of {pages}", target.get_ref()),
        ));
    }
    let page = when.and_then(|when| when.page.as_ref());
    if let (Effect::Token(TokenEffect::WrapTo(_)), Some(page)) = (&fault.effect, page)
        && target.get_ref() >= page.get_ref()
    {
        let message = format!(
            "page {} has not been answered when page {} is",
            target.get_ref(),
            page.get_ref()
        );
        let help = "`wrap-to` repeats the token of an earlier page; `rewind-to` leads to any page";
        findings.push(Finding::error(target.span(), message, "no token to repeat").help(help));
    }
}

/// A fault that can never be due: the scenario would prove nothing.
fn never_due(fault: &Fault, when: Option<&When>, records: u32, pages: u32) -> Option<Finding> {
    let when = when?;
    let warning =
        |span, label: String| Finding::warning(span, "this fault can never be due", label);
    if let Some(page) = when.page.as_ref().filter(|page| *page.get_ref() > pages) {
        return Some(warning(page.span(), format!("page {} of {pages}", page.get_ref())));
    }
    if let Some(record) = when.record.as_ref().filter(|record| *record.get_ref() > records) {
        return Some(warning(record.span(), format!("record {} of {records}", record.get_ref())));
    }
    if let (Some(page), Some(token)) = (&when.page, &when.token)
        && *token.get_ref() == 0
        && *page.get_ref() > 1
    {
        return Some(warning(token.span(), "a later page is asked for with a token".to_owned()));
    }
    if let Some(share) = when.chance.as_ref().filter(|share| *share.get_ref() == 0.0) {
        return Some(warning(share.span(), "no request is hit".to_owned()));
    }
    match &fault.effect {
        Effect::Token(TokenEffect::Same | TokenEffect::Expire) => {
            let opening = |number: &&Spanned<u32>, first: u32| *number.get_ref() == first;
            let place = when.page.as_ref().filter(|page| opening(page, 1));
            let place = place.or(when.token.as_ref().filter(|token| opening(token, 0)))?;
            Some(warning(place.span(), "the opening request carries no token".to_owned()))
        }
        Effect::Token(TokenEffect::Drop) => {
            let page = when.page.as_ref().filter(|page| *page.get_ref() == pages)?;
            Some(warning(page.span(), "the last page has no token to drop".to_owned()))
        }
        Effect::Repo(_)
        | Effect::Token(_)
        | Effect::Oai(_)
        | Effect::Xml(_)
        | Effect::Http(_)
        | Effect::Wire(_)
        | Effect::Time(_) => None,
    }
}
