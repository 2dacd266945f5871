//! The identifiers of a list beside those of a store, and their repair.

use std::path::Path;

use super::{Mock, ScriptServer, pmh};
use crate::support::Ran;

const PAGES: [&str; 4] = ["--records", "45", "--page-size", "20"];

/// Loses record 3, makes record 4 an older one, and invents one that the repository never had.
const DAMAGE: &str = "PRAGMA foreign_keys = OFF;
    DELETE FROM record WHERE identifier LIKE '%000003';
    DELETE FROM sighting WHERE record_id NOT IN (SELECT id FROM record);
    UPDATE record SET datestamp = '2023-01-01T00:00:00Z', payload = '<old/>', content_hash = x'00'
    WHERE identifier LIKE '%000004';
    INSERT INTO record
    SELECT NULL, catalog_id, 'oai:invented', datestamp, deleted, sets, harvested_at, changed_at,
        first_seen, content_hash, abouts, payload FROM record LIMIT 1;
    INSERT INTO sighting SELECT key_id, (SELECT max(id) FROM record), traversal_number,
        window_number, datestamp, alive, staged, content_hash FROM sighting LIMIT 1;";

/// Harvests `mock`, and lets `damage` happen to the store.
fn harvested(folder: &Path, mock: &Mock, damage: &str) {
    let ran = pmh(folder, &["harvest", &mock.base_url]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let store = rusqlite::Connection::open(folder.join("pmh.sqlite")).expect("a store");
    store.execute_batch(damage).expect("damage that SQLite takes");
}

#[track_caller]
fn says(ran: &Ran, exit: i32, texts: &[&str]) {
    assert_eq!(ran.exit, exit, "{}{}", ran.stdout, ran.stderr);
    for text in texts {
        assert!(ran.stdout.contains(text), "no `{text}` in {}", ran.stdout);
    }
}

#[test]
fn a_store_that_holds_what_is_listed_has_no_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["healthy/pages"]);
    harvested(folder.path(), &mock, "");
    let ran = pmh(folder.path(), &["audit", &mock.base_url]);
    says(&ran, 0, &["same: ", "listed   60 identifiers, 6 of them deleted", "54 live records"]);
}

#[test]
fn what_differs_is_named_and_nothing_is_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &PAGES);
    harvested(folder.path(), &mock, DAMAGE);
    let before = pmh(folder.path(), &["export"]).stdout;
    let ran = pmh(folder.path(), &["audit", &mock.base_url]);
    let missing = "missing  1: listed, not held\n    oai:repository.example:000003\n";
    let stale =
        "stale    1: listed with a later datestamp than held\n    oai:repository.example:000004\n";
    let extra = "extra    1: held alive, not listed\n    oai:invented\n";
    says(&ran, 4, &["different: ", missing, stale, extra]);

    let ran = pmh(folder.path(), &["audit", &mock.base_url, "--json"]);
    let lines: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (sum, differences) = lines.split_last().expect("a sum");
    let kinds: Vec<_> = differences.iter().map(|line| line["difference"].as_str()).collect();
    assert_eq!(kinds, [Some("missing"), Some("stale"), Some("extra")]);
    assert_eq!(differences[1]["held"].as_str(), Some("2023-01-01T00:00:00Z"));
    assert_eq!((ran.exit, sum["audited"].as_str()), (4, Some("different")));
    assert_eq!((sum["listed"].as_u64(), sum["held"].as_u64()), (Some(45), Some(45)));
    assert_eq!(pmh(folder.path(), &["export"]).stdout, before, "an audit changes nothing");
}

#[test]
fn a_repair_fetches_what_is_missing_and_removes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &PAGES);
    let payloads = || {
        let lines = pmh(folder.path(), &["export"]).stdout;
        let line = |line| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        lines.lines().map(|text| line(text)["payload"].to_string()).collect::<Vec<_>>()
    };
    harvested(folder.path(), &mock, "");
    let undamaged = payloads();
    harvested(folder.path(), &mock, DAMAGE);
    let ran = pmh(folder.path(), &["audit", &mock.base_url, "--repair"]);
    let said = "repair   3 records asked for: 1 new, 1 changed, 0 revived, 0 unchanged";
    says(&ran, 4, &["different: ", said, "oai:invented: gone without a tombstone"]);
    let mut repaired = payloads();
    assert_eq!(repaired.len(), 46, "nothing is removed");
    // The invented one comes first by its identifier.
    repaired.remove(0);
    assert!(repaired == undamaged, "every payload is what the repository holds");

    let ran = pmh(folder.path(), &["audit", &mock.base_url]);
    says(&ran, 4, &["extra    1: held alive"]);
    assert!(!ran.stdout.contains("missing"), "{}", ran.stdout);
    let ran = pmh(folder.path(), &["verify", &mock.base_url, "--full"]);
    assert!(ran.stdout.contains("and changes nothing"), "{}", ran.stdout);
}

