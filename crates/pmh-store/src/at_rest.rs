//! How somebody reads a store who may not write it.
//!
//! SQLite keeps a log beside the file, and makes one where there is none, also to read. A reader who may not write the
//! store would leave behind a log that is his own, so that the store's owner could not write any more; and where he may
//! make no files he could not read at all. But where there is no log, the file alone is whole. Such a reader takes it
//! as it lies there, makes nothing, and looks afterwards whether somebody has written to it meanwhile.

use std::borrow::Cow;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::StoreError;

/// A store without a log, as it lay there when a reader came who may not write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtRest {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl AtRest {
    /// `None` where SQLite has its own way: whoever may write does, and whoever finds a log reads it.
    pub(crate) fn of(store: &Path) -> Option<Self> {
        let folder = store.parent().filter(|folder| *folder != Path::new(""));
        let may_write = is_writable(store) && is_writable(folder.unwrap_or_else(|| Path::new(".")));
        if may_write || beside(store, "-wal").exists() {
            return None;
        }
        store.metadata().ok().map(|found| Self::found(&found))
    }

    fn found(found: &Metadata) -> Self {
        Self { bytes: found.len(), modified: found.modified().ok() }
    }

    /// That the file is still what was read.
    ///
    /// # Errors
    /// When somebody wrote to it: what was read may be of two minds.
    pub(crate) fn check(self, store: &Path) -> Result<(), StoreError> {
        match store.metadata() {
            Ok(found) if Self::found(&found) == self => Ok(()),
            _ => Err(StoreError::Disturbed { path: store.to_owned() }),
        }
    }
}

/// By what name SQLite opens a store to read it.
pub(crate) fn name_to_read(store: &Path, at_rest: Option<AtRest>) -> Cow<'_, str> {
    let path = store.to_string_lossy();
    match at_rest {
        None => path,
        Some(_) => {
            let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            Cow::Owned(format!("file:{path}?immutable=1"))
        }
    }
}

/// The file of SQLite's that lies beside a store under this ending.
fn beside(store: &Path, ending: &str) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// The error of somebody who may write a store, where a file that another user's reader left beside it is in the way.
pub(crate) fn log_of_another(store: &Path, error: StoreError) -> StoreError {
    if !matches!(error, StoreError::ReadOnly { .. }) {
        return error;
    }
    let files = ["-wal", "-shm"].map(|ending| beside(store, ending));
    let Some(log) = files.iter().find(|file| file.exists() && !is_writable(file)) else {
        return error;
    };
    StoreError::LogOfAnother {
        path: store.to_owned(),
        log: log.clone(),
        owner: owner(log),
        is_empty: files[0].metadata().is_ok_and(|found| found.len() == 0),
    }
}

fn owner(path: &Path) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        path.metadata().ok().map(|found| found.uid())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Whether this process may write there, as far as the system tells.
fn is_writable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use nix::unistd::{AccessFlags, access};
        access(path, AccessFlags::W_OK).is_ok()
    }
    #[cfg(not(unix))]
    {
        path.metadata().is_ok_and(|found| !found.permissions().readonly())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rusqlite::Connection;

    use super::*;
    use crate::sqlite::{SqliteStore, reading_flags};

    fn at_rest(path: &Path) -> AtRest {
        AtRest::found(&path.metadata().unwrap())
    }

    #[test]
    fn whoever_may_write_reads_as_sqlite_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        drop(SqliteStore::open(&path).unwrap());
        assert_eq!(AtRest::of(&path), None);
        assert_eq!(name_to_read(&path, None), path.to_string_lossy());
    }

    #[test]
    fn a_file_alone_is_read_by_whatever_name_and_nothing_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a%20b #1?.sqlite");
        drop(SqliteStore::open(&path).unwrap());
        let at_rest = at_rest(&path);
        let name = name_to_read(&path, Some(at_rest));
        let connection =
            Connection::open_with_flags(name.as_ref(), reading_flags(Some(at_rest))).unwrap();
        let keys: u32 =
            connection.query_row("SELECT count(*) FROM state", [], |row| row.get(0)).unwrap();
        assert_eq!(keys, 0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        at_rest.check(&path).unwrap();
    }

    #[test]
    fn a_file_that_was_written_to_meanwhile_is_of_two_minds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        fs::write(&path, "before").unwrap();
        let at_rest = at_rest(&path);
        fs::write(&path, "and after").unwrap();
        let error = at_rest.check(&path).unwrap_err();
        assert!(matches!(error, StoreError::Disturbed { .. }), "{error}");
    }
}
