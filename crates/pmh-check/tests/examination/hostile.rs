//! Whatever a server does, the examination ends, within its bounds, and says what it met.

use std::time::Duration;

use pmh_check::{Examination, Examined, Step, Verdict};
use pmh_protocol::{Headers, HttpPage, HttpRequest, Lost, Phase, Stamp};

use super::support::{REPOSITORY, answer, examine_with, ids, options, repository};

fn start() -> Stamp {
    Stamp::parse("2025-01-01T00:00:00Z").expect("a date")
}

fn page(status: u16, fields: &[(&str, &str)], body: &str) -> HttpPage {
    let mut headers = Headers::default();
    fields.iter().for_each(|(name, value)| headers.push(*name, *value));
    HttpPage { status, headers, body: body.as_bytes().to_vec() }
}

/// Examines a server that answers each request as a function says.
fn against(server: impl FnMut(&HttpRequest) -> Result<HttpPage, Lost>) -> Examined {
    let mut server = server;
    examine_with(options(), |request| (server(request), start()))
}

#[track_caller]
fn check_unreachable(examined: &Examined, said: &str, requests_max: usize) {
    let reachable = &examined.outcomes[0];
    assert_eq!((reachable.check.id, reachable.verdict), ("transport.reachable", Verdict::Fail));
    let found = &reachable.findings[0].found;
    assert!(found.contains(said), "no `{said}` in {found}");
    assert_eq!(examined.conformance(), "not tested");
    assert!(examined.exchanges.len() <= requests_max, "{} requests", examined.exchanges.len());
}

#[test]
fn a_server_that_is_no_repository_is_left_after_a_few_requests() {
    let html = "<!DOCTYPE html><html><body>It works!</body></html>";
    check_unreachable(&against(|_| Ok(page(200, &[], html))), "HTML", 4);
    check_unreachable(&against(|_| Ok(page(404, &[], html))), "HTTP status 404", 4);
    check_unreachable(&against(|_| Ok(page(200, &[], ""))), "empty", 4);
    check_unreachable(&against(|_| Ok(page(200, &[], "<rss version='2.0'/>"))), "`rss`", 4);
    let silent = || Lost { phase: Phase::Head, received: 0, detail: "no first byte".to_owned() };
    check_unreachable(&against(|_| Err(silent())), "no first byte", 8);
}

