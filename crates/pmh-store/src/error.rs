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
    /// A folder, where a file is expected.
    #[error("failed to open a store at `{path}`: it is a folder")]
    Folder {
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
    /// What SQLite keeps beside the store belongs to somebody else.
    #[error("failed to open the store `{path}`: `{log}` beside it cannot be written{}", owned(.owner))]
    LogOfAnother {
        /// The store.
        path: PathBuf,
        /// The file beside it.
        log: PathBuf,
        /// The user it belongs to, where the system has such numbers.
        owner: Option<u32>,
        /// Whether the log holds nothing that the store does not.
        is_empty: bool,
    },
    /// The file may not be read.
    #[error("failed to open the store `{path}`: it may not be read")]
    Unreadable {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// Whoever reads may not write, and there is a log that cannot be read without.
    #[error("failed to read the store `{path}`: its log needs the right to write beside it")]
    LogOutOfReach {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Option<rusqlite::Error>,
    },
    /// Whoever reads may not write, and somebody wrote meanwhile.
    #[error("failed to read the store `{path}`: it was written to meanwhile")]
    Disturbed {
        /// The store.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("failed to open the store `{path}`: no space is left beside it")]
    NoSpace {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
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
    #[error("failed to commit {entries} {} of `{key}`", entries_noun(.entries))]
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
    #[error("failed to read {what} from the store `{path}`")]
    Read {
        /// What was to be read.
        what: &'static str,
        /// The store.
        path: PathBuf,
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
            | Self::Folder { .. }
            | Self::LogOfAnother { .. }
            | Self::LogOutOfReach { .. }
            | Self::Unreadable { .. }
            | Self::Missing { .. }
            | Self::FolderMissing { .. }
            | Self::ReadOnly { .. }
            | Self::NotADatabase { .. }
            | Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::Older { .. } => StoreErrorKind::Unusable,
            Self::Claimed { .. } | Self::Disturbed { .. } => StoreErrorKind::Busy,
            Self::NoSpace { .. } => StoreErrorKind::Failed,
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
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotAFile { .. } => {
                Some("give the path of a file; a store in memory would forget its cursor")
            }
            Self::Folder { .. } => Some("give the path of a file in it"),
            Self::LogOfAnother { is_empty: true, .. } => Some(
                "a reader of that user left it, or still reads: once nobody does, remove the files that end in `-wal` and `-shm` beside the store",
            ),
            Self::LogOfAnother { is_empty: false, .. } => Some(
                "it holds what is not in the store yet: run as that user, or give the file to the user who harvests",
            ),
            Self::Unreadable { .. } => {
                Some("run as the user who harvests into it, or let others read it")
            }
            Self::LogOutOfReach { .. } => Some(
                "read it as the user who harvests into it, or read a copy of the file and its log",
            ),
            Self::Disturbed { .. } => Some("run the same command again, best when no harvest runs"),
            Self::NoSpace { .. } => Some("make room there: nothing that was stored is lost"),
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
            _ => self.sqlite_error_code().and_then(hint_of),
        }
    }

    /// The error of somebody who only reads.
    pub(crate) fn of_reader(self) -> Self {
        match self {
            Self::ReadOnly { path, source } => Self::LogOutOfReach { path, source },
            other => other,
        }
    }

    fn sqlite_error_code(&self) -> Option<ErrorCode> {
        match self {
            Self::Open { source, .. }
            | Self::Read { source, .. }
            | Self::Upkeep { source, .. }
            | Self::Commit { source: CommitError::Sqlite(source), .. } => {
                source.sqlite_error_code()
            }
            _ => None,
        }
    }
}

const fn hint_of(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::DatabaseCorrupt => Some(
            "the file is damaged: put a copy of it in its place, or harvest into a new one; `pmh export` may still read most of it",
        ),
        ErrorCode::DiskFull => Some("make room there: nothing that was stored is lost"),
        _ => None,
    }
}

const fn entries_noun(entries: &usize) -> &'static str {
    if *entries == 1 { "entry" } else { "entries" }
}

/// Whose a file is, as part of a sentence.
fn owned(owner: &Option<u32>) -> String {
    owner
        .map(|owner| format!(", it belongs to the user with the number {owner}"))
        .unwrap_or_default()
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
            StoreError::Read { what: "rows", path: PathBuf::from("s.sqlite"), source: source() },
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
