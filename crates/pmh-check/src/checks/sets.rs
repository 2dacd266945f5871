//! ListSets, and lists of a set.

use std::collections::BTreeSet;

use pmh_protocol::{Element, Verb};

use super::probe::{Codes, expect_error};
use crate::ask::Ask;
use crate::bench::{Bench, Crawl, Stop, skip};
use crate::check::Check;
use crate::finding::Found;
use crate::options::Profile;
use crate::syntax::{is_set_spec, is_within};

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "sets.list-or-error",
        "ListSets lists sets, or is answered with noSetHierarchy",
        &[177, 214],
        list_or_error,
    ),
    Check::must(
        "sets.spec-syntax",
        "Every setSpec is made of unreserved characters between single colons",
        &[32],
        spec_syntax,
    ),
    Check::must("sets.spec-unique", "No setSpec is there twice", &[33], spec_unique),
    Check::must("sets.name", "Every set has a setSpec and a setName", &[35], name),
    Check::should(
        "sets.parents-listed",
        "The parent of every set is listed too",
        &[34, 225],
        parents_listed,
    ),
    Check::must(
        "sets.membership-shown",
        "Headers in the list of a set say that they are in it",
        &[31],
        membership_shown,
    ),
    Check::must(
        "sets.members-only",
        "The list of a set holds its members, as the list of everything shows them, and no others",
        &[38],
        members_only,
    ),
    Check::must(
        "sets.descendants",
        "The list of a set holds the members of the sets below it",
        &[37],
        descendants,
    ),
    Check::should(
        "sets.minimal-headers",
        "Headers name the most specific sets only",
        &[36],
        minimal_headers,
    ),
    Check::should("sets.declared", "Every set in a header is listed", &[41], declared),
    Check::should(
        "sets.unknown-set",
        "A set that does not exist is answered with noRecordsMatch",
        &[40],
        unknown_set,
    ),
    Check::must(
        "sets.unsupported-argument",
        "A repository without sets answers the argument set with noSetHierarchy",
        &[177],
        unsupported_argument,
    ),
    Check::must(
        "sets.description-schema",
        "Each setDescription holds one element that says where its schema is",
        &[13, 199],
        description_schema,
    ),
    Check::profile(
        &[Profile::Driver, Profile::OpenAire],
        "sets.required",
        "The set that the profile asks for is there",
        required,
    ),
];

fn list_or_error(bench: &Bench<'_>) -> Result<Found, Stop> {
    let exchange = bench.get(Ask::verb(Verb::ListSets))?;
    let mut found = Found::default();
    found.look();
    let sets = exchange.container().map_or(0, |container| container.all("set").count());
    let is_error = exchange.has_error("noSetHierarchy");
    if sets == 0 && !is_error {
        found.fail_at(exchange, 0, "sets, or the error noSetHierarchy", exchange.describe());
    }
    Ok(found)
}

fn spec_syntax(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let expected = "unreserved characters between single colons";
    for (exchange, set) in bench.sets()? {
        for spec in set.all("setSpec") {
            found.look();
            if !is_set_spec(&spec.text) {
                found.fail(exchange, Some(spec), expected, format!("`{}`", spec.text));
            }
        }
    }
    for (exchange, entry) in bench.headers()?.entries() {
        for spec in entry.header.all("setSpec") {
            found.look();
            if !is_set_spec(&spec.text) {
                found.fail(exchange, Some(spec), expected, format!("`{}`", spec.text));
            }
        }
    }
    Ok(found)
}

fn spec_unique(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let mut seen = BTreeSet::new();
    for (exchange, set) in bench.sets()? {
        let Some(spec) = set.first("setSpec") else { continue };
        found.look();
        if !seen.insert(spec.trimmed()) {
            let said = format!("`{}` once more", spec.trimmed());
            found.fail(exchange, Some(spec), "each setSpec once", said);
        }
    }
    Ok(found)
}

fn name(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, set) in bench.sets()? {
        found.look();
        let names: Vec<&str> = set.children.iter().map(Element::name).collect();
        if !matches!(names.as_slice(), ["setSpec", "setName", ..]) {
            let expected = "setSpec, setName, then descriptions";
            found.fail(exchange, Some(set), expected, names.join(", "));
        } else if set.first("setName").is_some_and(|name| name.trimmed().is_empty()) {
            found.warn(exchange, Some(set), "a name that people know", "nothing");
        }
    }
    Ok(found)
}

fn parents_listed(bench: &Bench<'_>) -> Result<Found, Stop> {
    let specs = bench.set_specs()?;
    let mut found = Found::default();
    for (exchange, set) in bench.sets()? {
        let Some(spec) = set.first("setSpec") else { continue };
        let Some((parent, _)) = spec.trimmed().rsplit_once(':') else { continue };
        found.look();
        if !specs.contains(&parent) {
            let said = format!("`{}` without it", spec.trimmed());
            found.warn(exchange, Some(spec), format!("the set `{parent}`"), said);
        }
    }
    if found.looked_at == 0 { skip("the sets have no hierarchy") } else { Ok(found) }
}

/// Sets that are looked at closely: parents before others, at most as many as records.
fn chosen<'a>(bench: &Bench<'a>) -> Result<Vec<&'a str>, Stop> {
    let mut specs: Vec<&str> =
        bench.set_specs()?.into_iter().filter(|spec| is_set_spec(spec)).collect();
    let is_parent =
        |spec: &&str, all: &[&str]| all.iter().any(|other| other != spec && is_within(spec, other));
    let all = specs.clone();
    specs.sort_by_key(|spec| !is_parent(spec, &all));
    specs.dedup();
    specs.truncate(bench.options.limits.sample.max(1));
    Ok(specs)
}

