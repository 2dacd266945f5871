//! How every document is written.

use pmh_protocol::{Complaint, ComplaintKind, Element, ParseError, Verb};

use crate::bench::{Bench, Stop};
use crate::check::Check;
use crate::exchange::Exchange;
use crate::finding::Found;
use crate::options::Profile;
use crate::syntax::{is_set_spec, is_unreserved, uri_fault};

pub(super) const CHECKS: &[Check] = &[
    Check::must("xml.well-formed", "Every answer is well-formed XML", &[86], well_formed).last(),
    Check::must("xml.utf8", "Every answer is in UTF-8 and says nothing else", &[87], utf8).last(),
    Check::must("xml.characters", "No answer holds characters that XML forbids", &[87], characters)
        .last(),
    Check::must("xml.no-doctype", "No answer declares or uses entities", &[88], no_doctype).last(),
    Check::must(
        "xml.declaration",
        "Every answer begins with an XML declaration",
        &[90],
        declaration,
    )
    .last(),
    Check::must("xml.root", "The root is OAI-PMH in the namespace of version 2.0", &[91, 93], root)
        .last(),
    Check::must(
        "xml.root-attributes",
        "The root declares the namespace of XML Schema instances",
        &[92, 94],
        root_attributes,
    )
    .last(),
    Check::must(
        "xml.schema-location",
        "The root pairs the namespace with its schema",
        &[92, 95],
        schema_location,
    )
    .last(),
    Check::must(
        "xml.structure",
        "No element, attribute or text stands in the envelope where none may",
        &[89, 96, 106, 218],
        structure,
    )
    .last(),
    Check::must(
        "xml.schema-valid",
        "Numbers in tokens and values in request have the form that the schema demands",
        &[89, 216, 217],
        schema_valid,
    )
    .last(),
    Check::profile(
        &[Profile::Base],
        "xml.double-encoding",
        "No text in metadata was escaped or encoded twice",
        double_encoding,
    )
    .last(),
];

/// Namespace of XML Schema instances (rule 94).
pub(super) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

fn well_formed(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.pages().filter(|exchange| exchange.status() == Some(200)) {
        found.look();
        match &exchange.tree {
            Some(Err(error)) if !matches!(error, ParseError::Entity { .. }) => {
                let offset = match error {
                    ParseError::Truncated { offset, .. }
                    | ParseError::Malformed { offset, .. }
                    | ParseError::NotUtf8 { offset } => *offset,
                    _ => 0,
                };
                found.fail_at(exchange, offset, "well-formed XML", error.to_string());
            }
            _ => {
                if let Some(junk) = complaint(exchange, ComplaintKind::JunkAround) {
                    let expected = "nothing before the declaration and after the root";
                    found.fail_at(exchange, junk.offset, expected, format!("`{}`", junk.found));
                }
            }
        }
    }
    Ok(found)
}

fn complaint(exchange: &Exchange, kind: ComplaintKind) -> Option<&Complaint> {
    exchange.tree()?.complaints.iter().find(|complaint| complaint.kind == kind)
}

fn utf8(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.pages() {
        let Some(text) = exchange.text() else { continue };
        found.look();
        let declared = declared(text).and_then(|inside| value_of(inside, "encoding"));
        if let Some(offset) = exchange.not_utf8 {
            let said = format!("byte {offset}, which is none");
            found.fail(exchange, None, "UTF-8 throughout", said);
        } else if let Some(other) = declared.filter(|name| !name.eq_ignore_ascii_case("utf-8")) {
            found.fail_at(exchange, 0, "a declaration of UTF-8", format!("`{other}`"));
        } else if text.starts_with('\u{FEFF}') {
            found.warn(exchange, None, "no byte order mark", "one");
        }
    }
    Ok(found)
}

fn characters(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.pages().filter(|exchange| exchange.tree().is_some()) {
        found.look();
        if let Some(control) = complaint(exchange, ComplaintKind::ControlCharacter) {
            let expected = "characters that XML has a place for";
            found.fail_at(exchange, control.offset, expected, &control.found);
        }
    }
    Ok(found)
}

fn no_doctype(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.pages() {
        match &exchange.tree {
            Some(Err(ParseError::Entity { offset, found: entity })) => {
                found.look();
                let expected = "neither a DOCTYPE nor an entity beyond the five of XML";
                found.fail_at(exchange, *offset, expected, format!("`{entity}`"));
            }
            Some(Ok(_)) => found.look(),
            _ => {}
        }
    }
    Ok(found)
}

