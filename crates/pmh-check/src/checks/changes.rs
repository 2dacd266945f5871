//! What only a change of the repository shows: it is made on purpose, when all else has been asked.

use std::collections::BTreeMap;

use pmh_protocol::{Datestamp, Stamp, Verb};

use crate::ask::Ask;
use crate::bench::{Bench, Crawl, Stop, skip};
use crate::check::Check;
use crate::exchange::{Entry, Exchange};
use crate::finding::Found;
use crate::syntax::moved;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "paging.reissue-after-change",
        "After a change the last token, sent again, brings all records of its page that did not change",
        &[156, 158],
        reissue,
    )
    .changing(),
    Check::must(
        "deleted.datestamp",
        "The datestamp of a deletion is the moment of the deletion",
        &[24],
        datestamp,
    )
    .changing(),
];

/// What was seen before the change. Both checks ask for all of it, so that none of it is asked for too late.
struct Before<'a> {
    headers: Crawl<'a>,
    /// A list that is stopped in: the token that came last, and its page.
    stopped: Option<(&'a str, &'a Exchange)>,
    /// When the last answer was given.
    at: Option<Stamp>,
}

fn before<'a>(bench: &Bench<'a>) -> Result<Before<'a>, Stop> {
    if !bench.options.changes {
        return skip("nobody was told how to change the repository");
    }
    let headers = bench.headers()?.whole()?;
    let first = bench.get(Ask::list(Verb::ListRecords, bench.prefix()?, &[]).again(201))?;
    let stopped = match first.next_token() {
        None => None,
        Some(token) => Some((token, bench.get(Ask::resume(Verb::ListRecords, token).again(202))?)),
    };
    let unchanged = bench.exchanges.iter().filter(|exchange| !exchange.ask.after_change);
    let at = unchanged.filter_map(Exchange::responded).next_back();
    Ok(Before { headers, stopped, at })
}

/// The headers after the change.
fn after<'a>(bench: &Bench<'a>) -> Result<Crawl<'a>, Stop> {
    let opening = Ask::list(Verb::ListIdentifiers, bench.prefix()?, &[]);
    bench.walk(Verb::ListIdentifiers, opening.after_change())?.whole()
}

fn by_identifier<'a>(crawl: &Crawl<'a>) -> BTreeMap<&'a str, Entry<'a>> {
    crawl.entries().into_iter().map(|(_, entry)| (entry.identifier(), entry)).collect()
}

fn reissue(bench: &Bench<'_>) -> Result<Found, Stop> {
    let before = before(bench)?;
    let Some((token, page)) = before.stopped else { return skip("every list has one page") };
    let ask = Ask::resume(Verb::ListRecords, token).again(203).after_change();
    let again = bench.get(ask)?;
    let after = by_identifier(&after(bench)?);
    let mut found = Found::default();
    if again.has_error("badResumptionToken") {
        // Allowed after a substantial change, and nobody but the repository knows what is one.
        found.look();
        found.note(again, None, "the page once more", again.describe());
        return Ok(found);
    }
    let entries = again.entries();
    for entry in page.entries() {
        let now = after.get(entry.identifier());
        if now.is_none_or(|now| now.datestamp() != entry.datestamp()) {
            continue;
        }
        found.look();
        if !entries.iter().any(|each| each.identifier() == entry.identifier()) {
            let expected = format!("`{}`, which did not change, on the page", entry.identifier());
            found.fail(again, again.container(), expected, again.describe());
        }
    }
    Ok(found)
}

fn datestamp(bench: &Bench<'_>) -> Result<Found, Stop> {
    let before = before(bench)?;
    let was = by_identifier(&before.headers);
    let mut found = Found::default();
    for (exchange, entry) in after(bench)?.entries() {
        let was_live = was.get(entry.identifier()).is_some_and(|was| !was.is_deleted());
        if !entry.is_deleted() || !was_live {
            continue;
        }
        let (Some(date), Some(at)) = (bench.date_of(&entry), before.at) else { continue };
        found.look();
        let bound = moved(Datestamp::new(at, date.granularity), -1);
        if date < bound {
            let expected = format!("a datestamp of the deletion, which was after {bound}");
            let said = format!("`{}`, deleted, of {date}", entry.identifier());
            found.fail(exchange, Some(entry.header), expected, said);
        }
    }
    if found.looked_at == 0 {
        skip("the change deleted no record that was listed")
    } else {
        Ok(found)
    }
}
