//! What is remembered of keys: for the core that resumes one, and for a person who asks how they stand.

use pmh_harvest::{
    CompleteList, Cursor, Hole, Key, Known, OpenTraversal, Progress, Sizes, SourceFacts,
    SourceMemory, Span, Tally, Traversal, Window,
};
use pmh_protocol::Stamp;
use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::columns::{
    count, datestamp, deleted_records, granularity, moment, optional_count, stamp,
};
use crate::error::{CommitError, StoreError};
use crate::sqlite::SqliteStore;

/// How a key stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyStatus {
    /// The key.
    pub key: Key,
    /// What a run of it would start from.
    pub known: Known,
    /// Tombstones that wait for a traversal to be proven complete.
    pub staged: u64,
    /// When its last traversal was opened.
    pub last_opened_at: Option<Stamp>,
    /// When its last traversal was closed; `None` when none ever was.
    pub last_closed_at: Option<Stamp>,
    /// Why that one was not complete; `None` when it was.
    pub last_reason: Option<String>,
}

impl SqliteStore {
    /// How every key stands, in their order, as of one moment.
    ///
    /// # Errors
    /// When the store could not be read.
    pub fn keys(&self) -> Result<Vec<KeyStatus>, StoreError> {
        let read = || -> rusqlite::Result<Vec<KeyStatus>> {
            // A transaction that only reads: every query below sees the same commit.
            let transaction = self.connection.unchecked_transaction()?;
            let mut statement = transaction.prepare_cached(SELECT_KEYS)?;
            let found = statement.query_map([], key_status)?;
            let mut keys = found.collect::<Result<Vec<_>, _>>()?;
            for status in &mut keys {
                status.known = known(&transaction, &status.key)?;
            }
            keys.sort_by(|one, other| one.key.cmp(&other.key));
            Ok(keys)
        };
        let keys = read().map_err(|source| self.read_error("the keys", source))?;
        self.check_undisturbed()?;
        Ok(keys)
    }
}

fn key_status(row: &Row<'_>) -> rusqlite::Result<KeyStatus> {
    let set: String = row.get("set_spec")?;
    Ok(KeyStatus {
        key: Key {
            source: row.get("endpoint")?,
            prefix: row.get("metadata_prefix")?,
            set: Some(set).filter(|set| !set.is_empty()),
        },
        known: Known::default(),
        staged: count(row, "staged")?,
        last_opened_at: stamp(row, "last_opened_at")?,
        last_closed_at: stamp(row, "last_closed_at")?,
        last_reason: row.get("last_reason")?,
    })
}

/// Everything remembered of a key; the default, but for what is known from others, of one never seen.
pub(crate) fn known(connection: &Connection, key: &Key) -> rusqlite::Result<Known> {
    let source = connection
        .prepare_cached("SELECT * FROM source WHERE endpoint = ?1")?
        .query_row([&key.source], |row| Ok((source_facts(row)?, source_memory(row)?)))
        .optional()?;
    let (source, memory) = source.unwrap_or_default();
    let schema = connection
        .prepare_cached(SELECT_SCHEMA)?
        .query_row([&key.source, &key.prefix], |row| row.get(0))
        .optional()?;
    let whole_size = connection
        .prepare_cached(SELECT_WHOLE_SIZE)?
        .query_row([&key.source, &key.prefix], |row| optional_count(row, "complete_size"))
        .optional()?;
    let last_traversal = connection
        .prepare_cached(
            "SELECT coalesce(max(last_traversal), 0) AS last_traversal FROM harvest_key",
        )?
        .query_row([], |row| count(row, "last_traversal"))?;
    let own = connection.prepare_cached(SELECT_KEY)?.query_row(parameters(key), own).optional()?;
    Ok(Known {
        source,
        memory,
        schema: schema.flatten(),
        whole_size: whole_size.flatten(),
        coverage: coverage(connection, key)?,
        holes: holes(connection, key)?,
        last_traversal,
        ..own.unwrap_or_default()
    })
}

