//! Tokens that are sent again, alone or where they have no place.

use pmh_protocol::Verb;

use super::probe::{Codes, expect_error};
use crate::ask::Ask;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::exchange::Exchange;
use crate::finding::Found;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "paging.reissue-same",
        "The last token, sent again, brings the same page",
        &[155],
        reissue_same,
    ),
    Check::must(
        "paging.reissue-continues",
        "After a token was sent again, the list goes on",
        &[154],
        reissue_continues,
    )
    .needs(&["paging.reissue-same"]),
    Check::guideline(
        "paging.reissue-previous",
        "The token before the last one still works",
        &[159],
        reissue_previous,
    )
    .needs(&["paging.reissue-continues"]),
    Check::guideline(
        "paging.repeat-initial",
        "A list that is asked for twice is the same, in the same order",
        &[228],
        repeat_initial,
    ),
    Check::must(
        "paging.exclusive",
        "A token beside other arguments is answered with badArgument",
        &[139, 181],
        exclusive,
    ),
    Check::must(
        "paging.cross-verb",
        "A token of one verb is refused under another",
        &[139],
        cross_verb,
    ),
    Check::must(
        "paging.unknown-token",
        "A token that was never given out is answered with badResumptionToken",
        &[171],
        unknown_token,
    ),
    Check::should(
        "paging.empty-token-argument",
        "An empty token is answered with badResumptionToken or badArgument",
        &[139],
        empty_token_argument,
    ),
];

/// A token that is right.
fn token<'a>(bench: &Bench<'a>) -> Result<&'a str, Stop> {
    let first = bench.get(Ask::list(Verb::ListRecords, bench.prefix()?, &[]))?;
    match first.next_token() {
        Some(token) => Ok(token),
        None => skip("every list has one page"),
    }
}

/// A list that is opened for this alone: its second page, that page once more, and the third.
struct Sequence<'a> {
    second: &'a Exchange,
    again: &'a Exchange,
    token: &'a str,
}

fn sequence<'a>(bench: &Bench<'a>) -> Result<Sequence<'a>, Stop> {
    token(bench)?;
    let first = bench.get(Ask::list(Verb::ListRecords, bench.prefix()?, &[]).again(1))?;
    let Some(token) = first.next_token() else { return skip("every list has one page") };
    // Counted apart from the lists that are read otherwise, so that each of these requests is sent.
    let second = bench.get(Ask::resume(Verb::ListRecords, token).again(101))?;
    let again = bench.get(Ask::resume(Verb::ListRecords, token).again(102))?;
    Ok(Sequence { second, again, token })
}

fn keys(exchange: &Exchange) -> Vec<(&str, &str, Vec<&str>, bool)> {
    exchange.entries().iter().map(|entry| entry.key()).collect()
}

fn reissue_same(bench: &Bench<'_>) -> Result<Found, Stop> {
    let Sequence { second, again, .. } = sequence(bench)?;
    let mut found = Found::default();
    if second.entries().is_empty() {
        return skip("the second page cannot be read");
    }
    found.look();
    if keys(second) != keys(again) {
        let expected = format!("the same page as before, {}", second.describe());
        found.fail(again, again.container(), expected, differs(second, again));
    }
    bench.unless_changed(found)
}

/// How two pages differ, in a few words.
fn differs(one: &Exchange, other: &Exchange) -> String {
    let first =
        |exchange: &Exchange| exchange.entries().first().map(|entry| entry.identifier().to_owned());
    match (first(one), first(other)) {
        (Some(one), Some(other)) if one != other => {
            format!("a page that begins with `{other}`, not `{one}`")
        }
        _ => other.describe(),
    }
}

