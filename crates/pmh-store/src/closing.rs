//! How a traversal ends: staged tombstones, watermark and what becomes of the cursor.

use pmh_harvest::{Closing, Completion, Ending, Key, Receipt, Span};
use pmh_protocol::Stamp;
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::columns::{count, stored};
use crate::error::CommitError;
use crate::opening::upsert_key;
use crate::runs::{OpenKey, open_key};

/// How many staged tombstones are listed at a time, so that memory does not grow with their number.
const STAGED_AT_A_TIME: usize = 1000;

pub(crate) fn write(
    transaction: &Transaction<'_>,
    key: &Key,
    closing: &Closing,
) -> Result<Receipt, CommitError> {
    let closed_at = closing.closed_at.to_string();
    // A source nobody knows yet is made by the end of its first run.
    upsert_key(transaction, key)?;
    transaction.prepare_cached(REMEMBER_SOURCE)?.execute(params![
        key.source,
        closing.memory.not_before.map(|moment| moment.to_string()),
        closing.memory.single_use,
        stored(closing.memory.pause_millis),
    ])?;
    let Some(number) = closing.traversal else {
        return write_early(transaction, key, &closing.ending, &closed_at);
    };
    let open = open_key(transaction, key, number)?;
    let mut receipt = Receipt { tally: open.tally, staged: open.staged, ..Receipt::default() };
    match &closing.ending {
        Ending::Complete(completion) => {
            receipt.counts.withdrawn = apply_staged(transaction, key, &open, &closed_at)?;
            receipt.staged = 0;
            complete(transaction, open.id, completion, &closed_at)?;
        }
        Ending::Incomplete { keep_cursor, reason } => {
            transaction.prepare_cached(FAIL_KEY)?.execute(params![open.id, closed_at, reason])?;
            if !keep_cursor {
                transaction.prepare_cached(VOID_CURSOR)?.execute([open.id])?;
            }
        }
    }
    Ok(receipt)
}

/// The end of a run that opened or resumed no traversal, perhaps of a key never seen.
fn write_early(
    transaction: &Transaction<'_>,
    key: &Key,
    ending: &Ending,
    closed_at: &str,
) -> Result<Receipt, CommitError> {
    let Ending::Incomplete { reason, .. } = ending else {
        return Err(CommitError::NothingComplete);
    };
    let key_id = upsert_key(transaction, key)?;
    transaction.prepare_cached(FAIL_KEY)?.execute(params![key_id, closed_at, reason])?;
    let staged = transaction
        .prepare_cached("SELECT staged FROM harvest_key WHERE id = ?1")?
        .query_row([key_id], |row| count(row, "staged"))?;
    Ok(Receipt { staged, ..Receipt::default() })
}

fn complete(
    transaction: &Transaction<'_>,
    key_id: i64,
    completion: &Completion,
    closed_at: &str,
) -> rusqlite::Result<()> {
    let moment = |stamp: Stamp| stamp.to_string();
    transaction.prepare_cached(COMPLETE_KEY)?.execute(params![
        key_id,
        completion.watermark.map(moment),
        completion.floor.map(moment),
        closed_at,
        completion.lag_seconds,
        completion.list.is_some_and(|list| list.everything),
        completion.incomplete,
    ])?;
    cover(transaction, key_id, completion.coverage)?;
    for hole in &completion.holes {
        let datestamp = hole.datestamp.map(|datestamp| datestamp.to_string());
        transaction.prepare_cached(OPEN_HOLE)?.execute(params![
            key_id,
            hole.identifier,
            datestamp,
            hole.reason
        ])?;
    }
    if let Some(list) = &completion.list {
        transaction.prepare_cached(REMEMBER_LIST)?.execute(params![
            key_id,
            stored(list.pages),
            stored(list.distinct),
            list.size.map(stored),
            list.ended_empty,
            list.everything,
        ])?;
    }
    transaction.prepare_cached("DELETE FROM traversal WHERE key_id = ?1")?.execute([key_id])?;
    Ok(())
}

/// Notes a span that is covered, and lets go of those that say nothing any more.
fn cover(transaction: &Transaction<'_>, key_id: i64, span: Option<Span>) -> rusqlite::Result<()> {
    if let Some(span) = span {
        let from = span.from.map(|from| from.to_string()).unwrap_or_default();
        transaction.prepare_cached(COVER)?.execute(params![
            key_id,
            from,
            span.until.to_string()
        ])?;
    }
    transaction.prepare_cached(DROP_COVERED)?.execute([key_id])?;
    Ok(())
}

