//! Lists of records and headers, the single record, and the token.

use super::input::{Input, Tag};
use super::payload::{Container, push_fragment, read_container};
use super::text::trim;
use crate::datestamp::Datestamp;
use crate::error::{ComplaintKind, ParseError};
use crate::page::{Header, Item, Page, Record, Tombstone};
use crate::request::Verb;
use crate::stamp::Stamp;
use crate::token::ResumptionToken;

/// Reads ListRecords or ListIdentifiers to its end.
pub(super) fn read_list(
    input: &mut Input<'_>,
    verb: Verb,
    unreadable: &mut u32,
) -> Result<Page, ParseError> {
    let mut page = Page { verb, items: Vec::new(), token: None };
    while let Some(tag) = input.next_child()? {
        let item = match (input.envelope_name(tag), verb) {
            ("record", Verb::ListRecords) => read_record(input, tag)?,
            ("header", Verb::ListIdentifiers) => {
                read_header(input, tag)?.map(|header| header.into_item(None, Vec::new()))
            }
            ("record", Verb::ListIdentifiers) => read_wrapped_header(input, tag)?,
            // An entry all the same, though nobody knows what its record is.
            ("header", Verb::ListRecords) => {
                input.skip_unknown(tag)?;
                None
            }
            ("resumptionToken", _) => {
                read_token(input, tag, &mut page.token)?;
                continue;
            }
            ("error", _) => return Err(error_inside(input, tag)),
            _ => {
                input.skip_unknown(tag)?;
                continue;
            }
        };
        match item {
            Some(item) => page.items.push(item),
            None => *unreadable += 1,
        }
    }
    Ok(page)
}

/// Reads GetRecord, which `tag` has begun, to its end.
pub(super) fn read_single<'a>(input: &mut Input<'a>, tag: Tag<'a>) -> Result<Item, ParseError> {
    let mut item = None;
    while let Some(child) = input.next_child()? {
        match input.envelope_name(child) {
            "record" if item.is_none() => {
                item = read_record(input, child)?;
                if item.is_none() {
                    return Err(input.envelope_error(child.start, "the record has no identifier"));
                }
            }
            "error" => return Err(error_inside(input, child)),
            _ => input.skip_unknown(child)?,
        }
    }
    item.ok_or_else(|| input.envelope_error(tag.start, "GetRecord holds no record"))
}

/// Reads a resumptionToken element of whatever list, beside one that may have been there before. An empty one does not
/// end a list that goes on by another, and of several that go on the last counts.
pub(super) fn read_token<'a>(
    input: &mut Input<'a>,
    tag: Tag<'a>,
    token: &mut Option<ResumptionToken>,
) -> Result<(), ParseError> {
    let announced_offset = read_announced(input, tag, "cursor", |text| text.parse().ok())?;
    let announced_size = read_announced(input, tag, "completeListSize", |text| {
        text.parse().ok().filter(|size: &u64| *size > 0)
    })?;
    let expires =
        read_announced(input, tag, "expirationDate", |text| Stamp::parse_lenient(text).ok())?;
    let value = input.text_content()?;
    if input.is_guess(&value) {
        // Sent back it would be another token than the one that was given.
        let detail = "the resumptionToken holds a character that had to be replaced";
        return Err(input.envelope_error(tag.start, detail));
    }
    let another = ResumptionToken { value, announced_offset, announced_size, expires };
    if let Some(earlier) = token {
        let found = format!("{} and {}", earlier.value, another.value);
        input.complain(ComplaintKind::SeveralTokens, tag.start, &found);
        if another.is_end() && !earlier.is_end() {
            return Ok(());
        }
    }
    *token = Some(another);
    Ok(())
}

/// An attribute of the token; one that cannot be read counts as absent.
fn read_announced<'a, T>(
    input: &mut Input<'a>,
    tag: Tag<'a>,
    name: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ParseError> {
    let Some(text) = input.attribute(name)? else {
        return Ok(None);
    };
    let value = read(trim(&text));
    if value.is_none() {
        input.complain(ComplaintKind::TokenAttribute, tag.start, &format!("{name}={text}"));
    }
    Ok(value)
}

/// Errors belong beside the list, not in it: whether the list went on is anybody's guess.
pub(super) fn error_inside<'a>(input: &Input<'a>, tag: Tag<'a>) -> ParseError {
    input.envelope_error(tag.start, "an error element stands inside the answer")
}

