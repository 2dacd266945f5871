//! Lists, page after page.

use std::sync::Arc;

use crate::support::{document, harvest, line, repository, resume};
use pmh_protocol::{Body, DeletedRecords};
use pmh_repository::{AskedRequest, Repository};
use pmh_scenario::{Change, LastToken, Run, Script, TokenStyle};

/// Five records in pages of two, harvested to the end.
fn check(change: impl FnOnce(&mut Script), expected: &[&str]) {
    let mut script = Script::plain(5, 2, 1);
    change(&mut script);
    assert_eq!(harvest(&mut repository(script), 10), expected);
}

#[test]
fn a_stateless_token_says_where_it_leads() {
    check(|_| (), &["1 2 > ListRecords|oai_dc||||1|2", "3 4 > ListRecords|oai_dc||||1|3", "5 > "]);
}

#[test]
fn a_stateful_token_says_nothing() {
    check(
        |script| script.repository.protocol.token = TokenStyle::Stateful,
        &["1 2 > 660a3dd7-2", "3 4 > 660a3dd7-3", "5 > "],
    );
}

#[test]
fn a_session_has_one_token_and_goes_on_with_each_answer() {
    check(
        |script| script.repository.protocol.token = TokenStyle::Session,
        &["1 2 > 660a3dd7", "3 4 > 660a3dd7", "5 > "],
    );
}

#[test]
fn the_last_token_is_as_the_script_wants_it() {
    check(
        |script| {
            script.repository.protocol.last_token = LastToken::Absent;
            script.repository.page_size = 3;
        },
        &["1 2 3 > ListRecords|oai_dc||||1|2", "4 5"],
    );
    let mut script = Script::plain(5, 3, 1);
    script.repository.protocol.last_token = LastToken::Blank;
    let mut repository = repository(script);
    harvest(&mut repository, 10);
    assert_eq!(
        repository.journal().exchanges().last().unwrap().answer.token.as_deref(),
        Some("\n  ")
    );
}

#[test]
fn a_list_of_one_page_has_no_token_at_all() {
    check(|script| script.repository.page_size = 5, &["1 2 3 4 5"]);
}

#[test]
fn size_and_offset_are_announced_on_every_page() {
    let mut repository = repository(Script::plain(5, 2, 1));
    let mut query = "verb=ListRecords&metadataPrefix=oai_dc".to_owned();
    for offset in [0, 2, 4] {
        let Body::List(page) = document(&repository.answer(&AskedRequest::get(&query))).body else {
            panic!("expected a list");
        };
        let token = page.token.unwrap();
        assert_eq!((token.announced_offset, token.announced_size), (Some(offset), Some(5)));
        query = resume(&token.value);
    }
}

#[test]
fn a_token_can_be_used_again_and_gives_the_same_page() {
    let mut repository = repository(Script::plain(5, 2, 1));
    let lines = harvest(&mut repository, 2);
    let again = repository.answer(&AskedRequest::get(&resume("ListRecords|oai_dc||||1|2")));
    assert_eq!(line(&again), lines[1]);
    let exchange = again.exchange;
    assert_eq!((exchange.list, exchange.page, exchange.token, exchange.attempt), (1, 2, 1, 2));
}

#[test]
fn a_token_of_one_verb_is_unknown_to_another() {
    let mut repository = repository(Script::plain(5, 2, 1));
    harvest(&mut repository, 1);
    let query = "verb=ListIdentifiers&resumptionToken=ListRecords%7Coai_dc%7C%7C%7C%7C1%7C2";
    assert_eq!(line(&repository.answer(&AskedRequest::get(query))), "badResumptionToken");
}

