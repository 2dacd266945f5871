//! HTTP: methods, encodings, and how arguments are read. These checks ask.

use pmh_protocol::{ParseError, Verb, encode_arguments};

use crate::ask::Ask;
use crate::bench::{Bench, Stop, skip};
use crate::canonical::says_the_same;
use crate::check::Check;
use crate::exchange::Exchange;
use crate::finding::Found;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "transport.reachable",
        "Identify is answered with an OAI-PMH document",
        &[59],
        reachable,
    )
    .first(),
    Check::must("transport.get", "Each verb is answered when it is asked by GET", &[59], get),
    Check::must(
        "transport.post",
        "A request by POST is answered, its arguments read from the body",
        &[59, 67],
        post,
    ),
    Check::must(
        "transport.post-equals-get",
        "GET and POST bring the same answers",
        &[59],
        post_equals_get,
    )
    .needs(&["transport.get", "transport.post"]),
    Check::must(
        "transport.hostile-values",
        "Arguments with quotes, angle brackets or letters beyond ASCII bring well-formed answers",
        &[74, 86],
        hostile_values,
    )
    .needs(&["transport.get"]),
    Check::must(
        "transport.identity-explicit",
        "A client that accepts identity alone gets an answer without encoding",
        &[83],
        identity_explicit,
    )
    .needs(&["transport.get"]),
    Check::must(
        "transport.compression-decodes",
        "An encoded answer is what its Content-Encoding says, and the same as without encoding",
        &[85],
        compression_decodes,
    ),
    Check::should(
        "transport.compression-advertised",
        "Identify lists the encodings that are used, and those that it lists are used",
        &[84],
        compression_advertised,
    ),
    Check::must(
        "transport.percent-decoding",
        "Escapes in arguments are undone, once, in capitals and in small letters",
        &[69],
        percent_decoding,
    ),
    Check::must(
        "transport.argument-order",
        "Arguments may stand in any order",
        &[62],
        argument_order,
    ),
];

fn reachable(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let ask = Ask::verb(Verb::Identify);
    let by_get = match bench.get(ask.clone()) {
        Err(wait @ Stop::Wait(_)) => return Err(wait),
        Ok(exchange) if exchange.root().is_some() => {
            found.look();
            return Ok(found);
        }
        by_get => by_get,
    };
    // Perhaps only the method is at fault.
    match bench.get(ask.clone().post()) {
        Err(wait @ Stop::Wait(_)) => return Err(wait),
        Ok(exchange) if exchange.root().is_some() => {
            found.look();
            return Ok(found);
        }
        _ => {}
    }
    found.look();
    let exchange = match by_get {
        Ok(exchange) => exchange,
        Err(_) => match bench.answers.get(&ask) {
            Some(at) => &bench.exchanges[*at],
            None => return skip("nothing came"),
        },
    };
    let place = match exchange.tree.as_ref().and_then(|tree| tree.as_ref().err()) {
        Some(ParseError::Malformed { offset, .. } | ParseError::Entity { offset, .. }) => *offset,
        _ => 0,
    };
    found.fail_at(exchange, place, "an OAI-PMH document", exchange.describe());
    Ok(found)
}

/// One question for each verb that has an answer here.
fn questions(bench: &Bench<'_>) -> Result<Vec<Ask>, Stop> {
    let mut asks = vec![
        Ask::verb(Verb::Identify),
        Ask::verb(Verb::ListMetadataFormats),
        Ask::verb(Verb::ListSets),
    ];
    let prefix = bench.prefix()?;
    asks.push(Ask::list(Verb::ListIdentifiers, prefix, &[]));
    asks.push(Ask::list(Verb::ListRecords, prefix, &[]));
    match bench.live() {
        Ok(live) => asks.push(Ask::record(live.identifier(), prefix)),
        Err(wait @ Stop::Wait(_)) => return Err(wait),
        Err(_) => {}
    }
    Ok(asks)
}

