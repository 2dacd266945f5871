//! What only two runs show: the earlier one is recorded, and judged beside this one.

use std::collections::BTreeMap;

use pmh_protocol::{Datestamp, Verb};

use crate::ask::Ask;
use crate::bench::{Bench, End, Stop, skip};
use crate::canonical::says_the_same;
use crate::check::Check;
use crate::exchange::{Entry, Exchange, Part};
use crate::finding::Found;
use crate::outcome::Examined;
use crate::syntax::moved;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "deleted.persists",
        "What was there before is there still, if only as deleted, where deletions are kept for ever",
        &[22],
        persists,
    ),
    Check::must(
        "dates.change-moves-datestamp",
        "A record whose metadata changed has another datestamp",
        &[52],
        change_moves_datestamp,
    ),
    Check::guideline(
        "dates.no-late-arrival",
        "No record has appeared with a datestamp from before the earlier run",
        &[223],
        no_late_arrival,
    ),
];

/// The earlier run.
fn earlier<'a>(bench: &Bench<'a>) -> Result<&'a Examined, Stop> {
    match &bench.options.previous {
        Some(previous) => Ok(previous),
        None => skip("there is no earlier run to compare with"),
    }
}

fn answers(earlier: &Examined) -> BTreeMap<Ask, usize> {
    let exchanges = earlier.exchanges.iter().enumerate();
    exchanges
        .filter(|(_, exchange)| exchange.part == Part::Answer)
        .map(|(at, exchange)| (exchange.ask.clone(), at))
        .collect()
}

/// What the earlier run did not ask cannot be asked any more.
fn known<T>(result: Result<T, Stop>) -> Result<T, Stop> {
    match result {
        Err(Stop::Wait(_)) => skip("the earlier run did not ask for it"),
        other => other,
    }
}

fn by_identifier<'a>(
    entries: Vec<(&'a Exchange, Entry<'a>)>,
) -> BTreeMap<&'a str, (&'a Exchange, Entry<'a>)> {
    entries.into_iter().map(|each| (each.1.identifier(), each)).collect()
}

fn persists(bench: &Bench<'_>) -> Result<Found, Stop> {
    let earlier = earlier(bench)?;
    if bench.deleted_records()? != "persistent" {
        return skip("deletions are not kept for ever");
    }
    let answers = answers(earlier);
    let before =
        Bench { options: &earlier.options, exchanges: &earlier.exchanges, answers: &answers };
    let crawl = bench.headers()?.whole()?;
    let now = by_identifier(crawl.entries());
    let mut found = Found::default();
    for (_, entry) in known(before.headers())?.entries() {
        found.look();
        if !now.contains_key(entry.identifier())
            && let Some(last) = crawl.pages.last()
        {
            let was = if entry.is_deleted() { "deleted then" } else { "live then" };
            let expected = format!("`{}`, {was}, in the list", entry.identifier());
            found.fail(last, last.container(), expected, "it has vanished");
        }
    }
    Ok(found)
}

fn change_moves_datestamp(bench: &Bench<'_>) -> Result<Found, Stop> {
    let earlier = earlier(bench)?;
    let answers = answers(earlier);
    let before =
        Bench { options: &earlier.options, exchanges: &earlier.exchanges, answers: &answers };
    let then = by_identifier(known(before.records())?.entries());
    let mut found = Found::default();
    for (exchange, entry) in bench.records()?.entries() {
        let Some((_, was)) = then.get(entry.identifier()) else { continue };
        let (Some(old), Some(new)) = (was.payload(), entry.payload()) else { continue };
        found.look();
        if was.datestamp() == entry.datestamp() && !says_the_same(old, new) {
            let said =
                format!("`{}` changed, and still of {}", entry.identifier(), was.datestamp());
            found.fail(
                exchange,
                Some(entry.header),
                "a datestamp that moves with the change",
                said,
            );
        }
    }
    Ok(found)
}

fn no_late_arrival(bench: &Bench<'_>) -> Result<Found, Stop> {
    let earlier = earlier(bench)?;
    let answers = answers(earlier);
    let before =
        Bench { options: &earlier.options, exchanges: &earlier.exchanges, answers: &answers };
    let list = known(before.crawl(Verb::ListIdentifiers, bench.prefix()?, &[]))?;
    if list.end != End::Complete {
        return skip("the earlier run did not read the list to its end");
    }
    let Some(began) = before.began() else { return skip("no earlier answer has a date") };
    let then = by_identifier(list.entries());
    let mut found = Found::default();
    for (exchange, entry) in bench.headers()?.entries() {
        let Some(date) = bench.date_of(&entry) else { continue };
        found.look();
        let bound = moved(Datestamp::new(began, date.granularity), -1);
        if !then.contains_key(entry.identifier()) && date < bound {
            let said = format!("`{}` of {date}, which was not there then", entry.identifier());
            let expected = format!("new records from {bound} on");
            found.fail(exchange, Some(entry.header), expected, said);
        }
    }
    Ok(found)
}
