//! Rows of a database, by a query of the harvester's owner.

use std::path::Path;

use pmh_oracle::HeldRow;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::lines::digest_of;
use super::reader::Read;

/// The rows that the query yields; its columns are told by their names.
pub(super) fn read(file: &Path, query: &str) -> Result<Read, String> {
    if !file.exists() {
        return Ok(Read::default());
    }
    let wrong = |error: rusqlite::Error| format!("`{}`: {error}", file.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // Whoever was killed has left a journal that only a writer may play back.
    let database = Connection::open_with_flags(file, flags).map_err(wrong)?;
    let mut statement = database.prepare(query).map_err(wrong)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let column = |name: &str| names.iter().position(|found| found == name);
    let identifier = column("identifier").ok_or_else(|| {
        format!(
            "the query yields no column `identifier` but {}: write `select … as identifier`",
            names.join(", ")
        )
    })?;
    let (datestamp, deleted, metadata) =
        (column("datestamp"), column("deleted"), column("metadata"));
    let mut rows = Vec::new();
    let mut found = statement.query([]).map_err(wrong)?;
    while let Some(row) = found.next().map_err(wrong)? {
        let text = |place: Option<usize>| -> Result<Option<String>, String> {
            let Some(place) = place else { return Ok(None) };
            Ok(match row.get_ref(place).map_err(wrong)? {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Real(number) => Some(number.to_string()),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                    Some(String::from_utf8_lossy(bytes).into_owned())
                }
            })
        };
        rows.push(HeldRow {
            identifier: text(Some(identifier))?.unwrap_or_default(),
            datestamp: text(datestamp)?,
            deleted: text(deleted)?
                .is_some_and(|word| !matches!(word.as_str(), "0" | "" | "false")),
            digest: text(metadata)?.as_deref().and_then(digest_of),
        });
    }
    Ok(Read { rows, passed_over: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_told_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        assert!(read(&file, "select 1").unwrap().rows.is_empty(), "no file, no rows");
        let database = Connection::open(&file).unwrap();
        database
            .execute_batch(
                "create table r (id, gone, seen); insert into r values ('a', 0, '2024-01-01'), ('b', 1, null)",
            )
            .unwrap();
        let found =
            read(&file, "select gone as deleted, id as identifier, seen as datestamp from r")
                .unwrap();
        let rows: Vec<_> = found
            .rows
            .iter()
            .map(|row| (row.identifier.as_str(), row.deleted, row.datestamp.as_deref()))
            .collect();
        assert_eq!(rows, [("a", false, Some("2024-01-01")), ("b", true, None)]);
        assert!(read(&file, "select id from r").unwrap_err().contains("as identifier"));
        assert!(read(&file, "select id from s").unwrap_err().contains("no such table"));
    }
}
