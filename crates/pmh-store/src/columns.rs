//! Values of ours in columns of SQLite, and back.
//!
//! What is read back may have been edited by hand, so that it is an error when it makes no sense, not a panic.

use pmh_protocol::{Datestamp, DeletedRecords, Granularity, Stamp};
use rusqlite::Row;
use rusqlite::types::Type;

/// A moment that may be absent.
pub(crate) fn stamp(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Stamp>> {
    parsed(row, column, |text| Stamp::parse(text).ok())
}

/// A moment that every row has.
pub(crate) fn moment(row: &Row<'_>, column: &str) -> rusqlite::Result<Stamp> {
    stamp(row, column)?.ok_or_else(|| absent(column))
}

/// A datestamp that may be absent.
pub(crate) fn datestamp(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Datestamp>> {
    parsed(row, column, |text| Datestamp::parse(text).ok())
}

/// What a source takes as datestamps.
pub(crate) fn granularity(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Granularity>> {
    let all = [Granularity::Day, Granularity::Second];
    parsed(row, column, |text| all.into_iter().find(|&one| granularity_word(one) == text))
}

/// What a source promises about deletions.
pub(crate) fn deleted_records(
    row: &Row<'_>,
    column: &str,
) -> rusqlite::Result<Option<DeletedRecords>> {
    let all = [DeletedRecords::No, DeletedRecords::Transient, DeletedRecords::Persistent];
    parsed(row, column, |text| all.into_iter().find(|one| one.as_str() == text))
}

/// A list of strings.
pub(crate) fn strings(row: &Row<'_>, column: &str) -> rusqlite::Result<Vec<String>> {
    Ok(parsed(row, column, |text| serde_json::from_str(text).ok())?.unwrap_or_default())
}

/// A count.
pub(crate) fn count(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(optional_count(row, column)?.unwrap_or_default())
}

/// A count that may be absent.
pub(crate) fn optional_count(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<u64>> {
    let index = row.as_ref().column_index(column)?;
    let stored: Option<i64> = row.get(index)?;
    stored
        .map(|stored| {
            u64::try_from(stored)
                .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(index, stored))
        })
        .transpose()
}

/// How a count is stored. What a repository announces may be greater than SQLite can hold; no list is.
pub(crate) fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The word that a granularity is stored as.
pub(crate) const fn granularity_word(granularity: Granularity) -> &'static str {
    match granularity {
        Granularity::Day => "day",
        Granularity::Second => "second",
    }
}

/// The JSON array that a list of strings is stored as.
pub(crate) fn json(list: &[String]) -> String {
    serde_json::to_string(list).expect("strings are always JSON")
}

/// Something that every row has is missing from one.
pub(crate) fn absent(column: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(
        0,
        Type::Null,
        format!("nothing in `{column}`").into(),
    )
}

fn parsed<T>(
    row: &Row<'_>,
    column: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<Option<T>> {
    let index = row.as_ref().column_index(column)?;
    let Some(text) = row.get_ref(index)?.as_str_or_null()? else {
        return Ok(None);
    };
    let unreadable = || {
        rusqlite::Error::FromSqlConversionFailure(
            index,
            Type::Text,
            format!("`{text}` in `{column}`").into(),
        )
    };
    parse(text).map(Some).ok_or_else(unreadable)
}