/// What stands inside the XML declaration.
fn declared(text: &str) -> Option<&str> {
    let unmarked = text.trim_start_matches('\u{FEFF}').trim_start();
    unmarked.strip_prefix("<?xml ")?.split_once("?>").map(|(inside, _)| inside)
}

/// The value of a pseudo-attribute.
fn value_of<'a>(inside: &'a str, name: &str) -> Option<&'a str> {
    let after = inside.split_once(name)?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    after[1..].split(quote).next()
}

fn declaration(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        found.look();
        let expected = "`<?xml version=\"1.0\" encoding=\"UTF-8\"?>`";
        match declared(exchange.text().unwrap_or_default()) {
            None => found.fail_at(exchange, 0, expected, "no declaration"),
            Some(inside) if value_of(inside, "version") != Some("1.0") => {
                found.fail_at(exchange, 0, expected, format!("`{inside}`"));
            }
            Some(inside) if value_of(inside, "encoding").is_none() => {
                found.warn(exchange, None, expected, "no encoding in it");
            }
            Some(_) => {}
        }
    }
    Ok(found)
}

fn root(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.pages().filter(|exchange| exchange.status() == Some(200)) {
        let Some(tree) = exchange.tree() else { continue };
        found.look();
        let expected = "OAI-PMH in `http://www.openarchives.org/OAI/2.0/`";
        if tree.root.name() != "OAI-PMH" {
            let said = format!("`{}`", tree.root.qualified);
            found.fail(exchange, Some(&tree.root), expected, said);
        } else if let Some(other) = &exchange.wrong_namespace {
            let said = format!("the namespace `{other}`");
            found.fail(exchange, Some(&tree.root), expected, said);
        }
    }
    Ok(found)
}

fn root_attributes(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, root) in bench.documents() {
        found.look();
        if !root.declarations.iter().any(|(_, namespace)| &**namespace == XSI) {
            let expected = format!("`xmlns:xsi=\"{XSI}\"`");
            found.fail(exchange, Some(root), expected, "no such declaration");
        }
    }
    Ok(found)
}

fn schema_location(bench: &Bench<'_>) -> Result<Found, Stop> {
    const SCHEMA: &str = "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd";
    let mut found = Found::default();
    for (exchange, root) in bench.documents() {
        found.look();
        let expected =
            format!("xsi:schemaLocation with `{} {SCHEMA}`", pmh_protocol::OAI_NAMESPACE);
        let Some(location) = root.attribute_in(XSI, "schemaLocation") else {
            found.fail(exchange, Some(root), expected, "none");
            continue;
        };
        let words: Vec<&str> = location.split_whitespace().collect();
        let pair = words.chunks(2).find(|pair| pair[0] == pmh_protocol::OAI_NAMESPACE);
        match pair {
            Some([_, schema]) if *schema == SCHEMA => {}
            Some([_, schema]) if schema.strip_prefix("https") == SCHEMA.strip_prefix("http") => {
                found.warn(exchange, Some(root), expected, format!("`{schema}`"));
            }
            // The wrong namespace is told by a check of its own.
            _ if exchange.wrong_namespace.is_some() => {}
            _ => found.fail(exchange, Some(root), expected, format!("`{location}`")),
        }
    }
    Ok(found)
}

/// What may stand in an element of the envelope: its children, its attributes, and whether text may.
fn content(name: &str) -> Option<(&'static [&'static str], &'static [&'static str], bool)> {
    Some(match name {
        "OAI-PMH" => (
            &[
                "responseDate",
                "request",
                "error",
                "Identify",
                "ListMetadataFormats",
                "ListSets",
                "ListIdentifiers",
                "ListRecords",
                "GetRecord",
            ],
            &[],
            false,
        ),
        "responseDate" | "repositoryName" | "baseURL" | "protocolVersion" | "adminEmail"
        | "earliestDatestamp" | "deletedRecord" | "granularity" | "compression"
        | "metadataPrefix" | "schema" | "metadataNamespace" | "setSpec" | "setName"
        | "identifier" | "datestamp" => (&[], &[], true),
        "request" => (
            &[],
            &["verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"],
            true,
        ),
        "error" => (&[], &["code"], true),
        "resumptionToken" => (&[], &["expirationDate", "completeListSize", "cursor"], true),
        "Identify" => (
            &[
                "repositoryName",
                "baseURL",
                "protocolVersion",
                "adminEmail",
                "earliestDatestamp",
                "deletedRecord",
                "granularity",
                "compression",
                "description",
            ],
            &[],
            false,
        ),
        "ListMetadataFormats" => (&["metadataFormat"], &[], false),
        "metadataFormat" => (&["metadataPrefix", "schema", "metadataNamespace"], &[], false),
        "ListSets" => (&["set", "resumptionToken"], &[], false),
        "set" => (&["setSpec", "setName", "setDescription"], &[], false),
        "ListIdentifiers" => (&["header", "resumptionToken"], &[], false),
        "ListRecords" => (&["record", "resumptionToken"], &[], false),
        "GetRecord" => (&["record"], &[], false),
        "record" => (&["header", "metadata", "about"], &[], false),
        "header" => (&["identifier", "datestamp", "setSpec"], &["status"], false),
        _ => return None,
    })
}

