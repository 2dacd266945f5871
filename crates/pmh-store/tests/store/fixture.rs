//! Stores written by earlier versions, opened by this one.
//!
//! `tests/fixtures/v1.sqlite` was made once by giving the entries of [`fill`] to the first version, and is never
//! made again: a new schema version gets a file of its own beside it.

use std::fs;
use std::path::{Path, PathBuf};

use pmh_store::SqliteStore;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{
    PREFIX, SOURCE, Stores, complete, gone, incomplete, key, live, open, page, set_key,
};

fn fill(stores: &mut Stores) {
    stores.commit(
        &key(),
        [open(1), page(1, [live("a", "<x/>"), live("b", "<y/>"), gone("c")]), complete(1)],
    );
    stores.commit(&key(), [open(2), page(2, [gone("a"), live("d", "<z/>")]), incomplete(2, true)]);
    stores.commit(&set_key("one"), [open(3), page(3, [live("b", "<y/>")])]);
}

/// A copy of a fixture to be opened: SQLite leaves files beside what it opens.
fn copy_of(name: &str, folder: &TempDir) -> PathBuf {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let copy = folder.path().join(name);
    fs::copy(original, &copy).unwrap();
    copy
}

/// A changed `0001.sql` fails here: stores that it has made are out in the world.
#[test]
fn the_first_migration_stays_what_it_was() {
    let folder = TempDir::new().unwrap();
    let released = Connection::open(copy_of("v1.sqlite", &folder)).unwrap();
    let now = Connection::open_in_memory().unwrap();
    now.execute_batch(include_str!("../../src/migrations/0001.sql")).unwrap();
    assert_eq!(schema(&now), schema(&released));
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
fn a_store_of_the_first_version_says_what_it_was_given() {
    let mut expected = Stores::new("as the fixture was made");
    fill(&mut expected);
    let folder = TempDir::new().unwrap();
    let mut store = SqliteStore::open(copy_of("v1.sqlite", &folder)).unwrap();
    assert_eq!(store.check_integrity().unwrap(), []);
    assert_eq!(store.rows(SOURCE, PREFIX).unwrap(), expected.rows());
    for key in [key(), set_key("one")] {
        assert_eq!(pmh_harvest::Store::known(&mut store, &key).unwrap(), expected.known(&key));
    }
    assert_eq!(store.keys().unwrap(), expected.sqlite.keys().unwrap());
}
