//! HTTP as every answer shows it. These checks look at what the others have asked.

use pmh_protocol::{Method, Verb};
use url::Url;

use super::transport::is_packed;
use crate::ask::Ask;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::exchange::{Exchange, Part};
use crate::finding::Found;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "transport.content-type",
        "Every answer has the media type text/xml",
        &[72],
        content_type,
    )
    .last(),
    Check::should("transport.charset", "A charset in Content-Type is UTF-8", &[73], charset).last(),
    Check::must(
        "transport.status-on-error",
        "Errors of the protocol come with HTTP status 200",
        &[74, 160],
        status_on_error,
    )
    .last(),
    Check::must("transport.no-5xx", "No request makes the server fail", &[74], no_5xx).last(),
    Check::info("transport.redirect", "Which redirects were met", &[75, 85], redirect).last(),
    Check::should(
        "transport.redirect-location",
        "Every redirect says where to, and that is HTTP",
        &[76],
        redirect_location,
    )
    .last(),
    Check::must(
        "transport.redirect-loop",
        "No request is redirected more than five times",
        &[75],
        redirect_loop,
    )
    .last(),
    Check::should(
        "transport.retry-after",
        "A busy repository says when to come again",
        &[77],
        retry_after,
    )
    .last(),
    Check::must(
        "transport.identity-default",
        "A client that names no encoding gets none",
        &[81, 83, 220],
        identity_default,
    )
    .last(),
    Check::guideline(
        "transport.mirror-base-url",
        "A mirror that is reached by a redirect calls itself by the first base URL",
        &[232],
        mirror_base_url,
    )
    .last(),
    Check::info("transport.https", "Whether the repository is reached by https", &[71], https)
        .last(),
    Check::info("transport.size", "How large answers are", &[221], size).last(),
    Check::info("transport.time", "How long answers take", &[], time).last(),
];

/// Media type and charset of an answer.
fn media_type(exchange: &Exchange) -> (String, Option<String>) {
    let field = exchange.page().and_then(|page| page.headers.get("content-type"));
    let mut parts = field.unwrap_or_default().split(';').map(str::trim);
    let media = parts.next().unwrap_or_default().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches('"').to_ascii_lowercase())
    });
    (media, charset)
}

fn content_type(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        found.look();
        let (media, _) = media_type(exchange);
        if media != "text/xml" {
            let said = if media.is_empty() { "no Content-Type".to_owned() } else { media };
            found.fail(exchange, None, "Content-Type text/xml", said);
        }
    }
    Ok(found)
}

fn charset(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        found.look();
        if let (_, Some(charset)) = media_type(exchange)
            && charset != "utf-8"
        {
            found.fail(exchange, None, "charset utf-8, or none", charset);
        }
    }
    Ok(found)
}

fn status_on_error(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.pages() {
        let Some(status) = exchange.status() else { continue };
        let is_error = !exchange.errors().is_empty();
        // A method that is not allowed and a door that is closed are told by other checks.
        let is_refused = exchange.request.method == Method::Get
            && (400..500).contains(&status)
            && !matches!(status, 401 | 403 | 405 | 429);
        if is_error || is_refused {
            found.look();
        }
        if (is_error && status != 200) || is_refused {
            let expected = "HTTP status 200 with an error element";
            found.fail_at(exchange, 0, expected, exchange.describe());
        }
    }
    Ok(found)
}

fn no_5xx(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.pages() {
        found.look();
        if let Some(status @ 500..) = exchange.status()
            && status != 503
        {
            found.fail_at(exchange, 0, "HTTP status 200", exchange.describe());
        }
    }
    Ok(found)
}

fn is_redirect(exchange: &Exchange) -> bool {
    exchange.root().is_none() && matches!(exchange.status(), Some(301 | 302 | 303 | 307 | 308))
}

fn location(exchange: &Exchange) -> Option<&str> {
    exchange.page().and_then(|page| page.headers.get("location"))
}

fn redirect(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.exchanges {
        found.look();
        if exchange.part == Part::Redirect {
            let to = location(exchange).unwrap_or_default();
            let status = exchange.status().unwrap_or_default();
            found.note(exchange, None, "an answer", format!("status {status}, to `{to}`"));
        }
    }
    Ok(found)
}

