//! What tokens are made of, how long they live, what they and Identify announce, and how dates are written.

use pmh_protocol::{Body, DeletedRecords, Granularity, Identify, parse_document};
use pmh_repository::AskedRequest;
use pmh_scenario::{
    Advances, Bound, Cursor, DatestampForm, Earliest, Effect, Expiration, Fault, HttpEffect,
    LastToken, ListSize, ResponseDate, Script, TokenStyle, When,
};

use crate::support::{harvest, last_token, line, records, repository, resume, text};

fn answer(change: impl FnOnce(&mut Script), query: &str) -> String {
    let mut script = Script::plain(5, 2, 1);
    change(&mut script);
    text(repository(script).answer(&AskedRequest::get(query)))
}

#[test]
fn a_token_can_say_nothing_or_read_like_a_query() {
    let lines = |style: TokenStyle| {
        let mut script = Script::plain(5, 2, 1);
        script.repository.protocol.token = style;
        harvest(&mut repository(script), 9)
    };
    assert_eq!(
        lines(TokenStyle::Offset),
        ["1 2 > metadataPrefix=oai_dc&page=2", "3 4 > metadataPrefix=oai_dc&page=3", "5 >"]
            .map(|line| if line.ends_with('>') { format!("{line} ") } else { line.to_owned() })
    );
    let opaque = lines(TokenStyle::Opaque);
    assert_eq!(opaque.len(), 3);
    assert!(opaque[0].contains('+') && opaque[0].contains('/') && opaque[0].ends_with("=="));
}

#[test]
fn a_query_like_token_needs_no_memory() {
    let mut script = Script::plain(5, 2, 1);
    script.repository.protocol.token = TokenStyle::Offset;
    let ask =
        |token: &str| line(&repository(script.clone()).answer(&AskedRequest::get(&resume(token))));
    assert_eq!(ask("metadataPrefix=oai_dc&page=3"), "5 >".to_owned() + " ");
    for token in ["metadataPrefix=oai_dc&page=4", "metadataPrefix=oai_dc", "page=2", "x"] {
        assert_eq!(ask(token), "badResumptionToken", "{token}");
    }
}

/// Answers to the same token again and again.
fn again(change: impl FnOnce(&mut Script)) -> Vec<String> {
    let mut script = Script::plain(5, 2, 1);
    script.repository.protocol.token = TokenStyle::Stateful;
    change(&mut script);
    let mut repository = repository(script);
    harvest(&mut repository, 1);
    let token = last_token(&repository);
    (0..4).map(|_| records(&repository.answer(&AskedRequest::get(&resume(&token))))).collect()
}

#[test]
fn a_token_dies_of_requests_of_time_or_of_use() {
    const DEAD: &str = "badResumptionToken";
    assert_eq!(again(|_| ()), ["3 4"; 4]);
    assert_eq!(
        again(|script| script.repository.protocol.life.requests = Some(1)),
        ["3 4", DEAD, DEAD, DEAD]
    );
    let time = |script: &mut Script| {
        script.repository.clock.tick_seconds = 10;
        script.repository.protocol.life.seconds = Some(20);
    };
    assert_eq!(again(time), ["3 4", "3 4", DEAD, DEAD]);
    assert_eq!(
        again(|script| script.repository.protocol.life.is_one_use = true),
        ["3 4", DEAD, DEAD, DEAD]
    );
    assert_eq!(
        again(|script| script.repository.protocol.life.bound = Bound::Node),
        ["3 4", DEAD, "3 4", "3 4"]
    );
}

#[test]
fn a_token_that_dies_of_use_is_alive_again_when_it_is_given_out_again() {
    let mut script = Script::plain(5, 2, 1);
    script.repository.protocol.life.is_one_use = true;
    let mut repository = repository(script);
    assert_eq!(harvest(&mut repository, 9).len(), 3);
    assert_eq!(harvest(&mut repository, 9).len(), 3);
}

#[test]
fn a_session_moves_on_by_what_it_sends_or_by_being_asked() {
    let play = |advances: Advances| {
        let mut script = Script::plain(6, 2, 1);
        script.repository.protocol.token = TokenStyle::Session;
        script.repository.protocol.life.advances = advances;
        let busy =
            Effect::Http(HttpEffect { status: 500, retry_after: None, ..HttpEffect::default() });
        script.faults = vec![Fault {
            name: "busy".into(),
            when: When { page: Some(2), ..When::default() },
            effect: busy,
            times: Some(1),
            optional: false,
            line: 1,
        }];
        let mut repository = repository(script);
        harvest(&mut repository, 1);
        let token = last_token(&repository);
        [(); 2].map(|()| records(&repository.answer(&AskedRequest::get(&resume(&token)))))
    };
    assert_eq!(play(Advances::Sent), ["500", "3 4"]);
    assert_eq!(play(Advances::Asked), ["500", "5 6"]);
}

