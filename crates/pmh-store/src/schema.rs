//! The tables and how they came to be: whether a file is a store of ours, and bringing it up to date.

use std::fs::File;
use std::io;
use std::path::Path;

use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::error::StoreError;

/// Migration *n* leads from schema version *n* to *n* + 1. A released one is never changed.
const MIGRATIONS: [&str; 3] = [
    include_str!("migrations/0001.sql"),
    include_str!("migrations/0002.sql"),
    include_str!("migrations/0003.sql"),
];

/// The schema version that this program writes.
pub(crate) const VERSION: u32 = MIGRATIONS.len() as u32;

/// "pmhS": in the header of every store, so that no other program's database is taken for one.
const APPLICATION_ID: i64 = 0x706D_6853;

const IS_EMPTY: &str = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";

/// The schema version of an opened file, 0 for an empty one.
pub(crate) fn version(connection: &Connection, path: &Path) -> Result<u32, StoreError> {
    // One transaction: another process may be creating the store between two questions.
    let read = || -> rusqlite::Result<(i64, u32, bool)> {
        let transaction = connection.unchecked_transaction()?;
        Ok((
            transaction.pragma_query_value(None, "application_id", |row| row.get(0))?,
            transaction.pragma_query_value(None, "user_version", |row| row.get(0))?,
            transaction.query_row(IS_EMPTY, [], |row| row.get(0))?,
        ))
    };
    let (application_id, version, is_empty) = read().map_err(|source| open_error(path, source))?;
    let path = path.to_owned();
    if application_id != APPLICATION_ID && !(is_empty && application_id == 0 && version == 0) {
        return Err(StoreError::Foreign { path, application_id });
    }
    if version > VERSION {
        return Err(StoreError::Newer { path, known: VERSION, found: version });
    }
    Ok(version)
}

/// Brings a store of ours, or an empty file, up to date: a transaction for each step.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    for (before, migration) in (0..).zip(MIGRATIONS) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Asked inside the transaction: another process may be creating the same store.
        let found: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if found == before {
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "user_version", before + 1)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// What an error means that SQLite gave before the file was known to be a store.
pub(crate) fn open_error(path: &Path, source: rusqlite::Error) -> StoreError {
    // SQLite says that it cannot open what it may not read, and that it has no room in several ways.
    let is_kept_from_us =
        || File::open(path).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
    let has_no_space = source.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || source.sqlite_extended_error_code() == Some(SQLITE_IOERR_SHMSIZE);
    let path = path.to_owned();
    match source.sqlite_error_code() {
        _ if has_no_space => StoreError::NoSpace { path, source },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) if is_kept_from_us() => {
            StoreError::Unreadable { path, source }
        }
        Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path, source },
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { path, source: Some(source) }
        }
        _ => StoreError::Open { path, source },
    }
}

/// Asserts that a statement finds its rows by an index, so that a commit does not slow down as a store grows.
#[cfg(test)]
pub(crate) fn check_searches(sql: &str) {
    let plan = plan(sql);
    assert!(!plan.contains("SCAN"), "{sql}\n{plan}");
}

/// How SQLite finds the rows of a statement: a step a line.
#[cfg(test)]
pub(crate) fn plan(sql: &str) -> String {
    let mut connection = Connection::open_in_memory().unwrap();
    migrate(&mut connection).unwrap();
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let nothing = vec![rusqlite::types::Null; explain.parameter_count()];
    let steps = explain.query_map(rusqlite::params_from_iter(nothing), |row| row.get(3)).unwrap();
    steps.collect::<Result<Vec<String>, _>>().unwrap().join("\n")
}
