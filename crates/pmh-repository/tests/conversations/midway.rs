//! What changes while a list is read: records, the program, time.

use pmh_protocol::Body;
use pmh_repository::{AskedRequest, Repository};
use pmh_scenario::{
    Change, Effect, Event, Fault, ListKind, Move, RepoEffect, Script, TimeEffect, When,
};

use crate::support::{document, harvest, last_token, line, records, repository, resume};

/// Six records in pages of two, with one effect before page 2 is cut.
fn played(effect: Effect, change: impl FnOnce(&mut Script)) -> Repository {
    let mut script = Script::plain(6, 2, 1);
    script.faults = vec![Fault {
        name: "it".into(),
        when: When { page: Some(2), ..When::default() },
        effect,
        times: Some(1),
        optional: false,
        line: 1,
    }];
    change(&mut script);
    repository(script)
}

fn pages(effect: RepoEffect, list: ListKind) -> Vec<String> {
    let mut repository =
        played(Effect::Repo(effect), |script| script.repository.protocol.paging.list = list);
    let lines = harvest(&mut repository, 9);
    lines.iter().map(|line| line.split('>').next().unwrap_or_default().trim().to_owned()).collect()
}

fn changed(change: Change) -> [Vec<String>; 2] {
    [ListKind::Frozen, ListKind::Live].map(|list| pages(RepoEffect::Change(change.clone()), list))
}

#[test]
fn records_change_before_the_page_is_cut() {
    assert_eq!(changed(Change::Delete(vec![3])), [["1 2", "3† 4", "5 6"], ["1 2", "4 5", "6 3†"]]);
    assert_eq!(changed(Change::Purge(vec![3])), [vec!["1 2", "4", "5 6"], vec!["1 2", "4 5", "6"]]);
    assert_eq!(changed(Change::Purge(vec![1])), [["1 2", "3 4", "5 6"], ["1 2", "4 5", "6"]]);
    assert_eq!(changed(Change::Restamp(vec![1])), [["1 2", "3 4", "5 6"], ["1 2", "4 5", "6 1"]]);
    // It has moved to another set, which is no change of a list of everything but for its datestamp.
    let moved = |is_silent| {
        changed(Change::Move(Move { records: vec![1], to: vec!["x".into()], is_silent }))
    };
    assert_eq!(moved(false), [["1 2", "3 4", "5 6"], ["1 2", "4 5", "6 1"]]);
    assert_eq!(moved(true), [["1 2", "3 4", "5 6"]; 2]);
    let added = changed(Change::Add(1));
    assert_eq!(added[0], ["1 2", "3 4", "5 6"]);
    assert_eq!(added[1], ["1 2", "3 4", "5 6", "7"]);
}

#[test]
fn a_change_is_stamped_with_the_clock_and_told_in_the_journal() {
    let touch = Effect::Repo(RepoEffect::Change(Change::Touch(vec![3])));
    let mut repository = played(touch, |script| {
        script.repository.clock.tick_seconds = 60;
    });
    harvest(&mut repository, 1);
    let query = resume(&last_token(&repository));
    let Body::List(page) = document(&repository.answer(&AskedRequest::get(&query))).body else {
        panic!("expected a list");
    };
    let dates: Vec<String> =
        page.items.iter().map(|item| item.header().datestamp.unwrap().to_string()).collect();
    assert_eq!(dates, ["2025-01-01T00:01:00Z", "2024-01-02T03:00:00Z"]);
    let told = repository.journal().events.iter().any(|event| {
        *event
            == Event::RepoChange {
                t: "2025-01-01T00:01:00Z".into(),
                what: "new versions: oai:repository.example:000003".into(),
            }
    });
    assert!(told);
}

#[test]
fn what_was_purged_is_unknown_and_its_number_is_not_used_again() {
    let mut script = Script::plain(3, 2, 1);
    script.runs[0].before = vec![Change::Purge(vec![3]), Change::Add(1)];
    let mut repository = repository(script);
    assert_eq!(harvest(&mut repository, 2)[1].split(' ').next(), Some("4"));
    let query = "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:repository.example:000003";
    assert_eq!(line(&repository.answer(&AskedRequest::get(query))), "idDoesNotExist");
}