/// The token elements of a list of five in pages of two, without what is in them.
fn tokens(change: impl FnOnce(&mut Script)) -> Vec<String> {
    let mut script = Script::plain(5, 2, 1);
    script.repository.protocol.token = TokenStyle::Stateful;
    change(&mut script);
    let mut repository = repository(script);
    let mut query = "verb=ListIdentifiers&metadataPrefix=oai_dc".to_owned();
    let mut found = Vec::new();
    while found.len() < 4 {
        let reply = repository.answer(&AskedRequest::get(&query));
        let token = reply.exchange.answer.token.clone();
        let text = text(reply);
        let tag = text.split_once("<resumptionToken").map(|(_, rest)| rest.split('>').next());
        found.push(tag.flatten().unwrap_or("none").trim().to_owned());
        match token.filter(|token| !token.trim().is_empty()) {
            Some(token) => query = resume(&token).replace("ListRecords", "ListIdentifiers"),
            None => break,
        }
    }
    found
}

fn cursors(cursor: Cursor, expected: [&str; 3]) {
    let found = tokens(|script| {
        script.repository.protocol.announced.cursor = cursor.clone();
        script.repository.protocol.announced.size = ListSize::Absent;
    });
    assert_eq!(found, expected, "{cursor:?}");
}

#[test]
fn cursor_says_what_it_is_told_to() {
    cursors(Cursor::Right, ["cursor=\"0\"", "cursor=\"2\"", "cursor=\"4\""]);
    cursors(Cursor::Absent, ["", "", ""]);
    cursors(Cursor::Pages, ["cursor=\"0\"", "cursor=\"1\"", "cursor=\"2\""]);
    cursors(Cursor::OneBased, ["cursor=\"1\"", "cursor=\"3\"", "cursor=\"5\""]);
    cursors(Cursor::Rest, ["cursor=\"3\"", "cursor=\"1\"", "cursor=\"0\""]);
    cursors(Cursor::Wrong(-1), ["cursor=\"-1\"", "cursor=\"1\"", "cursor=\"3\""]);
    cursors(Cursor::Text("<".into()), ["cursor=\"&lt;\""; 3]);
}

fn sizes(size: ListSize, expected: [&str; 3]) {
    let found = tokens(|script| {
        script.repository.protocol.announced.cursor = Cursor::Absent;
        script.repository.protocol.announced.size = size.clone();
    });
    let expected = expected.map(|size| format!("completeListSize=\"{size}\""));
    assert_eq!(found, expected, "{size:?}");
}

#[test]
fn list_size_says_what_it_is_told_to() {
    sizes(ListSize::Right, ["5"; 3]);
    sizes(ListSize::Rest, ["5", "3", "1"]);
    sizes(ListSize::Estimate(0.1), ["6"; 3]);
    sizes(ListSize::Estimate(-1.0), ["0"; 3]);
    sizes(ListSize::AtLeast(4), ["4"; 3]);
    sizes(ListSize::AtLeast(9), ["5"; 3]);
    sizes(ListSize::Grows(2), ["5", "7", "9"]);
    sizes(ListSize::Grows(-4), ["5", "1", "-3"]);
    sizes(ListSize::Text("unknown".into()), ["unknown"; 3]);
}

#[test]
fn the_size_of_the_whole_is_the_same_for_every_selection() {
    let text = answer(
        |script| {
            script.repository.protocol.announced.size = ListSize::Whole;
            script.repository.page_size = 1;
        },
        "verb=ListRecords&metadataPrefix=oai_dc&from=2024-01-02T03:00:00Z",
    );
    assert!(text.contains("completeListSize=\"5\" cursor=\"0\""), "{text}");
}

#[test]
fn the_date_of_expiry_says_what_it_is_told_to() {
    let expiries = |expiration: Expiration| {
        tokens(|script| {
            script.repository.protocol.announced.cursor = Cursor::Absent;
            script.repository.protocol.announced.size = ListSize::Absent;
            script.repository.protocol.life.seconds = Some(60);
            script.repository.protocol.announced.expiration = expiration;
        })
    };
    let date = |date: &str| format!("expirationDate=\"{date}\"");
    assert_eq!(
        expiries(Expiration::Right),
        [date("2025-01-01T00:01:00Z"), date("2025-01-01T00:01:01Z"), String::new()]
    );
    assert_eq!(
        expiries(Expiration::Past),
        [date("2024-12-31T23:00:00Z"), date("2024-12-31T23:00:01Z"), String::new()]
    );
    assert_eq!(
        expiries(Expiration::Text("soon".into())),
        [date("soon"), date("soon"), String::new()]
    );
}

#[test]
fn the_last_token_can_be_bare() {
    let bare = tokens(|script| script.repository.protocol.last_token = LastToken::Bare);
    assert_eq!(bare[1..], ["completeListSize=\"5\" cursor=\"2\"", ""]);
}

