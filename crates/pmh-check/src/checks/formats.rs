//! ListMetadataFormats.

use std::collections::BTreeSet;

use pmh_protocol::Element;

use crate::ask::Ask;
use crate::bench::{Bench, Stop, formats_in, skip};
use crate::check::Check;
use crate::finding::Found;
use crate::syntax::{is_unreserved, uri_fault};

pub(super) const CHECKS: &[Check] = &[
    Check::must("formats.some", "There is at least one format", &[208], some),
    Check::must("formats.oai-dc", "oai_dc is among the formats", &[11, 128], oai_dc),
    Check::must(
        "formats.oai-dc-binding",
        "oai_dc has the namespace and the schema that the protocol gives it",
        &[129],
        oai_dc_binding,
    )
    .needs(&["formats.oai-dc"]),
    Check::must(
        "formats.prefix-syntax",
        "Every prefix is made of unreserved characters",
        &[122],
        prefix_syntax,
    ),
    Check::must("formats.prefix-unique", "No prefix is there twice", &[122], prefix_unique),
    Check::must(
        "formats.uris",
        "Every format has an address of its schema and a namespace, each an absolute URI",
        &[123],
        uris,
    ),
    Check::must(
        "formats.item-subset",
        "The formats of an item are formats of the repository",
        &[206],
        item_subset,
    ),
    Check::must(
        "formats.all-used-listed",
        "Every format that brings records is listed",
        &[206],
        all_used_listed,
    )
    .last(),
    Check::should("formats.reserved-all", "No format is called `all`", &[130], reserved_all),
    Check::info(
        "formats.namespace-unique",
        "No two formats have one namespace",
        &[],
        namespace_unique,
    ),
    Check::info(
        "formats.schema-target",
        "A schema that is widely used stands beside the namespace that it describes",
        &[123],
        schema_target,
    ),
];

/// Where widely used schemas are, and what namespaces they describe: nobody else's server is asked for them. A star ends
/// an address of which there are many versions.
const SCHEMAS: [(&str, &str); 8] = [
    ("www.openarchives.org/OAI/2.0/oai_dc.xsd", OAI_DC),
    ("www.openarchives.org/OAI/1.1/oai_marc.xsd", "http://www.openarchives.org/OAI/1.1/oai_marc"),
    ("www.loc.gov/standards/marcxml/schema/MARC21slim.xsd", "http://www.loc.gov/MARC21/slim"),
    ("www.loc.gov/standards/mods/v3/mods-3-*", "http://www.loc.gov/mods/v3"),
    ("www.loc.gov/standards/mets/mets.xsd", "http://www.loc.gov/METS/"),
    ("www.isotc211.org/2005/gmd/gmd.xsd", "http://www.isotc211.org/2005/gmd"),
    ("schema.datacite.org/meta/kernel-3*", "http://datacite.org/schema/kernel-3"),
    ("schema.datacite.org/meta/kernel-4*", "http://datacite.org/schema/kernel-4"),
];

/// Namespace and schema of unqualified Dublin Core (rule 129).
pub(super) const OAI_DC: &str = "http://www.openarchives.org/OAI/2.0/oai_dc/";
pub(super) const OAI_DC_SCHEMA: &str = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd";

fn some(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, formats) = bench.formats()?;
    let mut found = Found::default();
    found.look();
    if formats.is_empty() {
        found.fail(exchange, exchange.container(), "a metadataFormat", "none");
    }
    Ok(found)
}

fn oai_dc(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, formats) = bench.formats()?;
    let mut found = Found::default();
    found.look();
    if !formats.iter().any(|format| format.prefix == "oai_dc") {
        let prefixes: Vec<&str> = formats.iter().map(|format| format.prefix).collect();
        let expected = "the format oai_dc";
        found.fail(exchange, exchange.container(), expected, format!("`{}`", prefixes.join(", ")));
    }
    Ok(found)
}

fn oai_dc_binding(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, formats) = bench.formats()?;
    let mut found = Found::default();
    for format in formats.iter().filter(|format| format.prefix == "oai_dc") {
        found.look();
        if format.namespace != OAI_DC {
            let said = format!("`{}`", format.namespace);
            found.fail(exchange, Some(format.element), format!("the namespace `{OAI_DC}`"), said);
        }
        if format.schema != OAI_DC_SCHEMA {
            let expected = format!("the schema `{OAI_DC_SCHEMA}`");
            let is_https =
                format.schema.strip_prefix("https") == OAI_DC_SCHEMA.strip_prefix("http");
            let said = format!("`{}`", format.schema);
            if is_https {
                found.warn(exchange, Some(format.element), expected, said);
            } else {
                found.fail(exchange, Some(format.element), expected, said);
            }
        }
    }
    Ok(found)
}

