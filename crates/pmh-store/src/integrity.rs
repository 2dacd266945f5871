//! What must be true of every store, checked from the rows up.
//!
//! SQLite's own check covers pages, indexes and the constraints of the schema (no payload on a tombstone);
//! these cover what no constraint can say.

use std::fmt;

use crate::error::StoreError;
use crate::sqlite::SqliteStore;

/// How many flaws of one kind are listed.
const FLAWS_MAX: usize = 100;

/// Something that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// SQLite's own check said so.
    Damaged(String),
    /// A live record that no key holds alive: nothing could ever withdraw it.
    HeldByNobody(String),
    /// A tombstone that a key holds alive, or has staged again.
    TombstoneHeld(String),
    /// A key whose counts do not fit its sightings; the key, what is counted, as kept, as found.
    Miscounted {
        /// Endpoint, prefix and set.
        key: String,
        /// Which count.
        count: &'static str,
        /// What the store says.
        kept: i64,
        /// What its rows say.
        found: i64,
    },
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(what) => write!(f, "damaged: {what}"),
            Self::HeldByNobody(identifier) => {
                write!(f, "live record `{identifier}` is held by no key")
            }
            Self::TombstoneHeld(identifier) => {
                write!(f, "tombstone `{identifier}` is held by a key")
            }
            Self::Miscounted { key, count, kept, found } => {
                write!(f, "{count} of `{key}`: the store says `{kept}`, its rows say `{found}`")
            }
        }
    }
}

impl SqliteStore {
    /// Checks the store; what is not as it must be, at most 100 flaws of a kind. Reads all of it.
    ///
    /// # Errors
    /// When it could not be read.
    pub fn check_integrity(&self) -> Result<Vec<Flaw>, StoreError> {
        let check = || -> rusqlite::Result<Vec<Flaw>> {
            let mut flaws =
                self.texts(&format!("PRAGMA quick_check({FLAWS_MAX})"), Flaw::Damaged)?;
            flaws.retain(|flaw| *flaw != Flaw::Damaged("ok".to_owned()));
            flaws.extend(self.texts(HELD_BY_NOBODY, Flaw::HeldByNobody)?);
            flaws.extend(self.texts(TOMBSTONE_HELD, Flaw::TombstoneHeld)?);
            flaws.extend(self.miscounted()?);
            Ok(flaws)
        };
        check().map_err(|source| self.read_error("it to check it", source))
    }

    fn texts(&self, sql: &str, flaw: fn(String) -> Flaw) -> rusqlite::Result<Vec<Flaw>> {
        let mut statement = self.connection.prepare(sql)?;
        let texts = statement.query_map([], |row| row.get(0).map(flaw))?;
        texts.take(FLAWS_MAX).collect()
    }

    fn miscounted(&self) -> rusqlite::Result<Vec<Flaw>> {
        let mut statement = self.connection.prepare(COUNTS)?;
        let mut rows = statement.query([])?;
        let mut flaws = Vec::new();
        while let Some(row) = rows.next()? {
            for (count, kept, found) in [
                ("records held live", "held_live", "found_live"),
                ("staged tombstones", "staged", "found_staged"),
                (
                    "distinct identifiers of the open traversal",
                    "distinct_identifiers",
                    "found_distinct",
                ),
            ] {
                let (kept, found) = (row.get(kept)?, row.get(found)?);
                if kept != found && flaws.len() < FLAWS_MAX {
                    flaws.push(Flaw::Miscounted { key: row.get("key")?, count, kept, found });
                }
            }
        }
        Ok(flaws)
    }
}

const HELD_BY_NOBODY: &str = "
    SELECT identifier FROM record
    WHERE NOT deleted AND NOT EXISTS (
        SELECT 1 FROM harvest_key
        JOIN sighting ON sighting.key_id = harvest_key.id AND sighting.record_id = record.id
        WHERE harvest_key.catalog_id = record.catalog_id AND sighting.alive
    )";

const TOMBSTONE_HELD: &str = "
    SELECT DISTINCT record.identifier FROM sighting
    JOIN record ON record.id = sighting.record_id
    WHERE record.deleted AND (sighting.alive OR sighting.staged)";

const COUNTS: &str = "
    SELECT
        trim(endpoint || ' ' || metadata_prefix || ' ' || set_spec) AS key,
        state.held_live,
        state.staged,
        coalesce(state.distinct_identifiers, 0) AS distinct_identifiers,
        coalesce(sum(sighting.alive), 0) AS found_live,
        coalesce(sum(sighting.staged), 0) AS found_staged,
        coalesce(sum(sighting.traversal_number = state.open_traversal), 0) AS found_distinct
    FROM state
    LEFT JOIN sighting ON sighting.key_id = state.key_id
    GROUP BY state.key_id";