/// Lets the key's staged tombstones take effect; how many rows that withdrew.
fn apply_staged(
    transaction: &Transaction<'_>,
    key: &Key,
    open: &OpenKey,
    closed_at: &str,
) -> rusqlite::Result<u64> {
    if open.staged == 0 {
        return Ok(0);
    }
    let keys: Vec<i64> = transaction
        .prepare_cached(LIST_KEYS)?
        .query_map([open.catalog_id], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut list = transaction.prepare_cached(LIST_STAGED)?;
    let mut is_alive = transaction.prepare_cached(IS_ALIVE)?;
    let mut withdraw = transaction.prepare_cached(WITHDRAW)?;
    let mut withdrawn = 0;
    loop {
        let staged: Vec<(i64, Option<String>)> = list
            .query_map(params![open.id, STAGED_AT_A_TIME as i64], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect::<Result<_, _>>()?;
        for (record_id, datestamp) in &staged {
            let mut held_alive = false;
            for &other in &keys {
                if other == open.id || key.set.is_none() {
                    release(transaction, other, *record_id)?;
                }
                held_alive = held_alive || is_alive.exists([other, *record_id])?;
            }
            if !held_alive {
                // What other keys have staged of it has nothing left to end.
                for &other in &keys {
                    release(transaction, other, *record_id)?;
                }
                withdrawn += withdraw.execute(params![record_id, datestamp, closed_at])? as u64;
            }
        }
        if staged.len() < STAGED_AT_A_TIME {
            return Ok(withdrawn);
        }
    }
}

/// Ends a key's hold on a record, and keeps the counts in step.
fn release(transaction: &Transaction<'_>, key_id: i64, record_id: i64) -> rusqlite::Result<()> {
    let mut find = transaction.prepare_cached(FIND_HOLD)?;
    let found = find
        .query_row([key_id, record_id], |row| Ok((row.get::<_, bool>(0)?, row.get::<_, bool>(1)?)));
    let Some((alive, staged)) = found.optional()? else {
        return Ok(());
    };
    transaction.prepare_cached(RELEASE)?.execute([key_id, record_id])?;
    transaction.prepare_cached(UNCOUNT)?.execute(params![key_id, alive, staged])?;
    Ok(())
}

const LIST_KEYS: &str = "SELECT id FROM harvest_key WHERE catalog_id = ?1";

// Named, because the primary key begins with the same column and would be read from end to end.
const LIST_STAGED: &str = "
    SELECT record_id, datestamp FROM sighting INDEXED BY staged_sighting
    WHERE key_id = ?1 AND staged LIMIT ?2";

const IS_ALIVE: &str = "SELECT 1 FROM sighting WHERE key_id = ?1 AND record_id = ?2 AND alive";

const FIND_HOLD: &str = "
    SELECT alive, staged FROM sighting WHERE key_id = ?1 AND record_id = ?2 AND (alive OR staged)";

const RELEASE: &str =
    "UPDATE sighting SET alive = 0, staged = 0 WHERE key_id = ?1 AND record_id = ?2";

const UNCOUNT: &str = "
    UPDATE harvest_key SET held_live = held_live - ?2, staged = staged - ?3 WHERE id = ?1";

const WITHDRAW: &str = "
    UPDATE record
    SET datestamp = ?2, deleted = 1, harvested_at = ?3, content_hash = NULL, abouts = '[]', payload = NULL
    WHERE id = ?1";

const COMPLETE_KEY: &str = "
    UPDATE harvest_key
    SET watermark = coalesce(?2, watermark), floor = ?3, last_closed_at = ?4,
        errors = CASE WHEN ?7 IS NULL THEN 0 ELSE errors + 1 END, last_reason = ?7, lag_seconds = max(lag_seconds, ?5),
        refresh_due = CASE WHEN ?6 THEN NULL ELSE refresh_due END
    WHERE id = ?1";

const REMEMBER_SOURCE: &str =
    "UPDATE source SET not_before = ?2, single_use = ?3, pause_millis = ?4 WHERE endpoint = ?1";

const OPEN_HOLE: &str =
    "INSERT OR REPLACE INTO hole (key_id, identifier, datestamp, reason) VALUES (?1, ?2, ?3, ?4)";

const COVER: &str =
    "INSERT OR IGNORE INTO coverage (key_id, span_from, span_until) VALUES (?1, ?2, ?3)";

const DROP_COVERED: &str = "
    DELETE FROM coverage
    WHERE key_id = ?1 AND (
        EXISTS (
            SELECT 1 FROM coverage AS other
            WHERE other.key_id = ?1
                AND (other.span_from, other.span_until) <> (coverage.span_from, coverage.span_until)
                AND other.span_from <= coverage.span_from AND coverage.span_until <= other.span_until
        )
        OR EXISTS (
            SELECT 1 FROM harvest_key
            WHERE id = ?1 AND coalesce(floor, '') <= span_from AND span_until <= watermark
        )
    )";

const REMEMBER_LIST: &str = "
    UPDATE harvest_key
    SET complete_pages = ?2, complete_distinct = ?3, complete_size = ?4, complete_ended_empty = ?5,
        complete_everything = ?6
    WHERE id = ?1";

const FAIL_KEY: &str = "UPDATE harvest_key SET errors = errors + 1, last_closed_at = ?2, last_reason = ?3 WHERE id = ?1";

const VOID_CURSOR: &str = "UPDATE traversal SET token = NULL, token_given_at = NULL, token_life_seconds = NULL WHERE key_id = ?1";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check_searches;

    #[test]
    fn no_statement_of_a_closing_reads_a_whole_table() {
        let of_rows = [LIST_STAGED, IS_ALIVE, FIND_HOLD, RELEASE, WITHDRAW];
        for sql in of_rows.into_iter().chain([
            LIST_KEYS,
            UNCOUNT,
            COMPLETE_KEY,
            REMEMBER_LIST,
            REMEMBER_SOURCE,
            OPEN_HOLE,
            COVER,
            DROP_COVERED,
            FAIL_KEY,
            VOID_CURSOR,
        ]) {
            check_searches(sql);
        }
    }

    #[test]
    fn staged_tombstones_are_listed_from_their_own_small_index() {
        let plan = crate::schema::plan(LIST_STAGED);
        assert!(plan.contains("staged_sighting"), "{plan}");
    }
}
