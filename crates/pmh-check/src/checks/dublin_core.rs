//! What is in oai_dc. Other formats are not checked.

use pmh_protocol::{Element, Stamp};

use super::formats::OAI_DC;
use super::payloads::payloads;
use super::xml::XSI;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::exchange::{Entry, Exchange};
use crate::finding::Found;
use crate::options::Profile;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "records.payload-valid",
        "oai_dc holds the fifteen elements of Dublin Core, text in them, and nothing else",
        &[89, 133],
        valid,
    )
    .last(),
    Check::should("records.dc-nonempty", "oai_dc says something", &[134], dc_nonempty).last(),
    Check::should(
        "records.dc-links-resource",
        "oai_dc links to what it describes by an identifier",
        &[6],
        dc_links_resource,
    )
    .last(),
    Check::profile(
        &[Profile::Base, Profile::Driver, Profile::Dini, Profile::OpenAire],
        "records.dc-minimal",
        "oai_dc has title, creator, date, type and identifier",
        dc_minimal,
    )
    .last(),
    Check::profile(
        &[Profile::Base, Profile::Driver, Profile::Dini, Profile::OpenAire],
        "records.dc-date",
        "Dates in oai_dc are in ISO 8601",
        dc_date,
    )
    .last(),
    Check::profile(
        &[Profile::Base, Profile::Driver, Profile::Dini, Profile::OpenAire],
        "records.dc-language",
        "Languages in oai_dc are codes of ISO 639",
        dc_language,
    )
    .last(),
    Check::profile(
        &[Profile::Base],
        "records.placeholder-handle",
        "No identifier in oai_dc is the placeholder that a fresh DSpace comes with",
        placeholder_handle,
    )
    .last(),
];

const DC: &str = "http://purl.org/dc/elements/1.1/";

const DC_ELEMENTS: [&str; 15] = [
    "contributor",
    "coverage",
    "creator",
    "date",
    "description",
    "format",
    "identifier",
    "language",
    "publisher",
    "relation",
    "rights",
    "source",
    "subject",
    "title",
    "type",
];

/// The payloads of oai_dc.
fn dublin_cores<'a>(
    bench: &Bench<'a>,
) -> Result<Vec<(&'a Exchange, Entry<'a>, &'a Element)>, Stop> {
    let cores: Vec<_> = payloads(bench)?
        .into_iter()
        .filter(|(.., prefix)| prefix == "oai_dc")
        .map(|(exchange, entry, payload, _)| (exchange, entry, payload))
        .collect();
    if cores.is_empty() {
        skip("no oai_dc was seen: other formats are not checked")
    } else {
        Ok(cores)
    }
}

fn valid(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, entry, payload) in dublin_cores(bench)? {
        // Another namespace is told by a check of its own.
        if &*payload.namespace != OAI_DC {
            continue;
        }
        found.look();
        if payload.name() != "dc" {
            let said = format!("`{}`", payload.qualified);
            found.fail(exchange, Some(payload), "the element dc", said);
            continue;
        }
        if !payload.trimmed().is_empty() {
            let said = format!("`{}`", payload.trimmed());
            found.fail(exchange, Some(payload), "no text between the elements", said);
        }
        for child in &payload.children {
            let of = format!("`{}` of `{}`", child.qualified, entry.identifier());
            if &*child.namespace != DC || !DC_ELEMENTS.contains(&child.name()) {
                found.fail(exchange, Some(child), "an element of Dublin Core 1.1", of);
            } else if !child.children.is_empty() {
                found.fail(exchange, Some(child), "text alone", format!("elements in {of}"));
            } else if let Some(other) = child
                .attributes
                .iter()
                .find(|each| each.qualified != "xml:lang" && &*each.namespace != XSI)
            {
                let said = format!("`{}` on {of}", other.qualified);
                found.fail(exchange, Some(child), "no attribute but xml:lang", said);
            }
        }
    }
    Ok(found)
}

fn values<'a>(payload: &'a Element, name: &'a str) -> impl Iterator<Item = &'a Element> {
    payload.children.iter().filter(move |child| child.name() == name && !child.trimmed().is_empty())
}

fn dc_nonempty(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, entry, payload) in dublin_cores(bench)? {
        found.look();
        if payload.children.iter().all(|child| child.trimmed().is_empty()) {
            let said = format!("nothing, of `{}`", entry.identifier());
            found.warn(exchange, Some(payload), "an element with text", said);
        }
    }
    Ok(found)
}

fn dc_links_resource(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, entry, payload) in dublin_cores(bench)? {
        found.look();
        if values(payload, "identifier").next().is_none() {
            let said = format!("none, of `{}`", entry.identifier());
            found.warn(exchange, Some(payload), "a dc:identifier", said);
        }
    }
    Ok(found)
}

fn dc_minimal(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, entry, payload) in dublin_cores(bench)? {
        found.look();
        let lacks = |name: &&str| values(payload, name).next().is_none();
        let missing: Vec<&str> =
            ["title", "creator", "date", "type", "identifier"].into_iter().filter(lacks).collect();
        if !missing.is_empty() {
            let said = format!("`{}` without", entry.identifier());
            found.fail(exchange, Some(payload), missing.join(", "), said);
        }
    }
    Ok(found)
}

fn dc_date(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _, payload) in dublin_cores(bench)? {
        for date in values(payload, "date") {
            found.look();
            let text = date.trimmed();
            let is_partial = matches!(text.len(), 4 | 7)
                && Stamp::parse_lenient(&format!("{text}{}", &"-01-01"[..10 - text.len()])).is_ok();
            if !is_partial && Stamp::parse_lenient(text).is_err() {
                let expected = "a date such as 2024, 2024-05 or 2024-05-01";
                found.warn(exchange, Some(date), expected, format!("`{text}`"));
            }
        }
    }
    Ok(found)
}

fn dc_language(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _, payload) in dublin_cores(bench)? {
        for language in values(payload, "language") {
            found.look();
            let main = language.trimmed().split(['-', '_']).next().unwrap_or_default();
            let is_code =
                matches!(main.len(), 2 | 3) && main.chars().all(|each| each.is_ascii_alphabetic());
            if !is_code {
                let said = format!("`{}`", language.trimmed());
                found.warn(exchange, Some(language), "a code of two or three letters", said);
            }
        }
    }
    Ok(found)
}

fn placeholder_handle(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _, payload) in dublin_cores(bench)? {
        for identifier in values(payload, "identifier") {
            found.look();
            if identifier.trimmed().contains("hdl.handle.net/123456789/") {
                let said = format!("`{}`", identifier.trimmed());
                found.fail(exchange, Some(identifier), "a handle that was registered", said);
            }
        }
    }
    Ok(found)
}
