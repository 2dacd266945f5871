//! What is left when the process is not there any more: whole commits, and nothing of the one under way.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pmh_harvest::{Closing, Ending, Entry, Known, Row, Store};
use pmh_store::{CommitError, SqliteStore, StoreError, StoreErrorKind};
use tempfile::TempDir;

use crate::support::{
    COMPLETION, PREFIX, SOURCE, Stores, close, complete, gone, key, live, open, page,
};

/// Commits good entries and a bad one together, and expects that nothing of them is left.
fn check_rolled_back<const N: usize>(entries: [Entry; N], is_expected: fn(&CommitError) -> bool) {
    let mut stores = Stores::new("before a bad commit");
    stores.commit(&key(), [open(1), page(1, [live("a", "<x/>")])]);
    let entries = entries.map(Arc::new);
    match stores.sqlite.commit(&key(), &entries).unwrap_err() {
        error @ StoreError::Commit { .. } => {
            assert_eq!(error.kind(), StoreErrorKind::Failed);
            let StoreError::Commit { source, .. } = error else { return };
            assert!(is_expected(&source), "{source}");
        }
        other => panic!("{other}"),
    }
    // What is in memory was not told of the bad commit: both must still say the same.
    stores.known(&key());
    stores.rows();
    stores.commit(&key(), [page(1, [live("a", "<y/>")])]);
}

#[test]
fn a_page_of_a_traversal_that_is_not_open_rolls_back_the_whole_commit() {
    check_rolled_back(
        [page(1, [live("a", "<z/>"), gone("b")]), page(2, [live("c", "<z/>")])],
        |error| matches!(error, CommitError::NotOpen { number: 2 }),
    );
}

#[test]
fn a_closing_of_a_traversal_that_is_not_open_rolls_back_the_whole_commit() {
    check_rolled_back([complete(1), complete(1)], |error| {
        matches!(error, CommitError::NotOpen { number: 1 })
    });
}

#[test]
fn a_traversal_that_is_not_newer_rolls_back_the_whole_commit() {
    check_rolled_back([page(1, [live("a", "<z/>")]), open(1)], |error| {
        matches!(error, CommitError::NotNewer { number: 1, last: 1 })
    });
}

#[test]
fn nothing_is_complete_without_a_traversal() {
    let mut closing = close(1, Ending::Complete(COMPLETION));
    if let Entry::Close(Closing { traversal, .. }) = &mut closing {
        *traversal = None;
    }
    check_rolled_back([page(1, [gone("b")]), closing], |error| {
        matches!(error, CommitError::NothingComplete)
    });
}

/// What a store says, for comparing.
fn state(store: &mut SqliteStore) -> (Known, Vec<Row>) {
    (store.known(&key()).unwrap(), store.rows(SOURCE, PREFIX).unwrap())
}

/// A killed process leaves the files as they were at that moment, the log perhaps cut anywhere.
#[test]
fn wherever_the_log_is_cut_the_store_is_as_after_one_of_its_commits() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    let mut store = SqliteStore::open(&path).unwrap();
    let mut states = vec![state(&mut store)];
    for entries in [
        vec![open(1), page(1, [live("a", "<x/>"), live("b", "<y/>")])],
        vec![page(1, [live("c", "<z/>")]), complete(1)],
        vec![open(2)],
        vec![page(2, [gone("a"), live("b", "<other/>")])],
        vec![page(2, [])],
        vec![complete(2)],
    ] {
        let entries: Vec<Arc<Entry>> = entries.into_iter().map(Arc::new).collect();
        store.commit(&key(), &entries).unwrap();
        states.push(state(&mut store));
    }

    let log = fs::read(log_path(&path)).unwrap();
    let database = fs::read(&path).unwrap();
    let mut reached = 0;
    let mut reached_all = Vec::new();
    for length in (0..log.len()).step_by(9973).chain([log.len()]) {
        let copy = folder.path().join("copy.sqlite");
        let _ = fs::remove_file(copy.with_extension("sqlite-shm"));
        fs::write(&copy, &database).unwrap();
        fs::write(log_path(&copy), &log[..length]).unwrap();
        let mut cut = SqliteStore::open(&copy).unwrap();
        let found = state(&mut cut);
        let index = states.iter().position(|state| *state == found);
        let index = index.unwrap_or_else(|| panic!("cut after {length} bytes: {found:?}"));
        assert!(index >= reached, "cut after {length} bytes: commit {index} after {reached}");
        assert_eq!(cut.check_integrity().unwrap(), []);
        reached = index;
        reached_all.push(index);
    }
    reached_all.dedup();
    assert_eq!(reached, states.len() - 1, "the whole log");
    assert!(reached_all.len() > 3, "cuts between commits were met: {reached_all:?}");
}

fn log_path(database: &Path) -> PathBuf {
    database.with_extension("sqlite-wal")
}
