//! What can go wrong with a store.

use std::io;
use std::path::PathBuf;

use rusqlite::ErrorCode;
use thiserror::Error;

use crate::claim::Holder;

/// What was attempted and failed. The cause, where there is one, is the source.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The name given cannot be that of a durable file.
    #[error("failed to open a store at `{path}`: not the name of a file")]
    NotAFile {
        /// As given.
        path: PathBuf,
    },
    /// Nothing there, and nothing may be created.
    #[error("found no store at `{path}`")]
    Missing {
        /// As given.
        path: PathBuf,
    },
    /// The folder of the store does not exist.
    #[error("failed to open a store at `{path}`: its folder does not exist")]
    FolderMissing {
        /// As given.
        path: PathBuf,
    },
    /// The file or its folder may not be written.
    #[error("failed to open the store `{path}`: the file or its folder cannot be written")]
    ReadOnly {
        /// The store.
        path: PathBuf,
        /// What SQLite said; `None` when it was not asked.
        #[source]
        source: Option<rusqlite::Error>,
    },
    /// A file of another kind.
    #[error("failed to open the store `{path}`: not a SQLite database")]
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// A database that is not ours.
    #[error(
        "failed to open the store `{path}`: a database of another program, application id `{application_id}`"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The application id it carries.
        application_id: i64,
    },
    /// Written by a later version of this program.
    #[error(
        "failed to open the store `{path}`: expected schema version up to `{known}`, found `{found}`"
    )]
    Newer {
        /// The store.
        path: PathBuf,
        /// The greatest version that this program knows.
        known: u32,
        /// The version found.
        found: u32,
    },
    /// Written by an earlier version of this program, and opened read-only, so that it cannot be brought up.
    #[error(
        "failed to read the store `{path}`: expected schema version `{known}`, found `{found}`"
    )]
    Older {
        /// The store.
        path: PathBuf,
        /// The version that this program knows.
        known: u32,
        /// The version found.
        found: u32,
    },
    /// Opening failed in some other way.
    #[error("failed to open the store `{path}`")]
    Open {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// Another run has the key.
    #[error("failed to claim `{key}`: held by {holder}")]
    Claimed {
        /// The key.
        key: String,
        /// Who has it.
        holder: Holder,
    },
    /// The lock file of a key could not be used.
    #[error("failed to claim a key with the lock file `{path}`")]
    Claim {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The entries were rolled back together; none of them counts.
    #[error("failed to commit {entries} entries of `{key}`")]
    Commit {
        /// How many.
        entries: usize,
        /// Of which key.
        key: String,
        /// Why.
        #[source]
        source: CommitError,
    },
    /// Something stored could not be read.
    #[error("failed to read {what}")]
    Read {
        /// What was to be read.
        what: &'static str,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// The rows could not be written to where they were to go.
    #[error("failed to write exported rows")]
    Export {
        /// What the writer said.
        #[source]
        source: io::Error,
    },
    /// What was to be done to the store as a whole could not be done; nothing of it was.
    #[error("failed to {what}")]
    Upkeep {
        /// What was to be done.
        what: &'static str,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// The write lock was not to be had.
    #[error("failed to take the write lock of `{path}`")]
    Hold {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
}

/// Why a commit failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CommitError {
    /// The database.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// An entry refers to a traversal that is not the open one.
    #[error("traversal `{number}` is not open")]
    NotOpen {
        /// The traversal that the entry names.
        number: u64,
    },
    /// A traversal is opened with a number that is not greater than that of an earlier one of the key.
    #[error("traversal `{number}` is not newer than `{last}`")]
    NotNewer {
        /// The number given.
        number: u64,
        /// The last one of the key.
        last: u64,
    },
    /// A run is closed as complete that opened no traversal.
    #[error("no traversal is open that could be complete")]
    NothingComplete,
}

/// What an error means for whoever runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// What was given cannot serve as a store; nothing was touched.
    Unusable,
    /// Somebody else is at work; later it may go.
    Busy,
    /// A store that was good could not be read or written.
    Failed,
}

impl StoreError {
    /// What it means for whoever runs the program.
    #[must_use]
    pub fn kind(&self) -> StoreErrorKind {
        match self {
            Self::NotAFile { .. }
            | Self::Missing { .. }
            | Self::FolderMissing { .. }
            | Self::ReadOnly { .. }
            | Self::NotADatabase { .. }
            | Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::Older { .. } => StoreErrorKind::Unusable,
            Self::Claimed { .. } => StoreErrorKind::Busy,
            Self::Open { source, .. }
            | Self::Read { source, .. }
            | Self::Upkeep { source, .. }
            | Self::Hold { source, .. } => kind_of(source),
            Self::Commit { source: CommitError::Sqlite(source), .. } => kind_of(source),
            Self::Claim { .. } | Self::Commit { .. } | Self::Export { .. } => {
                StoreErrorKind::Failed
            }
        }
    }

    /// What to do about it, where that can be said.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotAFile { .. } => {
                Some("give the path of a file; a store in memory would forget its cursor")
            }
            Self::Missing { .. } => Some("check the path, or harvest into it first"),
            Self::FolderMissing { .. } => Some("create the folder first"),
            Self::ReadOnly { .. } => {
                Some("the folder must be writable too: the write-ahead log lies beside the store")
            }
            Self::NotADatabase { .. } | Self::Foreign { .. } => {
                Some("give the path of a new file, or of one that this program made")
            }
            Self::Newer { .. } => {
                Some("use the version of this program that wrote it, or a later one")
            }
            Self::Older { .. } => Some("harvest into it once, which brings it up to date"),
            Self::Claimed { .. } => {
                Some("wait for that run to end, or stop it: its progress is kept")
            }
            _ => None,
        }
    }
}

fn kind_of(error: &rusqlite::Error) -> StoreErrorKind {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreErrorKind::Busy,
        _ => StoreErrorKind::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: i32, expected: StoreErrorKind) {
        let source = || rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        let commit = CommitError::Sqlite(source());
        let errors = [
            StoreError::Read { what: "rows", source: source() },
            StoreError::Commit { entries: 1, key: "a key".to_owned(), source: commit },
        ];
        assert_eq!(errors.map(|error| error.kind()), [expected; 2], "of code {code}");
    }

    #[test]
    fn somebody_else_writing_is_not_a_failure_of_the_store() {
        check(rusqlite::ffi::SQLITE_BUSY, StoreErrorKind::Busy);
        check(rusqlite::ffi::SQLITE_FULL, StoreErrorKind::Failed);
        check(rusqlite::ffi::SQLITE_CORRUPT, StoreErrorKind::Failed);
    }
}
