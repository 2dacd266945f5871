//! Identify: what a repository says about itself.

use pmh_protocol::{Datestamp, Element, Verb};

use crate::ask::Ask;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::finding::Found;
use crate::syntax::{email_fault, is_nearly};

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "identify.elements",
        "Identify has its elements, in their number and order",
        &[189],
        elements,
    ),
    Check::should("identify.repository-name", "The repository has a name", &[189], name),
    Check::must(
        "identify.base-url",
        "baseURL is the URL under which the repository is asked",
        &[60, 190],
        base_url,
    ),
    Check::must("identify.protocol-version", "protocolVersion is 2.0", &[191], |bench| {
        one_of(bench, "protocolVersion", &["2.0"])
    }),
    Check::must(
        "identify.admin-email",
        "adminEmail is there, and each is an address",
        &[195],
        admin_email,
    ),
    Check::must(
        "identify.granularity",
        "granularity has one of its two values",
        &[50, 194],
        |bench| one_of(bench, "granularity", &["YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ"]),
    ),
    Check::must(
        "identify.earliest-form",
        "earliestDatestamp is a date in the granularity that is announced, and not in the future",
        &[193],
        earliest_form,
    )
    .needs(&["identify.granularity"]),
    Check::must(
        "identify.earliest-bound",
        "No record is older than earliestDatestamp",
        &[192],
        earliest_bound,
    )
    .last()
    .needs(&["identify.earliest-form"]),
    Check::must(
        "identify.deleted-record",
        "deletedRecord has one of its three values",
        &[20, 194],
        |bench| one_of(bench, "deletedRecord", &["no", "persistent", "transient"]),
    ),
    Check::should(
        "identify.compression-values",
        "compression names content codings other than identity",
        &[197, 198],
        compression_values,
    ),
    Check::must(
        "identify.description-schema",
        "Each description holds one element that says where its schema is",
        &[13, 199],
        description_schema,
    ),
    Check::info("identify.stable", "Identify says the same when it is asked twice", &[], stable),
];

/// The children of Identify in their order: name, at least, at most.
pub(super) const ELEMENTS: &[(&str, usize, usize)] = &[
    ("repositoryName", 1, 1),
    ("baseURL", 1, 1),
    ("protocolVersion", 1, 1),
    ("adminEmail", 1, usize::MAX),
    ("earliestDatestamp", 1, 1),
    ("deletedRecord", 1, 1),
    ("granularity", 1, 1),
    ("compression", 0, usize::MAX),
    ("description", 0, usize::MAX),
];

fn elements(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let mut found = Found::default();
    found.look();
    for (name, least, most) in ELEMENTS {
        let count = identify.all(name).count();
        // A missing address is told by a check of its own.
        if (count < *least && *name != "adminEmail") || count > *most {
            found.fail(exchange, Some(identify), format!("one {name}"), format!("{count}"));
        }
    }
    let place = |child: &Element| ELEMENTS.iter().position(|(name, ..)| child.is_oai(name));
    let mut last = 0;
    for child in &identify.children {
        let Some(at) = place(child) else { continue };
        if at < last {
            let expected = format!("{} before {}", child.name(), ELEMENTS[last].0);
            found.fail(exchange, Some(child), expected, "it after that");
        }
        last = last.max(at);
    }
    Ok(found)
}

fn name(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let mut found = Found::default();
    let Some(name) = identify.first("repositoryName") else {
        return skip("there is no repositoryName");
    };
    found.look();
    if name.trimmed().is_empty() {
        found.fail(exchange, Some(name), "a name that people know", "nothing");
    }
    Ok(found)
}

