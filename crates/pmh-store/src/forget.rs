//! Forgetting keys: their progress, their sightings, and the rows that nobody else knows of.

use pmh_harvest::Key;
use pmh_protocol::Stamp;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use crate::error::StoreError;
use crate::sqlite::SqliteStore;

/// What forgetting some keys removes, or has removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Keys, with watermark and counts.
    pub keys: u64,
    /// Unfinished traversals, with their cursors.
    pub open: u64,
    /// Live rows.
    pub live: u64,
    /// Tombstones.
    pub tombstones: u64,
    /// Live rows that no other key holds alive, but that others have seen withdrawn: they become tombstones.
    pub withdrawn: u64,
}

/// Whether it is done or only tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgetting {
    /// Rolled back: only what it would remove is told.
    Tried,
    /// Committed, on this moment of our clock.
    Done(Stamp),
}

impl SqliteStore {
    /// Forgets `keys`. Rows that other keys of the same source and prefix have seen are kept for them: alive where
    /// one of them holds the row alive, else as the tombstone that they know it as. The caller has claimed the keys.
    ///
    /// # Errors
    /// When the store could not be changed: then nothing was.
    pub fn forget(
        &mut self,
        keys: &[Key],
        forgetting: Forgetting,
    ) -> Result<Forgotten, StoreError> {
        unchecked(&mut self.connection, |transaction| {
            let now = match forgetting {
                Forgetting::Tried => String::new(),
                Forgetting::Done(now) => now.to_string(),
            };
            let mut forgotten = Forgotten::default();
            for key in keys {
                forget(transaction, key, &now, &mut forgotten)?;
            }
            Ok((forgotten, matches!(forgetting, Forgetting::Done(_))))
        })
        .map_err(|source| StoreError::Upkeep { what: "forget keys", source })
    }
}

/// Runs `change` in one transaction, which is kept if it says so.
///
/// Foreign keys are not enforced meanwhile: no index leads from a record to its sightings, so that each record
/// removed would have all of them read.
fn unchecked<T>(
    connection: &mut Connection,
    change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<(T, bool)>,
) -> rusqlite::Result<T> {
    connection.pragma_update(None, "foreign_keys", false)?;
    let run = || {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (changed, is_kept) = change(&transaction)?;
        if is_kept {
            transaction.commit()?;
        }
        Ok(changed)
    };
    let ran = run();
    connection.pragma_update(None, "foreign_keys", true)?;
    ran
}

fn forget(
    transaction: &Transaction<'_>,
    key: &Key,
    now: &str,
    forgotten: &mut Forgotten,
) -> rusqlite::Result<()> {
    let set = key.set.as_deref().unwrap_or_default();
    let found: Option<(i64, i64, i64)> = transaction
        .query_row(FIND, params![key.source, key.prefix, set], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let Some((key_id, catalog_id, source_id)) = found else {
        return Ok(());
    };
    forgotten.keys += 1;
    forgotten.open += count(transaction.execute(DELETE_TRAVERSAL, [key_id])?);
    transaction.execute("DELETE FROM sighting WHERE key_id = ?1", [key_id])?;
    transaction.execute("DELETE FROM coverage WHERE key_id = ?1", [key_id])?;
    transaction.execute("DELETE FROM hole WHERE key_id = ?1", [key_id])?;
    transaction.execute("DELETE FROM harvest_key WHERE id = ?1", [key_id])?;
    forgotten.tombstones += count(transaction.execute(DELETE_TOMBSTONES, [catalog_id])?);
    forgotten.live += count(transaction.execute(DELETE_LIVE, [catalog_id])?);
    let withdrawn = count(transaction.execute(WITHDRAW, params![catalog_id, now])?);
    if withdrawn > 0 {
        forgotten.withdrawn += withdrawn;
        transaction.execute(UNSTAGE, [catalog_id])?;
        transaction.execute(RECOUNT_STAGED, [catalog_id])?;
    }
    // What one of two keys was given may be older than the row.
    transaction.execute(UNHASH, [catalog_id])?;
    transaction.execute(DELETE_INFERRED, [])?;
    transaction.execute(DELETE_CATALOG, [catalog_id])?;
    transaction.execute(DELETE_SOURCE, [source_id])?;
    Ok(())
}

const fn count(rows: usize) -> u64 {
    rows as u64
}

const FIND: &str = "
    SELECT harvest_key.id, catalog.id, source.id
    FROM source
    JOIN catalog ON catalog.source_id = source.id
    JOIN harvest_key ON harvest_key.catalog_id = catalog.id
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2 AND harvest_key.set_spec = ?3";

const UNHASH: &str = "
    UPDATE sighting SET content_hash = NULL
    WHERE key_id IN (SELECT id FROM harvest_key WHERE catalog_id = ?1)";

const DELETE_TRAVERSAL: &str = "DELETE FROM traversal WHERE key_id = ?1";

const DELETE_TOMBSTONES: &str = "
    DELETE FROM record
    WHERE catalog_id = ?1 AND deleted AND NOT EXISTS (
        SELECT 1 FROM harvest_key
        JOIN sighting ON sighting.key_id = harvest_key.id AND sighting.record_id = record.id
        WHERE harvest_key.catalog_id = ?1
    )";

const DELETE_LIVE: &str = "
    DELETE FROM record
    WHERE catalog_id = ?1 AND NOT deleted AND NOT EXISTS (
        SELECT 1 FROM harvest_key
        JOIN sighting ON sighting.key_id = harvest_key.id AND sighting.record_id = record.id
        WHERE harvest_key.catalog_id = ?1
    )";

const WITHDRAW: &str = "
    UPDATE record
    SET deleted = 1, harvested_at = ?2, content_hash = NULL, abouts = '[]', payload = NULL
    WHERE catalog_id = ?1 AND NOT deleted AND NOT EXISTS (
        SELECT 1 FROM harvest_key
        JOIN sighting ON sighting.key_id = harvest_key.id AND sighting.record_id = record.id
        WHERE harvest_key.catalog_id = ?1 AND sighting.alive
    )";

/// What was staged for a row that is a tombstone by now has nothing left to end.
const UNSTAGE: &str = "
    UPDATE sighting SET staged = 0
    WHERE staged AND key_id IN (SELECT id FROM harvest_key WHERE catalog_id = ?1)
        AND record_id IN (SELECT id FROM record WHERE catalog_id = ?1 AND deleted)";

const RECOUNT_STAGED: &str = "
    UPDATE harvest_key
    SET staged = (
        SELECT count(*) FROM sighting INDEXED BY staged_sighting
        WHERE sighting.key_id = harvest_key.id AND sighting.staged
    )
    WHERE catalog_id = ?1";

const DELETE_INFERRED: &str =
    "DELETE FROM inferred WHERE NOT EXISTS (SELECT 1 FROM record WHERE record.id = record_id)";

const DELETE_CATALOG: &str = "
    DELETE FROM catalog
    WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM harvest_key WHERE catalog_id = ?1)";

const DELETE_SOURCE: &str = "
    DELETE FROM source
    WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM catalog WHERE source_id = ?1)";
