//! A repository without faults keeps the protocol: every answer is valid by the schema and is read without a complaint.

use pmh_protocol::{Body, DeletedRecords, Granularity, encode_arguments};
use pmh_repository::{AskedRequest, Repository};
use pmh_scenario::{Change, Expiration, LastToken, ListKind, Order, Script, TokenStyle};

use crate::schema::violations;
use crate::support::{document, repository, text};

/// Twelve records in three sets, some deleted, in pages of five.
fn script() -> Script {
    let mut script = Script::plain(12, 5, 1);
    let sets = ["art", "art:paint", "maps"].map(str::to_owned);
    for (number, record) in &mut script.repository.world.records {
        record.sets = vec![sets[*number as usize % 3].clone()];
    }
    script.repository.world.sets = sets.to_vec();
    script.runs[0].before =
        vec![Change::Delete(vec![2, 9]), Change::Add(1), Change::Touch(vec![4])];
    script
}

/// Asks by GET and by POST, which must be answered alike; the answer must be valid and readable.
fn ask(repository: &mut Repository, query: &str) -> Body {
    let posted = repository.clone().answer(&AskedRequest::post(query));
    let reply = repository.answer(&AskedRequest::get(query));
    assert_eq!(reply.body, posted.body, "the answer to POST differs for `{query}`");
    let body = document(&reply).body;
    let text = text(reply);
    assert_eq!(violations(&text), Vec::<String>::new(), "`{query}` is answered\n{text}");
    body
}

/// Asks for a list to its end; how many pages and entries came.
fn list(repository: &mut Repository, verb: &str, selection: &str) -> (usize, usize) {
    let mut query = format!("verb={verb}&metadataPrefix=oai_dc{selection}");
    let (mut pages, mut entries) = (0, 0);
    while pages < 10 {
        match ask(repository, &query) {
            Body::List(page) => {
                pages += 1;
                entries += page.items.len();
                let Some(token) = page.next_token() else { break };
                query = encode_arguments(&[("verb", verb), ("resumptionToken", &token.value)]);
            }
            other => panic!("expected a list, found {other:?}"),
        }
    }
    (pages, entries)
}

/// Everything that a harvester asks a repository of this script.
fn check(script: Script, expected: (usize, usize)) {
    let mut repository = repository(script);
    assert!(matches!(ask(&mut repository, "verb=Identify"), Body::Identify(_)));
    assert!(matches!(ask(&mut repository, "verb=ListMetadataFormats"), Body::Formats(_)));
    assert!(matches!(ask(&mut repository, "verb=ListSets"), Body::Sets { .. }));
    for verb in ["ListRecords", "ListIdentifiers"] {
        assert_eq!(list(&mut repository, verb, ""), expected, "{verb}");
        let selective = list(&mut repository, verb, "&set=art&from=2024-01-01&until=2025-12-31");
        assert!((1..expected.1).contains(&selective.1), "{verb}: {selective:?}");
    }
    for number in [1, 2, 13] {
        let query = format!(
            "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Arepository.example%3A{number:06}"
        );
        ask(&mut repository, &query);
    }
    ask(&mut repository, "verb=ListMetadataFormats&identifier=oai:repository.example:000001");
}

#[test]
fn every_clean_repository_is_valid_and_readable() {
    let styles = [
        TokenStyle::Stateless,
        TokenStyle::Stateful,
        TokenStyle::Opaque,
        TokenStyle::Offset,
        TokenStyle::Session,
    ];
    let policies = [DeletedRecords::No, DeletedRecords::Transient, DeletedRecords::Persistent];
    for style in styles {
        for policy in policies {
            for granularity in [Granularity::Day, Granularity::Second] {
                let mut script = script();
                let protocol = &mut script.repository.protocol;
                protocol.token = style;
                protocol.deleted_records = policy;
                protocol.granularity = granularity;
                let shown = if policy == DeletedRecords::No { 11 } else { 13 };
                check(script, (3, shown));
            }
        }
    }
}

#[test]
fn what_the_protocol_leaves_open_is_valid_and_readable_too() {
    let with = |change: fn(&mut Script)| {
        let mut script = script();
        change(&mut script);
        check(script, (3, 13));
    };
    with(|script| script.repository.protocol.last_token = LastToken::Bare);
    with(|script| script.repository.protocol.paging.order = Order::Id);
    with(|script| script.repository.protocol.paging.list = ListKind::Live);
    with(|script| {
        script.repository.protocol.life.seconds = Some(3_600);
        script.repository.protocol.announced.expiration = Expiration::Right;
    });
}

#[test]
fn every_error_is_valid_and_readable() {
    for (query, code) in [
        ("verb=Identify&verb=Identify", "badVerb"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=x", "badArgument"),
        ("verb=ListRecords&resumptionToken=x", "badResumptionToken"),
        ("verb=ListRecords&metadataPrefix=marc", "cannotDisseminateFormat"),
        ("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:x:1", "idDoesNotExist"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2999-01-01", "noRecordsMatch"),
        ("verb=ListMetadataFormats&identifier=oai:repository.example:000002", "noMetadataFormats"),
        ("verb=ListSets", "noSetHierarchy"),
    ] {
        let mut script = script();
        if code == "noSetHierarchy" {
            script.repository.world.sets.clear();
        }
        let Body::Errors(errors) = ask(&mut repository(script), query) else {
            panic!("expected an error for `{query}`");
        };
        assert_eq!(errors[0].code.as_str(), code, "{query}");
    }
}

#[test]
fn the_walk_finds_what_the_schema_forbids() {
    let mut repository = repository(script());
    let mut page = |query: &str| text(repository.answer(&AskedRequest::get(query)));
    let list = page("verb=ListRecords&metadataPrefix=oai_dc");
    let identify = page("verb=Identify");
    for (document, from, to) in [
        (&list, "<responseDate>", "<responseDate>x"),
        (&list, "<responseDate>2025-01-01T00:00:00Z</responseDate>", ""),
        (&list, "http://www.openarchives.org/OAI/2.0/\" xmlns:xsi", "urn:x\" xmlns:xsi"),
        (&list, "verb=\"ListRecords\"", "verb=\"listRecords\""),
        (&list, "verb=\"ListRecords\"", "verbs=\"ListRecords\""),
        (&list, "<ListRecords>", "<ListRecords><header/>"),
        (&list, "<datestamp>", "<datestamp>1"),
        (&list, "<setSpec>", "<setSpec>a::b"),
        (&list, "</header><metadata>", "</header><about/><metadata>"),
        (&list, "<metadata>", "<metadata><x/>"),
        (&list, "completeListSize=\"13\"", "completeListSize=\"0\""),
        (&list, "cursor=\"0\"", "cursor=\"-1\""),
        (&list, "</ListRecords>", "<record></record></ListRecords>"),
        (&list, "</OAI-PMH>", "<ListSets></ListSets></OAI-PMH>"),
        (&list, "</OAI-PMH>", ""),
        (&identify, "<protocolVersion>2.0", "<protocolVersion>1.1"),
        (&identify, "<adminEmail>librarian@repository.example</adminEmail>", ""),
        (&identify, "<deletedRecord>persistent", "<deletedRecord>yes"),
        (&identify, "librarian@", "librarian at "),
        (&identify, "<granularity>", "<granularity>x"),
    ] {
        let spoilt = document.replacen(from, to, 1);
        assert_ne!(&spoilt, document, "there is no `{from}` in\n{document}");
        assert_ne!(violations(&spoilt), Vec::<String>::new(), "`{to}` got through");
    }
}
