//! How the repository keeps the protocol: what contradicts itself.

use toml::Spanned;

use super::check_positive;
use crate::defaults;
use crate::finding::Finding;
use crate::model::{File, TokenStyle};
use crate::style::{
    Cursor, Earliest, Expiration, IdentifyTexts, ListKind, ListSize, Order, ResponseDate,
};

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    check_paging(file, findings);
    check_tokens(file, findings);
    check_texts(file, findings);
}

fn check_paging(file: &File, findings: &mut Vec<Finding>) {
    let protocol = &file.protocol;
    let page_size =
        file.repository.page_size.as_ref().map_or(defaults::PAGE_SIZE, |size| *size.get_ref());
    if let Some(overlap) =
        protocol.overlap.as_ref().filter(|overlap| *overlap.get_ref() >= page_size)
    {
        let message = format!(
            "pages of {page_size} cannot overlap by {}: no list would end",
            overlap.get_ref()
        );
        let label = format!("less than {page_size}");
        findings.push(Finding::error(overlap.span(), message, label));
    }
    if let Some(cap) = protocol.cap.as_ref().filter(|cap| cap.get_ref().records == 0) {
        findings.push(Finding::error(cap.span(), "a list of no records has no page", "at least 1"));
    }
    if let Some(hidden) = &file.repository.hidden {
        let range = hidden.get_ref();
        if range.from == 0 || range.from > range.to {
            let message = format!("there are no records from {} to {}", range.from, range.to);
            let label = "numbered from 1, the lower number first";
            findings.push(Finding::error(hidden.span(), message, label));
        }
    }
    if let Some(page) = &protocol.filter_forgotten_after {
        check_positive(page, "page", findings);
    }
    if let (Some(overlap), Some(list)) = (&protocol.overlap, &protocol.list)
        && *list.get_ref() == ListKind::KeySet
    {
        let message = "pages that go on after a datestamp do not overlap";
        findings.push(Finding::error(overlap.span(), message, "").related(list.span(), "here"));
    }
    let by_stamp = matches!(file.repository.order, None | Some(Order::StampThenId));
    if let Some(list) = protocol.list.as_ref().filter(|list| *list.get_ref() == ListKind::KeySet)
        && !by_stamp
    {
        let message = "pages that go on after a datestamp need a list in their order";
        let help = "leave `repository.order` at \"stamp-then-id\"";
        findings.push(Finding::error(list.span(), message, "").help(help));
    }
}

fn check_tokens(file: &File, findings: &mut Vec<Finding>) {
    let ttl = &file.protocol.ttl;
    if let Some(time) = ttl.time.as_ref().filter(|time| time.get_ref().seconds == 0) {
        findings.push(Finding::error(time.span(), "no token lives for no time", "at least 1s"));
    }
    if let Some(one_use) = ttl.one_use.as_ref().filter(|one_use| *one_use.get_ref())
        && matches!(file.protocol.token, Some(TokenStyle::Session))
    {
        let message = "the one token of a session is used for every page";
        let help = "a session that ends early is `ttl.requests` or `ttl.time`";
        findings.push(Finding::error(one_use.span(), message, "").help(help));
    }
    if let Some(expiration) =
        file.protocol.expiration.as_ref().filter(|text| *text.get_ref() == Expiration::Right)
        && ttl.time.is_none()
    {
        let message = "tokens that live for ever have no date to die";
        let help = "add `ttl.time`, such as \"1h\"";
        findings.push(Finding::error(expiration.span(), message, "").help(help));
    }
    if let Some(size) = &file.protocol.list_size
        && let ListSize::Estimate(share) = size.get_ref()
        && !(-1.0..=1_000.0).contains(share)
    {
        let message = format!("an estimate cannot be off by the share {share}");
        findings.push(Finding::error(size.span(), message, "from -1, which is nothing, to 1000"));
    }
}

/// Texts that end up in a document, which can hold no control characters.
fn check_texts(file: &File, findings: &mut Vec<Finding>) {
    let protocol = &file.protocol;
    let mut check = |span: std::ops::Range<usize>, text: &str| {
        if text.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r')) {
            let message = "a document cannot hold control characters";
            let help = "what is not XML at all is an effect of the layer xml";
            findings.push(Finding::error(span, message, "").help(help));
        }
    };
    if let Some(value) = &protocol.list_size
        && let ListSize::Text(text) = value.get_ref()
    {
        check(value.span(), text);
    }
    if let Some(value) = &protocol.cursor
        && let Cursor::Text(text) = value.get_ref()
    {
        check(value.span(), text);
    }
    if let Some(value) = &protocol.expiration
        && let Expiration::Text(text) = value.get_ref()
    {
        check(value.span(), text);
    }
    if let Some(value) = &protocol.response_date
        && let ResponseDate::Text(text) = value.get_ref()
    {
        check(value.span(), text);
    }
    if let Some(value) = &protocol.earliest
        && let Earliest::Text(text) = value.get_ref()
    {
        check(value.span(), text);
    }
    if let Some(value) = &protocol.identify {
        texts(value).for_each(|text| check(value.span(), text));
    }
}

fn texts(identify: &Spanned<IdentifyTexts>) -> impl Iterator<Item = &str> {
    let IdentifyTexts {
        repository_name,
        base_url,
        protocol_version,
        admin_emails,
        deleted_record,
        granularity,
    } = identify.get_ref();
    [repository_name, base_url, protocol_version, deleted_record, granularity]
        .into_iter()
        .flatten()
        .chain(admin_emails.iter().flatten())
        .map(String::as_str)
}
