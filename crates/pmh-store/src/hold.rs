//! The write lock of a store, held on purpose: how a test makes commits wait or fail.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;

/// Long enough for a commit under way to end.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Keeps everybody else from committing to a store, until it is dropped.
#[derive(Debug)]
pub struct WriteHold {
    /// Closing the connection rolls back its transaction, which wrote nothing.
    _connection: Connection,
}

impl WriteHold {
    /// Takes the write lock of the store at `path`.
    ///
    /// # Errors
    /// When there is no database, or somebody else is writing.
    pub fn acquire(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let take = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.execute_batch("BEGIN IMMEDIATE")?;
            Ok(connection)
        };
        let connection =
            take().map_err(|source| StoreError::Hold { path: path.to_owned(), source })?;
        Ok(Self { _connection: connection })
    }
}
