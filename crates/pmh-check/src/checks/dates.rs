//! Ranges of dates.

use std::collections::BTreeSet;

use pmh_protocol::{Datestamp, Granularity, Verb};

use super::probe::{BAD_ARGUMENT, Codes, expect_error, expect_errors};
use crate::ask::Ask;
use crate::bench::{Bench, End, Stop, skip};
use crate::check::Check;
use crate::exchange::Entry;
use crate::finding::Found;
use crate::syntax::{day, lies_within, moved};

pub(super) const CHECKS: &[Check] = &[
    Check::must("dates.day-form", "Dates in the form of a day are taken", &[49, 112], day_form),
    Check::must(
        "dates.seconds-form",
        "Dates with seconds are taken, where they are announced",
        &[50, 113],
        seconds_form,
    ),
    Check::must(
        "dates.from-inclusive",
        "A record of the very date of from is in the list",
        &[44],
        |bench| inclusive(bench, 0, 1),
    ),
    Check::must(
        "dates.until-inclusive",
        "A record of the very date of until is in the list",
        &[45],
        |bench| inclusive(bench, -1, 0),
    ),
    Check::must(
        "dates.single-day",
        "A day as from and until covers the whole day",
        &[45, 49],
        single_day,
    )
    .needs(&["dates.day-form"]),
    Check::must("dates.in-range", "Lists hold records of their range only", &[55], in_range).last(),
    Check::must(
        "dates.partition",
        "Two halves of the time hold together what all of it holds",
        &[53],
        partition,
    )
    .needs(&["dates.from-inclusive", "dates.until-inclusive"]),
    Check::must(
        "dates.open-ended",
        "A range that covers everything holds what the list without a range holds",
        &[46],
        open_ended,
    )
    .needs(&["dates.from-inclusive", "dates.until-inclusive"]),
    Check::must(
        "dates.from-after-until",
        "from later than until is answered with badArgument",
        &[48],
        from_after_until,
    ),
    Check::must(
        "dates.mixed-forms",
        "from and until in different forms are answered with badArgument",
        &[111],
        mixed_forms,
    ),
    Check::must(
        "dates.too-fine",
        "Seconds are answered with badArgument where only days are announced",
        &[114],
        too_fine,
    ),
    Check::must(
        "dates.bad-forms",
        "Dates in any other form are answered with badArgument",
        &[110, 169],
        bad_forms,
    ),
    Check::must(
        "dates.impossible",
        "Dates that are in no calendar are answered with badArgument",
        &[110],
        impossible,
    ),
    Check::must(
        "dates.before-earliest",
        "Nothing is there before earliestDatestamp",
        &[57, 192],
        before_earliest,
    ),
    Check::must(
        "dates.far-future",
        "A range to come is answered with noRecordsMatch",
        &[176],
        far_future,
    ),
];

fn ranged(bench: &Bench<'_>, more: &[(&str, &str)]) -> Result<Ask, Stop> {
    Ok(Ask::list(Verb::ListIdentifiers, bench.prefix()?, more))
}

fn day_form(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, date) = bench.dated()?;
    let from = day(date.stamp);
    accepted(bench, &from)
}

fn seconds_form(bench: &Bench<'_>) -> Result<Found, Stop> {
    if bench.granularity()? == Granularity::Day {
        return skip("only days are announced");
    }
    let (_, date) = bench.dated()?;
    accepted(bench, &Granularity::Second.format(date.stamp))
}

fn accepted(bench: &Bench<'_>, from: &str) -> Result<Found, Stop> {
    let exchange = bench.get(ranged(bench, &[("from", from)])?)?;
    let mut found = Found::default();
    found.look();
    if exchange.entries().is_empty() {
        let expected = format!("the records from {from} on, of which there are some");
        found.fail_at(exchange, 0, expected, exchange.describe());
    }
    Ok(found)
}

