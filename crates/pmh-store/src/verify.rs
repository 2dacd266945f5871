//! What a check of the store against its repository needs: a copy to try a harvest on, what that changed, and counts.

use std::path::Path;

use pmh_harvest::Key;
use pmh_protocol::{Datestamp, Stamp};
use rusqlite::Connection;

use crate::at_rest::{AtRest, name_to_read};
use crate::columns::{count, datestamp};
use crate::error::StoreError;
use crate::schema::open_error;
use crate::sqlite::{SqliteStore, reading_flags};

/// Distinct records that a key has been delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldCount {
    /// Those it holds alive.
    pub live: u64,
    /// The others: tombstones, or held alive by other keys only.
    pub tombstones: u64,
}

/// A row that is not the same in two stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Whose.
    pub identifier: String,
    /// Its datestamp in the later store.
    pub datestamp: Option<Datestamp>,
    /// What became of it.
    pub change: Change,
}

/// What can become of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    New,
    /// Other content.
    Content,
    /// Live, and a tombstone now.
    Withdrawn,
    /// A tombstone, and live now.
    Revived,
}

impl Change {
    /// In a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Content => "changed",
            Self::Withdrawn => "withdrawn",
            Self::Revived => "revived",
        }
    }
}

impl SqliteStore {
    /// Copies the store at `from`, as it is at this moment, to `to`, where nothing is yet. The copy is a store like
    /// any other.
    ///
    /// # Errors
    /// When it could not be read or the copy not written.
    pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), StoreError> {
        let from = from.as_ref();
        let at_rest = AtRest::of(from);
        let name = name_to_read(from, at_rest);
        let connection = Connection::open_with_flags(name.as_ref(), reading_flags(at_rest))
            .map_err(|source| open_error(from, source))?;
        let to = to.as_ref().to_string_lossy();
        connection
            .execute("VACUUM INTO ?1", [to])
            .map(drop)
            .map_err(|source| StoreError::Upkeep { what: "copy the store", source })?;
        at_rest.map_or(Ok(()), |at_rest| at_rest.check(from))
    }

    /// Lets what `key` is delivered next be compared with the rows themselves, not with what is remembered of its last
    /// delivery: other hands may have altered them.
    ///
    /// # Errors
    /// When the store could not be changed.
    pub fn distrust(&mut self, key: &Key) -> Result<(), StoreError> {
        let set = key.set.as_deref().unwrap_or_default();
        self.connection
            .execute(DISTRUST, [key.source.as_str(), &key.prefix, set])
            .map(drop)
            .map_err(|source| StoreError::Upkeep { what: "forget what was delivered last", source })
    }

    /// How many distinct records `key` has been delivered, of those not dated before `floor`.
    ///
    /// # Errors
    /// When they could not be counted.
    pub fn held(&self, key: &Key, floor: Option<Stamp>) -> Result<HeldCount, StoreError> {
        let set = key.set.as_deref().unwrap_or_default();
        let floor = floor.map(|floor| floor.to_string()).unwrap_or_default();
        self.connection
            .query_row(COUNT_HELD, [key.source.as_str(), &key.prefix, set, &floor], |row| {
                Ok(HeldCount { live: count(row, "live")?, tombstones: count(row, "tombstones")? })
            })
            .map_err(|source| self.read_error("how much a key holds", source))
    }

    /// The rows of a source and prefix that are not as they were in the store at `earlier`, in the order of their
    /// identifiers. Rows are the same when their content is; dates do not matter.
    ///
    /// # Errors
    /// When one of the two could not be read.
    pub fn changed_since(
        &self,
        earlier: impl AsRef<Path>,
        source: &str,
        prefix: &str,
    ) -> Result<Vec<Changed>, StoreError> {
        let earlier = earlier.as_ref();
        let at_rest = AtRest::of(earlier);
        let read = || -> rusqlite::Result<Vec<Changed>> {
            let name = name_to_read(earlier, at_rest);
            self.connection.execute("ATTACH ?1 AS earlier", [name.as_ref()])?;
            let changed = self
                .connection
                .prepare(SELECT_CHANGED)
                .and_then(|mut select| select.query_map([source, prefix], changed)?.collect());
            self.connection.execute("DETACH earlier", [])?;
            changed
        };
        let changed = read().map_err(|source| self.read_error("what has changed", source))?;
        at_rest.map_or(Ok(()), |at_rest| at_rest.check(earlier))?;
        Ok(changed)
    }
}

fn changed(row: &rusqlite::Row<'_>) -> rusqlite::Result<Changed> {
    let (was, is): (Option<bool>, bool) = (row.get("was_deleted")?, row.get("is_deleted")?);
    Ok(Changed {
        identifier: row.get("identifier")?,
        datestamp: datestamp(row, "datestamp")?,
        change: match (was, is) {
            (None, _) => Change::New,
            (Some(false), true) => Change::Withdrawn,
            (Some(true), false) => Change::Revived,
            _ => Change::Content,
        },
    })
}

/// A datestamp that is a day is compared with the day of the floor.
const DISTRUST: &str = "
    UPDATE sighting SET content_hash = NULL
    WHERE key_id = (
        SELECT harvest_key.id
        FROM source
        JOIN catalog ON catalog.source_id = source.id
        JOIN harvest_key ON harvest_key.catalog_id = catalog.id
        WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2 AND harvest_key.set_spec = ?3
    )";

const COUNT_HELD: &str = "
    SELECT
        coalesce(sum(sighting.alive), 0) AS live,
        coalesce(sum(NOT sighting.alive), 0) AS tombstones
    FROM source
    JOIN catalog ON catalog.source_id = source.id
    JOIN harvest_key ON harvest_key.catalog_id = catalog.id
    JOIN sighting ON sighting.key_id = harvest_key.id
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2 AND harvest_key.set_spec = ?3
        AND (sighting.datestamp IS NULL
            OR sighting.datestamp >= substr(?4, 1, length(sighting.datestamp)))";

const SELECT_CHANGED: &str = "
    SELECT
        record.identifier,
        record.datestamp,
        record.deleted AS is_deleted,
        before.deleted AS was_deleted
    FROM main.source
    JOIN main.catalog ON catalog.source_id = source.id
    JOIN main.record ON record.catalog_id = catalog.id
    LEFT JOIN earlier.source AS source_before ON source_before.endpoint = source.endpoint
    LEFT JOIN earlier.catalog AS catalog_before
        ON catalog_before.source_id = source_before.id
        AND catalog_before.metadata_prefix = catalog.metadata_prefix
    LEFT JOIN earlier.record AS before
        ON before.catalog_id = catalog_before.id AND before.identifier = record.identifier
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2
        AND (before.deleted IS NOT record.deleted
            OR before.content_hash IS NOT record.content_hash)
    ORDER BY record.identifier";
