//! The root and its children: responseDate, request, and the answer.

use super::identify::{read_formats, read_identify, read_sets};
use super::input::{Input, Tag};
use super::list::{read_list, read_single};
use super::text::{attribute_value, split_name};
use crate::error::{ComplaintKind, ErrorCode, OaiError, ParseError};
use crate::page::{Body, Document, Echo};
use crate::request::Verb;
use crate::stamp::Stamp;

/// A document, and how many of its entries could not be read.
pub(super) struct Envelope {
    pub(super) document: Document,
    pub(super) unreadable: u32,
}

/// Reads the root, whatever stands before it, and everything in it.
pub(super) fn read_envelope(input: &mut Input<'_>) -> Result<Envelope, ParseError> {
    let Some(root) = input.next_child()? else {
        return Err(input.truncated());
    };
    let local = split_name(root.name).1;
    if local.eq_ignore_ascii_case("html") {
        return Err(ParseError::Html);
    }
    if local != "OAI-PMH" {
        return Err(ParseError::NotOai { root: super::text::excerpt(local) });
    }
    input.adopt_namespace(root);

    let mut response_date = None;
    let mut has_response_date = false;
    let mut request = None;
    let mut errors = Vec::new();
    let mut answer = None;
    let mut unreadable = 0;
    while let Some(tag) = input.next_child()? {
        match input.envelope_name(tag) {
            "responseDate" => {
                has_response_date = true;
                response_date = read_response_date(input, tag)?;
            }
            "request" => request = Some(read_request(input)?),
            "error" => errors.push(read_error(input)?),
            "resumptionToken" => {
                // Passing it over would end the list too early, and silently.
                return Err(input
                    .envelope_error(tag.start, "the resumptionToken stands outside of the list"));
            }
            name => match Verb::from_name(name) {
                Some(verb) if answer.is_none() => {
                    answer = Some((tag, read_answer(input, verb, tag, &mut unreadable)?));
                }
                Some(verb) => {
                    return Err(
                        input.envelope_error(tag.start, format!("`{verb}` is a second answer"))
                    );
                }
                None => input.skip_unknown(tag)?,
            },
        }
    }
    if !has_response_date {
        input.complain(ComplaintKind::ResponseDate, root.start, "responseDate is missing");
    }
    if request.is_none() {
        input.complain(ComplaintKind::Request, root.start, "request is missing");
    }
    let body = match answer {
        None if errors.is_empty() => {
            return Err(input.envelope_error(root.start, "there is neither an answer nor an error"));
        }
        None => Body::Errors(errors),
        Some((_, body)) if errors.is_empty() => body,
        Some((tag, _)) => {
            let detail = format!("`{}` stands beside the error `{}`", tag.name, errors[0].code);
            return Err(input.envelope_error(tag.start, detail));
        }
    };
    let document = Document { response_date, request: request.unwrap_or_default(), body };
    Ok(Envelope { document, unreadable })
}

fn read_answer<'a>(
    input: &mut Input<'a>,
    verb: Verb,
    tag: Tag<'a>,
    unreadable: &mut u32,
) -> Result<Body, ParseError> {
    Ok(match verb {
        Verb::Identify => Body::Identify(Box::new(read_identify(input, tag)?)),
        Verb::ListMetadataFormats => Body::Formats(read_formats(input, unreadable)?),
        Verb::ListSets => read_sets(input, unreadable)?,
        Verb::ListIdentifiers | Verb::ListRecords => {
            Body::List(read_list(input, verb, unreadable)?)
        }
        Verb::GetRecord => Body::Record(Box::new(read_single(input, tag)?)),
    })
}

fn read_response_date<'a>(
    input: &mut Input<'a>,
    tag: Tag<'a>,
) -> Result<Option<Stamp>, ParseError> {
    let text = input.text_content()?;
    if let Ok(stamp) = Stamp::parse(&text) {
        return Ok(Some(stamp));
    }
    input.complain(ComplaintKind::ResponseDate, tag.start, &text);
    Ok(Stamp::parse_lenient(&text).ok())
}

fn read_request(input: &mut Input<'_>) -> Result<Echo, ParseError> {
    let mut arguments = Vec::new();
    for attribute in input.attributes() {
        // Declarations and attributes of other namespaces are no arguments.
        if attribute.declares().is_none() && !attribute.name.contains(':') {
            let value = attribute_value(attribute.raw(), input.offset())?.into_owned();
            arguments.push((attribute.name.to_owned(), value));
        }
    }
    Ok(Echo { base_url: input.text_content()?, arguments })
}

fn read_error(input: &mut Input<'_>) -> Result<OaiError, ParseError> {
    let code = input.attribute("code")?.unwrap_or_default();
    let code = ErrorCode::from_name(code.trim());
    Ok(OaiError { code, text: input.text_content()? })
}
