//! The envelope: the root's children, responseDate, and request.

use pmh_protocol::{Element, Stamp, Verb};

use super::probe::{BAD_VERB, expect_error};
use crate::ask::Ask;
use crate::bench::{Bench, Stop, skip};
use crate::check::Check;
use crate::exchange::Exchange;
use crate::finding::Found;
use crate::syntax::{is_nearly, is_set_spec, is_unreserved, uri_fault};

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "envelope.children",
        "Every document holds responseDate, request, and the answer or errors, in this order",
        &[96],
        children,
    )
    .last(),
    Check::must(
        "envelope.verb-element",
        "The answer is named like the verb that was asked, and stands alone",
        &[104, 105],
        verb_element,
    )
    .last(),
    Check::must(
        "envelope.response-date-form",
        "responseDate is in UTC, with seconds, whatever the granularity",
        &[97, 108, 118],
        response_date_form,
    )
    .last(),
    Check::must(
        "envelope.response-date-clock",
        "responseDate is the time of the answer",
        &[118],
        response_date_clock,
    )
    .last(),
    Check::must(
        "envelope.request-base-url",
        "request holds the base URL",
        &[98, 101],
        request_base_url,
    )
    .last(),
    Check::must(
        "envelope.request-attributes",
        "request repeats the arguments as they were sent",
        &[99, 100],
        request_attributes,
    )
    .last(),
    Check::must(
        "envelope.request-bare",
        "request has no attributes when the answer is badVerb or badArgument",
        &[101, 102],
        request_bare,
    )
    .last(),
    Check::should(
        "envelope.request-attributes-on-error",
        "request repeats the arguments also beside the other six errors",
        &[103],
        request_attributes_on_error,
    )
    .last(),
];

fn children(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, root) in bench.documents() {
        found.look();
        let names: Vec<&str> = root.children.iter().map(Element::name).collect();
        let is_answer = |name: &&str| *name == "error" || Verb::from_name(name).is_some();
        let is_right = match names.as_slice() {
            ["responseDate", "request", rest @ ..] if !rest.is_empty() => {
                rest.iter().all(is_answer)
            }
            _ => false,
        };
        if !is_right {
            let expected = "responseDate, request, then the answer or errors";
            found.fail(exchange, Some(root), expected, names.join(", "));
        }
    }
    Ok(found)
}

fn verb_element(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, root) in bench.documents() {
        let is_answer = |child: &&Element| Verb::from_name(child.name()).is_some();
        let answers: Vec<&Element> = root.children.iter().filter(is_answer).collect();
        let Some(verb) = exchange.ask.verb_asked() else { continue };
        found.look();
        match answers.as_slice() {
            [] => {}
            [one] if exchange.errors().is_empty() => {
                if one.name() != verb.as_str() {
                    found.fail(exchange, Some(one), verb.as_str(), one.name());
                }
            }
            [one, ..] => {
                let names: Vec<&str> = root.children.iter().map(Element::name).collect();
                found.fail(
                    exchange,
                    Some(one),
                    format!("{verb} alone, or errors"),
                    names.join(", "),
                );
            }
        }
    }
    Ok(found)
}

fn response_date_form(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        let Some(date) = exchange.response_date() else { continue };
        found.look();
        if Stamp::parse(&date.text).is_err() {
            let expected = "`YYYY-MM-DDThh:mm:ssZ`";
            found.fail(exchange, Some(date), expected, format!("`{}`", date.text));
        }
    }
    Ok(found)
}

/// Beyond so many seconds a clock is not only wrong but another one.
const YEAR_SECONDS: i64 = 365 * 86_400;
/// So many seconds apart, two answers must bear different dates.
const APART_SECONDS: i64 = 10;

fn response_date_clock(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let mut first: Option<(&Exchange, Stamp)> = None;
    let mut is_told = false;
    for (exchange, _) in bench.documents() {
        let (Some(element), Ok(date)) = (
            exchange.response_date(),
            exchange
                .response_date()
                .map_or_else(|| Stamp::parse(""), |date| Stamp::parse_lenient(date.trimmed())),
        ) else {
            continue;
        };
        found.look();
        // A clock that is wrong is so in every answer: it is told once.
        if let Some(tolerance) = bench.options.clock_skew_seconds.filter(|_| !is_told) {
            let skew = (date.seconds() - exchange.at.seconds()).abs();
            let said = format!("`{date}`, {skew} s away");
            let expected = format!("about `{}`, as our clock says", exchange.at);
            is_told = skew > tolerance;
            if skew > tolerance.max(YEAR_SECONDS) {
                found.fail(exchange, Some(element), expected, said);
            } else if skew > tolerance {
                found.warn(exchange, Some(element), expected, said);
            }
        }
        match first {
            None => first = Some((exchange, date)),
            Some((earlier, same)) => {
                let apart = exchange.at.seconds() - earlier.at.seconds();
                if apart >= APART_SECONDS && date <= same {
                    let expected = format!("a date that has moved on after {apart} s");
                    found.fail(exchange, Some(element), expected, format!("`{date}`"));
                    return Ok(found);
                }
            }
        }
    }
    Ok(found)
}

