//! Stores written by earlier versions, opened by this one.
//!
//! `tests/fixtures/v1.sqlite` was made once by giving the entries of [`fill`] to the first version, `v2.sqlite` those
//! of [`fill`] and [`fill_more`] to the second and `v3.sqlite` to the third, and they are never made again: a new schema version gets a file of its
//! own beside them.

use std::fs;
use std::path::{Path, PathBuf};

use pmh_harvest::{
    Closing, CompleteList, Completion, Ending, Entry, Hole, Opening, Refresh, SourceFacts,
    SourceMemory, Span,
};
use pmh_protocol::Datestamp;
use pmh_store::SqliteStore;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{
    COMPLETION, FACTS, PREFIX, SOURCE, Stores, at, complete, gone, incomplete, key, live, open,
    page, set_key,
};

fn fill(stores: &mut Stores) {
    stores.commit(
        &key(),
        [open(1), page(1, [live("a", "<x/>"), live("b", "<y/>"), gone("c")]), complete(1)],
    );
    stores.commit(&key(), [open(2), page(2, [gone("a"), live("d", "<z/>")]), incomplete(2, true)]);
    stores.commit(&set_key("one"), [open(3), page(3, [live("b", "<y/>")])]);
}

/// What the second version can keep and the first could not.
fn fill_more(stores: &mut Stores) {
    let Entry::Open(opening) = open(4) else { unreachable!("an opening opens") };
    let opening = Opening {
        source: SourceFacts { name: Some("A".to_owned()), earliest: Some(at(0)), ..FACTS },
        schema: Some("http://x/1.xsd".to_owned()),
        refresh: Some(Refresh::SchemaChanged),
        ..opening
    };
    let list = CompleteList { everything: false, ..COMPLETION.list.unwrap() };
    let coverage = Some(Span { from: None, until: at(60) });
    let holes = vec![Hole {
        identifier: "e".to_owned(),
        datestamp: Datestamp::parse("2026-06-01").ok(),
        reason: "HTTP status 500".to_owned(),
    }];
    let completion =
        Completion { coverage, lag_seconds: 60, list: Some(list), holes, ..COMPLETION };
    let memory = SourceMemory { not_before: Some(at(9)), single_use: true, pause_millis: 500 };
    let closing = Closing {
        traversal: Some(4),
        closed_at: at(5),
        ending: Ending::Complete(completion),
        memory,
    };
    stores.commit(&set_key("two"), [Entry::Open(opening), Entry::Close(closing)]);
}

/// A copy of a fixture to be opened: SQLite leaves files beside what it opens.
fn copy_of(name: &str, folder: &TempDir) -> PathBuf {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let copy = folder.path().join(name);
    fs::copy(original, &copy).unwrap();
    copy
}

/// A changed migration fails here: stores that it has made are out in the world.
#[test]
fn released_migrations_stay_what_they_were() {
    let now = Connection::open_in_memory().unwrap();
    let folder = TempDir::new().unwrap();
    for (fixture, migration) in [
        ("v1.sqlite", include_str!("../../src/migrations/0001.sql")),
        ("v2.sqlite", include_str!("../../src/migrations/0002.sql")),
        ("v3.sqlite", include_str!("../../src/migrations/0003.sql")),
    ] {
        now.execute_batch(migration).unwrap();
        let released = Connection::open(copy_of(fixture, &folder)).unwrap();
        assert_eq!(schema(&now), schema(&released), "{fixture}");
    }
}

fn schema(connection: &Connection) -> String {
    let application_id: u32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).unwrap();
    let mut statement = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .unwrap();
    let tables =
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<Vec<String>, _>>();
    format!("{application_id}\n{}", tables.unwrap().join("\n"))
}

#[test]
fn a_store_of_an_earlier_version_says_what_it_was_given() {
    let folder = TempDir::new().unwrap();
    let mut expected = Stores::new("as the fixtures were made");
    fill(&mut expected);
    check_fixture("v1.sqlite", &folder, &mut expected);
    fill_more(&mut expected);
    check_fixture("v2.sqlite", &folder, &mut expected);
    check_fixture("v3.sqlite", &folder, &mut expected);
}

fn check_fixture(fixture: &str, folder: &TempDir, expected: &mut Stores) {
    let mut store = SqliteStore::open(copy_of(fixture, folder)).unwrap();
    assert_eq!(store.check_integrity().unwrap(), []);
    assert_eq!(store.rows(SOURCE, PREFIX).unwrap(), expected.rows());
    for key in [key(), set_key("one"), set_key("two")] {
        let known = pmh_harvest::Store::known(&mut store, &key).unwrap();
        assert_eq!(known, expected.known(&key), "{fixture}");
    }
    assert_eq!(store.keys().unwrap(), expected.sqlite.keys().unwrap(), "{fixture}");
}
