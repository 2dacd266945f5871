//! Descriptions: what communities agreed that a repository may say about itself.

use pmh_protocol::Element;

use super::xml::XSI;
use crate::ask::Ask;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::exchange::Exchange;
use crate::finding::Found;
use crate::options::Profile;
use crate::syntax::{email_fault, oai_parts, uri_fault};

pub(super) const CHECKS: &[Check] = &[
    Check::guideline(
        "description.oai-identifier",
        "The oai-identifier description is complete, and its sample is of its namespace",
        &[250, 253],
        oai_identifier,
    ),
    Check::guideline(
        "description.oai-identifier-single",
        "There is one oai-identifier description at most",
        &[254],
        oai_identifier_single,
    ),
    Check::guideline(
        "description.oai-identifier-sample",
        "The sample of the oai-identifier description can be had",
        &[253],
        oai_identifier_sample,
    ),
    Check::guideline(
        "description.friends",
        "friends holds absolute URLs and nothing else",
        &[200, 256],
        friends,
    ),
    Check::guideline(
        "description.branding",
        "branding has one icon at most, with a url, and renderings that name format and type",
        &[257],
        branding,
    ),
    Check::guideline(
        "description.eprints",
        "eprints has a metadataPolicy and a dataPolicy",
        &[258],
        eprints,
    ),
    Check::guideline(
        "description.gateway",
        "gateway has a source, a gatewayDescription and an address, and is there once",
        &[259, 271],
        gateway,
    ),
    Check::guideline(
        "description.rights-manifest",
        "rightsManifest says what it applies to",
        &[261],
        rights_manifest,
    ),
    Check::profile(
        &[Profile::Dini, Profile::Driver],
        "description.present",
        "There is a description",
        present,
    ),
];

/// Whether a container of somebody else's element is as it must be: one element, in a namespace of its own, that says
/// where its schema is.
pub(super) fn container(found: &mut Found, exchange: &Exchange, container: &Element) {
    found.look();
    let [child] = container.children.as_slice() else {
        let count = format!("{}", container.children.len());
        found.fail(exchange, Some(container), "one element inside", count);
        return;
    };
    if child.namespace.is_empty() || &*child.namespace == pmh_protocol::OAI_NAMESPACE {
        let said = format!("`{}` in `{}`", child.name(), child.namespace);
        found.fail(exchange, Some(child), "an element in a namespace of its own", said);
        return;
    }
    let location = child.attribute_in(XSI, "schemaLocation").unwrap_or_default();
    let named = location.split_whitespace().step_by(2).any(|name| name == &*child.namespace);
    if !named {
        let expected = format!("xsi:schemaLocation with `{}`", child.namespace);
        let said = if location.is_empty() { "none" } else { location };
        found.fail(exchange, Some(child), expected, said);
    }
}

const SITE: &str = "http://www.openarchives.org/OAI/";

/// The elements of this namespace (below the site of the specification) inside the descriptions of Identify.
fn of<'a>(bench: &Bench<'a>, namespace: &str) -> Result<(&'a Exchange, Vec<&'a Element>), Stop> {
    let (exchange, identify) = bench.identify()?;
    let is_it = |child: &&Element| child.namespace.strip_prefix(SITE) == Some(namespace);
    let inside = identify.all("description").flat_map(|description| &description.children);
    let elements: Vec<&Element> = inside.filter(is_it).collect();
    if elements.is_empty() {
        return skip(format!("there is no description in {SITE}{namespace}"));
    }
    Ok((exchange, elements))
}

/// The text of the child of this name, whatever its namespace.
fn child<'a>(element: &'a Element, name: &str) -> Option<&'a Element> {
    element.children.iter().find(|child| child.name() == name)
}

fn oai_identifier(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, elements) = of(bench, "2.0/oai-identifier")?;
    let mut found = Found::default();
    for element in elements {
        found.look();
        let text = |name| child(element, name).map(Element::trimmed).unwrap_or_default();
        for (name, value) in [("scheme", "oai"), ("delimiter", ":")] {
            if text(name) != value {
                let expected = format!("{name} `{value}`");
                found.fail(exchange, Some(element), expected, format!("`{}`", text(name)));
            }
        }
        let namespace = text("repositoryIdentifier");
        if namespace.is_empty() {
            found.fail(exchange, Some(element), "a repositoryIdentifier", "none");
            continue;
        }
        if !namespace.contains('.') {
            let said = format!("`{namespace}`");
            found.fail(exchange, Some(element), "a domain name as repositoryIdentifier", said);
        }
        let sample = text("sampleIdentifier");
        if oai_parts(sample).is_none_or(|(domain, _)| domain != namespace) {
            let expected = format!("a sampleIdentifier that begins with `oai:{namespace}:`");
            found.fail(exchange, Some(element), expected, format!("`{sample}`"));
        }
        // What lists really hold.
        for (page, entry) in bench.headers()?.entries() {
            let identifier = entry.identifier();
            if let Some((domain, _)) = oai_parts(identifier)
                && domain != namespace
            {
                let expected = format!("identifiers of `{namespace}`, as described");
                found.fail(page, Some(entry.header), expected, format!("`{identifier}`"));
                break;
            }
        }
    }
    Ok(found)
}