fn list_of<'a>(bench: &Bench<'a>, set: &str) -> Result<Crawl<'a>, Stop> {
    bench.crawl(Verb::ListIdentifiers, bench.prefix()?, &[("set", set)])
}

fn membership_shown(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for set in chosen(bench)? {
        for (exchange, entry) in list_of(bench, set)?.entries() {
            found.look();
            if entry.sets().iter().any(|spec| is_within(set, spec)) {
                continue;
            }
            // A header with sets, of which none is this one, is a stranger: told by another check.
            if entry.sets().is_empty() {
                let expected = format!("setSpec `{set}` or one below it");
                if entry.is_deleted() {
                    found.note(exchange, Some(entry.header), expected, "none, of a deleted record");
                } else {
                    found.fail(exchange, Some(entry.header), expected, "none");
                }
            }
        }
    }
    Ok(found)
}

fn members_only(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for set in chosen(bench)? {
        for (exchange, entry) in list_of(bench, set)?.entries() {
            found.look();
            let sets = entry.sets();
            if !sets.is_empty() && !sets.iter().any(|spec| is_within(set, spec)) {
                let expected = format!("members of `{set}`");
                let said = format!("`{}` of {}", entry.identifier(), sets.join(", "));
                found.fail(exchange, Some(entry.header), expected, said);
            }
        }
    }
    Ok(found)
}

fn descendants(bench: &Bench<'_>) -> Result<Found, Stop> {
    let all = bench.headers()?.whole()?.entries();
    let mut found = Found::default();
    for set in chosen(bench)? {
        let list = list_of(bench, set)?.whole()?;
        let listed: BTreeSet<&str> =
            list.entries().iter().map(|(_, entry)| entry.identifier()).collect();
        for (exchange, entry) in &all {
            let Some(spec) = entry.sets().into_iter().find(|spec| is_within(set, spec)) else {
                continue;
            };
            found.look();
            if !listed.contains(entry.identifier()) && !entry.is_deleted() {
                let expected =
                    format!("`{}`, of {spec}, in the list of `{set}`", entry.identifier());
                found.fail(exchange, Some(entry.header), expected, "it is not there");
            }
        }
    }
    bench.unless_changed(found)
}

fn minimal_headers(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, entry) in bench.headers()?.entries() {
        let sets = entry.sets();
        if sets.is_empty() {
            continue;
        }
        found.look();
        let doubled =
            sets.iter().find(|set| sets.iter().any(|other| other != *set && is_within(set, other)));
        if let Some(set) = doubled {
            let said = format!("also `{set}`, which holds it");
            found.warn(exchange, Some(entry.header), "the most specific sets only", said);
        }
    }
    if found.looked_at == 0 { skip("no header names a set") } else { Ok(found) }
}

fn declared(bench: &Bench<'_>) -> Result<Found, Stop> {
    let specs: BTreeSet<&str> = bench.set_specs()?.into_iter().collect();
    let mut found = Found::default();
    for (exchange, entry) in bench.headers()?.entries() {
        for spec in entry.sets() {
            found.look();
            if !specs.contains(spec) {
                let said = format!("`{spec}`");
                found.warn(exchange, Some(entry.header), "a set that ListSets lists", said);
            }
        }
    }
    Ok(found)
}

fn unknown_set(bench: &Bench<'_>) -> Result<Found, Stop> {
    bench.set_specs()?;
    let mut found = Found::default();
    let codes = Codes { right: &["noRecordsMatch"], tolerated: &[], frowned: &["badArgument"] };
    let ask = |verb, prefix| Ask::list(verb, prefix, &[("set", "no-such-set")]);
    let prefix = bench.prefix()?;
    for verb in [Verb::ListIdentifiers, Verb::ListRecords] {
        expect_error(bench, &mut found, ask(verb, prefix), codes)?;
    }
    Ok(found)
}

fn unsupported_argument(bench: &Bench<'_>) -> Result<Found, Stop> {
    if !bench.get(Ask::verb(Verb::ListSets))?.has_error("noSetHierarchy") {
        return skip("the repository has sets");
    }
    let mut found = Found::default();
    let codes = Codes {
        right: &["noSetHierarchy"],
        tolerated: &[],
        frowned: &["badArgument", "noRecordsMatch"],
    };
    let prefix = bench.prefix()?;
    for verb in [Verb::ListIdentifiers, Verb::ListRecords] {
        let ask = Ask::list(verb, prefix, &[("set", "x")]);
        expect_error(bench, &mut found, ask, codes)?;
    }
    Ok(found)
}

fn description_schema(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, set) in bench.sets()? {
        for description in set.all("setDescription") {
            super::descriptions::container(&mut found, exchange, description);
        }
    }
    if found.looked_at == 0 { skip("no set has a description") } else { Ok(found) }
}

fn required(bench: &Bench<'_>) -> Result<Found, Stop> {
    let wanted = match bench.options.profile {
        Profile::Driver => "driver",
        Profile::OpenAire => "openaire",
        _ => return skip("the profile asks for no set"),
    };
    let sets = bench.sets()?;
    let specs = bench.set_specs()?;
    let mut found = Found::default();
    found.look();
    if !specs.contains(&wanted) {
        let (exchange, set) = sets[0];
        found.fail(exchange, Some(set), format!("the set `{wanted}`"), "others only");
    }
    Ok(found)
}