#[test]
fn with_everything_repaired_there_is_no_difference_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &PAGES);
    let lose = "PRAGMA foreign_keys = OFF;
        DELETE FROM record WHERE identifier LIKE '%00000_';
        DELETE FROM sighting WHERE record_id NOT IN (SELECT id FROM record);
        UPDATE harvest_key SET held_live = held_live - 9;";
    harvested(folder.path(), &mock, lose);
    let ran = pmh(folder.path(), &["audit", &mock.base_url, "--repair"]);
    says(&ran, 0, &["repaired: ", "9 records asked for: 9 new"]);
    says(&pmh(folder.path(), &["audit", &mock.base_url]), 0, &["same: "]);
    says(&pmh(folder.path(), &["verify", &mock.base_url]), 0, &["verified: "]);
}

#[test]
fn a_deletion_that_was_missed_is_staged_until_a_list_is_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["healthy/pages"]);
    let revive =
        "UPDATE record SET deleted = 0, payload = '<x/>', content_hash = x'00' WHERE deleted;
        UPDATE sighting SET alive = 1;
        UPDATE harvest_key SET held_live = 60;";
    harvested(folder.path(), &mock, revive);
    let ran = pmh(folder.path(), &["audit", &mock.base_url, "--repair"]);
    let waits = "deleted there: takes effect with the next complete list";
    says(&ran, 4, &["deleted  6: listed as deleted, held alive", waits]);
    let count = |sql: &str| -> i64 {
        let store = rusqlite::Connection::open(folder.path().join("pmh.sqlite")).expect("a store");
        store.query_row(sql, [], |row| row.get(0)).expect("a count")
    };
    assert_eq!(count("SELECT count(*) FROM catalog_record WHERE deleted"), 0);
    assert_eq!(count("SELECT staged FROM state"), 6);
    assert_eq!(pmh(folder.path(), &["harvest", &mock.base_url]).exit, 0);
    assert_eq!(count("SELECT count(*) FROM catalog_record WHERE deleted"), 6);
    says(&pmh(folder.path(), &["audit", &mock.base_url]), 0, &["same: "]);
}

#[test]
fn a_list_that_cannot_be_read_to_its_end_tells_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["token/ends-early"]);
    let ran = pmh(folder.path(), &["harvest", &mock.base_url]);
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    let ran = pmh(folder.path(), &["audit", &mock.base_url]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("announced: nothing can be told from it"), "{}", ran.stderr);
    // As short as the harvest was, so that nothing differs for whoever does not believe the size.
    let ran = pmh(folder.path(), &["audit", &mock.base_url, "--size", "ignore"]);
    says(&ran, 0, &["same: ", "listed   40 identifiers"]);
    let never = pmh(folder.path(), &["audit", &mock.base_url, "--prefix", "marc21"]);
    assert_eq!(never.exit, 3, "{}{}", never.stdout, never.stderr);
    assert!(never.stderr.contains("has nothing of"), "{}", never.stderr);
    drop(mock);
    let gone = pmh(folder.path(), &["audit", "http://127.0.0.1:1/oai", "--repair"]);
    assert_eq!(gone.exit, 3, "{}{}", gone.stdout, gone.stderr);
}

#[test]
fn a_set_that_was_never_there_is_not_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["set/one-of-three"]);
    let harvested = pmh(folder.path(), &["harvest", &mock.base_url, "--set", "maps"]);
    assert_eq!(harvested.exit, 0, "{}{}", harvested.stdout, harvested.stderr);
    let misspelt = pmh(folder.path(), &["harvest", &mock.base_url, "--set", "coinz"]);
    assert_eq!(misspelt.exit, 3, "{}{}", misspelt.stdout, misspelt.stderr);
    let ran = pmh(folder.path(), &["audit", &mock.base_url, "--set", "coinz"]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("same"), "{}", ran.stdout);
    let status = pmh(folder.path(), &["status"]).stdout;
    assert!(status.contains("maps") && !status.contains("coinz"), "a typo is not kept: {status}");
}

#[test]
fn nothing_is_the_same_as_nothing_only_where_a_harvest_was_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &PAGES);
    harvested(
        folder.path(),
        &mock,
        "PRAGMA foreign_keys = OFF;
        DELETE FROM sighting;
        UPDATE harvest_key SET set_spec = 'nope', watermark = NULL, held_live = 0;",
    );
    let ran = pmh(folder.path(), &["audit", &mock.base_url, "--set", "nope"]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_source_that_asked_not_to_be_asked_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ScriptServer::start(|_| {
        "HTTP/1.1 503 Busy\r\nRetry-After: 86400\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            .to_owned()
    });
    let url = server.base_url();
    let harvest = pmh(folder.path(), &["harvest", &url]);
    assert_eq!(harvest.exit, 3, "{}{}", harvest.stdout, harvest.stderr);
    let asked = server.heads().len();
    let ran = pmh(folder.path(), &["audit", &url]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("asked not to be asked before"), "{}", ran.stderr);
    assert_eq!(server.heads().len(), asked);
    let ran = pmh(folder.path(), &["audit", &url, "--ignore-not-before"]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(server.heads().len(), asked + 1);
}