/// A record is looked for in a range that has it at one of its ends.
fn inclusive(bench: &Bench<'_>, before: i64, after: i64) -> Result<Found, Stop> {
    let (entry, date) = bench.dated()?;
    let (from, until) = (moved(date, before).to_string(), moved(date, after).to_string());
    holds(bench, &entry, &from, &until)
}

fn single_day(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (entry, date) = bench.dated()?;
    let day = day(date.stamp);
    holds(bench, &entry, &day, &day)
}

fn holds(bench: &Bench<'_>, entry: &Entry<'_>, from: &str, until: &str) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let range = [("from", from), ("until", until)];
    let list = bench.crawl(Verb::ListIdentifiers, prefix, &range)?;
    if list.end == End::Cut {
        return skip(format!("more records than can be read from {from} until {until}"));
    }
    let mut found = Found::default();
    found.look();
    if !list.entries().iter().any(|(_, each)| each.identifier() == entry.identifier()) {
        let exchange = bench.get(ranged(bench, &range)?)?;
        let expected = format!(
            "`{}` of {} in the list from {from} until {until}",
            entry.identifier(),
            entry.datestamp()
        );
        found.fail(exchange, exchange.container(), expected, exchange.describe());
    }
    bench.unless_changed(found)
}

fn in_range(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let date = |name| exchange.ask.argument(name).map(|text| Datestamp::parse(&text));
        let (from, until) = match (date("from"), date("until")) {
            (None, None) | (Some(Err(_)), _) | (_, Some(Err(_))) => continue,
            (from, until) => (from.and_then(Result::ok), until.and_then(Result::ok)),
        };
        // What should have been refused is told by checks of its own.
        let is_faulty = matches!((from, until), (Some(from), Some(until))
            if from > until || from.granularity != until.granularity);
        if is_faulty || exchange.ask.arguments().iter().any(|(name, _)| name == "resumptionToken") {
            continue;
        }
        for entry in exchange.entries() {
            let Some(date) = bench.date_of(&entry) else { continue };
            found.look();
            if !lies_within(date, from, until) {
                let said = format!("`{}` of {date}", entry.identifier());
                let expected = format!("records of the range in `{}`", exchange.ask.query);
                found.fail(exchange, Some(entry.header), expected, said);
            }
        }
    }
    Ok(found)
}

fn identifiers(entries: &[(&'_ crate::exchange::Exchange, Entry<'_>)]) -> BTreeSet<String> {
    entries.iter().map(|(_, entry)| entry.identifier().to_owned()).collect()
}

/// Looks in lists of ranges for what the whole list has; what only they have is told by another check.
fn compare(
    bench: &Bench<'_>,
    found: &mut Found,
    ranges: &[Vec<(&str, &str)>],
    what: &str,
) -> Result<(), Stop> {
    let prefix = bench.prefix()?;
    let whole = bench.headers()?.whole()?.entries();
    let mut parts = BTreeSet::new();
    for range in ranges {
        let list = bench.crawl(Verb::ListIdentifiers, prefix, range)?.whole()?;
        parts.extend(identifiers(&list.entries()));
    }
    found.look();
    for (exchange, entry) in &whole {
        if !parts.contains(entry.identifier()) {
            let expected = format!("`{}` of {} in {what}", entry.identifier(), entry.datestamp());
            found.fail(exchange, Some(entry.header), expected, "it is not there");
        }
    }
    Ok(())
}

fn partition(bench: &Bench<'_>) -> Result<Found, Stop> {
    let whole = bench.headers()?.whole()?.entries();
    let mut dates: Vec<Datestamp> =
        whole.iter().filter_map(|(_, entry)| Datestamp::parse(entry.datestamp()).ok()).collect();
    dates.sort_unstable();
    let Some(median) = dates.get(dates.len().saturating_sub(1) / 2) else {
        return skip("no record has a datestamp that is a date");
    };
    let (until, from) = (median.to_string(), moved(*median, 1).to_string());
    let mut found = Found::default();
    let ranges = [vec![("until", until.as_str())], vec![("from", from.as_str())]];
    compare(bench, &mut found, &ranges, "the two halves")?;
    bench.unless_changed(found)
}