#[test]
fn a_live_list_can_change_its_order() {
    let found = pages(RepoEffect::Reorder, ListKind::Live);
    assert_eq!((found.len(), found[0].as_str()), (3, "1 2"));
    assert_ne!(found[1..], ["3 4", "5 6"]);
    assert_eq!(found, pages(RepoEffect::Reorder, ListKind::Live));
}

#[test]
fn a_deployment_kills_every_token_and_may_cut_other_pages() {
    let deploy = |page_size: Option<usize>| {
        let mut repository = played(Effect::Repo(RepoEffect::Deploy { page_size }), |_| ());
        let first = harvest(&mut repository, 9);
        let token = "ListRecords|oai_dc||||1|3";
        let old = records(&repository.answer(&AskedRequest::get(&resume(token))));
        (first, old, harvest(&mut repository, 9).len())
    };
    let first = || vec!["1 2 > ListRecords|oai_dc||||1|2".to_owned(), "badResumptionToken".into()];
    assert_eq!(deploy(None), (first(), "badResumptionToken".into(), 3));
    assert_eq!(deploy(Some(3)), (first(), "badResumptionToken".into(), 2));
}

#[test]
fn an_index_shows_a_change_late_and_with_its_old_datestamp() {
    let mut script = Script::plain(3, 9, 1);
    script.repository.clock.tick_seconds = 60;
    script.repository.protocol.index_lag_seconds = 100;
    script.runs[0].before = vec![Change::Add(1), Change::Delete(vec![1])];
    let mut repository = repository(script);
    let query = "verb=ListRecords&metadataPrefix=oai_dc";
    let mut ask = || line(&repository.answer(&AskedRequest::get(query)));
    assert_eq!([ask(), ask(), ask()], ["1 2 3", "1 2 3", "2 3 1† 4"]);
    let list = "verb=ListRecords&metadataPrefix=oai_dc&until=2025-01-01T00:00:00Z";
    assert_eq!(line(&repository.answer(&AskedRequest::get(list))), "2 3 1† 4");
}

#[test]
fn what_an_index_does_not_show_in_a_run_it_shows_in_the_next() {
    let mut script = Script::plain(3, 9, 1);
    script.repository.protocol.index_lag_seconds = 3_600;
    script.runs[0].before = vec![Change::Add(1)];
    script.runs.push(script.runs[0].clone());
    script.runs[1].before = Vec::new();
    let mut repository = repository(script);
    assert_eq!(harvest(&mut repository, 1), ["1 2 3"]);
    repository.begin_run(1);
    assert_eq!(harvest(&mut repository, 1), ["1 2 3 4"]);
}

/// responseDate and delay of three answers, with this effect at the second.
fn times(effect: TimeEffect) -> [(String, u64); 3] {
    let mut repository = played(Effect::Time(effect), |_| ());
    let mut query = "verb=ListRecords&metadataPrefix=oai_dc".to_owned();
    [(); 3].map(|()| {
        let reply = repository.answer(&AskedRequest::get(&query));
        let delay_seconds = reply.delay_seconds;
        if let Some(token) = &reply.exchange.answer.token {
            query = resume(token);
        }
        let text = crate::support::text(reply);
        let date = text.split_once("<responseDate>").and_then(|(_, rest)| rest.split('<').next());
        (date.unwrap_or("none").to_owned(), delay_seconds)
    })
}

#[test]
fn time_passes_as_the_script_wants_it() {
    let at = |time: &str| (format!("2025-01-01T00:00:{time}Z"), 0);
    assert_eq!(
        times(TimeEffect::Delay(30)),
        [at("00"), ("2025-01-01T00:00:31Z".into(), 30), at("32")]
    );
    assert_eq!(times(TimeEffect::Jump(30)), [at("00"), at("31"), at("32")]);
    assert_eq!(
        times(TimeEffect::Jump(-2)),
        [at("00"), ("2024-12-31T23:59:59Z".into(), 0), at("00")]
    );
    assert_eq!(
        times(TimeEffect::ResponseDate("yesterday".into())),
        [at("00"), ("yesterday".into(), 0), at("02")]
    );
}
