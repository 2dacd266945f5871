//! How items are named.

use std::collections::BTreeMap;

use crate::ask::Ask;
use crate::bench::{Bench, Format, Stop, formats_in, skip};
use crate::check::Check;
use crate::finding::Found;
use crate::syntax::{oai_fault, oai_parts, scheme_fault, uri_fault};

pub(super) const CHECKS: &[Check] = &[
    Check::must("identifiers.uri", "Every identifier is an absolute URI", &[3], uri),
    Check::must(
        "identifiers.scheme",
        "Every identifier keeps the syntax of its scheme",
        &[4],
        scheme,
    ),
    Check::guideline(
        "identifiers.oai-syntax",
        "Identifiers of the scheme oai have a domain name and a local part",
        &[250, 251],
        oai_syntax,
    ),
    Check::guideline(
        "identifiers.oai-namespace",
        "Identifiers of the scheme oai share one namespace, in the same letters",
        &[252],
        oai_namespace,
    ),
    Check::must(
        "identifiers.resolvable",
        "Identifiers that are listed can be asked for",
        &[7],
        resolvable,
    ),
    Check::must(
        "identifiers.same-in-all-formats",
        "An item has the same identifier in each of its formats",
        &[2],
        same_in_all_formats,
    ),
    Check::should(
        "identifiers.unique-in-list",
        "No identifier is twice on one page",
        &[8],
        unique_in_list,
    ),
];

fn uri(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, entry) in bench.headers()?.entries() {
        let Some(identifier) = entry.header.first("identifier") else { continue };
        found.look();
        if let Some(fault) = uri_fault(&identifier.text) {
            let said = format!("`{}`: {fault}", identifier.text);
            found.fail(exchange, Some(identifier), "a URI", said);
        }
    }
    Ok(found)
}

fn scheme(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, entry) in bench.headers()?.entries() {
        found.look();
        if let Some(fault) = scheme_fault(entry.identifier()) {
            let said = format!("`{}`: {fault}", entry.identifier());
            found.fail(exchange, Some(entry.header), "a URI of its scheme", said);
        }
    }
    Ok(found)
}

fn oai_syntax(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, entry) in bench.headers()?.entries() {
        let identifier = entry.identifier();
        if !identifier.starts_with("oai:") {
            continue;
        }
        found.look();
        if let Some(fault) = oai_fault(identifier) {
            let expected = "`oai:`, a domain name, `:` and a local part";
            found.fail(exchange, Some(entry.header), expected, format!("`{identifier}`: {fault}"));
        }
    }
    if found.looked_at == 0 { skip("no identifier is of the scheme oai") } else { Ok(found) }
}

fn oai_namespace(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let mut first: Option<&str> = None;
    for (exchange, entry) in bench.headers()?.entries() {
        let Some((namespace, _)) = oai_parts(entry.identifier()) else { continue };
        found.look();
        match first {
            None => first = Some(namespace),
            Some(first) if first != namespace => {
                let said = format!("`{}`", entry.identifier());
                found.warn(exchange, Some(entry.header), format!("the namespace `{first}`"), said);
            }
            Some(_) => {}
        }
    }
    if found.looked_at == 0 { skip("no identifier is of the scheme oai") } else { Ok(found) }
}

fn resolvable(bench: &Bench<'_>) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let mut found = Found::default();
    for (_, entry) in bench.sample()? {
        let exchange = bench.get(Ask::record(entry.identifier(), prefix))?;
        found.look();
        if exchange.entries().is_empty() {
            let expected = format!("the record `{}`, which is listed", entry.identifier());
            found.fail_at(exchange, 0, expected, exchange.describe());
        }
    }
    bench.unless_changed(found)
}

fn same_in_all_formats(bench: &Bench<'_>) -> Result<Found, Stop> {
    let live = bench.live()?;
    let identifier = live.identifier();
    let ask = Ask::of(&[("verb", "ListMetadataFormats"), ("identifier", identifier)]);
    let Some(formats) = formats_in(bench.get(ask)?) else {
        return skip("the formats of the item cannot be read");
    };
    let mut found = Found::default();
    for Format { prefix, .. } in formats.into_iter().take(5) {
        let exchange = bench.get(Ask::record(identifier, prefix))?;
        for entry in exchange.entries().iter().filter(|entry| !entry.identifier().is_empty()) {
            found.look();
            if entry.identifier() != identifier {
                let said = format!("`{}` in {prefix}", entry.identifier());
                found.fail(exchange, Some(entry.header), format!("`{identifier}`"), said);
            }
        }
    }
    Ok(found)
}

fn unique_in_list(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let mut seen: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (exchange, entry) in bench.headers()?.entries() {
        found.look();
        let here = (exchange.number, entry.datestamp());
        let Some((page, datestamp)) = seen.insert(entry.identifier(), here) else { continue };
        let said = format!("`{}` once more", entry.identifier());
        if page == exchange.number {
            found.fail(exchange, Some(entry.header), "each identifier once", said);
        } else if datestamp != entry.datestamp() {
            let said = format!("{said}, with another datestamp");
            found.warn(exchange, Some(entry.header), "each identifier once", said);
        }
    }
    Ok(found)
}
