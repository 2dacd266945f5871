//! What is in metadata and about.

use pmh_protocol::{Element, OAI_NAMESPACE, Stamp};

use super::formats::{OAI_DC, OAI_DC_SCHEMA};
use super::xml::XSI;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::exchange::{Entry, Exchange};
use crate::finding::Found;
use crate::options::Profile;
use crate::syntax::uri_fault;

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
    Check::must(
        "records.about-shape",
        "Each about holds one element that says where its schema is",
        &[18, 19],
        about_shape,
    )
    .last(),
    Check::guideline(
        "records.provenance",
        "provenance has what its guideline asks for",
        &[247, 248, 249],
        provenance,
    )
    .last(),
    Check::guideline(
        "records.rights",
        "A record has one rights package at most, with a reference or a definition",
        &[260],
        rights,
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

/// Every payload whose format is known, with its prefix.
fn payloads<'a>(
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

fn abouts<'a>(bench: &Bench<'a>) -> Result<Vec<(&'a Exchange, Entry<'a>, &'a Element)>, Stop> {
    let mut abouts = Vec::new();
    for (exchange, _) in bench.documents() {
        for entry in exchange.entries() {
            abouts.extend(entry.abouts().map(|about| (exchange, entry, about)));
        }
    }
    if abouts.is_empty() { skip("no record has an about") } else { Ok(abouts) }
}

fn about_shape(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _, about) in abouts(bench)? {
        super::descriptions::container(&mut found, exchange, about);
    }
    Ok(found)
}

/// The elements of this namespace inside abouts.
fn inside<'a>(
    bench: &Bench<'a>,
    namespace: &str,
) -> Result<Vec<(&'a Exchange, Entry<'a>, &'a Element)>, Stop> {
    let mut inside = Vec::new();
    for (exchange, entry, about) in abouts(bench)? {
        let children = about.children.iter().filter(|child| &*child.namespace == namespace);
        inside.extend(children.map(|child| (exchange, entry, child)));
    }
    if inside.is_empty() { skip(format!("no about is in {namespace}")) } else { Ok(inside) }
}

const PROVENANCE_ELEMENTS: [&str; 4] = ["baseURL", "identifier", "datestamp", "metadataNamespace"];

fn provenance(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let namespace = "http://www.openarchives.org/OAI/2.0/provenance";
    for (exchange, _, element) in inside(bench, namespace)? {
        let mut next = element.children.iter().find(|child| child.name() == "originDescription");
        if next.is_none() {
            found.look();
            found.fail(exchange, Some(element), "an originDescription", "none");
        }
        while let Some(origin) = next {
            found.look();
            let names: Vec<&str> = origin.children.iter().map(Element::name).collect();
            if names.get(..4) != Some(&PROVENANCE_ELEMENTS[..]) {
                let expected = PROVENANCE_ELEMENTS.join(", ");
                found.fail(exchange, Some(origin), expected, names.join(", "));
            }
            if let Some(url) = origin.children.iter().find(|child| child.name() == "baseURL")
                && uri_fault(url.trimmed()).is_some()
            {
                let said = format!("`{}`", url.trimmed());
                found.fail(exchange, Some(url), "a base URL", said);
            }
            let altered = origin.attribute("altered").unwrap_or_default();
            if !matches!(altered, "true" | "false" | "1" | "0") {
                let said = format!("`{altered}`");
                found.fail(exchange, Some(origin), "an attribute altered, true or false", said);
            }
            match origin.attribute("harvestDate") {
                None => found.fail(exchange, Some(origin), "an attribute harvestDate", "none"),
                Some(date) if Stamp::parse(date).is_err() => {
                    found.warn(exchange, Some(origin), "a date in UTC", format!("`{date}`"));
                }
                Some(_) => {}
            }
            next = origin.children.iter().find(|child| child.name() == "originDescription");
        }
    }
    Ok(found)
}

fn rights(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let namespace = "http://www.openarchives.org/OAI/2.0/rights/";
    let mut last = None;
    for (exchange, entry, element) in inside(bench, namespace)? {
        found.look();
        if last == Some((exchange.number, entry.identifier())) {
            let said = format!("one more, of `{}`", entry.identifier());
            found.fail(exchange, Some(element), "one rights package", said);
        }
        last = Some((exchange.number, entry.identifier()));
        let names: Vec<&str> = element.children.iter().map(Element::name).collect();
        if !matches!(names.as_slice(), ["rightsReference" | "rightsDefinition"]) {
            let expected = "rightsReference or rightsDefinition";
            found.fail(exchange, Some(element), expected, names.join(", "));
        }
    }
    Ok(found)
}