fn coverage(connection: &Connection, key: &Key) -> rusqlite::Result<Vec<Span>> {
    let mut statement = connection.prepare_cached(SELECT_COVERAGE)?;
    let found = statement.query_map(parameters(key), |row| {
        let from: String = row.get("span_from")?;
        Ok(Span {
            from: if from.is_empty() { None } else { stamp(row, "span_from")? },
            until: moment(row, "span_until")?,
        })
    })?;
    found.collect()
}

fn holes(connection: &Connection, key: &Key) -> rusqlite::Result<Vec<Hole>> {
    let mut statement = connection.prepare_cached(SELECT_HOLES)?;
    let found = statement.query_map(parameters(key), |row| {
        Ok(Hole {
            identifier: row.get("identifier")?,
            datestamp: datestamp(row, "datestamp")?,
            reason: row.get("reason")?,
        })
    })?;
    found.collect()
}

fn parameters(key: &Key) -> [&str; 3] {
    [&key.source, &key.prefix, key.set.as_deref().unwrap_or_default()]
}

fn own(row: &Row<'_>) -> rusqlite::Result<Known> {
    let last_complete = match optional_count(row, "complete_pages")? {
        None => None,
        Some(pages) => Some(CompleteList {
            pages,
            distinct: count(row, "complete_distinct")?,
            size: optional_count(row, "complete_size")?,
            ended_empty: row.get("complete_ended_empty")?,
            everything: row.get("complete_everything")?,
        }),
    };
    let open = match row.get::<_, Option<i64>>("number")? {
        None => None,
        Some(_) => Some(open_traversal(row)?),
    };
    Ok(Known {
        watermark: stamp(row, "watermark")?,
        floor: stamp(row, "floor")?,
        errors: row.get("errors")?,
        open,
        last_complete,
        held_live: count(row, "held_live")?,
        refresh_due: row.get("refresh_due")?,
        lag_seconds: row.get("lag_seconds")?,
        ..Known::default()
    })
}

fn open_traversal(row: &Row<'_>) -> rusqlite::Result<OpenTraversal> {
    let sizes = match optional_count(row, "size_first")? {
        None => None,
        Some(first) => {
            Some(Sizes { first, last: count(row, "size_last")?, least: count(row, "size_least")? })
        }
    };
    let cursor = match row.get::<_, Option<String>>("token")? {
        None => None,
        Some(token) => Some(Cursor {
            token,
            given_at: moment(row, "token_given_at")?,
            life_seconds: row.get("token_life_seconds")?,
        }),
    };
    Ok(OpenTraversal {
        traversal: Traversal {
            number: count(row, "number")?,
            window_number: count(row, "window_number")?,
            window: Window {
                from: datestamp(row, "window_from")?,
                until: datestamp(row, "window_until")?,
            },
            opened_at: moment(row, "opened_at")?,
            restarts_in_row: row.get("restarts_in_row")?,
            restarts: row.get("restarts")?,
        },
        progress: Progress {
            opening_response_date: stamp(row, "opening_response_date")?,
            sizes,
            unreadable: count(row, "unreadable")?,
            session_bound: row.get("session_bound")?,
            offset_gaps: count(row, "offset_gaps")?,
        },
        tally: tally(row)?,
        cursor,
    })
}

fn source_facts(row: &Row<'_>) -> rusqlite::Result<Option<SourceFacts>> {
    let facts = granularity(row, "granularity")?.zip(deleted_records(row, "deleted_records")?);
    let Some((granularity, deleted_records)) = facts else { return Ok(None) };
    Ok(Some(SourceFacts {
        granularity,
        deleted_records,
        name: row.get("name")?,
        host: row.get("host")?,
        namespace: row.get("namespace")?,
        earliest: stamp(row, "earliest")?,
    }))
}

fn source_memory(row: &Row<'_>) -> rusqlite::Result<SourceMemory> {
    Ok(SourceMemory {
        not_before: stamp(row, "not_before")?,
        single_use: row.get("single_use")?,
        pause_millis: count(row, "pause_millis")?,
    })
}

