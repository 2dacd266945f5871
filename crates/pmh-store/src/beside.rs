//! What happens beside every list: comparing what was delivered, and taking records that were fetched one by one.

use pmh_harvest::{Comparison, Key, Lacking, Mending, Receipt};
use pmh_protocol::{Header, Item};
use rusqlite::{Transaction, params};

use crate::columns::stored;
use crate::error::CommitError;
use crate::opening::upsert_key;
use crate::page::{CLOSE_HOLE, Delivery, take};
use crate::runs::{OpenKey, any_key, open_key};

pub(crate) fn mend(
    transaction: &Transaction<'_>,
    key: &Key,
    mending: &Mending,
) -> Result<Receipt, CommitError> {
    let key_id = upsert_key(transaction, key)?;
    let known = any_key(transaction, key)?;
    let delivery = Delivery { traversal: None, taken_at: mending.taken_at };
    let receipt = take(transaction, key, &known, &delivery, &mending.items)?;
    if mending.inferred {
        let mut infer = transaction.prepare_cached(INFER)?;
        for item in &mending.items {
            if let Item::Tombstone(tombstone) = item {
                infer.execute(params![known.catalog_id, tombstone.header.identifier])?;
            }
        }
    }
    let mut close = transaction.prepare_cached(CLOSE_HOLE)?;
    for identifier in &mending.closed {
        close.execute(params![key_id, identifier])?;
    }
    Ok(Receipt { fresh: 0, tally: known.tally, ..receipt })
}

pub(crate) fn compare(
    transaction: &Transaction<'_>,
    key: &Key,
    comparison: &Comparison,
) -> Result<Receipt, CommitError> {
    let open = open_key(transaction, key, comparison.traversal)?;
    let lacking = match &comparison.of {
        Lacking::Headers(headers) => lacking_headers(transaction, &open, headers)?,
        Lacking::Unseen { most } => {
            let most = i64::try_from(*most).unwrap_or(i64::MAX);
            let parameters = params![open.id, stored(comparison.traversal), most];
            let mut statement = transaction.prepare_cached(UNSEEN)?;
            let found = statement.query_map(parameters, |row| row.get(0))?;
            found.collect::<Result<_, _>>()?
        }
        Lacking::SinceSliced { since, most } => {
            let most = i64::try_from(*most).unwrap_or(i64::MAX);
            let parameters = params![open.id, stored(open.window), stored(*since), most];
            let mut statement = transaction.prepare_cached(LACKING_SINCE)?;
            let found = statement.query_map(parameters, |row| row.get(0))?;
            found.collect::<Result<_, _>>()?
        }
    };
    Ok(Receipt { tally: open.tally, staged: open.staged, lacking, ..Receipt::default() })
}

fn lacking_headers(
    transaction: &Transaction<'_>,
    open: &OpenKey,
    headers: &[Header],
) -> rusqlite::Result<Vec<String>> {
    let mut is_delivered = transaction.prepare_cached(IS_DELIVERED)?;
    let mut lacking = Vec::new();
    for header in headers {
        let datestamp = header.datestamp.map(|datestamp| datestamp.to_string());
        let parameters = params![
            open.id,
            open.catalog_id,
            header.identifier,
            stored(open.window),
            datestamp.unwrap_or_default()
        ];
        if !is_delivered.exists(parameters)? {
            lacking.push(header.identifier.clone());
        }
    }
    Ok(lacking)
}

const IS_DELIVERED: &str = "
    SELECT 1
    FROM record
    JOIN sighting ON sighting.key_id = ?1 AND sighting.record_id = record.id
    WHERE record.catalog_id = ?2 AND record.identifier = ?3 AND sighting.window_number = ?4
        AND coalesce(sighting.datestamp, '') >= ?5";

const INFER: &str = "
    INSERT OR IGNORE INTO inferred (record_id)
    SELECT id FROM record WHERE catalog_id = ?1 AND identifier = ?2";

const UNSEEN: &str = "
    SELECT record.identifier
    FROM sighting
    JOIN record ON record.id = sighting.record_id
    WHERE sighting.key_id = ?1 AND sighting.alive AND NOT sighting.staged
        AND sighting.traversal_number < ?2
    ORDER BY record.identifier
    LIMIT ?3";

const LACKING_SINCE: &str = "
    SELECT record.identifier
    FROM sighting
    JOIN record ON record.id = sighting.record_id
    WHERE sighting.key_id = ?1 AND sighting.window_number = ?2 AND sighting.traversal_number < ?3
    ORDER BY record.identifier
    LIMIT ?4";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check_searches;

    #[test]
    fn no_statement_beside_a_list_reads_a_whole_table() {
        for sql in [IS_DELIVERED, INFER, UNSEEN, LACKING_SINCE] {
            check_searches(sql);
        }
    }
}
