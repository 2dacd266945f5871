//! Headers and records.

use std::collections::BTreeMap;

use pmh_protocol::{Datestamp, Element, Verb};

use super::probe::{Codes, expect_error};
use crate::ask::Ask;
use crate::bench::{Bench, Stop, formats_in, skip};
use crate::canonical::says_the_same;
use crate::check::Check;
use crate::exchange::{Entry, Exchange};
use crate::finding::Found;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "records.shape",
        "Records and headers have their elements in order, and no status but deleted",
        &[9, 10, 183],
        shape,
    )
    .last(),
    Check::must(
        "records.requested-item",
        "GetRecord brings the record that was asked for",
        &[184],
        requested_item,
    ),
    Check::must(
        "records.datestamp-form",
        "Every datestamp has the form that Identify announces",
        &[51, 107, 108, 116, 117],
        datestamp_form,
    )
    .last(),
    Check::should(
        "records.datestamp-not-future",
        "No datestamp is later than the answer",
        &[121],
        datestamp_not_future,
    )
    .last(),
    Check::must(
        "records.live-has-metadata",
        "Every record that is not deleted has metadata",
        &[29],
        live_has_metadata,
    )
    .last(),
    Check::must(
        "records.list-equals-get",
        "A record is the same in a list and by itself",
        &[141, 187],
        list_equals_get,
    ),
    Check::must(
        "records.lists-agree",
        "ListIdentifiers and ListRecords bring the same headers",
        &[56, 202, 203],
        lists_agree,
    ),
    Check::must(
        "records.oai-dc-for-every-item",
        "Every item of another format is there in oai_dc too",
        &[128],
        oai_dc_for_every_item,
    ),
    Check::must(
        "records.format-for-item-only",
        "A format that an item does not have is answered with cannotDisseminateFormat",
        &[185, 211],
        format_for_item_only,
    ),
];

fn shape(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some(container) = exchange.container() else { continue };
        if container.name() == "GetRecord" {
            let count = container.all("record").count();
            found.look();
            if count != 1 {
                found.fail(exchange, Some(container), "one record", format!("{count}"));
            }
        }
        for record in container.all("record") {
            found.look();
            let names: Vec<&str> = record.children.iter().map(Element::name).collect();
            let is_right = match names.as_slice() {
                ["header", "metadata", rest @ ..] | ["header", rest @ ..] => {
                    rest.iter().all(|name| *name == "about")
                }
                _ => false,
            };
            if !is_right {
                let expected = "header, metadata, then about";
                found.fail(exchange, Some(record), expected, names.join(", "));
            }
        }
        let inside = container.all("record").filter_map(|record| record.first("header"));
        for header in container.all("header").chain(inside) {
            found.look();
            header_shape(&mut found, exchange, header);
        }
    }
    if found.looked_at == 0 { skip("no record was seen") } else { Ok(found) }
}

fn header_shape(found: &mut Found, exchange: &Exchange, header: &Element) {
    let names: Vec<&str> = header.children.iter().map(Element::name).collect();
    let is_right = match names.as_slice() {
        ["identifier", "datestamp", rest @ ..] => rest.iter().all(|name| *name == "setSpec"),
        _ => false,
    };
    if !is_right {
        let expected = "identifier, datestamp, then setSpec";
        found.fail(exchange, Some(header), expected, names.join(", "));
    }
    if let Some(status) = header.attribute("status")
        && status != "deleted"
    {
        found.fail(exchange, Some(header), "the status `deleted`, or none", format!("`{status}`"));
    }
}

/// GetRecord of the sample, with what the list said of each.
fn got<'a>(bench: &Bench<'a>) -> Result<Vec<(&'a str, &'a Exchange, Entry<'a>)>, Stop> {
    let prefix = bench.prefix()?;
    let mut got = Vec::new();
    for (_, entry) in bench.sample()? {
        let exchange = bench.get(Ask::record(entry.identifier(), prefix))?;
        if let Some(record) = exchange.entries().first() {
            got.push((entry.identifier(), exchange, *record));
        }
    }
    Ok(got)
}

fn requested_item(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (identifier, exchange, record) in got(bench)? {
        found.look();
        if record.identifier() != identifier {
            let said = format!("`{}`", record.identifier());
            found.fail(exchange, Some(record.header), format!("`{identifier}`"), said);
        }
    }
    Ok(found)
}

fn datestamp_form(bench: &Bench<'_>) -> Result<Found, Stop> {
    let granularity = bench.granularity()?;
    let mut found = Found::default();
    let expected = format!("a date in the form {}", granularity.pattern());
    for (exchange, _) in bench.documents() {
        for entry in exchange.entries() {
            let Some(datestamp) = entry.header.first("datestamp") else { continue };
            found.look();
            let is_right =
                Datestamp::parse(&datestamp.text).is_ok_and(|date| date.granularity == granularity);
            if !is_right {
                found.fail(exchange, Some(datestamp), &expected, format!("`{}`", datestamp.text));
            }
        }
    }
    Ok(found)
}

fn datestamp_not_future(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some(now) = exchange.responded() else { continue };
        for entry in exchange.entries() {
            let Ok(date) = Datestamp::parse_lenient(entry.datestamp()) else { continue };
            found.look();
            if date.stamp > now.plus_seconds(86_400) {
                let said = format!("`{date}` of `{}`", entry.identifier());
                found.warn(exchange, Some(entry.header), "a date up to responseDate", said);
            }
        }
    }
    Ok(found)
}

