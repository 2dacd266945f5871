//! The resumptionToken element and what it announces.

use pmh_protocol::{Element, Stamp, Verb};

use super::paging::{lists, single};
use crate::bench::{Bench, End, Stop, skip};
use crate::check::Check;
use crate::exchange::Exchange;
use crate::finding::Found;
use crate::options::Profile;

pub(super) const CHECKS: &[Check] = &[
    Check::should(
        "paging.none-when-complete",
        "A list that is complete in one page has no token element",
        &[138],
        none_when_complete,
    )
    .last(),
    Check::must(
        "paging.one-token-last",
        "A page has one token element at most, at its end",
        &[153],
        one_token_last,
    )
    .last(),
    Check::must(
        "paging.only-list-verbs",
        "Identify, ListMetadataFormats and GetRecord carry no token",
        &[152],
        only_list_verbs,
    )
    .last(),
    Check::must(
        "paging.cursor",
        "cursor counts the entries that came before the page",
        &[146, 230],
        cursor,
    ),
    Check::should("paging.size", "completeListSize is the size of the list", &[147], size),
    Check::must(
        "paging.expiration-form",
        "expirationDate is in UTC, with seconds",
        &[120],
        expiration_form,
    )
    .last(),
    Check::must(
        "paging.expiration-future",
        "No token has expired when it is given out",
        &[148],
        expiration_future,
    )
    .last(),
    Check::guideline(
        "paging.expiration-announced",
        "A token that expires says when",
        &[227],
        expiration_announced,
    ),
    Check::profile(
        &[Profile::Base, Profile::Driver, Profile::Dini],
        "paging.lifetime",
        "Tokens live for a day",
        lifetime,
    )
    .last(),
];

fn none_when_complete(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let is_first = exchange.ask.argument("resumptionToken").is_none();
        if !is_first || exchange.entries().is_empty() || exchange.next_token().is_some() {
            continue;
        }
        if exchange.ask.verb_asked() == Some(Verb::GetRecord) {
            continue;
        }
        found.look();
        if let Some(token) = exchange.token() {
            found.warn(exchange, Some(token), "no resumptionToken", "an empty one");
        }
    }
    if found.looked_at == 0 { skip("no list has one page only") } else { Ok(found) }
}

fn one_token_last(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some(container) = exchange.container() else { continue };
        let tokens = container.all("resumptionToken").count();
        if tokens == 0 {
            continue;
        }
        found.look();
        if tokens > 1 {
            found.fail(exchange, exchange.token(), "one resumptionToken", format!("{tokens}"));
        } else if container.children.last().is_some_and(|last| !last.is_oai("resumptionToken")) {
            found.fail(exchange, exchange.token(), "it at the end of the list", "entries after it");
        }
    }
    if found.looked_at == 0 { single() } else { Ok(found) }
}

fn only_list_verbs(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some(container) = exchange.container() else { continue };
        if !matches!(container.name(), "Identify" | "ListMetadataFormats" | "GetRecord") {
            continue;
        }
        found.look();
        if let Some(token) = container.first("resumptionToken") {
            let expected = format!("no resumptionToken in {}", container.name());
            found.fail(exchange, Some(token), expected, "one");
        }
    }
    Ok(found)
}

fn number(token: &Element, name: &str) -> Option<u64> {
    token.attribute(name)?.trim().parse().ok()
}

fn cursor(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (_, crawl) in lists(bench)? {
        let has_any = crawl
            .pages
            .iter()
            .any(|page| page.token().is_some_and(|token| token.attribute("cursor").is_some()));
        let mut before = 0;
        for page in &crawl.pages {
            let entries = page.entries().len() as u64;
            let cursor = page.token().and_then(|token| number(token, "cursor"));
            match cursor {
                Some(cursor) => {
                    found.look();
                    if cursor != before {
                        let expected = format!("cursor {before}");
                        found.fail(page, page.token(), expected, format!("cursor {cursor}"));
                    }
                }
                None if has_any && page.token().is_some() => {
                    let said = "none, and one on other pages";
                    found.warn(page, page.token(), format!("cursor {before}"), said);
                }
                None => {}
            }
            before += entries;
        }
    }
    if found.looked_at == 0 { skip("no token has a cursor") } else { Ok(found) }
}

fn size(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (verb, crawl) in lists(bench)? {
        let total = crawl.entries().len() as u64;
        let mut seen = 0;
        for page in &crawl.pages {
            seen += page.entries().len() as u64;
            let Some(size) = page.token().and_then(|token| number(token, "completeListSize"))
            else {
                continue;
            };
            found.look();
            if size < seen {
                let expected = format!("completeListSize of at least {seen}, which came");
                found.fail(page, page.token(), expected, format!("{size}"));
            } else if crawl.end == End::Complete && size != total {
                let expected = format!("completeListSize {total}, as many as {verb} has");
                found.warn(page, page.token(), expected, format!("{size}"));
            }
        }
    }
    if found.looked_at == 0 { skip("no token has a completeListSize") } else { Ok(found) }
}

fn expiration_form(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some(token) = exchange.token() else { continue };
        let Some(date) = token.attribute("expirationDate") else { continue };
        found.look();
        if Stamp::parse(date).is_err() {
            let expected = "`YYYY-MM-DDThh:mm:ssZ`";
            found.fail(exchange, Some(token), expected, format!("`{date}`"));
        }
    }
    if found.looked_at == 0 { skip("no token has an expirationDate") } else { Ok(found) }
}

fn expiration_future(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some((token, lives)) = life(exchange) else { continue };
        found.look();
        if lives <= 0 {
            let said = format!("one {} s before it", -lives);
            found.fail(exchange, Some(token), "an expirationDate after responseDate", said);
        }
    }
    if found.looked_at == 0 { skip("no token has an expirationDate") } else { Ok(found) }
}

/// A token and how many seconds it lives.
fn life(exchange: &Exchange) -> Option<(&Element, i64)> {
    let token = exchange.token().filter(|token| !token.trimmed().is_empty())?;
    let expires = Stamp::parse_lenient(token.attribute("expirationDate")?).ok()?;
    Some((token, expires.seconds() - exchange.responded()?.seconds()))
}

fn expiration_announced(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (_, crawl) in lists(bench)? {
        let Some(last) = crawl.pages.last().filter(|page| page.next_token().is_some()) else {
            continue;
        };
        found.look();
        let has_expired =
            matches!(&crawl.end, End::Broken(what) if what.contains("badResumptionToken"));
        if has_expired
            && last.token().is_some_and(|token| token.attribute("expirationDate").is_none())
        {
            let said = "none, and the token was refused at once";
            found.warn(last, last.token(), "an expirationDate", said);
        }
    }
    if found.looked_at == 0 { skip("no token expired") } else { Ok(found) }
}

fn lifetime(bench: &Bench<'_>) -> Result<Found, Stop> {
    let hours = if bench.options.profile == Profile::Base { 23 } else { 24 };
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some((token, lives)) = life(exchange) else { continue };
        found.look();
        if lives < hours * 3600 {
            let said = format!("{lives} s");
            found.fail(exchange, Some(token), format!("a life of {hours} hours"), said);
        }
    }
    if found.looked_at == 0 { skip("no token has an expirationDate") } else { Ok(found) }
}
