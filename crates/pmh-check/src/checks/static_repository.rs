//! Static repositories: a file that a gateway serves as a repository.

use pmh_protocol::{Datestamp, Element, Granularity};
use url::Url;

use super::identify::ELEMENTS;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::exchange::Exchange;
use crate::finding::Found;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "static.media-type",
        "The file is served as text/xml, in UTF-8",
        &[263],
        media_type,
    )
    .of_file(),
    Check::must(
        "static.schema",
        "The file is a static repository: Identify, formats, and a list for each of them",
        &[263],
        schema,
    )
    .of_file(),
    Check::must(
        "static.base-url",
        "baseURL is the gateway's address, followed by the file's address without `http://`",
        &[264],
        base_url,
    )
    .of_file(),
    Check::must(
        "static.restrictions",
        "No sets, deletions, compressions or tokens; days alone; one list for each format",
        &[265],
        restrictions,
    )
    .of_file(),
    Check::must(
        "static.url",
        "The file has an http address without query and fragment",
        &[267],
        url,
    )
    .of_file(),
];

const NAMESPACE: &str = "http://www.openarchives.org/OAI/2.0/static-repository";

/// The one exchange there is: the file.
fn file<'a>(bench: &Bench<'a>) -> Result<&'a Exchange, Stop> {
    match bench.exchanges.first() {
        Some(exchange) if exchange.page().is_some() => Ok(exchange),
        _ => Err(Stop::Inconclusive("the file could not be had".to_owned())),
    }
}

fn repository<'a>(bench: &Bench<'a>) -> Result<(&'a Exchange, &'a Element), Stop> {
    let exchange = file(bench)?;
    match exchange.tree().map(|tree| &tree.root) {
        Some(root) if root.name() == "Repository" => Ok((exchange, root)),
        _ => skip("the file is no static repository"),
    }
}

/// Whether the file was asked for over HTTP; else there is only what is in it.
fn is_served(exchange: &Exchange) -> bool {
    exchange.request.url.starts_with("http")
}

fn media_type(bench: &Bench<'_>) -> Result<Found, Stop> {
    let exchange = file(bench)?;
    let mut found = Found::default();
    if let Some(offset) = exchange.not_utf8 {
        found.fail(exchange, None, "UTF-8 throughout", format!("byte {offset}, which is none"));
    }
    found.look();
    if is_served(exchange) {
        let field = exchange.page().and_then(|page| page.headers.get("content-type"));
        let media = field.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !media.eq_ignore_ascii_case("text/xml") {
            found.fail(exchange, None, "Content-Type text/xml", format!("`{media}`"));
        }
    }
    Ok(found)
}

/// The children of an element that is the file's own.
fn own<'a>(element: &'a Element, name: &'a str) -> impl Iterator<Item = &'a Element> {
    element
        .children
        .iter()
        .filter(move |child| &*child.namespace == NAMESPACE && child.name() == name)
}

fn schema(bench: &Bench<'_>) -> Result<Found, Stop> {
    let exchange = file(bench)?;
    let mut found = Found::default();
    found.look();
    let root = match &exchange.tree {
        Some(Ok(tree)) => &tree.root,
        Some(Err(error)) => {
            found.fail_at(exchange, 0, "well-formed XML", error.to_string());
            return Ok(found);
        }
        None => return skip("the file could not be had"),
    };
    if root.name() != "Repository" || &*root.namespace != NAMESPACE {
        let said = format!("`{}` in `{}`", root.qualified, root.namespace);
        found.fail(exchange, Some(root), format!("Repository in `{NAMESPACE}`"), said);
        return Ok(found);
    }
    let names: Vec<&str> = root.children.iter().map(Element::name).collect();
    let is_right = matches!(names.as_slice(), ["Identify", "ListMetadataFormats", lists @ ..]
        if !lists.is_empty() && lists.iter().all(|name| *name == "ListRecords"));
    if !is_right {
        let expected = "Identify, ListMetadataFormats, then ListRecords";
        found.fail(exchange, Some(root), expected, names.join(", "));
    }
    for identify in own(root, "Identify") {
        for (name, ..) in ELEMENTS.iter().filter(|(_, least, _)| *least > 0) {
            if identify.first(name).is_none() {
                found.fail(exchange, Some(identify), format!("oai:{name}"), "none");
            }
        }
    }
    for list in own(root, "ListRecords") {
        for record in &list.children {
            found.look();
            let names: Vec<&str> = record.children.iter().map(Element::name).collect();
            if !record.is_oai("record") || !matches!(names.as_slice(), ["header", "metadata", ..]) {
                let said = format!("{}: {}", record.qualified, names.join(", "));
                found.fail(exchange, Some(record), "oai:record with header and metadata", said);
            }
        }
    }
    Ok(found)
}