fn base_url(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let mut found = Found::default();
    let Some(element) = identify.first("baseURL") else { return skip("there is no baseURL") };
    found.look();
    let options = bench.options;
    let said = element.trimmed();
    let mut known = std::iter::once(&options.base_url).chain(&options.aliases);
    let expected = format!("`{}`", options.base_url);
    if known.clone().any(|url| url == said) {
        if element.text.len() > said.len() {
            found.note(exchange, Some(element), "no white space around it", "some");
        }
    } else if known.any(|url| is_nearly(url, said)) {
        found.warn(exchange, Some(element), expected, format!("`{said}`, which differs a little"));
    } else {
        found.fail(exchange, Some(element), expected, format!("`{said}`"));
    }
    Ok(found)
}

fn one_of(bench: &Bench<'_>, name: &str, values: &[&str]) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let mut found = Found::default();
    for element in identify.all(name) {
        found.look();
        if !values.contains(&element.text.as_str()) {
            let expected = format!("`{}`", values.join("` or `"));
            found.fail(exchange, Some(element), expected, format!("`{}`", element.text));
        }
    }
    Ok(found)
}

fn admin_email(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let mut found = Found::default();
    found.look();
    if identify.first("adminEmail").is_none() {
        found.fail(exchange, Some(identify), "at least one adminEmail", "none");
    }
    for email in identify.all("adminEmail") {
        if let Some(fault) = email_fault(&email.text) {
            let found_text = format!("`{}`: {fault}", email.text);
            found.fail(exchange, Some(email), "an address such as `name@example.org`", found_text);
        }
    }
    Ok(found)
}

fn earliest_form(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let granularity = bench.granularity()?;
    let mut found = Found::default();
    let Some(element) = identify.first("earliestDatestamp") else {
        return skip("there is no earliestDatestamp");
    };
    found.look();
    let expected = format!("a date in the form {}", granularity.pattern());
    match Datestamp::parse(&element.text) {
        Ok(date) if date.granularity == granularity => {
            if exchange.responded().is_some_and(|now| date.stamp > now.plus_seconds(86_400)) {
                let said = format!("`{date}`, which is to come");
                found.fail(exchange, Some(element), "a date before responseDate", said);
            } else if date.stamp.seconds() < -30_000_000_000 {
                let said = format!("`{date}`, before the first computers");
                found.note(exchange, Some(element), "the oldest datestamp there is", said);
            }
        }
        _ => found.fail(exchange, Some(element), expected, format!("`{}`", element.text)),
    }
    Ok(found)
}

fn earliest_bound(bench: &Bench<'_>) -> Result<Found, Stop> {
    let earliest = bench.earliest()?;
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        for entry in exchange.entries() {
            let Some(date) = bench.date_of(&entry) else { continue };
            found.look();
            if date.stamp < earliest.stamp {
                let said = format!("`{date}` of `{}`", entry.identifier());
                let expected = format!("nothing older than earliestDatestamp, `{earliest}`");
                found.fail(exchange, Some(entry.header), expected, said);
            }
        }
    }
    Ok(found)
}

fn compression_values(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let mut found = Found::default();
    for element in identify.all("compression") {
        found.look();
        match element.trimmed() {
            "gzip" | "compress" | "deflate" => {}
            "identity" => found.warn(
                exchange,
                Some(element),
                "no mention of identity, which every repository has",
                "`identity`",
            ),
            other @ ("br" | "zstd" | "x-gzip" | "x-compress") => {
                found.note(exchange, Some(element), "gzip, compress or deflate", other);
            }
            other => {
                let said = format!("`{other}`");
                found.fail(exchange, Some(element), "a content coding of HTTP", said);
            }
        }
    }
    Ok(found)
}

fn description_schema(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let mut found = Found::default();
    for description in identify.all("description") {
        super::descriptions::container(&mut found, exchange, description);
    }
    Ok(found)
}

fn stable(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, identify) = bench.identify()?;
    let again = bench.get(Ask::verb(Verb::Identify).again(1))?;
    let mut found = Found::default();
    let Some(second) = again.root().and_then(|root| root.first("Identify")) else {
        return skip("the second Identify cannot be read");
    };
    found.look();
    if !crate::canonical::says_the_same(identify, second) {
        found.note(again, Some(second), "the same as before", "something else");
    }
    Ok(found)
}
