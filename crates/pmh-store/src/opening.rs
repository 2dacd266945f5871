//! How a traversal begins: its row, the rows it needs above it, and what the source said, before its opening request
//! leaves.

use pmh_harvest::{Key, Opening, Receipt, Refresh};
use rusqlite::{Transaction, params};

use crate::columns::{count, granularity_word, stored};
use crate::error::CommitError;

pub(crate) fn write(
    transaction: &Transaction<'_>,
    key: &Key,
    opening: &Opening,
) -> Result<Receipt, CommitError> {
    let traversal = &opening.traversal;
    let opened_at = traversal.opened_at.to_string();
    let key_id = upsert_key(transaction, key)?;
    remember_source(transaction, key, key_id, opening)?;
    let (last, staged) = transaction
        .prepare_cached("SELECT last_traversal, staged FROM harvest_key WHERE id = ?1")?
        .query_row([key_id], |row| Ok((count(row, "last_traversal")?, count(row, "staged")?)))?;
    if traversal.number <= last {
        return Err(CommitError::NotNewer { number: traversal.number, last });
    }
    transaction
        .prepare_cached(
            "UPDATE harvest_key SET last_traversal = ?2, last_opened_at = ?3 WHERE id = ?1",
        )?
        .execute(params![key_id, stored(traversal.number), opened_at])?;
    // Replacing the row of an unfinished traversal resets what that one had learned and counted.
    transaction.prepare_cached(REPLACE_TRAVERSAL)?.execute(params![
        key_id,
        stored(traversal.number),
        stored(traversal.window_number),
        traversal.window.from.map(|from| from.to_string()),
        traversal.window.until.map(|until| until.to_string()),
        opened_at,
        traversal.restarts_in_row,
        traversal.restarts,
    ])?;
    Ok(Receipt { staged, ..Receipt::default() })
}

fn remember_source(
    transaction: &Transaction<'_>,
    key: &Key,
    key_id: i64,
    opening: &Opening,
) -> rusqlite::Result<()> {
    let source = &opening.source;
    transaction.prepare_cached(REMEMBER_SOURCE)?.execute(params![
        key.source,
        granularity_word(source.granularity),
        source.deleted_records.as_str(),
        source.name,
        source.host,
        source.namespace,
        source.earliest.map(|earliest| earliest.to_string()),
    ])?;
    if let Some(schema) = &opening.schema {
        transaction.prepare_cached(REMEMBER_SCHEMA)?.execute(params![key_id, schema])?;
    }
    if let Some(refresh) = opening.refresh {
        let make_due = match refresh {
            Refresh::EarliestMovedBack => SOURCE_IS_DUE,
            Refresh::SchemaChanged => CATALOG_IS_DUE,
        };
        transaction.prepare_cached(make_due)?.execute(params![key_id, refresh.as_str()])?;
    }
    Ok(())
}

/// The row of a key, with the rows it needs above it.
pub(crate) fn upsert_key(transaction: &Transaction<'_>, key: &Key) -> rusqlite::Result<i64> {
    let source_id: i64 =
        transaction.prepare_cached(UPSERT_SOURCE)?.query_row([&key.source], |row| row.get(0))?;
    let catalog_id: i64 = transaction
        .prepare_cached(UPSERT_CATALOG)?
        .query_row(params![source_id, key.prefix], |row| row.get(0))?;
    let set = key.set.as_deref().unwrap_or_default();
    transaction.prepare_cached(UPSERT_KEY)?.query_row(params![catalog_id, set], |row| row.get(0))
}

// The updates change nothing: only a row that is written is returned.

const UPSERT_SOURCE: &str = "
    INSERT INTO source (endpoint) VALUES (?1)
    ON CONFLICT (endpoint) DO UPDATE SET endpoint = excluded.endpoint
    RETURNING id";

const UPSERT_CATALOG: &str = "
    INSERT INTO catalog (source_id, metadata_prefix) VALUES (?1, ?2)
    ON CONFLICT (source_id, metadata_prefix) DO UPDATE SET metadata_prefix = excluded.metadata_prefix
    RETURNING id";

const UPSERT_KEY: &str = "
    INSERT INTO harvest_key (catalog_id, set_spec) VALUES (?1, ?2)
    ON CONFLICT (catalog_id, set_spec) DO UPDATE SET set_spec = excluded.set_spec
    RETURNING id";

const REPLACE_TRAVERSAL: &str = "
    INSERT OR REPLACE INTO traversal (
        key_id, number, window_number, window_from, window_until, opened_at,
        restarts_in_row, restarts
    )
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

const REMEMBER_SOURCE: &str = "
    UPDATE source
    SET granularity = ?2, deleted_records = ?3, name = ?4, host = ?5, namespace = ?6, earliest = ?7
    WHERE endpoint = ?1";

const REMEMBER_SCHEMA: &str = "
    UPDATE catalog SET schema = ?2
    WHERE id = (SELECT catalog_id FROM harvest_key WHERE id = ?1)";

const CATALOG_IS_DUE: &str = "
    UPDATE harvest_key SET refresh_due = ?2
    WHERE catalog_id = (SELECT catalog_id FROM harvest_key WHERE id = ?1)";

const SOURCE_IS_DUE: &str = "
    UPDATE harvest_key SET refresh_due = ?2
    WHERE catalog_id IN (
        SELECT other.id
        FROM harvest_key AS own
        JOIN catalog ON catalog.id = own.catalog_id
        JOIN catalog AS other ON other.source_id = catalog.source_id
        WHERE own.id = ?1
    )";
