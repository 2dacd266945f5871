//! Faults, each where it is due and nowhere else.

use crate::support::{harvest, line, repository, resume};
use pmh_repository::AskedRequest;
use pmh_scenario::{Effect, Fault, HttpEffect, Script, TokenEffect, TokenStyle, When};

fn fault(when: When, effect: Effect) -> Fault {
    Fault { name: "it".into(), when, effect, times: None, optional: false, line: 1 }
}

fn page(page: u32) -> When {
    When { page: Some(page), ..When::default() }
}

/// Six records in pages of two, with one fault of tokens on a page; tokens are shown by their last part.
fn check(on: u32, effect: TokenEffect, expected: &[&str], fired: u32) {
    for style in [TokenStyle::Stateless, TokenStyle::Stateful] {
        let mut script = Script::plain(6, 2, 1);
        script.repository.protocol.token = style;
        script.faults = vec![fault(page(on), Effect::Token(effect.clone()))];
        let mut repository = repository(script);
        let lines: Vec<String> = harvest(&mut repository, 6)
            .iter()
            .map(|line| match line.split_once("> ") {
                Some((records, token)) => {
                    format!(
                        "{records}> {}",
                        token.rsplit(['|', '-']).next().expect("a split has a part")
                    )
                }
                None => line.clone(),
            })
            .collect();
        assert_eq!(lines, expected, "{style:?}");
        assert_eq!(repository.fired(), [fired], "{style:?}");
    }
}

#[test]
fn an_expired_token_stays_dead_and_a_new_list_is_another_matter() {
    check(3, TokenEffect::Expire, &["1 2 > 2", "3 4 > 3", "badResumptionToken"], 1);
    let mut script = Script::plain(6, 2, 1);
    script.faults =
        vec![Fault { times: Some(1), ..fault(page(3), Effect::Token(TokenEffect::Expire)) }];
    let mut repository = repository(script);
    harvest(&mut repository, 6);
    let again = repository.answer(&AskedRequest::get(&resume("ListRecords|oai_dc||||1|3")));
    assert_eq!(
        (line(&again), again.exchange.faults),
        ("badResumptionToken".into(), vec!["it".to_owned()])
    );
    assert_eq!(harvest(&mut repository, 6).len(), 3);
}

#[test]
fn a_page_can_return_the_token_it_was_asked_for_with() {
    check(
        2,
        TokenEffect::Same,
        &["1 2 > 2", "3 4 > 2", "3 4 > 2", "3 4 > 2", "3 4 > 2", "3 4 > 2"],
        5,
    );
    check(1, TokenEffect::Same, &["1 2 > 2", "3 4 > 3", "5 6 > "], 0);
}

#[test]
fn tokens_can_go_round_in_a_ring() {
    check(
        3,
        TokenEffect::WrapTo(1),
        &["1 2 > 2", "3 4 > 3", "5 6 > 2", "3 4 > 3", "5 6 > 2", "3 4 > 3"],
        2,
    );
}

#[test]
fn a_rewind_makes_every_later_token_fresh() {
    check(
        3,
        TokenEffect::RewindTo(1),
        &["1 2 > 2", "3 4 > 3", "5 6 > 1:1:0", "1 2 > 2:1:0", "3 4 > 3:1:0", "5 6 > 1:2:0"],
        2,
    );
}

#[test]
fn empty_pages_stand_in_for_a_page_and_then_it_comes() {
    check(
        2,
        TokenEffect::EmptyPages(2),
        &["1 2 > 2", "> 2:0:1", "> 2:0:2", "3 4 > 3", "5 6 > "],
        2,
    );
    check(1, TokenEffect::EmptyPages(1), &["> 1:0:1", "1 2 > 2", "3 4 > 3", "5 6 > "], 1);
}

#[test]
fn a_token_can_be_dropped_where_there_is_one() {
    check(2, TokenEffect::Drop, &["1 2 > 2", "3 4"], 1);
    check(3, TokenEffect::Drop, &["1 2 > 2", "3 4 > 3", "5 6 > "], 0);
}