fn structure(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, root) in bench.documents() {
        found.look();
        let mut open = vec![root];
        while let Some(element) = open.pop() {
            let name = element.name();
            let Some((children, attributes, may_have_text)) = content(name) else {
                // metadata, about and the descriptions hold what is somebody else's.
                if !element.trimmed().is_empty() {
                    let said = format!("`{}`", element.trimmed());
                    found.fail(exchange, Some(element), format!("no text in {name}"), said);
                }
                continue;
            };
            for attribute in &element.attributes {
                let is_known = attributes.contains(&attribute.qualified.as_str())
                    || &*attribute.namespace == XSI;
                if !is_known {
                    let expected = format!("{name} without it");
                    let said = format!("an attribute `{}`", attribute.qualified);
                    found.fail(exchange, Some(element), expected, said);
                }
            }
            if !may_have_text && !element.trimmed().is_empty() {
                let said = format!("`{}`", element.trimmed());
                found.fail(exchange, Some(element), format!("no text in {name}"), said);
            }
            for child in &element.children {
                if children.iter().any(|known| child.is_oai(known)) {
                    open.push(child);
                } else {
                    let said = format!("`{}`", child.qualified);
                    found.fail(exchange, Some(child), format!("no such element in {name}"), said);
                }
            }
        }
    }
    Ok(found)
}

fn schema_valid(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, root) in bench.documents() {
        found.look();
        if let Some(request) = root.first("request") {
            for attribute in &request.attributes {
                let value = attribute.value.as_str();
                let fault = match attribute.qualified.as_str() {
                    "verb" => Verb::from_name(value).is_none().then_some("no verb"),
                    "set" => (!is_set_spec(value)).then_some("no setSpec"),
                    "metadataPrefix" => (!is_unreserved(value)).then_some("no metadataPrefix"),
                    "identifier" => uri_fault(value),
                    _ => None,
                };
                // An identifier that is no URI may be repeated: the schema's type takes nearly everything.
                if let Some(fault) = fault.filter(|_| attribute.qualified != "identifier") {
                    let expected = format!("a value of {} by its pattern", attribute.qualified);
                    let said = format!("`{value}`: {fault}");
                    found.fail(exchange, Some(request), expected, said);
                }
            }
        }
        let Some(token) = exchange.token() else { continue };
        for (name, least) in [("completeListSize", 1_u64), ("cursor", 0)] {
            let Some(value) = token.attribute(name) else { continue };
            if !value.trim().parse::<u64>().is_ok_and(|number| number >= least) {
                let expected = format!("{name} as a number of at least {least}");
                found.fail(exchange, Some(token), expected, format!("`{value}`"));
            }
        }
    }
    Ok(found)
}

fn double_encoding(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        for payload in exchange.entries().iter().filter_map(|entry| entry.payload()) {
            found.look();
            let mut open = vec![payload];
            while let Some(element) = open.pop() {
                if let Some(mark) = twice(element) {
                    found.warn(exchange, Some(element), "text that was escaped once", mark);
                }
                open.extend(&element.children);
            }
        }
    }
    Ok(found)
}

/// What gives away that a text was escaped or encoded twice.
fn twice(element: &Element) -> Option<&'static str> {
    ["&amp;", "&lt;", "&gt;", "&quot;", "Ã¤", "Ã¶", "Ã¼", "Ã©", "Ã¨", "â€™"]
        .into_iter()
        .find(|mark| element.text.contains(mark))
}
