//! What a repository lists, laid beside what a key holds alive.
//!
//! The list lies in a throw-away database of its own, so that memory does not grow with it and the store is only read.

use std::path::Path;

use pmh_harvest::Key;
use pmh_protocol::{Item, Stamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::at_rest::name_to_read;
use crate::columns::count;
use crate::error::StoreError;
use crate::sqlite::SqliteStore;

/// A list of headers in a throw-away file, and how it differs from what a key holds.
#[derive(Debug)]
pub struct Listing {
    connection: Connection,
}

/// How list and store can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Listed, and never delivered to the key; or listed alive, and not held alive.
    Missing,
    /// Held alive, and listed with a later datestamp.
    Stale,
    /// Held alive, and listed as deleted.
    Deleted,
    /// Held alive, and not listed.
    Extra,
    /// Any of the first three, but dated after what the key is complete for: the next harvest brings it.
    Since,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Missing, Self::Stale, Self::Deleted, Self::Extra, Self::Since];

    /// In a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Stale => "stale",
            Self::Deleted => "deleted",
            Self::Extra => "extra",
            Self::Since => "since",
        }
    }
}

/// One identifier that is not the same in list and store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Whose.
    pub identifier: String,
    /// Its datestamp in the list, as text; `None` where it has none or is not listed.
    pub listed: Option<String>,
    /// Its datestamp in the store, as text; `None` where it has none or is not held.
    pub held: Option<String>,
}

/// What was laid beside each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Distinct identifiers of the list, deleted ones included.
    pub listed: u64,
    /// The deleted ones among them.
    pub listed_deleted: u64,
    /// Records that the key holds alive, and that the list could name.
    pub held: u64,
}

impl Listing {
    /// An empty list at `path`, where nothing is yet. Whoever made the folder removes it.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let create = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(path)?;
            // After a crash nobody looks at it.
            connection.pragma_update(None, "journal_mode", "off")?;
            connection.pragma_update(None, "synchronous", "off")?;
            connection.execute_batch(TABLES)?;
            Ok(connection)
        };
        let connection = create()
            .map_err(|source| StoreError::Upkeep { what: "make a list to compare", source })?;
        Ok(Self { connection })
    }

    /// Adds a page of the list; how many of its identifiers were new. The later of two headers of one identifier counts.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn add(&mut self, items: &[Item]) -> Result<u64, StoreError> {
        let mut add = || -> rusqlite::Result<u64> {
            let transaction = self.connection.transaction()?;
            let mut fresh = 0;
            {
                let mut insert = transaction.prepare_cached(INSERT)?;
                let mut replace = transaction.prepare_cached(REPLACE)?;
                for item in items {
                    let header = item.header();
                    let datestamp = header.datestamp.map(|datestamp| datestamp.to_string());
                    let values =
                        params![header.identifier, datestamp, matches!(item, Item::Tombstone(_)),];
                    match insert.execute(values)? {
                        0 => drop(replace.execute(values)?),
                        _ => fresh += 1,
                    }
                }
            }
            transaction.commit()?;
            Ok(fresh)
        };
        add().map_err(|source| StoreError::Upkeep { what: "write a list to compare", source })
    }

    /// Lays the list beside what `key` holds in `store` at this moment. `floor` says since when the list was asked for;
    /// records dated before it are left out.
    ///
    /// # Errors
    /// When one of the two could not be read.
    pub fn compare(
        &mut self,
        store: &SqliteStore,
        key: &Key,
        floor: Option<Stamp>,
        watermark: Option<Stamp>,
    ) -> Result<Sum, StoreError> {
        let compare = || -> rusqlite::Result<Sum> {
            let name = name_to_read(&store.path, store.at_rest);
            self.connection.execute("ATTACH ?1 AS store", [name.as_ref()])?;
            let compared = self.lay_beside(key, floor, watermark);
            self.connection.execute("DETACH store", [])?;
            compared
        };
        let sum = compare().map_err(|source| store.read_error("it to compare it", source))?;
        store.check_undisturbed()?;
        Ok(sum)
    }

    fn lay_beside(
        &self,
        key: &Key,
        floor: Option<Stamp>,
        watermark: Option<Stamp>,
    ) -> rusqlite::Result<Sum> {
        // One transaction: every statement sees the same commit of the store.
        let transaction = self.connection.unchecked_transaction()?;
        let set = key.set.as_deref().unwrap_or_default();
        let ids: Option<(i64, i64)> = transaction
            .query_row(FIND, [key.source.as_str(), &key.prefix, set], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        let (key_id, catalog_id) = ids.unwrap_or_default();
        let floor = floor.map(|floor| floor.to_string()).unwrap_or_default();
        let watermark = watermark.map(|watermark| watermark.to_string());
        transaction.execute("DELETE FROM difference", [])?;
        transaction.execute(FIND_LISTED, params![key_id, catalog_id, watermark])?;
        transaction.execute(FIND_EXTRA, params![key_id, catalog_id, floor])?;
        let mut sum = transaction.query_row(COUNT_LISTED, [], |row| {
            Ok(Sum {
                listed: count(row, "listed")?,
                listed_deleted: count(row, "deleted")?,
                held: 0,
            })
        })?;
        sum.held =
            transaction.query_row(COUNT_HELD, params![key_id, floor], |row| count(row, "held"))?;
        transaction.commit()?;
        Ok(sum)
    }

    /// How many differences of a kind [`Listing::compare`] found.
    ///
    /// # Errors
    /// When they could not be counted.
    pub fn count(&self, kind: Kind) -> Result<u64, StoreError> {
        self.connection
            .query_row(COUNT, [kind.as_str()], |row| count(row, "number"))
            .map_err(|source| StoreError::Upkeep { what: "read differences", source })
    }

    /// At most `number` of them, in the order of their identifiers: those after `after`, or the first.
    ///
    /// # Errors
    /// When they could not be read.
    pub fn differences(
        &self,
        kind: Kind,
        after: Option<&str>,
        number: u32,
    ) -> Result<Vec<Difference>, StoreError> {
        let read = || -> rusqlite::Result<Vec<Difference>> {
            let mut select = self.connection.prepare_cached(SELECT)?;
            let found = select.query_map(params![kind.as_str(), after, number], |row| {
                Ok(Difference { identifier: row.get(0)?, listed: row.get(1)?, held: row.get(2)? })
            })?;
            found.collect()
        };
        read().map_err(|source| StoreError::Upkeep { what: "read differences", source })
    }
}