#[test]
fn a_stateless_token_outlives_the_repository_that_gave_it_and_no_other_does() {
    for (style, expected) in [
        (TokenStyle::Stateless, "3 4 > ListRecords|oai_dc||||1|3"),
        (TokenStyle::Stateful, "badResumptionToken"),
        (TokenStyle::Session, "badResumptionToken"),
    ] {
        let mut script = Script::plain(5, 2, 1);
        script.repository.protocol.token = style;
        let mut before = repository(script.clone());
        harvest(&mut before, 1);
        let token = before.journal().exchanges().next().unwrap().answer.token.clone().unwrap();
        assert_eq!(line(&repository(script).answer(&AskedRequest::get(&resume(&token)))), expected);
    }
}

#[test]
fn a_made_up_token_leads_nowhere() {
    let mut repository = repository(Script::plain(5, 2, 1));
    for token in [
        "ListRecords|oai_dc||||1|0",
        "ListRecords|oai_dc||||1|4",
        "ListRecords|oai_dc||||1|4294967295",
        "ListRecords|marc||||1|2",
        "ListRecords|oai_dc|||art|1|2",
        "ListRecords|oai_dc|2999-01-01|||1|1",
        "Identify|oai_dc||||1|1",
    ] {
        let reply = repository.answer(&AskedRequest::get(&resume(token)));
        assert_eq!(line(&reply), "badResumptionToken", "for `{token}`");
        assert_eq!((reply.exchange.list, reply.exchange.page), (0, 0));
    }
}

#[test]
fn a_token_dies_after_so_many_requests() {
    let mut script = Script::plain(5, 2, 1);
    script.repository.protocol.life.requests = Some(2);
    let mut repository = repository(script);
    harvest(&mut repository, 1);
    let mut again =
        || line(&repository.answer(&AskedRequest::get(&resume("ListRecords|oai_dc||||1|2"))));
    let page = "3 4 > ListRecords|oai_dc||||1|3";
    assert_eq!([again(), again(), again()], [page, page, "badResumptionToken"]);
}

#[test]
fn a_list_goes_on_in_the_next_run_as_it_was_opened() {
    let mut script = Script::plain(5, 2, 1);
    script.repository.protocol.deleted_records = DeletedRecords::No;
    let before = vec![Change::Delete(vec![3]), Change::Add(1)];
    script.runs.push(Run { name: "second".into(), before, ..script.runs[0].clone() });
    let mut repository = repository(script);
    harvest(&mut repository, 1);
    repository.begin_run(1);
    let reply = repository.answer(&AskedRequest::get(&resume("ListRecords|oai_dc||||1|2")));
    assert_eq!(line(&reply), "4 > ListRecords|oai_dc||||1|3");
    assert_eq!(
        (reply.exchange.run.as_str(), reply.exchange.list, reply.exchange.attempt),
        ("second", 1, 1)
    );
    assert_eq!(harvest(&mut repository, 1), ["1 2 > ListRecords|oai_dc||||2|2"]);
    assert_eq!(repository.journal().exchanges().last().unwrap().list, 2);
}

#[test]
fn the_oldest_list_is_forgotten_when_too_many_are_open() {
    let mut script = Script::plain(5, 2, 1);
    script.repository.protocol.token = TokenStyle::Stateful;
    let mut repository = Repository::new(Arc::new(script));
    let mut tokens = Vec::new();
    for _ in 0..65 {
        harvest(&mut repository, 1);
        tokens.push(repository.journal().exchanges().last().unwrap().answer.token.clone().unwrap());
    }
    let mut answers = tokens[..2]
        .iter()
        .map(|token| line(&repository.answer(&AskedRequest::get(&resume(token)))));
    assert_eq!(answers.next().unwrap(), "badResumptionToken");
    assert!(answers.next().unwrap().starts_with("3 4"));
}

#[test]
fn the_same_requests_get_the_same_bytes_and_the_same_journal() {
    let play = || {
        let mut repository = repository(Script::plain(50, 7, 3));
        let lines = harvest(&mut repository, 20);
        (lines, repository.journal().to_ndjson())
    };
    assert_eq!(play(), play());
}