#[test]
fn a_bomb_of_entities_is_told_and_never_expanded() {
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE OAI-PMH [<!ENTITY a \"aaaaaaaaaa\">\
                <!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><OAI-PMH>&b;</OAI-PMH>";
    let examined = against(|_| Ok(page(200, &[], bomb)));
    check_unreachable(&examined, "entity", 4);
    assert!(ids(&examined, Verdict::Fail).contains(&"xml.no-doctype"));
}

#[test]
fn a_document_that_is_too_deep_is_told() {
    let deep = format!("<OAI-PMH>{}", "<a>".repeat(100_000));
    check_unreachable(&against(|_| Ok(page(200, &[], &deep))), "limit on depth", 4);
}

#[test]
fn redirects_without_end_are_followed_five_times() {
    let mut number = 0;
    let examined = against(|_| {
        number += 1;
        let to = format!("http://other.example/{number}");
        Ok(page(302, &[("Location", &to)], ""))
    });
    // By GET and by POST.
    check_unreachable(&examined, "HTTP status 302", 12);
    assert!(ids(&examined, Verdict::Fail).contains(&"transport.redirect-loop"));
    assert!(ids(&examined, Verdict::Note).contains(&"transport.redirect"));
}

#[test]
fn a_redirect_to_what_is_not_http_is_not_followed() {
    let examined = against(|_| Ok(page(302, &[("Location", "file:///etc/passwd")], "")));
    check_unreachable(&examined, "HTTP status 302", 4);
    assert!(ids(&examined, Verdict::Fail).contains(&"transport.redirect-location"));
}

#[test]
fn a_repository_that_is_busy_for_ever_is_asked_a_few_times_and_no_longer_than_it_may_take() {
    let mut examination = Examination::new(options());
    let (mut requests, mut waited) = (0, Duration::ZERO);
    let examined = loop {
        match examination.step() {
            Step::Finish => break examination.finish(),
            Step::Wait(time) => waited += time,
            Step::Change => panic!("nobody said that it can be changed"),
            Step::Fetch(_) => {
                requests += 1;
                assert!(requests < 1000, "it does not end");
                let busy = page(503, &[("Retry-After", "59")], "");
                examination.fetched(Ok(busy), start(), Duration::from_millis(1));
            }
        }
    };
    assert!(waited <= Duration::from_secs(30 * 60 + 60), "{waited:?}");
    assert!(requests <= 20, "{requests}");
    assert_eq!(examined.conformance(), "not tested");
    let mut long = Examination::new(options());
    let Step::Fetch(_) = long.step() else { panic!("a request") };
    long.fetched(Ok(page(503, &[("Retry-After", "86400")], "")), start(), Duration::ZERO);
    assert_eq!(long.step(), Step::Wait(options().limits.pause), "nobody waits for a day");
}

#[test]
fn a_list_without_end_is_read_as_far_as_the_bound() {
    let mut repository = repository(REPOSITORY);
    let mut number = 0;
    let examined = examine_with(options(), |request| {
        let (mut page, at) = answer(&mut repository, request);
        let text = String::from_utf8(page.body).expect("UTF-8");
        number += 1;
        // Fresh records and a fresh token, for ever.
        let endless = if request.url.contains("verb=List")
            && request.url.contains("resumptionToken=t")
        {
            let verb =
                if request.url.contains("ListRecords") { "ListRecords" } else { "ListIdentifiers" };
            let start = text.find("<error").expect("an error");
            let header = format!(
                "<header><identifier>oai:x.org:{number}</identifier><datestamp>2024-01-01T00:00:00Z</datestamp></header>"
            );
            let entry =
                if verb == "ListRecords" { format!("<record>{header}</record>") } else { header };
            format!(
                "{}<{verb}>{entry}<resumptionToken>t{number}</resumptionToken></{verb}></OAI-PMH>",
                &text[..start]
            )
        } else if let (Some(start), Some(end)) =
            (text.find("<resumptionToken"), text.find("</resumptionToken>"))
        {
            format!("{}<resumptionToken>t{number}{}", &text[..start], &text[end..])
        } else {
            text
        };
        page.body = endless.into_bytes();
        (Ok(page), at)
    });
    let limits = options().limits;
    assert!(examined.exchanges.len() <= limits.requests_max as usize);
    let descendants = examined.outcomes.iter().find(|each| each.check.id == "sets.descendants");
    let reason = descendants.and_then(|each| each.reason.as_deref()).unwrap_or_default();
    assert!(reason.contains("longer than 20 pages"), "{reason}");
}

#[test]
fn the_budgets_are_kept() {
    let clean = |change: fn(&mut pmh_check::Options)| {
        let mut repository = repository(REPOSITORY);
        let mut options = options();
        change(&mut options);
        examine_with(options, |request| {
            let (page, at) = answer(&mut repository, request);
            (Ok(page), at)
        })
    };
    for (change, said) in [
        (
            (|options| options.limits.requests_max = 10) as fn(&mut pmh_check::Options),
            "10 requests",
        ),
        (|options| options.limits.bytes_max = 10_000, "10000 bytes"),
        (|options| options.limits.duration_max = Duration::from_secs(5), "budget of 5 s"),
    ] {
        let examined = clean(change);
        assert!(examined.exchanges.len() <= 20, "{} requests", examined.exchanges.len());
        let last = examined.outcomes.iter().find(|each| each.check.id == "errors.id-unknown");
        let reason = last.and_then(|each| each.reason.as_deref()).unwrap_or_default();
        assert!(reason.contains(said), "no `{said}` in `{reason}`");
        assert!(ids(&examined, Verdict::Fail).is_empty());
    }
}

/// A sequence that looks random and is the same in every run.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap_or(0)
}

