//! Lists of several pages.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::Verb;

use crate::ask::Ask;
use crate::bench::{Bench, Crawl, End, Stop, skip};
use crate::check::Check;
use crate::finding::Found;
use crate::options::Profile;

pub(super) const CHECKS: &[Check] = &[
    Check::must("paging.next-page", "The token of a page brings the next one", &[135], next_page),
    Check::must(
        "paging.final-empty",
        "The last page of several closes the list with an empty token",
        &[137],
        final_empty,
    ),
    Check::profile(
        &[Profile::Driver, Profile::Dini, Profile::OpenAire],
        "paging.batch-size",
        "Pages have 100 to 500 records",
        batch_size,
    ),
    Check::must("paging.complete", "No record is lost between two pages", &[135, 149], complete),
    Check::must("paging.no-overlap", "No record is on two pages", &[149], no_overlap),
    Check::must("paging.progress", "Tokens lead on", &[151], progress),
    Check::must(
        "paging.keeps-criteria",
        "Later pages keep to what the list was asked for",
        &[149],
        keeps_criteria,
    ),
    Check::must("paging.no-empty-page", "No page is without entries", &[150], no_empty_page).last(),
    Check::must("paging.whole-entities", "Every page holds whole records", &[140], whole_entities)
        .last(),
    Check::must("paging.list-sets", "ListSets can be read to its end", &[215], list_sets),
];

/// Both lists, as far as they were read.
pub(super) fn lists<'a>(bench: &Bench<'a>) -> Result<[(&'static str, Crawl<'a>); 2], Stop> {
    Ok([("ListIdentifiers", bench.headers()?), ("ListRecords", bench.records()?)])
}

pub(super) fn single<T>() -> Result<T, Stop> {
    skip("every list has one page")
}

fn next_page(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (verb, crawl) in lists(bench)? {
        let last = crawl.pages.last().filter(|page| page.next_token().is_some());
        if crawl.pages.len() > 1 {
            found.look();
        }
        if let (Some(last), End::Broken(what)) = (last, &crawl.end) {
            found.look();
            let expected = format!("page {} of {verb} for its token", crawl.pages.len() + 1);
            found.fail(last, last.token(), expected, what);
        }
    }
    if found.looked_at == 0 { single() } else { Ok(found) }
}

fn final_empty(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let mut crawls: Vec<Crawl<'_>> = lists(bench)?.into_iter().map(|(_, crawl)| crawl).collect();
    if bench.get(Ask::verb(Verb::ListSets))?.next_token().is_some() {
        crawls.push(bench.walk(Verb::ListSets, Ask::verb(Verb::ListSets))?);
    }
    for crawl in crawls {
        let Some(last) = crawl.pages.last().filter(|_| crawl.pages.len() > 1) else { continue };
        if crawl.end != End::Complete {
            continue;
        }
        found.look();
        if last.token().is_none() {
            let said = "no such element";
            found.fail(last, last.container(), "an empty resumptionToken at the end", said);
        }
    }
    if found.looked_at == 0 {
        skip("no list of several pages was read to its end")
    } else {
        Ok(found)
    }
}

fn batch_size(bench: &Bench<'_>) -> Result<Found, Stop> {
    let crawl = bench.records()?;
    let Some(first) = crawl.pages.first().filter(|page| page.next_token().is_some()) else {
        return single();
    };
    let mut found = Found::default();
    found.look();
    let entries = first.entries().len();
    if !(100..=500).contains(&entries) {
        found.fail(first, first.token(), "100 to 500 records", format!("{entries}"));
    }
    Ok(found)
}

/// What only the list of the other verb, or a list of one set or range, has.
fn complete(bench: &Bench<'_>) -> Result<Found, Stop> {
    let [(_, headers), (_, records)] = lists(bench)?;
    let is_paged = headers.pages.len() > 1 || records.pages.len() > 1;
    if !is_paged {
        return single();
    }
    let (headers, records) = (headers.whole()?, records.whole()?);
    let mut found = Found::default();
    let ids = |crawl: &Crawl<'_>| -> BTreeSet<String> {
        crawl.entries().iter().map(|(_, entry)| entry.identifier().to_owned()).collect()
    };
    let (of_headers, of_records) = (ids(&headers), ids(&records));
    for (verb, crawl, own) in
        [("ListIdentifiers", &headers, &of_headers), ("ListRecords", &records, &of_records)]
    {
        let Some(last) = crawl.pages.last() else { continue };
        found.look();
        let mut missed = BTreeSet::new();
        // Records that every other list of the examination showed.
        for (exchange, _) in bench.documents() {
            let is_of_format =
                exchange.ask.argument("metadataPrefix").as_deref() == bench.prefix().ok();
            if !is_of_format {
                continue;
            }
            for entry in exchange.entries() {
                let id = entry.identifier();
                if !own.contains(id) && exchange.ask.nth == 0 && missed.insert(id) {
                    let expected = format!("`{id}` on a page of {verb}");
                    found.fail(last, last.token().or(last.container()), expected, "it is on none");
                }
            }
        }
    }
    bench.unless_changed(found)
}

