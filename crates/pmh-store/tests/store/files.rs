//! What may be opened, and who may write.

use std::error::Error as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, process, thread};

use pmh_harvest::Store;
use pmh_store::{Holder, SqliteStore, StoreError, StoreErrorKind, WriteHold};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{at, key, live, open, page, set_key};

/// Expects that a path is refused with this text, and that its file stays as it was.
fn check_refused(path: &Path, expected: &str) {
    let before = fs::read(path).ok();
    let error = SqliteStore::open(path).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Unusable, "{error:?}");
    assert!(error.to_string().contains(expected), "`{error}` does not say `{expected}`");
    assert!(error.hint().is_some(), "{error}");
    assert_eq!(fs::read(path).ok(), before, "{error}: the file was touched");
}

#[test]
fn what_is_not_the_name_of_a_file_is_refused() {
    for path in ["", ":memory:"] {
        check_refused(Path::new(path), "not the name of a file");
    }
    let folder = TempDir::new().unwrap();
    for path in [folder.path(), Path::new("/"), Path::new("..")] {
        check_refused(path, "it is a folder");
    }
    assert!(!Path::new(":memory:").exists());
}

#[test]
fn a_folder_that_does_not_exist_is_refused() {
    let folder = TempDir::new().unwrap();
    check_refused(&folder.path().join("missing/store.sqlite"), "its folder does not exist");
    assert!(!folder.path().join("missing").exists());
}

#[test]
fn a_file_that_is_not_sqlite_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notes.txt");
    for content in ["hello", &"a long text ".repeat(1000)] {
        fs::write(&path, content).unwrap();
        check_refused(&path, "not a SQLite database");
    }
    assert!(SqliteStore::open(&path).unwrap_err().source().is_some());
}

/// A database made by the statements, and what opening it must say.
fn check_foreign(statements: &str, expected: &str) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("other.sqlite");
    Connection::open(&path).unwrap().execute_batch(statements).unwrap();
    check_refused(&path, expected);
}

#[test]
fn a_database_of_another_program_is_refused() {
    check_foreign("CREATE TABLE books (title TEXT)", "of another program, application id `0`");
    check_foreign("PRAGMA application_id = 77", "of another program, application id `77`");
    check_foreign("PRAGMA user_version = 1", "of another program");
}

#[test]
fn a_store_of_a_later_version_is_refused() {
    check_foreign(
        "PRAGMA application_id = 1886218323; PRAGMA user_version = 99; CREATE TABLE t (x)",
        "expected schema version up to `3`, found `99`",
    );
}

#[test]
fn an_empty_file_becomes_a_store() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    fs::write(&path, "").unwrap();
    SqliteStore::open(&path).unwrap();
    SqliteStore::open_read_only(&path).unwrap();
}

#[cfg(unix)]
#[test]
fn a_folder_or_file_marked_read_only_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    drop(SqliteStore::open(&path).unwrap());
    for (marked, mode) in [(folder.path(), 0o555), (&path, 0o444)] {
        let before = fs::metadata(marked).unwrap().permissions();
        fs::set_permissions(marked, fs::Permissions::from_mode(mode)).unwrap();
        check_refused(&path, "cannot be written");
        fs::set_permissions(marked, before).unwrap();
    }
    SqliteStore::open(&path).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_in_which_nothing_can_be_made_is_refused() {
    check_refused(Path::new("/proc/store.sqlite"), "cannot be written");
}

#[test]
fn looking_at_a_store_that_is_not_there_makes_none() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    let error = SqliteStore::open_read_only(&path).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    assert_eq!(error.kind(), StoreErrorKind::Unusable);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_store_of_an_earlier_version_is_not_brought_up_by_looking_at_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    Connection::open(&path).unwrap().execute_batch("PRAGMA application_id = 1886218323").unwrap();
    let error = SqliteStore::open_read_only(&path).unwrap_err();
    assert!(matches!(error, StoreError::Older { found: 0, .. }), "{error}");
}