fn get(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for ask in questions(bench)? {
        let exchange = bench.get(ask)?;
        found.look();
        if exchange.root().is_none() {
            found.fail_at(exchange, 0, "an OAI-PMH document", exchange.describe());
        }
    }
    Ok(found)
}

fn post(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for ask in questions(bench)?.into_iter().filter(is_compared) {
        let verb = ask.verb_asked();
        let exchange = bench.get(ask.post())?;
        found.look();
        if exchange.root().is_none() || exchange.has_error("badVerb") {
            let expected = format!("an answer to {}", verb.map_or("it", Verb::as_str));
            found.fail_at(exchange, 0, expected, exchange.describe());
        }
    }
    Ok(found)
}

/// Identify, one list and one record stand for all.
fn is_compared(ask: &Ask) -> bool {
    matches!(ask.verb_asked(), Some(Verb::Identify | Verb::ListRecords | Verb::GetRecord))
}

/// Whether two answers to one question say the same, the token of a list left out: it may be another one each time.
fn same_answer(one: &Exchange, other: &Exchange) -> bool {
    let (Some(one), Some(other)) = (one.container(), other.container()) else {
        let codes = |exchange: &Exchange| {
            exchange.errors().iter().map(|(_, code)| (*code).to_owned()).collect::<Vec<_>>()
        };
        return codes(one) == codes(other)
            && one.container().is_some() == other.container().is_some();
    };
    let children = |container: &pmh_protocol::Element| {
        let children = container.children.iter();
        children.filter(|child| !child.is_oai("resumptionToken")).cloned().collect::<Vec<_>>()
    };
    let (ones, others) = (children(one), children(other));
    one.name() == other.name()
        && ones.len() == others.len()
        && ones.iter().zip(&others).all(|(one, other)| says_the_same(one, other))
}

fn post_equals_get(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for ask in questions(bench)?.into_iter().filter(is_compared) {
        let by_get = bench.get(ask.clone())?;
        let by_post = bench.get(ask.post())?;
        found.look();
        if !same_answer(by_get, by_post) {
            let expected = format!("{}, as by GET", by_get.describe());
            found.fail(by_post, by_post.container(), expected, by_post.describe());
        }
    }
    bench.unless_changed(found)
}

/// Values that break documents which are put together from strings.
const HOSTILE: [&str; 3] = ["oai:x:\"quoted'<b>&amp;</b>", "oai:x:]]><!--", "oai:x:zażółć-日本-🦉"];

fn hostile_values(bench: &Bench<'_>) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let mut found = Found::default();
    for value in HOSTILE {
        for ask in [Ask::record(value, prefix), Ask::list(Verb::ListRecords, value, &[])] {
            let exchange = bench.get(ask)?;
            found.look();
            // That it should be an error is told by `errors.id-unknown` and `errors.cannot-disseminate`.
            if exchange.root().is_none() {
                found.fail_at(exchange, 0, "a well-formed document", exchange.describe());
            }
        }
    }
    Ok(found)
}

fn encoding(exchange: &Exchange) -> String {
    let field = exchange.page().and_then(|page| page.headers.get("content-encoding"));
    let name = field.unwrap_or_default().trim().to_ascii_lowercase();
    if name == "identity" { String::new() } else { name }
}

fn identity_explicit(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for accepted in ["identity", "gzip;q=0, identity"] {
        let exchange = bench.get(Ask::verb(Verb::Identify).accepting(accepted))?;
        found.look();
        let name = encoding(exchange);
        if !name.is_empty() || is_packed(exchange) {
            found.fail(exchange, None, "an answer without encoding", format!("encoding `{name}`"));
        } else if exchange.status() != Some(200) {
            found.fail_at(exchange, 0, "an answer", exchange.describe());
        }
    }
    Ok(found)
}

/// Whether a body begins as gzip does, whatever the fields say.
pub(super) fn is_packed(exchange: &Exchange) -> bool {
    exchange.page().is_some_and(|page| page.body.starts_with(&[0x1F, 0x8B]))
}