fn live_has_metadata(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        for entry in exchange.entries() {
            // A record in ListIdentifiers is told by the check of the structure.
            let is_header_list = exchange.ask.verb_asked() == Some(Verb::ListIdentifiers);
            if entry.record.is_none() || entry.is_deleted() || is_header_list {
                continue;
            }
            found.look();
            if entry.metadata().is_none() {
                let said = format!("none for `{}`", entry.identifier());
                found.fail(exchange, Some(entry.header), "metadata", said);
            }
        }
    }
    Ok(found)
}

fn list_equals_get(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let listed: BTreeMap<&str, Entry<'_>> =
        bench.records()?.entries().into_iter().map(|(_, each)| (each.identifier(), each)).collect();
    for (identifier, exchange, record) in got(bench)? {
        let Some(in_list) = listed.get(identifier) else { continue };
        found.look();
        for (name, one, other) in [
            ("datestamp", in_list.datestamp(), record.datestamp()),
            ("setSpec", &in_list.key().2.join(", "), &record.key().2.join(", ")),
        ] {
            if one != other {
                let expected = format!("{name} `{one}`, as in ListRecords");
                found.fail(exchange, Some(record.header), expected, format!("`{other}`"));
            }
        }
        if let (Some(one), Some(other)) = (in_list.payload(), record.payload())
            && !says_the_same(one, other)
        {
            found.fail(exchange, Some(other), "metadata as in ListRecords", "another");
        }
    }
    bench.unless_changed(found)
}

fn lists_agree(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (headers, records) = (bench.headers()?, bench.records()?);
    let mut found = Found::default();
    let is_whole =
        headers.end == crate::bench::End::Complete && records.end == crate::bench::End::Complete;
    let index = |entries: &[(&'_ Exchange, Entry<'_>)]| -> BTreeMap<String, usize> {
        let keys = entries.iter().enumerate();
        keys.map(|(at, (_, entry))| (entry.identifier().to_owned(), at)).collect()
    };
    let (headers, records) = (headers.entries(), records.entries());
    let (by_header, by_record) = (index(&headers), index(&records));
    for (identifier, at) in &by_header {
        let (exchange, header) = &headers[*at];
        found.look();
        match by_record.get(identifier) {
            Some(other) if header.key() != records[*other].1.key() => {
                let shown = |entry: &Entry<'_>| {
                    let (_, datestamp, sets, is_deleted) = entry.key();
                    let status = if is_deleted { ", deleted" } else { "" };
                    format!("{datestamp} [{}]{status}", sets.join(", "))
                };
                let expected =
                    format!("`{identifier}` with {}, as in ListRecords", shown(&records[*other].1));
                found.fail(exchange, Some(header.header), expected, shown(header));
            }
            None if is_whole => {
                let expected = format!("`{identifier}` in ListRecords, as in ListIdentifiers");
                found.fail(exchange, Some(header.header), expected, "it is not there");
            }
            _ => {}
        }
    }
    for (identifier, at) in by_record.iter().filter(|_| is_whole) {
        if !by_header.contains_key(identifier) {
            let (exchange, record) = &records[*at];
            let expected = format!("`{identifier}` in ListIdentifiers, as in ListRecords");
            found.fail(exchange, Some(record.header), expected, "it is not there");
        }
    }
    bench.unless_changed(found)
}

fn oai_dc_for_every_item(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, formats) = bench.formats()?;
    let mut found = Found::default();
    let others: Vec<&str> =
        formats.iter().map(|format| format.prefix).filter(|prefix| *prefix != "oai_dc").collect();
    if others.is_empty() {
        return skip("there is no other format");
    }
    let all = bench.crawl(Verb::ListIdentifiers, "oai_dc", &[])?.whole()?;
    let known: Vec<&str> = all.entries().iter().map(|(_, entry)| entry.identifier()).collect();
    for prefix in others.into_iter().take(3) {
        // The first page stands for the format.
        let page = bench.get(Ask::list(Verb::ListIdentifiers, prefix, &[]))?;
        for entry in page.entries().iter().filter(|entry| !entry.is_deleted()) {
            found.look();
            if !known.contains(&entry.identifier()) {
                let expected = format!("`{}` in oai_dc, as in {prefix}", entry.identifier());
                found.fail(page, Some(entry.header), expected, "it is not there");
            }
        }
    }
    bench.unless_changed(found)
}

fn format_for_item_only(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, formats) = bench.formats()?;
    let mut found = Found::default();
    for (_, entry) in bench.sample()? {
        let ask = Ask::of(&[("verb", "ListMetadataFormats"), ("identifier", entry.identifier())]);
        let Some(own) = formats_in(bench.get(ask)?) else { continue };
        let lacks = |prefix: &str| !own.iter().any(|format| format.prefix == prefix);
        for format in formats.iter().filter(|format| lacks(format.prefix)).take(2) {
            let ask = Ask::record(entry.identifier(), format.prefix);
            let codes = Codes::only(&["cannotDisseminateFormat"]);
            expect_error(bench, &mut found, ask, codes)?;
        }
    }
    if found.looked_at == 0 { skip("every item has every format") } else { Ok(found) }
}
