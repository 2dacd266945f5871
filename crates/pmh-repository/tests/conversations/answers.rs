//! What single requests are answered.

use crate::support::{document, line, repository};
use pmh_protocol::{Body, DeletedRecords, Granularity, Verb, encode_arguments};
use pmh_repository::{AskedRequest, BASE_URL, BUDGET_SPENT};
use pmh_scenario::{Change, Script};

/// Five records in pages of two, the second deleted; with sets when asked for.
fn script(sets: bool) -> Script {
    let mut script = Script::plain(5, 2, 1);
    script.runs[0].before = vec![Change::Delete(vec![2])];
    if sets {
        let sets = &mut script.repository.world.sets;
        *sets = vec!["art".into(), "art:paint".into(), "maps".into()];
        for (record, set) in script.repository.world.records.values_mut().zip([0, 1, 1, 0, 1]) {
            record.sets = vec![sets[set].clone()];
        }
    }
    script
}

fn check(script: Script, query: &str, expected: &str) {
    let mut by_get = repository(script.clone());
    let got = by_get.answer(&AskedRequest::get(query));
    assert_eq!(line(&got), expected, "for `{query}`");
    let posted = repository(script).answer(&AskedRequest::post(query));
    assert_eq!(posted.body, got.body, "the answer to POST differs for `{query}`");
}