fn oai_identifier_single(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, elements) = of(bench, "2.0/oai-identifier")?;
    let mut found = Found::default();
    found.look();
    if let Some(second) = elements.get(1) {
        found.warn(exchange, Some(second), "one", format!("{}", elements.len()));
    }
    Ok(found)
}

fn oai_identifier_sample(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, elements) = of(bench, "2.0/oai-identifier")?;
    let mut found = Found::default();
    let Some(sample) = child(elements[0], "sampleIdentifier") else {
        return skip("there is no sampleIdentifier");
    };
    let exchange = bench.get(Ask::record(sample.trimmed(), bench.prefix()?))?;
    found.look();
    if exchange.container().is_none() {
        found.note(exchange, None, "the record of the sample", exchange.describe());
    }
    Ok(found)
}

fn friends(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, elements) = of(bench, "2.0/friends/")?;
    let mut found = Found::default();
    for friend in elements.iter().flat_map(|element| &element.children) {
        found.look();
        let said = format!("{} `{}`", friend.name(), friend.trimmed());
        if friend.name() != "baseURL" || !friend.trimmed().starts_with("http") {
            found.fail(exchange, Some(friend), "a baseURL that is an absolute URL", said);
        }
    }
    Ok(found)
}

fn branding(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, elements) = of(bench, "2.0/branding/")?;
    let (_, formats) = bench.formats()?;
    let mut found = Found::default();
    for element in elements {
        found.look();
        let named = |name| element.children.iter().filter(move |child| child.name() == name);
        if named("collectionIcon").count() > 1 {
            found.fail(exchange, Some(element), "one collectionIcon at most", "several");
        }
        for icon in named("collectionIcon") {
            if child(icon, "url").is_none_or(|url| uri_fault(url.trimmed()).is_some()) {
                found.fail(exchange, Some(icon), "a url of the icon", "none that is one");
            }
        }
        for rendering in named("metadataRendering") {
            let of_format = rendering.attribute("metadataNamespace").unwrap_or_default();
            if rendering.attribute("mimeType").is_none() || of_format.is_empty() {
                let expected = "attributes metadataNamespace and mimeType";
                found.fail(exchange, Some(rendering), expected, "not both");
            } else if !formats.iter().any(|format| format.namespace == of_format) {
                let said = format!("`{of_format}`");
                found.warn(exchange, Some(rendering), "the namespace of a format there is", said);
            }
        }
    }
    Ok(found)
}

fn eprints(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, elements) = of(bench, "1.1/eprints")?;
    let mut found = Found::default();
    for element in elements {
        found.look();
        for name in ["metadataPolicy", "dataPolicy"] {
            if child(element, name).is_none() {
                found.fail(exchange, Some(element), format!("a {name}"), "none");
            }
        }
    }
    Ok(found)
}

fn gateway(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, elements) = of(bench, "2.0/gateway/")?;
    let mut found = Found::default();
    found.look();
    if let Some(second) = elements.get(1) {
        found.fail(exchange, Some(second), "one gateway description", "several");
    }
    for element in elements {
        for name in ["source", "gatewayDescription", "gatewayAdmin"] {
            if child(element, name).is_none() {
                found.fail(exchange, Some(element), format!("a {name}"), "none");
            }
        }
        if let Some(admin) = child(element, "gatewayAdmin")
            && let Some(fault) = email_fault(admin.trimmed())
        {
            found.fail(exchange, Some(admin), "an address", fault);
        }
    }
    Ok(found)
}

fn rights_manifest(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, elements) = of(bench, "2.0/rights/")?;
    let mut found = Found::default();
    const APPLIES_TO: &str = "http://www.openarchives.org/OAI/2.0/entity#metadata";
    for element in elements.iter().filter(|element| element.name() == "rightsManifest") {
        found.look();
        let said = element.attribute("appliesTo").unwrap_or("none");
        if said != APPLIES_TO {
            let expected = format!("an attribute appliesTo with `{APPLIES_TO}`");
            found.fail(exchange, Some(element), expected, said);
        }
    }
    Ok(found)
}

fn present(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let mut found = Found::default();
    found.look();
    if identify.first("description").is_none() {
        found.fail(exchange, Some(identify), "a description", "none");
    }
    Ok(found)
}
