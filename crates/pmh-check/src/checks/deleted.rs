//! Deletions.

use pmh_protocol::Verb;

use crate::ask::Ask;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::finding::Found;
use crate::options::Profile;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "deleted.none-if-no",
        "A repository that keeps no deletions shows none",
        &[21],
        none_if_no,
    )
    .last(),
    Check::must(
        "deleted.header-only",
        "A deleted record is a header and nothing else",
        &[26],
        header_only,
    )
    .last(),
    Check::must(
        "deleted.get-record",
        "GetRecord of a deleted record brings its header, marked as deleted",
        &[25],
        get_record,
    ),
    Check::must("deleted.in-range", "Lists that cover a deleted record show it", &[27], in_range),
    Check::must(
        "deleted.lists-agree",
        "Both lists say the same about what is deleted",
        &[28],
        lists_agree,
    ),
    Check::profile(
        &[Profile::Base, Profile::Driver, Profile::Dini, Profile::OpenAire],
        "deleted.policy",
        "Deletions are kept",
        policy,
    ),
];

fn none_if_no(bench: &Bench<'_>) -> Result<Found, Stop> {
    if bench.deleted_records()? != "no" {
        return skip("the repository keeps deletions");
    }
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        for entry in exchange.entries() {
            found.look();
            if entry.is_deleted() {
                let said = format!("`{}`, deleted", entry.identifier());
                found.fail(exchange, Some(entry.header), "no deletions, as Identify says", said);
            }
        }
    }
    Ok(found)
}

fn header_only(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        for entry in exchange.entries().iter().filter(|entry| entry.is_deleted()) {
            let Some(record) = entry.record else { continue };
            found.look();
            if let Some(other) = record.children.iter().find(|child| !child.is_oai("header")) {
                let said = format!("{} of `{}`", other.name(), entry.identifier());
                found.fail(exchange, Some(other), "a header alone", said);
            }
        }
    }
    if found.looked_at == 0 { skip("no deleted record was seen") } else { Ok(found) }
}

fn get_record(bench: &Bench<'_>) -> Result<Found, Stop> {
    let is_persistent = bench.deleted_records()? == "persistent";
    let prefix = bench.prefix()?;
    let mut found = Found::default();
    for (_, entry) in bench.tombstones()? {
        let exchange = bench.get(Ask::record(entry.identifier(), prefix))?;
        found.look();
        let expected = format!("the header of `{}`, marked as deleted", entry.identifier());
        match exchange.entries().first() {
            Some(got) if got.is_deleted() => {}
            Some(got) => found.fail(exchange, Some(got.header), expected, "a live record"),
            None if !is_persistent
                && (exchange.has_error("idDoesNotExist")
                    || exchange.has_error("cannotDisseminateFormat")) =>
            {
                found.note(exchange, None, expected, exchange.describe());
            }
            None => found.fail_at(exchange, 0, expected, exchange.describe()),
        }
    }
    bench.unless_changed(found)
}

fn in_range(bench: &Bench<'_>) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let mut found = Found::default();
    let (_, gone) = bench.tombstones()?[0];
    let date = gone.datestamp();
    if bench.date_of(&gone).is_none() {
        return skip("the deleted record has no datestamp that is a date");
    }
    let range = [("from", date), ("until", date)];
    for verb in [Verb::ListIdentifiers, Verb::ListRecords] {
        let list = bench.crawl(verb, prefix, &range)?;
        let shown = list
            .entries()
            .iter()
            .any(|(_, entry)| entry.identifier() == gone.identifier() && entry.is_deleted());
        found.look();
        if !shown && list.end != crate::bench::End::Cut {
            let ask = Ask::list(verb, prefix, &range);
            let exchange = bench.get(ask)?;
            let expected = format!("`{}`, deleted, among those of {date}", gone.identifier());
            found.fail(exchange, exchange.container(), expected, exchange.describe());
        }
    }
    bench.unless_changed(found)
}

fn lists_agree(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (headers, records) = (bench.headers()?.whole()?, bench.records()?.whole()?);
    let records = records.entries();
    // Where live records are missing too, it is no matter of deletions, and told by another check.
    let loses_others = headers.entries().iter().any(|(_, header)| {
        !header.is_deleted()
            && !records.iter().any(|(_, record)| record.identifier() == header.identifier())
    });
    let mut found = Found::default();
    for (exchange, header) in headers.entries() {
        let in_records =
            records.iter().find(|(_, record)| record.identifier() == header.identifier());
        let is_there = in_records.is_some_and(|(_, record)| record.is_deleted());
        if (!header.is_deleted() && !is_there) || (in_records.is_none() && loses_others) {
            continue;
        }
        found.look();
        if header.is_deleted() != is_there {
            let said = match in_records {
                Some(_) => "the two lists differ",
                None => "ListRecords has it not",
            };
            let expected = format!("`{}` deleted in both lists", header.identifier());
            found.fail(exchange, Some(header.header), expected, said);
        }
    }
    if found.looked_at == 0 {
        return skip("no deleted record was seen");
    }
    bench.unless_changed(found)
}

fn policy(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (exchange, identify) = bench.identify()?;
    let mut found = Found::default();
    found.look();
    match bench.deleted_records()? {
        "persistent" | "transient" => {}
        other => {
            let at = identify.first("deletedRecord");
            found.fail(exchange, at, "persistent or transient", format!("`{other}`"));
        }
    }
    Ok(found)
}
