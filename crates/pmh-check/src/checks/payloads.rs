//! What is in metadata, whatever its format.

use pmh_protocol::{Element, OAI_NAMESPACE};

use super::formats::{OAI_DC, OAI_DC_SCHEMA};
use super::xml::XSI;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::exchange::{Entry, Exchange};
use crate::finding::Found;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "records.payload-single-root",
        "metadata holds one element and no text",
        &[12],
        single_root,
    )
    .last(),
    Check::must(
        "records.payload-foreign-namespace",
        "What metadata holds is in a namespace, and not in that of OAI-PMH",
        &[13],
        foreign_namespace,
    )
    .last(),
    Check::must(
        "records.payload-namespace",
        "What metadata holds is in the namespace of its format",
        &[125, 132],
        namespace,
    )
    .last(),
    Check::must(
        "records.payload-schema-location",
        "What metadata holds names the schema that its format has",
        &[16, 126, 127],
        schema_location,
    )
    .last(),
    Check::must(
        "records.payload-xsi",
        "What metadata holds declares the namespace of XML Schema instances itself",
        &[15],
        xsi,
    )
    .last(),
    Check::should(
        "records.payload-self-contained",
        "What metadata holds can be cut out: it declares every prefix that it uses",
        &[14, 124],
        self_contained,
    )
    .last(),
];

/// Every payload whose format is known, with its prefix.
pub(super) fn payloads<'a>(
    bench: &Bench<'a>,
) -> Result<Vec<(&'a Exchange, Entry<'a>, &'a Element, String)>, Stop> {
    let mut later = Vec::new();
    let prefix = bench.prefix()?;
    for page in bench.records()?.pages.into_iter().skip(1) {
        later.push(page.number);
    }
    let mut payloads = Vec::new();
    for (exchange, _) in bench.documents() {
        let format = match exchange.ask.argument("metadataPrefix") {
            Some(format) => format,
            None if later.contains(&exchange.number) => prefix.to_owned(),
            None => continue,
        };
        for entry in exchange.entries() {
            if let Some(payload) = entry.payload() {
                payloads.push((exchange, entry, payload, format.clone()));
            }
        }
    }
    if payloads.is_empty() { skip("no metadata was seen") } else { Ok(payloads) }
}

/// Namespace and schema that a format has; those of oai_dc are fixed, whatever is announced.
fn bound<'a>(bench: &Bench<'a>, prefix: &str) -> Result<Option<(&'a str, &'a str)>, Stop> {
    if prefix == "oai_dc" {
        return Ok(Some((OAI_DC, OAI_DC_SCHEMA)));
    }
    let (_, formats) = bench.formats()?;
    let format = formats.iter().find(|format| format.prefix == prefix);
    Ok(format.map(|format| (format.namespace, format.schema)))
}

fn single_root(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        for metadata in exchange.entries().iter().filter_map(Entry::metadata) {
            found.look();
            let count = metadata.children.len();
            if count != 1 {
                let said = format!("{count} elements");
                found.fail(exchange, Some(metadata), "one element", said);
            }
        }
    }
    Ok(found)
}

fn foreign_namespace(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _, payload, _) in payloads(bench)? {
        found.look();
        if payload.namespace.is_empty() || &*payload.namespace == OAI_NAMESPACE {
            let said = format!("`{}` in `{}`", payload.qualified, payload.namespace);
            found.fail(exchange, Some(payload), "a namespace of its own", said);
        }
    }
    Ok(found)
}

fn namespace(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, entry, payload, prefix) in payloads(bench)? {
        let Some((namespace, _)) = bound(bench, &prefix)? else { continue };
        found.look();
        if &*payload.namespace != namespace {
            let said = format!("`{}`, of `{}`", payload.namespace, entry.identifier());
            found.fail(exchange, Some(payload), format!("`{namespace}`"), said);
        }
    }
    Ok(found)
}

fn schema_location(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _, payload, prefix) in payloads(bench)? {
        let Some((namespace, schema)) = bound(bench, &prefix)? else { continue };
        // Another namespace is told by a check of its own.
        if &*payload.namespace != namespace {
            continue;
        }
        found.look();
        let expected = format!("xsi:schemaLocation with `{namespace} {schema}`");
        let Some(location) = payload.attribute_in(XSI, "schemaLocation") else {
            found.fail(exchange, Some(payload), expected, "none");
            continue;
        };
        let words: Vec<&str> = location.split_whitespace().collect();
        let named = words.chunks(2).find(|pair| pair[0] == namespace).and_then(|pair| pair.get(1));
        match named {
            Some(named) if *named == schema => {}
            Some(named)
                if named.replacen("https:", "http:", 1)
                    == schema.replacen("https:", "http:", 1) =>
            {
                found.warn(exchange, Some(payload), expected, format!("`{named}`"));
            }
            _ => found.fail(exchange, Some(payload), expected, format!("`{location}`")),
        }
    }
    Ok(found)
}

fn xsi(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _, payload, _) in payloads(bench)? {
        found.look();
        let is_declared = payload.declarations.iter().any(|(_, namespace)| &**namespace == XSI);
        if is_declared {
            continue;
        }
        let expected = format!("`xmlns:xsi=\"{XSI}\"` on it");
        let is_inherited = exchange
            .root()
            .is_some_and(|root| root.declarations.iter().any(|(_, namespace)| &**namespace == XSI));
        if is_inherited {
            found.warn(exchange, Some(payload), expected, "a declaration further out");
        } else {
            found.fail(exchange, Some(payload), expected, "no declaration");
        }
    }
    Ok(found)
}

fn self_contained(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _, payload, _) in payloads(bench)? {
        found.look();
        if let Some(prefix) = borrowed(payload, &[]) {
            let shown = if prefix.is_empty() { "the default namespace" } else { &prefix };
            let said = format!("{shown}, declared further out or nowhere");
            found.fail(exchange, Some(payload), "a declaration of every prefix in it", said);
        }
    }
    Ok(found)
}

/// A prefix that an element uses and does not declare in itself.
fn borrowed(element: &Element, outside: &[&str]) -> Option<String> {
    let mut declared: Vec<&str> = outside.to_vec();
    declared.extend(element.declarations.iter().map(|(prefix, _)| prefix.as_str()));
    let own = element.prefix();
    let uses_default = own.is_empty() && !element.namespace.is_empty();
    if (uses_default || !own.is_empty()) && !declared.contains(&own) {
        return Some(own.to_owned());
    }
    for attribute in &element.attributes {
        let prefix = attribute.qualified.split_once(':').map_or("", |(prefix, _)| prefix);
        // That of XML Schema instances has a check of its own.
        let is_known = prefix.is_empty() || prefix == "xml" || &*attribute.namespace == XSI;
        if !is_known && !declared.contains(&prefix) {
            return Some(prefix.to_owned());
        }
    }
    element.children.iter().find_map(|child| borrowed(child, &declared))
}