const TABLES: &str = "
    CREATE TABLE listed (
        identifier TEXT PRIMARY KEY, datestamp TEXT, deleted INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE difference (
        kind TEXT NOT NULL, identifier TEXT NOT NULL, listed TEXT, held TEXT,
        PRIMARY KEY (kind, identifier)
    ) STRICT, WITHOUT ROWID;";

const INSERT: &str = "
    INSERT INTO listed (identifier, datestamp, deleted) VALUES (?1, ?2, ?3)
    ON CONFLICT (identifier) DO NOTHING";

const REPLACE: &str = "UPDATE listed SET datestamp = ?2, deleted = ?3 WHERE identifier = ?1";

const FIND: &str = "
    SELECT harvest_key.id, catalog.id
    FROM store.source
    JOIN store.catalog ON catalog.source_id = source.id
    JOIN store.harvest_key ON harvest_key.catalog_id = catalog.id
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2 AND harvest_key.set_spec = ?3";

/// Of two datestamps in different forms only as much is compared as both have.
const FIND_LISTED: &str = "
    INSERT INTO difference (kind, identifier, listed, held)
    SELECT
        CASE WHEN since THEN 'since' ELSE kind END, identifier, listed, held
    FROM (
        SELECT
            listed.identifier AS identifier,
            listed.datestamp AS listed,
            CASE WHEN record.deleted THEN NULL ELSE record.datestamp END AS held,
            coalesce(listed.datestamp >= substr(?3, 1, length(listed.datestamp)), 0) AS since,
            CASE
                WHEN sighting.key_id IS NULL THEN 'missing'
                WHEN NOT listed.deleted AND NOT sighting.alive THEN 'missing'
                WHEN listed.deleted AND sighting.alive THEN 'deleted'
                WHEN sighting.alive AND substr(listed.datestamp, 1, length(record.datestamp))
                    > substr(record.datestamp, 1, length(listed.datestamp)) THEN 'stale'
            END AS kind
        FROM main.listed
        LEFT JOIN store.record
            ON record.catalog_id = ?2 AND record.identifier = listed.identifier
        LEFT JOIN store.sighting ON sighting.key_id = ?1 AND sighting.record_id = record.id
    )
    WHERE kind IS NOT NULL";

const FIND_EXTRA: &str = "
    INSERT INTO difference (kind, identifier, listed, held)
    SELECT 'extra', record.identifier, NULL, record.datestamp
    FROM store.sighting
    JOIN store.record ON record.id = sighting.record_id
    WHERE sighting.key_id = ?1 AND record.catalog_id = ?2 AND sighting.alive
        AND (sighting.datestamp IS NULL
            OR sighting.datestamp >= substr(?3, 1, length(sighting.datestamp)))
        AND NOT EXISTS (SELECT 1 FROM main.listed WHERE listed.identifier = record.identifier)";

const COUNT_LISTED: &str =
    "SELECT count(*) AS listed, coalesce(sum(deleted), 0) AS deleted FROM listed";

const COUNT_HELD: &str = "
    SELECT count(*) AS held FROM store.sighting
    WHERE sighting.key_id = ?1 AND sighting.alive
        AND (sighting.datestamp IS NULL
            OR sighting.datestamp >= substr(?2, 1, length(sighting.datestamp)))";

const COUNT: &str = "SELECT count(*) AS number FROM difference WHERE kind = ?1";

const SELECT: &str = "
    SELECT identifier, listed, held FROM difference
    WHERE kind = ?1 AND identifier > coalesce(?2, '')
    ORDER BY identifier LIMIT ?3";
