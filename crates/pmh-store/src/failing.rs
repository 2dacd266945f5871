//! What is left when SQLite fails on the way: everything that has a receipt, nothing of the commit that failed, and a
//! store that goes on when the trouble is over.

use std::sync::Arc;

use pmh_harvest::{
    Batch, Closing, CompleteList, Completion, Cursor, Ending, Entry, Key, Known, Opening, Progress,
    Row, SourceFacts, SourceMemory, Store, Traversal, Window,
};
use pmh_protocol::{DeletedRecords, Granularity, Header, Item, Record, Stamp, Tombstone};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::SqliteStore;

/// Long enough that every record takes pages of its own in the file.
const PAYLOAD_BYTES: usize = 40_000;
/// Troubles of one kind at the most: far beyond what the commits below can meet.
const TROUBLES_MAX: i64 = 1_000;
/// Steps of a statement in SQLite's machine from one place of a failure to the next.
const STEPS: i32 = 97;

fn key() -> Key {
    let source = "https://repository.example/oai".to_owned();
    Key { source, prefix: "oai_dc".to_owned(), set: None }
}

fn at(seconds: u64) -> Stamp {
    Stamp::from_seconds(1_780_000_000).plus_seconds(seconds.cast_signed())
}

fn open(number: u64) -> Entry {
    Entry::Open(Opening {
        traversal: Traversal {
            number,
            window_number: number,
            window: Window::default(),
            opened_at: at(number),
            restarts_in_row: 0,
            restarts: 0,
        },
        source: SourceFacts {
            granularity: Granularity::Second,
            deleted_records: DeletedRecords::Persistent,
            name: None,
            host: None,
            namespace: None,
            earliest: None,
        },
        schema: None,
        refresh: None,
    })
}

fn header(identifier: &str) -> Header {
    Header { identifier: identifier.to_owned(), datestamp: None, sets: Vec::new() }
}

fn live(identifier: &str, letter: &str) -> Item {
    let payload = Some(format!("<x>{}</x>", letter.repeat(PAYLOAD_BYTES)));
    Item::Record(Record { header: header(identifier), payload, abouts: Vec::new() })
}

fn page(traversal: u64, items: Vec<Item>) -> Entry {
    Entry::Page(Batch {
        traversal,
        page: 1,
        items,
        progress: Progress::default(),
        cursor: Some(Cursor {
            token: format!("after {traversal}"),
            given_at: at(0),
            life_seconds: None,
        }),
        taken_at: at(traversal),
    })
}

fn complete(traversal: u64) -> Entry {
    let list =
        CompleteList { pages: 2, distinct: 3, size: None, ended_empty: false, everything: true };
    let ending = Ending::Complete(Completion {
        watermark: Some(at(traversal)),
        floor: None,
        list: Some(list),
        coverage: None,
        lag_seconds: 0,
        holes: Vec::new(),
        incomplete: None,
    });
    let memory = SourceMemory::default();
    Entry::Close(Closing { traversal: Some(traversal), closed_at: at(traversal), ending, memory })
}

/// Two harvests, commit after commit: records, and then a change, a deletion and something new.
fn commits() -> Vec<Vec<Arc<Entry>>> {
    let gone = Item::Tombstone(Tombstone { header: header("a") });
    let commits = [
        vec![open(1), page(1, vec![live("a", "1"), live("b", "1")])],
        vec![page(1, vec![live("c", "1")])],
        vec![complete(1)],
        vec![open(2)],
        vec![page(2, vec![gone, live("b", "2")])],
        vec![page(2, vec![live("d", "1")]), complete(2)],
    ];
    commits.map(|entries| entries.into_iter().map(Arc::new).collect()).into()
}

type State = (Known, Vec<Row>);

fn state(store: &mut SqliteStore) -> State {
    let key = key();
    (store.known(&key).unwrap(), store.rows(&key.source, &key.prefix).unwrap())
}

/// What the store says before the first commit and after each.
fn undisturbed() -> Vec<State> {
    let folder = TempDir::new().unwrap();
    let mut store = SqliteStore::open(folder.path().join("store.sqlite")).unwrap();
    let mut states = vec![state(&mut store)];
    for entries in commits() {
        store.commit(&key(), &entries).unwrap();
        states.push(state(&mut store));
    }
    states
}

/// Has the store fail with `trouble`, later and later, until it is never met. Every failure must leave what was committed, on
/// the same connection and when the file is opened again, and what failed must go through then. Which commits failed.
fn check(trouble: fn(&mut Connection, i64)) -> Vec<usize> {
    let states = undisturbed();
    let mut failed = Vec::new();
    for n in 0..TROUBLES_MAX {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("store.sqlite");
        let mut store = SqliteStore::open(&path).unwrap();
        trouble(&mut store.connection, n);
        let refused = |entries: &Vec<Arc<Entry>>| store.commit(&key(), entries).is_err();
        let Some(index) = commits().iter().position(refused) else { return failed };
        store.connection.progress_handler(0, None::<fn() -> bool>).unwrap();
        assert_eq!(state(&mut store), states[index], "trouble {n}: what was committed is told");
        drop(store);

        let mut store = SqliteStore::open(&path).unwrap();
        assert_eq!(state(&mut store), states[index], "trouble {n}: what was committed is held");
        assert_eq!(store.check_integrity().unwrap(), [], "trouble {n}");
        for entries in &commits()[index..] {
            store.commit(&key(), entries).unwrap();
        }
        assert_eq!(Some(&state(&mut store)), states.last(), "trouble {n}: it goes on");
        failed.push(index);
    }
    panic!("the trouble is met again and again");
}

/// That every commit failed at least once, the last ones last.
fn assert_all_failed(mut failed: Vec<usize>) {
    assert!(failed.is_sorted(), "{failed:?}");
    failed.dedup();
    assert_eq!(failed, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_commit_that_is_lost_takes_nothing_with_it() {
    assert_all_failed(check(|connection, n| {
        let mut commits = 0..;
        let is_lost = move || commits.next() == Some(n);
        connection.commit_hook(Some(is_lost)).unwrap();
    }));
}

#[test]
fn a_commit_that_fails_anywhere_on_its_way_leaves_nothing_of_itself() {
    let failed = check(|connection, n| {
        let mut calls = 0..;
        let is_over = move || calls.next() >= Some(n);
        connection.progress_handler(STEPS, Some(is_over)).unwrap();
    });
    assert!(failed.len() > 8, "few places were met: {failed:?}");
    assert!(failed.contains(&0) && failed.contains(&5), "{failed:?}");
}

#[test]
fn a_disk_that_is_full_at_any_page_keeps_what_was_committed() {
    let mut failed = check(|connection, n| {
        let pages: i64 =
            connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        connection.pragma_update_and_check(None, "max_page_count", pages + n, |_| Ok(())).unwrap();
    });
    let places = failed.len();
    failed.dedup();
    // A commit that needs no more room than the file has goes through on a full disk.
    assert!(failed.starts_with(&[0, 1]) && failed.ends_with(&[5]), "{failed:?}");
    assert!(places > 8, "{places} pages were met");
}