fn no_overlap(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (_, crawl) in lists(bench)? {
        if crawl.pages.len() < 2 {
            continue;
        }
        found.look();
        let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (exchange, entry) in crawl.entries() {
            let key = (entry.identifier(), entry.datestamp());
            let page = *seen.entry(key).or_insert(exchange.number);
            if page != exchange.number {
                let said = format!("`{}` once more", entry.identifier());
                found.fail(exchange, Some(entry.header), "each record on one page", said);
            }
        }
    }
    if found.looked_at == 0 {
        return single();
    }
    bench.unless_changed(found)
}

fn progress(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (verb, crawl) in lists(bench)? {
        let Some(last) =
            crawl.pages.last().filter(|page| page.next_token().is_some() || crawl.pages.len() > 1)
        else {
            continue;
        };
        found.look();
        if crawl.end == End::Circle {
            let expected = format!("another page of {verb}");
            found.fail(last, last.token(), expected, "a page that came for the same token before");
        }
    }
    if found.looked_at == 0 { single() } else { Ok(found) }
}

/// A list with criteria is read beyond its first page.
fn keeps_criteria(bench: &Bench<'_>) -> Result<Found, Stop> {
    let headers = bench.headers()?;
    let prefix = bench.prefix()?;
    let mut dates: Vec<&str> = headers
        .entries()
        .iter()
        .filter(|(_, entry)| bench.date_of(entry).is_some())
        .map(|(_, entry)| entry.datestamp())
        .collect();
    dates.sort_unstable();
    dates.dedup();
    // All but the oldest: a page that forgets the range brings that again.
    let Some(from) = dates.get(1) else { return skip("all records have one datestamp") };
    let list = bench.crawl(Verb::ListIdentifiers, prefix, &[("from", from)])?;
    let mut found = Found::default();
    for page in list.pages.iter().skip(1) {
        for entry in page.entries() {
            found.look();
            if entry.datestamp() < *from {
                let said = format!("`{}` of {}", entry.identifier(), entry.datestamp());
                found.fail(page, Some(entry.header), format!("nothing before {from}"), said);
            }
        }
    }
    if found.looked_at == 0 { single() } else { bench.unless_changed(found) }
}

fn no_empty_page(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some(container) = exchange.container() else { continue };
        if !matches!(container.name(), "ListRecords" | "ListIdentifiers") {
            continue;
        }
        found.look();
        if !container.children.iter().any(|child| !child.is_oai("resumptionToken")) {
            let expected = "entries, or the error noRecordsMatch";
            found.fail(
                exchange,
                Some(container),
                expected,
                format!("{} without any", container.name()),
            );
        }
    }
    Ok(found)
}

fn whole_entities(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some(container) = exchange.container() else { continue };
        for record in container.all("record") {
            found.look();
            if record.first("header").is_none() {
                found.fail(exchange, Some(record), "a record with its header", "one without");
            }
        }
    }
    Ok(found)
}

fn list_sets(bench: &Bench<'_>) -> Result<Found, Stop> {
    let first = bench.get(Ask::verb(Verb::ListSets))?;
    if first.next_token().is_none() {
        return skip("the sets are on one page, or there are none");
    }
    let mut found = Found::default();
    let crawl = bench.walk(Verb::ListSets, Ask::verb(Verb::ListSets))?;
    found.look();
    let last = crawl.pages.last().copied().unwrap_or(first);
    match crawl.end {
        End::Complete | End::Cut => {}
        End::Broken(what) => found.fail(last, last.token(), "the next page of sets", what),
        End::Circle => {
            found.fail(last, last.token(), "another page of sets", "one that came before");
        }
    }
    Ok(found)
}