/// Identify under each encoding that is probed.
fn encoded<'a>(bench: &Bench<'a>) -> Result<Vec<(&'static str, &'a Exchange)>, Stop> {
    let mut encoded = Vec::new();
    for name in ["gzip", "deflate"] {
        let accepted = format!("{name}, identity;q=0.1");
        encoded.push((name, bench.get(Ask::verb(Verb::Identify).accepting(&accepted))?));
    }
    Ok(encoded)
}

fn compression_decodes(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (plain, _) = bench.identify()?;
    let mut found = Found::default();
    for (_, exchange) in encoded(bench)? {
        let name = encoding(exchange);
        if name.is_empty() && !is_packed(exchange) {
            continue;
        }
        found.look();
        if let Some(Err(error)) = &exchange.tree {
            found.fail(exchange, None, format!("a document in {name}"), error.to_string());
        } else if (name == "gzip") != is_packed(exchange) {
            let said = if is_packed(exchange) { "gzip" } else { "no gzip" };
            found.fail(exchange, None, format!("a body in `{name}`, as announced"), said);
        } else if !same_answer(plain, exchange) {
            found.fail(exchange, None, "the same Identify as without encoding", "another");
        }
    }
    if found.looked_at == 0 {
        return skip("the repository uses no encoding");
    }
    Ok(found)
}

fn compression_advertised(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (first, identify) = bench.identify()?;
    let listed: Vec<&str> = identify.all("compression").map(|each| each.trimmed()).collect();
    let mut found = Found::default();
    for (name, exchange) in encoded(bench)? {
        found.look();
        let is_used = encoding(exchange) == name || encoding(exchange) == format!("x-{name}");
        if is_used && !listed.contains(&name) {
            found.warn(
                first,
                Some(identify),
                format!("compression `{name}`, which is used"),
                "none",
            );
        } else if !is_used && listed.contains(&name) {
            let said = "an answer without it";
            found.warn(exchange, None, format!("an answer in {name}, which Identify lists"), said);
        }
    }
    Ok(found)
}

fn percent_decoding(bench: &Bench<'_>) -> Result<Found, Stop> {
    let live = bench.live()?;
    let prefix = bench.prefix()?;
    let identifier = live.identifier();
    let octets = |lower: bool| -> String {
        let escape = |byte: u8| if lower { format!("%{byte:02x}") } else { format!("%{byte:02X}") };
        identifier.bytes().map(escape).collect()
    };
    // As few escapes as a query can do with.
    let minimal: String = identifier
        .chars()
        .map(|each| match each {
            ':' | '/' => each.to_string(),
            other => encode_arguments(&[("", other.to_string())]).split_off(1),
        })
        .collect();
    let mut found = Found::default();
    for written in [octets(false), octets(true), minimal] {
        let query = format!("verb=GetRecord&identifier={written}&metadataPrefix={prefix}");
        let exchange = bench.get(Ask::raw(query))?;
        found.look();
        let same = exchange.entries().first().is_some_and(|got| got.identifier() == identifier);
        if !same {
            let expected = format!("the record `{identifier}`");
            found.fail_at(exchange, 0, expected, exchange.describe());
        }
    }
    Ok(found)
}

fn argument_order(bench: &Bench<'_>) -> Result<Found, Stop> {
    let live = bench.live()?;
    let prefix = bench.prefix()?;
    let ask = Ask::of(&[
        ("metadataPrefix", prefix),
        ("identifier", live.identifier()),
        ("verb", "GetRecord"),
    ]);
    let exchange = bench.get(ask)?;
    let mut found = Found::default();
    found.look();
    let same = exchange.entries().first().is_some_and(|got| got.identifier() == live.identifier());
    if !same {
        let expected = format!("the record `{}`", live.identifier());
        found.fail_at(exchange, 0, expected, exchange.describe());
    }
    Ok(found)
}
