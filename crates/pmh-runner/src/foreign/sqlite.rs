//! Rows of a database, by a query of the harvester's owner.

use std::path::Path;
use std::time::{Duration, Instant};

use pmh_oracle::HeldRow;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::lines::{digest_of, is_deleted};
use super::reader::Read;

/// The most rows that are taken.
const ROWS_MAX: usize = 1_000_000;
/// How often the clock is looked at, in steps of SQLite's machine: a few times in a millisecond.
const LOOK_EVERY: i32 = 10_000;

/// The rows that the query yields within `patience`; its columns are told by their names.
pub(super) fn read(file: &Path, query: &str, patience: Duration) -> Result<Read, String> {
    if !file.exists() {
        return Ok(Read::nothing_at(file));
    }
    let wrong = |error: rusqlite::Error| format!("`{}`: {error}", file.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // Whoever was killed has left a journal that only a writer may play back.
    let mut database = Connection::open_with_flags(file, flags).map_err(wrong)?;
    let until = Instant::now() + patience;
    database.progress_handler(LOOK_EVERY, Some(move || Instant::now() > until)).map_err(wrong)?;
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
        if rows.len() == ROWS_MAX {
            return Err(format!("the query yields more than {ROWS_MAX} rows"));
        }
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
            deleted: text(deleted)?.as_deref().is_some_and(is_deleted),
            digest: text(metadata)?.as_deref().and_then(digest_of),
        });
    }
    Ok(Read { rows, passed_over: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &Path, query: &str) -> Result<Read, String> {
        super::read(file, query, Duration::from_millis(500))
    }

    #[test]
    fn a_query_that_does_not_end_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        Connection::open(&file).unwrap().execute_batch("create table r (id)").unwrap();
        let endless = "with recursive n(identifier) as (select 1 union all select identifier + 1 from n) \
                       select identifier from n";
        let silent = read(&file, &format!("{endless} where identifier < 0")).unwrap_err();
        assert!(silent.contains("interrupted"), "{silent}");
        let loud = super::read(&file, endless, Duration::from_secs(60)).unwrap_err();
        assert_eq!(loud, "the query yields more than 1000000 rows");
    }

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