fn open_ended(bench: &Bench<'_>) -> Result<Found, Stop> {
    let earliest = bench.earliest()?;
    let from = earliest.to_string();
    let Some(now) = bench.began() else { return skip("no answer has a date") };
    let until = Datestamp::new(now.plus_seconds(86_400), earliest.granularity).to_string();
    let mut found = Found::default();
    compare(bench, &mut found, &[vec![("from", &from)]], "the list from earliestDatestamp on")?;
    compare(bench, &mut found, &[vec![("until", &until)]], "the list until tomorrow")?;
    bench.unless_changed(found)
}

fn from_after_until(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, date) = bench.dated()?;
    // In a span that has records, so that an answer shows which of the two was dropped.
    let (from, until) = (day(moved(date, 0).stamp.plus_seconds(86_400)), day(date.stamp));
    let asks = [ranged(bench, &[("from", &from), ("until", &until)])?];
    expect_errors(bench, asks, BAD_ARGUMENT)
}

fn mixed_forms(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (early, late) = ("2001-01-01", "2035-01-01T00:00:00Z");
    let (early_seconds, late_day) = ("2001-01-01T00:00:00Z", "2035-01-01");
    let asks = [
        ranged(bench, &[("from", early), ("until", late)])?,
        ranged(bench, &[("from", early_seconds), ("until", late_day)])?,
    ];
    expect_errors(bench, asks, BAD_ARGUMENT)
}

fn too_fine(bench: &Bench<'_>) -> Result<Found, Stop> {
    if bench.granularity()? == Granularity::Second {
        return skip("seconds are announced");
    }
    let mut found = Found::default();
    let codes = Codes {
        right: &["badArgument"],
        tolerated: &[],
        frowned: &["noRecordsMatch", "cannotDisseminateFormat"],
    };
    let ask = ranged(bench, &[("from", "2001-01-01T00:00:00Z")])?;
    expect_error(bench, &mut found, ask, codes)?;
    Ok(found)
}

fn refused(bench: &Bench<'_>, dates: &[&str]) -> Result<Found, Stop> {
    let mut asks = Vec::new();
    for date in dates {
        asks.push(ranged(bench, &[("from", date)])?);
    }
    expect_errors(bench, asks, BAD_ARGUMENT)
}

fn bad_forms(bench: &Bench<'_>) -> Result<Found, Stop> {
    refused(
        bench,
        &[
            "2001",
            "2001-01",
            "20010101",
            "2001-01-01T00:00Z",
            "2001-01-01T00:00:00.0Z",
            "2001-01-01T00:00:00+00:00",
            "junk",
            "",
        ],
    )
}

fn impossible(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut dates = vec!["2001-02-30", "2001-13-01"];
    if bench.granularity()? == Granularity::Second {
        dates.push("2001-01-01T25:00:00Z");
    }
    refused(bench, &dates)
}

fn before_earliest(bench: &Bench<'_>) -> Result<Found, Stop> {
    let earliest = bench.earliest()?;
    if earliest.stamp.seconds() < -60_000_000_000 {
        return skip("nothing can be earlier than earliestDatestamp");
    }
    let until = moved(earliest, -1).to_string();
    let mut found = Found::default();
    let ask = ranged(bench, &[("until", &until)])?;
    let exchange = bench.get(ask)?;
    found.look();
    if let Some(entry) = exchange.entries().first() {
        let said = format!("`{}` of {}", entry.identifier(), entry.datestamp());
        let expected = format!("nothing before earliestDatestamp, `{earliest}`");
        found.fail(exchange, Some(entry.header), expected, said);
    }
    Ok(found)
}

fn far_future(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let codes = Codes { right: &["noRecordsMatch"], tolerated: &[], frowned: &["badArgument"] };
    let from = match bench.granularity()? {
        Granularity::Day => "2999-01-01",
        Granularity::Second => "2999-01-01T00:00:00Z",
    };
    expect_error(bench, &mut found, ranged(bench, &[("from", from)])?, codes)?;
    Ok(found)
}