#[test]
fn datestamps_and_response_dates_are_written_in_every_form() {
    let list = "verb=ListIdentifiers&metadataPrefix=oai_dc";
    let stamp = |form: DatestampForm| {
        let text = answer(|script| script.repository.protocol.dates.datestamps = form, list);
        text.split("<datestamp>").nth(2).unwrap().split('<').next().unwrap().to_owned()
    };
    assert_eq!(stamp(DatestampForm::Right), "2024-01-02T01:00:00Z");
    assert_eq!(stamp(DatestampForm::Fractions), "2024-01-02T01:00:00.789Z");
    assert_eq!(stamp(DatestampForm::Offset), "2024-01-02T03:00:00+02:00");
    assert_eq!(stamp(DatestampForm::Day), "2024-01-02");
    assert_eq!(stamp(DatestampForm::Now), "2025-01-01T00:00:00Z", "as the clock has it");
    let seconds = answer(
        |script| {
            script.repository.protocol.granularity = Granularity::Day;
            script.repository.protocol.dates.datestamps = DatestampForm::Second;
        },
        list,
    );
    assert!(seconds.contains("<datestamp>2024-01-02T01:00:00Z</datestamp>"), "{seconds}");

    let date = |form: ResponseDate| {
        let text = answer(|script| script.repository.protocol.dates.response_date = form, list);
        text.split_once("<responseDate>")
            .map(|(_, rest)| rest.split('<').next().unwrap().to_owned())
    };
    assert_eq!(date(ResponseDate::Fractions).as_deref(), Some("2025-01-01T00:00:00.789Z"));
    assert_eq!(date(ResponseDate::Offset).as_deref(), Some("2025-01-01T02:00:00+02:00"));
    assert_eq!(date(ResponseDate::Text("2020-02-0Z".into())).as_deref(), Some("2020-02-0Z"));
    assert_eq!(date(ResponseDate::Absent), None);
}

/// What Identify says, as a harvester reads it.
fn identify(change: impl FnOnce(&mut Script)) -> Identify {
    let document = parse_document(answer(change, "verb=Identify").as_bytes())
        .expect("it can be read")
        .document;
    let Body::Identify(identify) = document.body else { panic!("expected Identify") };
    *identify
}

#[test]
fn the_earliest_datestamp_says_what_it_is_told_to() {
    let earliest = |earliest: Earliest| {
        let found = identify(|script| script.repository.protocol.dates.earliest = earliest);
        found.earliest_datestamp.map(|date| date.to_string())
    };
    assert_eq!(earliest(Earliest::Right).as_deref(), Some("2024-01-02T00:00:00Z"));
    assert_eq!(earliest(Earliest::Newest).as_deref(), Some("2024-01-02T04:00:00Z"));
    assert_eq!(earliest(Earliest::Now).as_deref(), Some("2025-01-01T00:00:00Z"));
    assert_eq!(earliest(Earliest::Absent), None);
    assert_eq!(earliest(Earliest::Text("once".into())), None);
}

#[test]
fn identify_says_what_it_is_told_to() {
    let found = identify(|script| {
        let texts = &mut script.repository.protocol.identify;
        texts.repository_name = Some("A & B".into());
        texts.base_url = Some("http://internal:8080/oai".into());
        texts.protocol_version = Some("1.1".into());
        texts.admin_emails = Some(Vec::new());
        texts.deleted_record = Some("transient".into());
        texts.granularity = Some("YYYY-MM-DD".into());
    });
    assert_eq!(found.repository_name, "A & B");
    assert_eq!(found.base_url, "http://internal:8080/oai");
    assert_eq!(found.protocol_version, "1.1");
    assert_eq!(found.admin_emails, [""; 0]);
    assert_eq!(found.deleted_records, Some(DeletedRecords::Transient));
    assert_eq!(found.granularity, Some(Granularity::Day));
}

#[test]
fn a_token_that_is_bound_to_a_cookie_is_refused_without_it() {
    let mut script = Script::plain(5, 2, 1);
    script.repository.protocol.life.bound = Bound::Cookie;
    let mut repository = repository(script);
    let opened = repository.answer(&AskedRequest::get("verb=ListRecords&metadataPrefix=oai_dc"));
    let set = opened.headers.iter().find(|(name, _)| name == "set-cookie");
    assert_eq!(set.map(|(_, value)| value.as_str()), Some("session=1"));
    let query = resume(&last_token(&repository));
    let mut with = |cookie: &str| {
        let headers = [("Cookie".to_owned(), cookie.to_owned())];
        let reply =
            repository.answer(&AskedRequest { headers: &headers, ..AskedRequest::get(&query) });
        assert!(reply.headers.iter().all(|(name, _)| name != "set-cookie"), "it is set once");
        records(&reply)
    };
    assert_eq!(with(""), "badResumptionToken");
    assert_eq!(with("session=2; lang=en"), "badResumptionToken");
    assert_eq!(with("lang=en; session=1"), "3 4");
}