/// Reads a record; `None` when nobody can say whose it is.
fn read_record<'a>(input: &mut Input<'a>, tag: Tag<'a>) -> Result<Option<Item>, ParseError> {
    let mut header: Option<FullHeader> = None;
    let mut has_header = false;
    let mut metadata: Option<Container> = None;
    let mut abouts = Vec::new();
    while let Some(child) = input.next_child()? {
        match input.envelope_name(child) {
            "header" if !has_header => {
                has_header = true;
                header = read_header(input, child)?;
            }
            "metadata" if metadata.is_none() => metadata = Some(read_container(input, child)?),
            "about" => push_fragment(input, child, &mut abouts)?,
            "error" => return Err(error_inside(input, child)),
            _ => input.skip_unknown(child)?,
        }
    }
    if !has_header {
        input.complain(ComplaintKind::MissingIdentifier, tag.start, "a record without header");
    }
    let Some(header) = header else {
        return Ok(None);
    };
    let identifier = &header.header.identifier;
    input.name_repair(tag.start, identifier);
    match (&metadata, header.is_deleted) {
        (Some(container), true) => {
            input.complain(ComplaintKind::DeletedWithMetadata, container.start, identifier);
        }
        (Some(Container { start, fault: Some(fault), .. }), false) => {
            input.complain(ComplaintKind::Payload, *start, &format!("{identifier}: {fault}"));
        }
        (None, false) => {
            let found = format!("{identifier}: no metadata");
            input.complain(ComplaintKind::Payload, tag.start, &found);
        }
        _ => {}
    }
    Ok(Some(header.into_item(metadata.and_then(|container| container.fragment), abouts)))
}

/// Reads a record where a header belongs, for the header in it.
fn read_wrapped_header<'a>(
    input: &mut Input<'a>,
    tag: Tag<'a>,
) -> Result<Option<Item>, ParseError> {
    input.complain(ComplaintKind::UnknownElement, tag.start, tag.name);
    let mut header = None;
    while let Some(child) = input.next_child()? {
        match input.envelope_name(child) {
            "header" if header.is_none() => header = read_header(input, child)?,
            "error" => return Err(error_inside(input, child)),
            _ => input.skip()?,
        }
    }
    Ok(header.map(|header| header.into_item(None, Vec::new())))
}

/// A header together with its status.
struct FullHeader {
    header: Header,
    is_deleted: bool,
}

impl FullHeader {
    fn into_item(self, payload: Option<String>, abouts: Vec<String>) -> Item {
        let header = self.header;
        if self.is_deleted {
            Item::Tombstone(Tombstone { header })
        } else {
            Item::Record(Record { header, payload, abouts })
        }
    }
}

/// Reads a header; `None`, with a complaint, when it has no identifier.
fn read_header<'a>(input: &mut Input<'a>, tag: Tag<'a>) -> Result<Option<FullHeader>, ParseError> {
    let status = input.attribute("status")?;
    let is_deleted = match status.as_deref().map(trim) {
        None => false,
        Some("deleted") => true,
        // Taking it for a live record would revive what its repository has withdrawn.
        Some(other) if other.eq_ignore_ascii_case("deleted") => {
            input.complain(ComplaintKind::Status, tag.start, other);
            true
        }
        Some(other) => {
            input.complain(ComplaintKind::Status, tag.start, other);
            false
        }
    };
    let mut identifier = String::new();
    let mut datestamp = None;
    let mut has_datestamp = false;
    let mut sets = Vec::new();
    while let Some(child) = input.next_child()? {
        match input.envelope_name(child) {
            "identifier" if identifier.is_empty() => identifier = input.text_content()?,
            "datestamp" | "dateStamp" if !has_datestamp => {
                has_datestamp = true;
                if input.envelope_name(child) == "dateStamp" {
                    input.complain(ComplaintKind::UnknownElement, child.start, child.name);
                }
                let text = input.text_content()?;
                datestamp = Datestamp::parse_lenient(&text).ok();
                if Datestamp::parse(&text).is_err() {
                    input.complain(ComplaintKind::Datestamp, child.start, &text);
                }
            }
            "setSpec" => sets.push(input.text_content()?),
            "error" => return Err(error_inside(input, child)),
            _ => input.skip_unknown(child)?,
        }
    }
    if identifier.is_empty() {
        input.complain(ComplaintKind::MissingIdentifier, tag.start, "a header without identifier");
        return Ok(None);
    }
    // Two identifiers that differ in what was replaced would become one, and one of their records be lost.
    if input.is_guess(&identifier) {
        input.complain(ComplaintKind::MissingIdentifier, tag.start, &identifier);
        return Ok(None);
    }
    if !has_datestamp {
        let found = format!("{identifier}: no datestamp");
        input.complain(ComplaintKind::Datestamp, tag.start, &found);
    }
    sets.retain(|set| !set.is_empty());
    Ok(Some(FullHeader { header: Header { identifier, datestamp, sets }, is_deleted }))
}