fn base_url(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, root) = repository(bench)?;
    let Some(element) = own(root, "Identify").find_map(|identify| identify.first("baseURL")) else {
        return skip("there is no baseURL");
    };
    let mut found = Found::default();
    found.look();
    let said = element.trimmed();
    let is_http = Url::parse(said).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if !is_http {
        found.fail(exchange, Some(element), "the URL of a gateway", format!("`{said}`"));
        return Ok(found);
    }
    let address = exchange.request.url.strip_prefix("http://").filter(|_| is_served(exchange));
    if let Some(address) = address {
        let expected = format!("/{}", address.replace(':', "%3A"));
        if !said.replace("%3a", "%3A").ends_with(&expected) {
            let expected = format!("a URL that ends in `{expected}`");
            found.fail(exchange, Some(element), expected, format!("`{said}`"));
        }
    }
    Ok(found)
}

fn restrictions(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, root) = repository(bench)?;
    let mut found = Found::default();
    found.look();
    for identify in own(root, "Identify") {
        for (name, value) in [("deletedRecord", "no"), ("granularity", Granularity::Day.pattern())]
        {
            if let Some(element) = identify.first(name).filter(|each| each.trimmed() != value) {
                let said = format!("`{}`", element.trimmed());
                found.fail(exchange, Some(element), format!("{name} `{value}`"), said);
            }
        }
        if let Some(element) = identify.first("compression") {
            found.fail(exchange, Some(element), "no compression", "one");
        }
    }
    let formats = own(root, "ListMetadataFormats").flat_map(|formats| &formats.children);
    let prefixes: Vec<&str> =
        formats.filter_map(|format| format.first("metadataPrefix")).map(Element::trimmed).collect();
    let mut seen: Vec<&str> = Vec::new();
    for list in own(root, "ListRecords") {
        let prefix = list.attribute("metadataPrefix").unwrap_or_default();
        if !prefixes.contains(&prefix) {
            let said = format!("`{prefix}`");
            found.fail(exchange, Some(list), "the prefix of a format that is listed", said);
        }
        if seen.contains(&prefix) {
            found.fail(
                exchange,
                Some(list),
                "one list for each format",
                format!("`{prefix}` again"),
            );
        }
        seen.push(prefix);
        if let Some(token) = list.first("resumptionToken") {
            found.fail(exchange, Some(token), "no resumptionToken", "one");
        }
        for header in list.children.iter().filter_map(|record| record.first("header")) {
            found.look();
            header_fault(&mut found, exchange, header);
        }
    }
    for prefix in prefixes.iter().filter(|prefix| !seen.contains(prefix)) {
        found.fail(exchange, Some(root), format!("a list of `{prefix}`"), "none");
    }
    Ok(found)
}

fn header_fault(found: &mut Found, exchange: &Exchange, header: &Element) {
    if header.attribute("status").is_some() {
        found.fail(exchange, Some(header), "no status", "one");
    }
    if let Some(set) = header.first("setSpec") {
        found.fail(exchange, Some(set), "no setSpec", format!("`{}`", set.trimmed()));
    }
    if let Some(datestamp) = header.first("datestamp") {
        let is_day = Datestamp::parse(&datestamp.text)
            .is_ok_and(|date| date.granularity == Granularity::Day);
        if !is_day {
            let said = format!("`{}`", datestamp.text);
            found.fail(exchange, Some(datestamp), "a datestamp in the form of a day", said);
        }
    }
}

fn url(bench: &Bench<'_>) -> Result<Found, Stop> {
    let exchange = file(bench)?;
    if !is_served(exchange) {
        return skip("the file was read from a disk");
    }
    let mut found = Found::default();
    found.look();
    let said = exchange.request.url.as_str();
    if !said.starts_with("http://") || said.contains(['?', '#']) {
        let expected = "an http address without query and fragment";
        found.fail(exchange, None, expected, format!("`{said}`"));
    }
    Ok(found)
}