#[test]
fn every_verb_has_an_answer() {
    for (query, expected) in [
        ("verb=Identify", "Identify"),
        ("verb=ListMetadataFormats", "1 formats"),
        ("verb=ListMetadataFormats&identifier=oai:repository.example:000001", "1 formats"),
        ("verb=ListSets", "3 sets"),
        (
            "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Arepository.example%3A000001",
            "record 1",
        ),
        (
            "identifier=oai:repository.example:000002&metadataPrefix=oai_dc&verb=GetRecord",
            "record 2†",
        ),
        (
            "verb=ListIdentifiers&metadataPrefix=oai_dc&set=art:paint",
            "3 5 > ListIdentifiers|oai_dc|||art:paint|1|2",
        ),
        ("verb=ListRecords&metadataPrefix=oai_dc&set=maps", "noRecordsMatch"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2025-01-01", "2†"),
    ] {
        check(script(true), query, expected);
    }
}

#[test]
fn each_of_the_eight_errors_is_given_where_the_protocol_wants_it() {
    for (query, expected) in [
        ("", "badVerb"),
        ("verb=listRecords", "badVerb"),
        ("verb=Identify&verb=Identify", "badVerb"),
        ("verb=%00", "badVerb"),
        ("verb=Identify&foo=bar", "badArgument"),
        ("verb=Identify&%01=bar", "badArgument"),
        ("verb=GetRecord&metadataPrefix=oai_dc", "badArgument"),
        ("verb=GetRecord&metadataPrefix=oai_dc&identifier=a%20b", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai%2Fdc", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&set=", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2025-01-02&until=2025-01-01", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&resumptionToken=x", "badArgument"),
        ("verb=ListRecords&resumptionToken=x", "badResumptionToken"),
        ("verb=ListRecords&resumptionToken=", "badResumptionToken"),
        ("verb=ListSets&resumptionToken=x", "badResumptionToken"),
        ("verb=ListRecords&metadataPrefix=marc", "cannotDisseminateFormat"),
        (
            "verb=GetRecord&metadataPrefix=marc&identifier=oai:repository.example:000001",
            "cannotDisseminateFormat",
        ),
        (
            "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:repository.example:000009",
            "idDoesNotExist",
        ),
        ("verb=ListMetadataFormats&identifier=oai:repository.example:1", "idDoesNotExist"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2999-01-01", "noRecordsMatch"),
        ("verb=ListRecords&metadataPrefix=oai_dc&set=no.such.set", "noRecordsMatch"),
        ("verb=ListMetadataFormats&identifier=oai:repository.example:000002", "noMetadataFormats"),
    ] {
        check(script(true), query, expected);
    }
    for query in ["verb=ListSets", "verb=ListRecords&metadataPrefix=oai_dc&set=art"] {
        check(script(false), query, "noSetHierarchy");
    }
}

#[test]
fn a_policy_of_no_deletions_shows_none_anywhere() {
    let mut script = script(true);
    script.repository.protocol.deleted_records = DeletedRecords::No;
    for (query, expected) in [
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2025-01-01", "noRecordsMatch"),
        (
            "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:repository.example:000002",
            "idDoesNotExist",
        ),
        ("verb=ListMetadataFormats&identifier=oai:repository.example:000002", "idDoesNotExist"),
        ("verb=ListRecords&metadataPrefix=oai_dc", "1 3 > ListRecords|oai_dc||||1|2"),
    ] {
        check(script.clone(), query, expected);
    }
}

#[test]
fn a_repository_of_days_takes_and_gives_nothing_finer() {
    let mut script = script(false);
    script.repository.protocol.granularity = Granularity::Day;
    check(
        script.clone(),
        "verb=ListRecords&metadataPrefix=oai_dc&from=2025-01-01T00:00:00Z",
        "badArgument",
    );
    check(script.clone(), "verb=ListRecords&metadataPrefix=oai_dc&from=2025-01-01", "2†");
    let reply =
        repository(script).answer(&AskedRequest::get("verb=ListIdentifiers&metadataPrefix=oai_dc"));
    let text = String::from_utf8(reply.body).unwrap();
    assert!(text.contains("<datestamp>2024-01-02</datestamp>"), "{text}");
}

#[test]
fn arguments_are_repeated_exactly_unless_they_were_at_fault() {
    let hostile = encode_arguments(&[
        ("verb", "GetRecord"),
        ("metadataPrefix", "oai_dc"),
        ("identifier", "x:&'%3C"),
    ]);
    let mut repository = repository(script(false));
    let mut echo = |query: &str| document(&repository.answer(&AskedRequest::get(query))).request;
    let repeated = echo(&hostile);
    assert_eq!(repeated.base_url, BASE_URL);
    assert_eq!(
        repeated.arguments,
        [("verb", "GetRecord"), ("metadataPrefix", "oai_dc"), ("identifier", "x:&'%3C")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    for query in ["verb=%3Cb%3E", "verb=Identify&%22=%26"] {
        assert_eq!(echo(query).arguments, [], "for `{query}`");
    }
}

#[test]
fn no_datestamp_is_before_the_earliest() {
    let script = script(false);
    let stamps = script.repository.world.records.values().map(|record| record.stamp);
    let first = stamps.min().unwrap();
    let Body::Identify(identify) =
        document(&repository(script).answer(&AskedRequest::get("verb=Identify"))).body
    else {
        panic!("expected Identify");
    };
    assert_eq!(identify.earliest_datestamp.unwrap().stamp, first);
}

#[test]
fn the_clock_moves_with_every_answer_and_jumps_between_runs() {
    let mut repository = repository(script(false));
    let mut dates = Vec::new();
    for run in [0, 0, 1] {
        if run == 1 {
            repository.begin_run(1);
        }
        let reply = repository.answer(&AskedRequest::get("verb=Identify"));
        dates.push(document(&reply).response_date.unwrap().to_string());
    }
    assert_eq!(dates, ["2025-01-01T00:00:00Z", "2025-01-01T00:00:01Z", "2025-01-02T00:00:00Z"]);
}

#[test]
fn a_spent_budget_ends_all_service() {
    let mut script = script(false);
    script.budget.requests = 1;
    let mut repository = repository(script);
    assert_eq!(line(&repository.answer(&AskedRequest::get("verb=Identify"))), "Identify");
    let refused = repository.answer(&AskedRequest::get("verb=Identify"));
    assert_eq!((refused.status, refused.exchange.faults), (503, vec![BUDGET_SPENT.to_owned()]));
}

#[test]
fn the_journal_tells_the_case_in_order() {
    let mut repository = repository(script(false));
    repository.answer(&AskedRequest::get(
        "verb=ListRecords&metadataPrefix=oai_dc&until=2024-01-02T00:00:00Z",
    ));
    repository.crash("page 1");
    repository.end_run("killed");
    let text = repository.journal().to_ndjson();
    assert_eq!(
        text,
        concat!(
            r#"{"event":"run-start","t":"2025-01-01T00:00:00Z","run":"harvest"}"#, "\n",
            r#"{"event":"repo-change","t":"2025-01-01T00:00:00Z","what":"deleted: oai:repository.example:000002"}"#, "\n",
            r#"{"event":"exchange","n":1,"t":"2025-01-01T00:00:00Z","run":"harvest","list":1,"page":1,"token":0,"attempt":1,"args":[["verb","ListRecords"],["metadataPrefix","oai_dc"],["until","2024-01-02T00:00:00Z"]],"answer":{"status":200,"records":1,"bytes":1}}"#, "\n",
            r#"{"event":"crash","t":"2025-01-01T00:00:01Z","run":"harvest","place":"page 1"}"#, "\n",
            r#"{"event":"run-end","t":"2025-01-01T00:00:01Z","run":"harvest","end":"killed"}"#, "\n",
        )
        .replace("\"bytes\":1}", &format!("\"bytes\":{}}}", repository.journal().exchanges().next().unwrap().answer.bytes))
    );
}

#[test]
fn what_a_hostile_request_leaves_in_the_journal_is_bounded() {
    let mut query = format!("verb=Identify&x={}", "ü".repeat(100_000));
    for number in 0..1_000 {
        query.push_str(&format!("&a{number}=1"));
    }
    let reply = repository(script(false)).answer(&AskedRequest::get(&query));
    assert_eq!(reply.exchange.args.len(), 32);
    assert_eq!(reply.exchange.args[1].1.len(), 8_192);
}

#[test]
fn identifiers_and_records_are_listed_alike() {
    let list = |verb: Verb| {
        let query = format!("verb={verb}&metadataPrefix=oai_dc");
        let Body::List(page) =
            document(&repository(script(true)).answer(&AskedRequest::get(&query))).body
        else {
            panic!("expected a list");
        };
        page.items.iter().map(|item| item.header().clone()).collect::<Vec<_>>()
    };
    assert_eq!(list(Verb::ListRecords), list(Verb::ListIdentifiers));
}
