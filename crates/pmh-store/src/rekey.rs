//! A source that has moved: everything kept under one base URL goes on under another.

use rusqlite::{OptionalExtension as _, TransactionBehavior};

use crate::error::StoreError;
use crate::sqlite::SqliteStore;

/// What came of moving a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rekeyed {
    /// It was moved: keys, cursors, watermarks and rows.
    Moved {
        /// Keys that moved along.
        keys: u64,
        /// Rows that moved along, tombstones too.
        rows: u64,
    },
    /// Nothing is kept under the old base URL.
    Unknown,
    /// Something is kept under the new one already: two histories cannot be made one.
    Occupied {
        /// Keys of it.
        keys: u64,
    },
}

impl SqliteStore {
    /// Lets everything that is kept under the base URL `old` be kept under `new`. The caller has claimed the keys.
    ///
    /// # Errors
    /// When the store could not be changed: then nothing was.
    pub fn rekey(&mut self, old: &str, new: &str) -> Result<Rekeyed, StoreError> {
        let mut rekey = || -> rusqlite::Result<Rekeyed> {
            let transaction =
                self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let keys = |endpoint: &str| -> rusqlite::Result<u64> {
                let keys: i64 = transaction.query_row(COUNT_KEYS, [endpoint], |row| row.get(0))?;
                Ok(keys.unsigned_abs())
            };
            let occupied = keys(new)?;
            if occupied > 0 {
                return Ok(Rekeyed::Occupied { keys: occupied });
            }
            let id: Option<i64> = transaction
                .query_row("SELECT id FROM source WHERE endpoint = ?1", [old], |row| row.get(0))
                .optional()?;
            let Some(id) = id else {
                return Ok(Rekeyed::Unknown);
            };
            let keys = keys(old)?;
            let rows: i64 = transaction.query_row(COUNT_ROWS, [id], |row| row.get(0))?;
            transaction.execute("UPDATE source SET endpoint = ?2 WHERE id = ?1", (id, new))?;
            transaction.commit()?;
            Ok(Rekeyed::Moved { keys, rows: rows.unsigned_abs() })
        };
        rekey().map_err(|source| StoreError::Upkeep { what: "move a source", source })
    }
}

const COUNT_KEYS: &str = "
    SELECT count(*) FROM source
    JOIN catalog ON catalog.source_id = source.id
    JOIN harvest_key ON harvest_key.catalog_id = catalog.id
    WHERE source.endpoint = ?1";

const COUNT_ROWS: &str = "
    SELECT count(*) FROM catalog
    JOIN record ON record.catalog_id = catalog.id
    WHERE catalog.source_id = ?1";