#[test]
fn no_answer_makes_it_panic() {
    for seed in 1..=40 {
        let mut state = seed;
        let mut repository = repository(REPOSITORY);
        let examined = examine_with(options(), |request| {
            let (mut page, at) = answer(&mut repository, request);
            let length = page.body.len().max(1);
            match next(&mut state) % 8 {
                0 => page.body.truncate(next(&mut state) % length),
                1 => {
                    for _ in 0..4 {
                        let at = next(&mut state) % length;
                        page.body[at] = u8::try_from(next(&mut state) % 256).unwrap_or(0);
                    }
                }
                2 => {
                    let (from, to) = (next(&mut state) % length, next(&mut state) % length);
                    let piece = page.body[from.min(to)..from.max(to)].to_vec();
                    let at = next(&mut state) % length;
                    page.body.splice(at..at, piece);
                }
                3 => page.status = u16::try_from(200 + next(&mut state) % 400).unwrap_or(200),
                _ => {}
            }
            (Ok(page), at)
        });
        for report in [
            pmh_check::text(&examined, true, true),
            pmh_check::json(&examined),
            pmh_check::junit(&examined, pmh_check::Level::Must),
            pmh_check::markdown(&examined),
            pmh_check::html(&examined),
            pmh_check::monitor(&examined, pmh_check::Level::Must),
        ] {
            assert!(!report.is_empty(), "seed {seed}");
        }
    }
}

#[test]
fn a_repository_that_falls_silent_is_not_asked_for_ever() {
    let mut repository = repository(REPOSITORY);
    let mut requests = 0;
    let examined = examine_with(options(), |request| {
        requests += 1;
        let (page, at) = answer(&mut repository, request);
        let detail = "no first byte".to_owned();
        match requests {
            ..30 => (Ok(page), at),
            _ => (Err(Lost { phase: Phase::Head, received: 0, detail }), at),
        }
    });
    // Three questions, each asked twice.
    assert!(requests <= 36, "{requests} requests");
    assert!(ids(&examined, Verdict::Fail).is_empty(), "silence is no fault of the protocol's");
    let last = examined.outcomes.iter().find(|each| each.check.id == "errors.id-unknown");
    let reason = last.and_then(|each| each.reason.as_deref()).unwrap_or_default();
    assert!(reason.contains("does not answer any more"), "{reason}");
}

#[test]
fn nobody_waits_for_longer_than_the_run_may_take() {
    let mut options = options();
    options.limits.duration_max = Duration::from_secs(15);
    let mut examination = Examination::new(options);
    let mut waited = Duration::ZERO;
    for _ in 0..1_000 {
        match examination.step() {
            Step::Finish => break,
            Step::Wait(time) => waited += time,
            Step::Change => {}
            Step::Fetch(_) => {
                let busy = page(503, &[("Retry-After", "10")], "later");
                assert!(examination.time_left() > Duration::ZERO);
                examination.fetched(Ok(busy), start(), Duration::ZERO);
            }
        }
    }
    assert!(waited <= Duration::from_secs(15), "{waited:?}");
    check_unreachable(&examination.finish(), "HTTP status 503, Retry-After `10`", 4);
}

#[test]
fn what_was_ended_before_its_end_does_not_pass_for_whole() {
    let mut repository = repository(REPOSITORY);
    let mut examination = Examination::new(options());
    let mut asked = 0;
    while asked < 5 {
        if let Step::Fetch(request) = examination.step() {
            let (page, at) = answer(&mut repository, &request);
            examination.fetched(Ok(page), at, Duration::ZERO);
            asked += 1;
        }
    }
    let examined = examination.finish();
    assert_eq!(examined.conformance(), "not tested to the end");
    let line = pmh_check::monitor(&examined, pmh_check::Level::Must);
    assert!(line.starts_with("UNKNOWN: "), "{line}");
}