#[test]
fn a_session_repeats_and_rewinds_by_content() {
    for (effect, expected) in [
        (TokenEffect::Same, &["1 2", "3 4", "3 4", "3 4"]),
        (TokenEffect::RewindTo(1), &["1 2", "3 4", "1 2", "3 4"]),
        (TokenEffect::WrapTo(1), &["1 2", "3 4", "3 4", "3 4"]),
    ] {
        let mut script = Script::plain(6, 2, 1);
        script.repository.protocol.token = TokenStyle::Session;
        script.faults = vec![fault(page(2), Effect::Token(effect.clone()))];
        let lines = harvest(&mut repository(script), 4);
        let records: Vec<&str> =
            lines.iter().map(|line| line.split(" >").next().unwrap()).collect();
        assert_eq!(records, expected, "{effect:?}");
    }
}

/// Which of five requests are answered with 503: the opening one twice, page 2 twice, Identify.
fn check_when(when: When, expected: [bool; 5]) {
    let mut script = Script::plain(6, 2, 1);
    let effect = HttpEffect { status: 503, retry_after: Some("7".into()), ..HttpEffect::default() };
    script.faults = vec![fault(when.clone(), Effect::Http(effect))];
    let mut repository = repository(script);
    let token = resume("ListRecords|oai_dc||||1|2");
    let list = "verb=ListRecords&metadataPrefix=oai_dc";
    let found = [list, list, &token, &token, "verb=Identify"].map(|query| {
        let reply = repository.answer(&AskedRequest::get(query));
        if reply.status == 503 {
            assert_eq!(reply.exchange.answer.retry_after_seconds, Some(7));
            assert!(reply.headers.contains(&("retry-after".into(), "7".into())));
        }
        reply.status == 503
    });
    assert_eq!(found, expected, "{when:?}");
}

#[test]
fn a_fault_is_due_where_everything_fits() {
    let when = When::default;
    check_when(when(), [true; 5]);
    check_when(When { run: Some("harvest".into()), ..when() }, [true; 5]);
    check_when(When { run: Some("other".into()), ..when() }, [false; 5]);
    check_when(When { page: Some(2), ..when() }, [false, false, true, true, false]);
    check_when(
        When { page: Some(2), attempt: Some(2), ..when() },
        [false, false, false, true, false],
    );
    check_when(When { token: Some(0), ..when() }, [true, true, false, false, false]);
    check_when(When { list: Some(2), ..when() }, [false, true, false, false, false]);
}

#[test]
fn asking_again_for_a_list_that_was_never_answered_is_another_attempt() {
    check_when(
        When { page: Some(1), attempt: Some(1), ..When::default() },
        [true, false, false, false, false],
    );
}

#[test]
fn a_fault_fires_no_more_often_than_it_may() {
    let mut script = Script::plain(6, 2, 1);
    let effect =
        HttpEffect { status: 500, retry_after: Some("soon".into()), ..HttpEffect::default() };
    script.faults = vec![Fault { times: Some(2), ..fault(When::default(), Effect::Http(effect)) }];
    let mut repository = repository(script);
    let found = [(); 3].map(|()| repository.answer(&AskedRequest::get("verb=Identify")).status);
    assert_eq!(found, [500, 500, 200]);
    assert_eq!(repository.fired(), [2]);
    assert_eq!(repository.journal().exchanges().next().unwrap().answer.retry_after_seconds, None);
}

#[test]
fn of_two_faults_at_one_place_the_first_in_the_file_is_played() {
    let mut script = Script::plain(6, 2, 1);
    script.faults = vec![
        Fault { times: Some(1), ..fault(page(2), Effect::Token(TokenEffect::Same)) },
        fault(page(2), Effect::Token(TokenEffect::Drop)),
    ];
    let mut repository = repository(script);
    assert_eq!(harvest(&mut repository, 6).len(), 3);
    assert_eq!(repository.fired(), [1, 1]);
}

#[test]
fn one_answer_plays_a_fault_of_each_layer_in_the_order_of_the_layers() {
    let mut script = Script::plain(6, 2, 1);
    let busy = Effect::Http(HttpEffect { status: 503, retry_after: None, ..HttpEffect::default() });
    let named = |name: &str, fault: Fault| Fault { name: name.into(), ..fault };
    script.faults = vec![
        named("busy", Fault { times: Some(1), ..fault(page(3), busy) }),
        named("the token dies", fault(page(3), Effect::Token(TokenEffect::Expire))),
    ];
    let mut repository = repository(script);
    assert_eq!(harvest(&mut repository, 2).len(), 2);
    let query = resume("ListRecords|oai_dc||||1|3");
    let mut ask = || {
        let reply = repository.answer(&AskedRequest::get(&query));
        (line(&reply), reply.exchange.faults)
    };
    assert_eq!(ask(), ("503".into(), vec!["the token dies".to_owned(), "busy".to_owned()]));
    assert_eq!(ask(), ("badResumptionToken".into(), vec!["the token dies".to_owned()]));
}

