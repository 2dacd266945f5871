//! What is in about.

use pmh_protocol::{Element, Stamp};

use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::exchange::{Entry, Exchange};
use crate::finding::Found;
use crate::syntax::uri_fault;

pub(super) const CHECKS: &[Check] = &[
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

fn abouts<'a>(bench: &Bench<'a>) -> Result<Vec<(&'a Exchange, Entry<'a>, &'a Element)>, Stop> {
    let mut abouts = Vec::new();
    for (exchange, _) in bench.documents() {
        for entry in exchange.entries() {
            abouts.extend(entry.abouts().map(|about| (exchange, entry, about)));
        }
    }
    if abouts.is_empty() { skip("no record has an about") } else { Ok(abouts) }
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

fn about_shape(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _, about) in abouts(bench)? {
        super::descriptions::container(&mut found, exchange, about);
    }
    Ok(found)
}

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