fn prefix_syntax(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, formats) = bench.formats()?;
    let mut found = Found::default();
    for format in formats {
        found.look();
        if !is_unreserved(format.prefix) {
            let expected = "letters, digits and `-_.!~*'()`";
            let said = format!("`{}`", format.prefix);
            found.fail(exchange, Some(format.element), expected, said);
        }
    }
    Ok(found)
}

fn prefix_unique(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, formats) = bench.formats()?;
    let mut found = Found::default();
    let mut seen = BTreeSet::new();
    for format in formats {
        found.look();
        if !seen.insert(format.prefix) {
            let said = format!("`{}` once more", format.prefix);
            found.fail(exchange, Some(format.element), "each prefix once", said);
        }
    }
    Ok(found)
}

fn uris(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, formats) = bench.formats()?;
    let mut found = Found::default();
    for format in formats {
        found.look();
        for (name, value) in [("schema", format.schema), ("metadataNamespace", format.namespace)] {
            if let Some(fault) = uri_fault(value) {
                let said = format!("`{value}` for `{}`: {fault}", format.prefix);
                found.fail(exchange, Some(format.element), format!("{name} as a URI"), said);
            }
        }
    }
    Ok(found)
}

fn item_subset(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, formats) = bench.formats()?;
    let mut found = Found::default();
    for (_, entry) in bench.sample()? {
        let ask = Ask::of(&[("verb", "ListMetadataFormats"), ("identifier", entry.identifier())]);
        let exchange = bench.get(ask)?;
        found.look();
        let Some(own) = formats_in(exchange) else {
            let expected = format!("the formats of `{}`", entry.identifier());
            found.fail_at(exchange, 0, expected, exchange.describe());
            continue;
        };
        for format in own {
            if !formats.iter().any(|each| each.prefix == format.prefix) {
                let said = format!("`{}`", format.prefix);
                found.fail(exchange, Some(format.element), "a format of the repository", said);
            }
        }
    }
    Ok(found)
}

fn all_used_listed(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, formats) = bench.formats()?;
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some(prefix) = exchange.ask.argument("metadataPrefix") else { continue };
        if exchange.entries().is_empty() {
            continue;
        }
        found.look();
        if !formats.iter().any(|format| format.prefix == prefix) {
            let said = format!("records for `{prefix}`, which is not listed");
            found.fail(exchange, exchange.container(), "cannotDisseminateFormat", said);
        }
    }
    Ok(found)
}

fn reserved_all(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, formats) = bench.formats()?;
    let mut found = Found::default();
    for format in formats {
        found.look();
        if format.prefix == "all" {
            found.fail(exchange, Some(format.element), "another prefix", "`all`");
        }
    }
    Ok(found)
}

fn namespace_unique(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, formats) = bench.formats()?;
    let mut found = Found::default();
    let mut seen: Vec<(&str, &Element)> = Vec::new();
    for format in &formats {
        found.look();
        if seen.iter().any(|(namespace, _)| *namespace == format.namespace) {
            let said = format!("`{}` once more", format.namespace);
            found.note(exchange, Some(format.element), "a namespace for each format", said);
        }
        seen.push((format.namespace, format.element));
    }
    if formats.is_empty() { skip("there is no format") } else { Ok(found) }
}

fn schema_target(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, formats) = bench.formats()?;
    let mut found = Found::default();
    // What is wrong with oai_dc itself is told by `formats.oai-dc-binding`.
    for format in formats.iter().filter(|format| format.prefix != "oai_dc") {
        let Some(target) = target_of(format.schema) else { continue };
        found.look();
        if format.namespace != target {
            let said = format!("`{}` beside `{}`", format.namespace, format.schema);
            found.note(exchange, Some(format.element), format!("the namespace `{target}`"), said);
        }
    }
    if found.looked_at == 0 {
        skip("no schema is known here but that of oai_dc")
    } else {
        Ok(found)
    }
}

/// The namespace that the schema at this address describes, if it is a known one.
fn target_of(schema: &str) -> Option<&'static str> {
    let address = schema.strip_prefix("http://").or_else(|| schema.strip_prefix("https://"))?;
    let is_it = |known: &str| match known.strip_suffix('*') {
        Some(start) => address.starts_with(start),
        None => address == known,
    };
    SCHEMAS.into_iter().find(|(known, _)| is_it(known)).map(|(_, target)| target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_known_by_its_address_whatever_the_version_and_the_scheme() {
        let mods = Some("http://www.loc.gov/mods/v3");
        assert_eq!(target_of("http://www.loc.gov/standards/mods/v3/mods-3-5.xsd"), mods);
        assert_eq!(target_of("https://www.openarchives.org/OAI/2.0/oai_dc.xsd"), Some(OAI_DC));
        assert_eq!(target_of("http://www.openarchives.org/OAI/2.0/oai_dc.xsd2"), None);
        assert_eq!(target_of("ftp://www.loc.gov/standards/mets/mets.xsd"), None);
    }
}
