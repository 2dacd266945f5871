//! A store against its repository: the four questions.

use super::{Mock, ScriptServer, document, pmh};

/// Harvests the mock, lets `damage` happen to the store, and expects how `verify` takes it.
#[track_caller]
fn check(mock: &[&str], damage: &str, exit: i32, said: &[&str]) {
    check_with(&[], mock, damage, exit, said);
}

#[track_caller]
fn check_with(flags: &[&str], mock: &[&str], damage: &str, exit: i32, said: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), mock);
    pmh(folder.path(), &["harvest", &mock.base_url]);
    let store = rusqlite::Connection::open(folder.path().join("pmh.sqlite")).expect("a store");
    store.execute_batch(damage).expect("damage that SQLite takes");
    drop(store);
    let before = pmh(folder.path(), &["export"]).stdout;
    let ran = pmh(folder.path(), &[&["verify", &mock.base_url], flags].concat());
    assert_eq!(ran.exit, exit, "{}{}", ran.stdout, ran.stderr);
    for text in said {
        assert!(ran.stdout.contains(text), "no `{text}` in {}", ran.stdout);
    }
    assert_eq!(pmh(folder.path(), &["export"]).stdout, before, "verifying changes nothing");
}

#[test]
fn a_complete_harvest_is_verified_by_the_announced_size() {
    check(
        &["--records", "45", "--page-size", "20"],
        "",
        0,
        &[
            "verified: http://127.0.0.1",
            "the repository announces 45 records; the store holds 45 live records",
            "nothing is open, and the watermark is at 2025-01-01T",
            "and changes nothing",
        ],
    );
}

#[test]
fn without_an_announced_size_the_identifiers_are_counted() {
    // One page: there is no token that could announce a size.
    check(&["--records", "7"], "", 0, &["announces no size, and lists 7 records"]);
}

#[test]
fn tombstones_count_as_records_of_the_list() {
    let said = "announces 60 records; the store holds 54 live records and 6 tombstones";
    check(&["healthy/pages"], "", 0, &[said]);
}

#[test]
fn a_harvest_that_began_late_is_held_against_what_came_since() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "45", "--page-size", "10"]);
    let from = ["harvest", &mock.base_url, "--from", "2024-01-02T00:20:00Z"];
    let harvested = pmh(folder.path(), &from);
    assert_eq!(harvested.exit, 0, "{}{}", harvested.stdout, harvested.stderr);
    let ran = pmh(folder.path(), &["verify", &mock.base_url]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("announces 45 records"), "{}", ran.stdout);
}

#[test]
fn a_lost_record_is_found() {
    let lose = "PRAGMA foreign_keys = OFF;
        DELETE FROM record WHERE identifier LIKE '%000003';
        DELETE FROM sighting WHERE record_id NOT IN (SELECT id FROM record);
        UPDATE harvest_key SET held_live = held_live - 1;";
    let page = &["--records", "45", "--page-size", "20"];
    check(page, lose, 4, &["different: ", "the store holds 44 live records: 1 missing"]);
}

#[test]
fn a_record_too_many_is_found() {
    let invent = "INSERT INTO record
        SELECT NULL, catalog_id, 'oai:invented', datestamp, deleted, sets, harvested_at, changed_at,
            first_seen, content_hash, abouts, payload FROM record LIMIT 1;
        INSERT INTO sighting SELECT key_id, (SELECT max(id) FROM record), traversal_number,
            window_number, datestamp, alive, staged, content_hash FROM sighting LIMIT 1;
        UPDATE harvest_key SET held_live = held_live + 1;";
    check(&["--records", "7"], invent, 4, &["the store holds 8 live records: 1 too many"]);
}

#[test]
fn a_record_that_was_altered_is_found_by_trying_everything() {
    let alter = "UPDATE record SET payload = '<x/>', content_hash = x'00'
        WHERE identifier LIKE '%000003';
        UPDATE record SET deleted = 1, payload = NULL, abouts = '[]', content_hash = NULL
        WHERE identifier LIKE '%000005';
        UPDATE sighting SET alive = 0
        WHERE record_id IN (SELECT id FROM record WHERE deleted);
        UPDATE harvest_key SET held_live = held_live - 1;";
    let named = "changes 2 rows: `oai:repository.example:000003` (changed), \
                 `oai:repository.example:000005` (revived)";
    check_with(&["--full"], &["--records", "7"], alter, 4, &["harvesting everything again", named]);
    check(&["--records", "7"], alter, 0, &["harvesting from 2024-12-31"]);
}