#[test]
fn what_an_answer_without_a_document_cannot_show_is_not_played() {
    let mut script = Script::plain(6, 2, 1);
    let busy = Effect::Http(HttpEffect { status: 503, retry_after: None, ..HttpEffect::default() });
    script.faults = vec![
        Fault { times: Some(1), ..fault(page(2), Effect::Token(TokenEffect::Same)) },
        Fault { times: Some(1), ..fault(page(2), busy) },
    ];
    let mut repository = repository(script);
    harvest(&mut repository, 2);
    assert_eq!(repository.fired(), [0, 1]);
    harvest(&mut repository, 2);
    assert_eq!(repository.fired(), [1, 1]);
}

#[test]
fn a_token_can_leave_pages_out() {
    check(1, TokenEffect::Skip(1), &["1 2 > 3", "5 6 > "], 1);
    check(2, TokenEffect::Skip(1), &["1 2 > 2", "3 4 > 3", "5 6 > "], 0);
}

#[test]
fn a_token_after_the_end_leads_to_nothing_in_many_ways() {
    use pmh_scenario::AfterEnd;
    let all = |last: &'static str| ["1 2 > 2", "3 4 > 3", "5 6 > 4", last];
    check(3, TokenEffect::AfterEnd(AfterEnd::Empty), &all("> "), 1);
    check(3, TokenEffect::AfterEnd(AfterEnd::NoRecordsMatch), &all("noRecordsMatch"), 1);
    check(3, TokenEffect::AfterEnd(AfterEnd::BadResumptionToken), &all("badResumptionToken"), 1);
    check(3, TokenEffect::AfterEnd(AfterEnd::Status(404)), &all("404"), 1);
    check(
        3,
        TokenEffect::AfterEnd(AfterEnd::EmptyForEver),
        &["1 2 > 2", "3 4 > 3", "5 6 > 4", "> 5", "> 6", "> 7"],
        1,
    );
    check(2, TokenEffect::AfterEnd(AfterEnd::Empty), &["1 2 > 2", "3 4 > 3", "5 6 > "], 0);
}

#[test]
fn a_token_can_have_any_text_and_is_known_by_no_other() {
    let play = |effect: TokenEffect| {
        let mut script = Script::plain(6, 2, 1);
        script.repository.protocol.token = TokenStyle::Stateful;
        script.faults = vec![fault(page(1), Effect::Token(effect))];
        let mut repository = repository(script);
        let lines = harvest(&mut repository, 9);
        let others = resume("660a3dd7-2");
        (lines[0].clone(), lines.len(), line(&repository.answer(&AskedRequest::get(&others))))
    };
    let refused = || "badResumptionToken".to_owned();
    let raw = "7q@Zx+Kp/==&x|y%3D ü#";
    assert_eq!(play(TokenEffect::Raw(raw.into())), (format!("1 2 > {raw}"), 3, refused()));
    assert_eq!(play(TokenEffect::SwapCase), ("1 2 > 660A3DD7-2".into(), 3, refused()));
    let (first, pages, other) = play(TokenEffect::Long(9_000));
    assert_eq!((first.len(), pages, other), (9_000 + "1 2 > ".len(), 3, refused()));
}

#[test]
fn a_token_can_belong_to_another_list() {
    let mut script = Script::plain(6, 2, 1);
    script.repository.world.sets = vec!["art".into(), "maps".into()];
    for (number, record) in &mut script.repository.world.records {
        record.sets = vec![if *number < 4 { "art".into() } else { "maps".into() }];
    }
    script.faults = vec![fault(page(1), Effect::Token(TokenEffect::Foreign))];
    script.faults[0].times = Some(1);
    let mut repository = repository(script);
    assert_eq!(
        harvest(&mut repository, 9),
        ["1 2 > ListRecords|oai_dc|||art|2|1", "1 2 > ListRecords|oai_dc|||art|2|2", "3 > "]
    );
    let lists: Vec<u32> = repository.journal().exchanges().map(|exchange| exchange.list).collect();
    assert_eq!(lists, [1, 2, 2]);
}