#[test]
fn nothing_is_committed_through_a_store_opened_to_be_looked_at() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    drop(SqliteStore::open(&path).unwrap());
    let mut store = SqliteStore::open_read_only(&path).unwrap();
    let error = store.commit(&key(), &[Arc::new(open(1))]).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Failed, "{error:?}");
}

#[test]
fn a_store_is_durable_and_its_pages_are_large() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    drop(SqliteStore::open(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    let journal: String =
        connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    let page_bytes: u32 =
        connection.pragma_query_value(None, "page_size", |row| row.get(0)).unwrap();
    assert_eq!((journal.as_str(), page_bytes), ("wal", 16_384));
}

#[test]
fn many_may_create_the_same_store_at_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    thread::scope(|scope| {
        let openings: Vec<_> = (0..8).map(|_| scope.spawn(|| SqliteStore::open(&path))).collect();
        for opening in openings {
            opening.join().unwrap().unwrap();
        }
    });
}

#[test]
fn two_connections_commit_to_their_own_keys() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    let mut stores = [SqliteStore::open(&path).unwrap(), SqliteStore::open(&path).unwrap()];
    let keys = [key(), set_key("one")];
    for number in 1..5 {
        for (store, key) in stores.iter_mut().zip(&keys) {
            let entries =
                [open(number), page(number, [live(&format!("r{number}"), "<x/>")])].map(Arc::new);
            store.commit(key, &entries).unwrap();
        }
    }
    for (store, key) in stores.iter_mut().zip(&keys) {
        assert_eq!(store.known(key).unwrap().held_live, 4);
        assert_eq!(store.check_integrity().unwrap(), []);
    }
}

// ---- one run per key ----

#[test]
fn a_key_is_claimed_by_one_run_at_a_time() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    let (one, other) = (SqliteStore::open(&path).unwrap(), SqliteStore::open(&path).unwrap());
    let claim = one.claim(&key(), at(5)).unwrap();

    let error = other.claim(&key(), at(6)).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Busy);
    let expected = Holder { pid: Some(process::id()), since: Some(at(5)) };
    assert!(matches!(error, StoreError::Claimed { holder, .. } if holder == expected), "{error}");

    other.claim(&set_key("one"), at(6)).unwrap();
    drop(claim);
    other.claim(&key(), at(7)).unwrap();
}

#[test]
fn a_claim_names_its_holder() {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(folder.path().join("store.sqlite")).unwrap();
    let _claim = store.claim(&set_key("one"), at(5)).unwrap();
    let error = store.claim(&set_key("one"), at(6)).unwrap_err();
    let expected = format!(
        "failed to claim `https://repository.example/oai oai_dc set one`: held by process `{}` since 2026-07-01T00:00:05Z",
        process::id()
    );
    assert_eq!(error.to_string(), expected);
}

#[cfg(unix)]
#[test]
fn a_store_by_another_name_has_the_same_claims() {
    let folder = TempDir::new().unwrap();
    let (path, link) = (folder.path().join("store.sqlite"), folder.path().join("link.sqlite"));
    let store = SqliteStore::open(&path).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let linked = SqliteStore::open(&link).unwrap();
    let _claim = store.claim(&key(), at(5)).unwrap();
    assert!(matches!(linked.claim(&key(), at(6)), Err(StoreError::Claimed { .. })));
}

// ---- the write lock ----

#[test]
fn a_commit_waits_while_the_write_lock_is_held() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    let mut store = SqliteStore::open(&path).unwrap();
    let held_for = Duration::from_millis(300);
    let hold = WriteHold::acquire(&path).unwrap();
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(held_for);
            drop(hold);
        });
        store.commit(&key(), &[Arc::new(open(1))]).unwrap();
    });
    assert!(began.elapsed() >= held_for);
}

#[test]
fn the_write_lock_of_nothing_is_not_to_be_had() {
    let folder = TempDir::new().unwrap();
    let error = WriteHold::acquire(folder.path().join("store.sqlite")).unwrap_err();
    assert!(matches!(error, StoreError::Hold { .. }), "{error}");
}