fn tally(row: &Row<'_>) -> rusqlite::Result<Tally> {
    Ok(Tally {
        pages: count(row, "pages")?,
        delivered: count(row, "delivered")?,
        distinct: count(row, "distinct_identifiers")?,
        fresh_in_window: count(row, "fresh_in_window")?,
        barren_run: count(row, "barren_run")?,
        empty_run: count(row, "empty_run")?,
    })
}

/// What the writing of an entry needs to know of its key.
pub(crate) struct OpenKey {
    pub(crate) id: i64,
    pub(crate) catalog_id: i64,
    pub(crate) window: u64,
    pub(crate) held_live: u64,
    pub(crate) staged: u64,
    pub(crate) tally: Tally,
}

/// The key of an entry of traversal `number`, which must be its open one.
pub(crate) fn open_key(
    connection: &Connection,
    key: &Key,
    number: u64,
) -> Result<OpenKey, CommitError> {
    match find_key(connection, key)? {
        Some((Some(open), key)) if open == number => Ok(key),
        _ => Err(CommitError::NotOpen { number }),
    }
}

/// A key that is there, whatever traversal it has open.
pub(crate) fn any_key(connection: &Connection, key: &Key) -> rusqlite::Result<OpenKey> {
    let found = find_key(connection, key)?;
    found.map(|(_, key)| key).ok_or(rusqlite::Error::QueryReturnedNoRows)
}

fn find_key(
    connection: &Connection,
    key: &Key,
) -> rusqlite::Result<Option<(Option<u64>, OpenKey)>> {
    let mut statement = connection.prepare_cached(SELECT_KEY)?;
    let found = statement.query_row(parameters(key), |row| {
        let number = optional_count(row, "number")?;
        let tally = if number.is_some() { tally(row)? } else { Tally::default() };
        let window = optional_count(row, "window_number")?.unwrap_or_default();
        Ok((
            number,
            OpenKey {
                id: row.get("key_id")?,
                catalog_id: row.get("catalog_id")?,
                window,
                held_live: count(row, "held_live")?,
                staged: count(row, "staged")?,
                tally,
            },
        ))
    });
    found.optional()
}

const SELECT_KEYS: &str = "
    SELECT endpoint, metadata_prefix, set_spec, staged, last_opened_at, last_closed_at, last_reason FROM state";

const SELECT_SCHEMA: &str = "
    SELECT catalog.schema
    FROM source
    JOIN catalog ON catalog.source_id = source.id
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2";

const SELECT_WHOLE_SIZE: &str = "
    SELECT harvest_key.complete_size
    FROM source
    JOIN catalog ON catalog.source_id = source.id
    JOIN harvest_key ON harvest_key.catalog_id = catalog.id
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2 AND harvest_key.set_spec = ''
        AND harvest_key.complete_everything";

const SELECT_COVERAGE: &str = "
    SELECT coverage.span_from, coverage.span_until
    FROM source
    JOIN catalog ON catalog.source_id = source.id
    JOIN harvest_key ON harvest_key.catalog_id = catalog.id
    JOIN coverage ON coverage.key_id = harvest_key.id
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2 AND harvest_key.set_spec = ?3
    ORDER BY coverage.span_from, coverage.span_until";

const SELECT_HOLES: &str = "
    SELECT hole.identifier, hole.datestamp, hole.reason
    FROM source
    JOIN catalog ON catalog.source_id = source.id
    JOIN harvest_key ON harvest_key.catalog_id = catalog.id
    JOIN hole ON hole.key_id = harvest_key.id
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2 AND harvest_key.set_spec = ?3
    ORDER BY hole.identifier";

const SELECT_KEY: &str = "
    SELECT harvest_key.id AS key_id, harvest_key.*, traversal.*
    FROM source
    JOIN catalog ON catalog.source_id = source.id
    JOIN harvest_key ON harvest_key.catalog_id = catalog.id
    LEFT JOIN traversal ON traversal.key_id = harvest_key.id
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2 AND harvest_key.set_spec = ?3";