fn request_base_url(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, identify) = bench.identify()?;
    let Some(base_url) = identify.first("baseURL").map(Element::trimmed) else {
        return skip("Identify has no baseURL");
    };
    let mut found = Found::default();
    for (exchange, root) in bench.documents() {
        let Some(request) = root.first("request") else { continue };
        found.look();
        let said = request.trimmed();
        let expected = format!("`{base_url}`, the baseURL of Identify");
        let is_known = said == base_url
            || said == bench.options.base_url
            || bench.options.aliases.iter().any(|alias| alias == said);
        if is_known {
            if said.len() < request.text.len() {
                found.note(exchange, Some(request), "no white space around it", "some");
            }
        } else if is_nearly(said, base_url) {
            found.warn(exchange, Some(request), expected, format!("`{said}`"));
        } else {
            found.fail(exchange, Some(request), expected, format!("`{said}`"));
        }
    }
    Ok(found)
}

/// Whether the arguments themselves were at fault, so that they must not be repeated.
fn is_bad_request(exchange: &Exchange) -> bool {
    exchange.has_error("badVerb") || exchange.has_error("badArgument")
}

fn pairs(request: &Element) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = request
        .attributes
        .iter()
        .filter(|each| each.namespace.is_empty())
        .map(|each| (each.qualified.clone(), each.value.clone()))
        .collect();
    pairs.sort();
    pairs
}

fn shown(pairs: &[(String, String)]) -> String {
    if pairs.is_empty() {
        return "no attributes".to_owned();
    }
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
    pairs.join(" ")
}

/// The arguments that request may carry (rule 99).
const ARGUMENTS: [&str; 7] =
    ["verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"];

fn request_attributes(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, root) in bench.documents() {
        let Some(request) = root.first("request") else { continue };
        if is_bad_request(exchange) {
            continue;
        }
        let mut asked = exchange.ask.arguments();
        // What the protocol does not know cannot be repeated by its schema, nor can what is there twice: that such a
        // request was answered is told by other checks.
        asked.retain(|(name, _)| ARGUMENTS.contains(&name.as_str()));
        asked.sort();
        if asked.windows(2).any(|two| two[0].0 == two[1].0) {
            continue;
        }
        let said = pairs(request);
        found.look();
        if exchange.errors().is_empty() {
            if said != asked {
                found.fail(exchange, Some(request), shown(&asked), shown(&said));
            }
        } else if said.iter().any(|pair| !asked.contains(pair)) {
            found.fail(exchange, Some(request), shown(&asked), shown(&said));
        }
    }
    Ok(found)
}

fn request_bare(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    // One such answer there is, whatever else was asked.
    expect_error(bench, &mut Found::default(), Ask::raw("verb=NoSuchVerb"), BAD_VERB)?;
    for (exchange, root) in bench.documents() {
        let Some(request) = root.first("request") else { continue };
        if !is_bad_request(exchange) {
            continue;
        }
        found.look();
        let said = pairs(request);
        if !said.is_empty() {
            let expected = format!("no attributes beside {}", exchange.describe());
            found.fail(exchange, Some(request), expected, shown(&said));
        }
    }
    Ok(found)
}

/// Whether an argument has a value that the schema has no place for, so that it may rightly be left out.
fn breaks_schema(exchange: &Exchange) -> bool {
    exchange.ask.arguments().iter().any(|(name, value)| match name.as_str() {
        "metadataPrefix" => !is_unreserved(value),
        "set" => !is_set_spec(value),
        "identifier" => uri_fault(value).is_some(),
        _ => false,
    })
}

fn request_attributes_on_error(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, root) in bench.documents() {
        let Some(request) = root.first("request") else { continue };
        if is_bad_request(exchange) || exchange.errors().is_empty() || breaks_schema(exchange) {
            continue;
        }
        found.look();
        if pairs(request).is_empty() {
            let expected = shown(&exchange.ask.arguments());
            found.warn(exchange, Some(request), expected, "no attributes");
        }
    }
    Ok(found)
}