#[test]
fn what_the_repository_changed_since_the_last_run_is_no_difference() {
    // As the store was before the last record came.
    let earlier = "PRAGMA foreign_keys = OFF;
        DELETE FROM record WHERE identifier LIKE '%000007';
        DELETE FROM sighting WHERE record_id NOT IN (SELECT id FROM record);
        UPDATE harvest_key SET held_live = held_live - 1, watermark = '2024-01-02T05:30:00Z';";
    let said = "and changes nothing (1 change dated since the last run)";
    check(&["--records", "7"], earlier, 0, &["the store holds 7 live records", said]);
}

#[test]
fn a_list_that_is_open_is_a_difference() {
    check(&["token/ends-early"], "", 4, &["different: ", "a list is open", "harvest first"]);
}

#[test]
fn a_repository_that_is_gone_leaves_it_unverifiable() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "7"]);
    assert_eq!(pmh(folder.path(), &["harvest", &mock.base_url]).exit, 0);
    let never = pmh(folder.path(), &["verify", &mock.base_url, "--prefix", "marc21"]);
    assert_eq!(never.exit, 3, "{}{}", never.stdout, never.stderr);
    assert!(never.stderr.contains("has nothing of"), "{}", never.stderr);
    // Another URL of the mock, which answers under its own only.
    let gone = mock.base_url.replace("/oai", "/gone");
    assert_eq!(pmh(folder.path(), &["rekey", &mock.base_url, &gone]).exit, 0);
    let ran = pmh(folder.path(), &["verify", &gone, "--json"]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    let said: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one JSON object");
    assert_eq!(said["verified"].as_str(), Some("unverifiable"));
    assert_eq!(said["answers"]["closed"]["verdict"].as_str(), Some("yes"));
    let why = said["answers"]["repeat"]["text"].as_str().expect("a reason");
    assert!(why.contains("harvesting again is refused: no OAI-PMH answer"), "{why}");
}

/// Two pages whose size counts something else, and whose token is refused without the prefix beside it.
fn particular() -> ScriptServer {
    ScriptServer::start(|head| {
        let line = head.lines().next().unwrap_or_default();
        if line.contains("verb=Identify") {
            return document(
                "<Identify><repositoryName>R</repositoryName><baseURL>http://x/oai</baseURL>\
                 <protocolVersion>2.0</protocolVersion><adminEmail>a@x</adminEmail>\
                 <earliestDatestamp>2000-01-01</earliestDatestamp><deletedRecord>no</deletedRecord>\
                 <granularity>YYYY-MM-DD</granularity></Identify>",
            );
        }
        if line.contains("resumptionToken") && !line.contains("metadataPrefix=oai_dc") {
            return document("<error code=\"badResumptionToken\">no metadataPrefix</error>");
        }
        let is_last = line.contains("resumptionToken");
        let number = if is_last { 2 } else { 1 };
        let header = format!(
            "<header><identifier>oai:x:{number}</identifier><datestamp>2023-01-01</datestamp></header>"
        );
        let token = if is_last { "" } else { "t" };
        let token = format!("<resumptionToken completeListSize=\"99\">{token}</resumptionToken>");
        document(&if line.contains("verb=ListIdentifiers") {
            format!("<ListIdentifiers>{header}{token}</ListIdentifiers>")
        } else {
            let metadata = "<metadata><dc xmlns=\"urn:x\"/></metadata>";
            format!("<ListRecords><record>{header}{metadata}</record>{token}</ListRecords>")
        })
    })
}

#[test]
fn a_source_with_departures_is_verified_with_them() {
    let server = particular();
    let url = server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let beside = ["--compat", "prefix-with-token"];
    let flags = [&beside[..], &["--size", "ignore"]].concat();
    let ran = pmh(folder.path(), &[&["harvest", &url], &flags[..]].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);

    // Without them the list cannot be read, or its size is believed.
    let ran = pmh(folder.path(), &["verify", &url]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    let ran = pmh(folder.path(), &[&["verify", &url], &beside[..]].concat());
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("harvesting again is incomplete"), "{}", ran.stdout);

    let asked = server.heads().len();
    let contact = ["--contact", "me@x.example"];
    let ran = pmh(folder.path(), &[&["verify", &url], &flags[..], &contact].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("the repository lists 2 records"), "{}", ran.stdout);
    let heads = server.heads();
    let new = &heads[asked..];
    assert!(new.iter().any(|head| head.contains("verb=ListIdentifiers&resumption")), "{new:?}");
    assert!(new.iter().all(|head| head.contains("from: me@x.example\n")), "{new:?}");
}