fn reissue_continues(bench: &Bench<'_>) -> Result<Found, Stop> {
    let Sequence { again, .. } = sequence(bench)?;
    let Some(next) = again.next_token() else { return skip("the list has two pages only") };
    let third = bench.get(Ask::resume(Verb::ListRecords, next).again(103))?;
    let mut found = Found::default();
    found.look();
    let crawl = bench.records()?;
    let expected = crawl.pages.get(2).map(|page| keys(page));
    if third.entries().is_empty() {
        found.fail_at(third, 0, "the third page", third.describe());
    } else if expected.is_some_and(|expected| expected != keys(third)) {
        let said = differs(crawl.pages[2], third);
        found.fail(third, third.container(), "the third page, as before", said);
    }
    bench.unless_changed(found)
}

fn reissue_previous(bench: &Bench<'_>) -> Result<Found, Stop> {
    let Sequence { second, again, token } = sequence(bench)?;
    let Some(next) = again.next_token() else { return skip("the list has two pages only") };
    bench.get(Ask::resume(Verb::ListRecords, next).again(103))?;
    let back = bench.get(Ask::resume(Verb::ListRecords, token).again(104))?;
    let mut found = Found::default();
    found.look();
    if keys(second) != keys(back) {
        found.fail(back, back.container(), "the second page, as before", differs(second, back));
    }
    bench.unless_changed(found)
}

fn repeat_initial(bench: &Bench<'_>) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let first = bench.get(Ask::list(Verb::ListRecords, prefix, &[]))?;
    if first.entries().is_empty() {
        return skip("the list cannot be read");
    }
    let again = bench.get(Ask::list(Verb::ListRecords, prefix, &[]).again(1))?;
    let mut found = Found::default();
    found.look();
    if keys(first) != keys(again) {
        found.fail(again, again.container(), "the same page as before", differs(first, again));
    }
    bench.unless_changed(found)
}

fn exclusive(bench: &Bench<'_>) -> Result<Found, Stop> {
    let token = token(bench)?;
    let prefix = bench.prefix()?;
    let mut found = Found::default();
    let codes = Codes { right: &["badArgument"], tolerated: &["badResumptionToken"], frowned: &[] };
    for more in [("metadataPrefix", prefix), ("from", "2001-01-01"), ("set", "x")] {
        let ask = Ask::of(&[("verb", "ListRecords"), ("resumptionToken", token), more]);
        expect_error(bench, &mut found, ask, codes)?;
    }
    Ok(found)
}

fn cross_verb(bench: &Bench<'_>) -> Result<Found, Stop> {
    let token = token(bench)?;
    let mut found = Found::default();
    // Some repositories give one token to both lists: there it is no token of another verb.
    let is_shared = bench.headers()?.pages.iter().any(|page| page.next_token() == Some(token));
    let others = [Verb::ListIdentifiers, Verb::ListSets];
    for verb in others.into_iter().skip(usize::from(is_shared)) {
        let codes = Codes {
            right: &["badResumptionToken"],
            tolerated: &["badArgument", "noSetHierarchy"],
            frowned: &[],
        };
        expect_error(bench, &mut found, Ask::resume(verb, token), codes)?;
    }
    for verb in [Verb::Identify, Verb::GetRecord, Verb::ListMetadataFormats] {
        let codes =
            Codes { right: &["badArgument"], tolerated: &["badResumptionToken"], frowned: &[] };
        expect_error(bench, &mut found, Ask::resume(verb, token), codes)?;
    }
    Ok(found)
}

fn unknown_token(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let lists = Codes::only(&["badResumptionToken"]);
    for verb in [Verb::ListIdentifiers, Verb::ListRecords] {
        expect_error(bench, &mut found, Ask::resume(verb, "no-such-token"), lists)?;
    }
    let without = Codes::only(&["badResumptionToken", "noSetHierarchy"]);
    let has_none = bench.get(Ask::verb(Verb::ListSets))?.has_error("noSetHierarchy");
    let sets = if has_none { without } else { lists };
    expect_error(bench, &mut found, Ask::resume(Verb::ListSets, "no-such-token"), sets)?;
    Ok(found)
}

fn empty_token_argument(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let codes = Codes::only(&["badResumptionToken", "badArgument"]);
    expect_error(bench, &mut found, Ask::resume(Verb::ListRecords, ""), codes)?;
    Ok(found)
}
