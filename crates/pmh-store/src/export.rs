//! Rows as JSON lines, in the order of their identifiers.

use std::io::{self, Write};

use pmh_harvest::Row;
use serde::Serialize;

use crate::error::StoreError;
use crate::sqlite::SqliteStore;

/// One line. The names are part of the program's face.
#[derive(Serialize)]
struct Line<'row> {
    source: &'row str,
    prefix: &'row str,
    identifier: &'row str,
    datestamp: Option<String>,
    deleted: bool,
    inferred: bool,
    sets: &'row [String],
    harvested_at: String,
    changed_at: String,
    first_seen: String,
    payload: Option<&'row str>,
    abouts: &'row [String],
}

impl SqliteStore {
    /// Writes every row of a source and prefix, tombstones too, as one JSON object a line; how many it wrote.
    ///
    /// # Errors
    /// When the rows could not be read, or `out` could not be written.
    pub fn export(
        &self,
        source: &str,
        prefix: &str,
        out: &mut impl Write,
    ) -> Result<u64, StoreError> {
        let mut written = 0;
        self.each_row(source, prefix, |row| {
            write_line(source, prefix, &row, out)
                .map_err(|error| StoreError::Export { source: error })?;
            written += 1;
            Ok::<(), StoreError>(())
        })?;
        out.flush().map_err(|error| StoreError::Export { source: error })?;
        Ok(written)
    }
}

fn write_line(source: &str, prefix: &str, row: &Row, out: &mut impl Write) -> io::Result<()> {
    let line = Line {
        source,
        prefix,
        identifier: &row.identifier,
        datestamp: row.datestamp.map(|datestamp| datestamp.to_string()),
        deleted: row.deleted,
        inferred: row.inferred,
        sets: &row.sets,
        harvested_at: row.harvested_at.to_string(),
        changed_at: row.changed_at.to_string(),
        first_seen: row.first_seen.to_string(),
        payload: row.payload.as_deref(),
        abouts: &row.abouts,
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}