fn redirect_location(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.exchanges.iter().filter(|exchange| is_redirect(exchange)) {
        found.look();
        match location(exchange) {
            None => found.fail(exchange, None, "a Location field", "none"),
            Some(to) if exchange.part == Part::Answer => {
                let target =
                    Url::parse(&exchange.request.url).ok().and_then(|url| url.join(to).ok());
                if !target.is_some_and(|url| matches!(url.scheme(), "http" | "https")) {
                    found.fail(exchange, None, "a Location that is HTTP", format!("`{to}`"));
                }
            }
            Some(_) => {}
        }
    }
    if found.looked_at == 0 { skip("there was no redirect") } else { Ok(found) }
}

fn redirect_loop(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let mut redirects = 0;
    for exchange in bench.exchanges.iter().filter(|exchange| is_redirect(exchange)) {
        redirects += 1;
        found.look();
        if exchange.part == Part::Answer && location(exchange).is_some() {
            let to = location(exchange).unwrap_or_default();
            found.fail(
                exchange,
                None,
                "an answer in the end",
                format!("one more redirect, to `{to}`"),
            );
        }
    }
    if redirects == 0 { skip("there was no redirect") } else { Ok(found) }
}

fn retry_after(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.exchanges {
        if exchange.status() != Some(503) {
            continue;
        }
        found.look();
        if exchange.page().is_some_and(|page| page.headers.get("retry-after").is_none()) {
            found.fail(exchange, None, "a Retry-After field", "none");
        }
    }
    if found.looked_at == 0 { skip("the repository was never busy") } else { Ok(found) }
}

fn identity_default(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for exchange in bench.pages().filter(|exchange| exchange.ask.accept_encoding.is_none()) {
        found.look();
        let field = exchange.page().and_then(|page| page.headers.get("content-encoding"));
        let name = field.unwrap_or_default().trim();
        if !(name.is_empty() || name.eq_ignore_ascii_case("identity")) || is_packed(exchange) {
            let said = format!("Content-Encoding `{name}`");
            found.fail(exchange, None, "an answer without encoding", said);
        }
    }
    Ok(found)
}

fn mirror_base_url(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let here = host(&bench.options.base_url);
    for exchange in bench.pages().filter(|exchange| exchange.ask.nth == 0) {
        if host(&exchange.request.url) == here || exchange.ask.verb_asked() != Some(Verb::Identify)
        {
            continue;
        }
        let Some(identify) = exchange.root().and_then(|root| root.first("Identify")) else {
            continue;
        };
        found.look();
        let said = identify.first("baseURL").map(|url| url.trimmed()).unwrap_or_default();
        if host(said) != here {
            let expected = format!("`{}`, which was asked", bench.options.base_url);
            found.fail(exchange, Some(identify), expected, format!("`{said}`"));
        }
    }
    if found.looked_at == 0 { skip("nothing was redirected to another host") } else { Ok(found) }
}

fn https(bench: &Bench<'_>) -> Result<Found, Stop> {
    let exchange = bench.get(Ask::verb(Verb::Identify))?;
    let mut found = Found::default();
    found.look();
    if !exchange.request.url.starts_with("https:") {
        found.note(exchange, None, "https, as is the custom today", "http");
    }
    Ok(found)
}

fn size(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let bytes = |exchange: &&Exchange| exchange.page().map_or(0, |page| page.body.len());
    let Some(largest) = bench.pages().max_by_key(bytes) else { return skip("nothing came") };
    found.look();
    if bytes(&largest) > 10 << 20 {
        let said = format!("{} bytes", bytes(&largest));
        found.note(largest, None, "pages of a few MiB at most", said);
    }
    Ok(found)
}

fn time(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let Some(slowest) = bench.pages().max_by_key(|exchange| exchange.millis) else {
        return skip("nothing came");
    };
    found.look();
    if slowest.millis > 30_000 {
        let said = format!("{} s", slowest.millis / 1000);
        found.note(slowest, None, "answers within half a minute", said);
    }
    Ok(found)
}
