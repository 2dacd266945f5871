//! One page into its rows: what each delivery means, decided from the row held and the key's last sighting.
//!
//! A delivery reads one row and writes one narrow sighting; the wide row is written only when a reader of the
//! store would notice, which the hash of its content tells without reading the payload.

use std::fmt::Write as _;

use pmh_harvest::{Batch, Counts, Key, Receipt, Tally};
use pmh_protocol::{Header, Item, Record};
use rusqlite::{CachedStatement, OptionalExtension as _, Transaction, params};

use crate::columns::{json, stored};
use crate::content::content_hash;
use crate::error::CommitError;
use crate::runs::{OpenKey, open_key};

pub(crate) fn write(
    transaction: &Transaction<'_>,
    key: &Key,
    batch: &Batch,
) -> Result<Receipt, CommitError> {
    let open = open_key(transaction, key, batch.traversal)?;
    let mut page = PageWriter::new(transaction, key, &open, batch)?;
    for item in &batch.items {
        page.deliver(item)?;
    }
    let PageWriter { fresh, fresh_in_window, counts, held_live, staged, .. } = page;

    let staged = open.staged.saturating_add_signed(staged);
    let held_live = open.held_live.saturating_add_signed(held_live);
    transaction
        .prepare_cached("UPDATE harvest_key SET held_live = ?2, staged = ?3 WHERE id = ?1")?
        .execute(params![open.id, stored(held_live), stored(staged)])?;
    let tally = open.tally.and_page(batch.items.len() as u64, fresh, fresh_in_window);
    write_progress(transaction, open.id, batch, &tally)?;
    Ok(Receipt { fresh, counts, tally, staged })
}

fn write_progress(
    transaction: &Transaction<'_>,
    key_id: i64,
    batch: &Batch,
    tally: &Tally,
) -> rusqlite::Result<()> {
    let progress = &batch.progress;
    let cursor = batch.cursor.as_ref();
    transaction.prepare_cached(UPDATE_TRAVERSAL)?.execute(params![
        key_id,
        progress.opening_response_date.map(|date| date.to_string()),
        progress.sizes.map(|sizes| stored(sizes.first)),
        progress.sizes.map(|sizes| stored(sizes.last)),
        progress.sizes.map(|sizes| stored(sizes.least)),
        stored(progress.unreadable),
        progress.session_bound,
        stored(tally.pages),
        stored(tally.delivered),
        stored(tally.distinct),
        stored(tally.fresh_in_window),
        stored(tally.barren_run),
        stored(tally.empty_run),
        cursor.map(|cursor| &cursor.token),
        cursor.map(|cursor| cursor.given_at.to_string()),
        cursor.and_then(|cursor| cursor.life_seconds),
    ])?;
    Ok(())
}

/// The statements of one page, and what its deliveries have come to so far.
struct PageWriter<'t> {
    key_id: i64,
    catalog_id: i64,
    traversal: i64,
    window: i64,
    is_set: bool,
    taken_at: String,
    /// Scratch for the datestamp in hand, so that a page allocates one.
    datestamp: String,

    find: CachedStatement<'t>,
    held_payload: CachedStatement<'t>,
    insert: CachedStatement<'t>,
    replace: CachedStatement<'t>,
    redate: CachedStatement<'t>,
    see: CachedStatement<'t>,
    /// Cancels tombstones staged under the key without set; `None` when there can be none.
    unstage_whole: Option<Unstage<'t>>,

    fresh: u64,
    fresh_in_window: u64,
    counts: Counts,
    held_live: i64,
    staged: i64,
}

struct Unstage<'t> {
    whole_id: i64,
    sighting: CachedStatement<'t>,
    key: CachedStatement<'t>,
}

/// The row held of an identifier.
struct Held {
    id: i64,
    deleted: bool,
    content_hash: Option<u128>,
    has_datestamp: bool,
}

/// The key's last sighting of an identifier.
#[derive(Default)]
struct Last {
    in_traversal: bool,
    in_window: bool,
    is_later: bool,
    alive: bool,
    staged: bool,
}

impl<'t> PageWriter<'t> {
    fn new(
        transaction: &'t Transaction<'_>,
        key: &Key,
        open: &OpenKey,
        batch: &Batch,
    ) -> rusqlite::Result<Self> {
        let whole_id = match key.set {
            Some(_) => transaction
                .prepare_cached(FIND_WHOLE)?
                .query_row([open.catalog_id], |row| row.get(0))
                .optional()?,
            None => None,
        };
        let unstage_whole = match whole_id {
            Some(whole_id) => Some(Unstage {
                whole_id,
                sighting: transaction.prepare_cached(UNSTAGE)?,
                key: transaction
                    .prepare_cached("UPDATE harvest_key SET staged = staged - 1 WHERE id = ?1")?,
            }),
            None => None,
        };
        Ok(Self {
            key_id: open.id,
            catalog_id: open.catalog_id,
            traversal: stored(batch.traversal),
            window: stored(open.window),
            is_set: key.set.is_some(),
            taken_at: batch.taken_at.to_string(),
            datestamp: String::new(),
            find: transaction.prepare_cached(FIND)?,
            held_payload: transaction.prepare_cached("SELECT payload FROM record WHERE id = ?1")?,
            insert: transaction.prepare_cached(INSERT)?,
            replace: transaction.prepare_cached(REPLACE)?,
            redate: transaction.prepare_cached("UPDATE record SET datestamp = ?2 WHERE id = ?1")?,
            see: transaction.prepare_cached(SEE)?,
            unstage_whole,
            fresh: 0,
            fresh_in_window: 0,
            counts: Counts::default(),
            held_live: 0,
            staged: 0,
        })
    }

    fn deliver(&mut self, item: &Item) -> rusqlite::Result<()> {
        let header = item.header();
        self.datestamp.clear();
        if let Some(datestamp) = header.datestamp {
            write!(self.datestamp, "{datestamp}").expect("a string takes every text");
        }
        let datestamp = header.datestamp.map(|_| self.datestamp.as_str());
        let (held, last) = self
            .find
            .query_row(
                params![
                    self.key_id,
                    self.catalog_id,
                    header.identifier,
                    datestamp,
                    self.traversal,
                    self.window
                ],
                found,
            )
            .optional()?
            .map_or_else(|| (None, Last::default()), |(held, last)| (Some(held), last));
        self.fresh += u64::from(!last.in_traversal);
        self.fresh_in_window += u64::from(!last.in_window);
        if last.in_traversal && last.is_later {
            self.counts.unchanged += 1;
            return Ok(());
        }
        match item {
            Item::Record(record) => self.record(record, held, &last),
            Item::Tombstone(tombstone) => self.tombstone(&tombstone.header, held, &last),
        }
    }

    fn record(&mut self, record: &Record, held: Option<Held>, last: &Last) -> rusqlite::Result<()> {
        let header = &record.header;
        let datestamp = header.datestamp.map(|_| self.datestamp.as_str());
        let kept_payload: Option<String> = match (&record.payload, &held) {
            (None, Some(held)) => self.held_payload.query_row([held.id], |row| row.get(0))?,
            _ => None,
        };
        let payload = record.payload.as_deref().or(kept_payload.as_deref());
        let content_hash = content_hash(payload, &record.abouts, &header.sets);
        let id = match held {
            None => {
                self.counts.new += 1;
                self.insert.insert(params![
                    self.catalog_id,
                    header.identifier,
                    datestamp,
                    false,
                    json(&header.sets),
                    self.taken_at,
                    content_hash.to_be_bytes(),
                    json(&record.abouts),
                    payload,
                ])?
            }
            Some(held) if held.deleted || held.content_hash != Some(content_hash) => {
                *if held.deleted { &mut self.counts.revived } else { &mut self.counts.changed } +=
                    1;
                self.replace.execute(params![
                    held.id,
                    datestamp,
                    json(&header.sets),
                    self.taken_at,
                    content_hash.to_be_bytes(),
                    json(&record.abouts),
                    payload,
                ])?;
                held.id
            }
            Some(held) => self.unchanged(held, header)?,
        };
        self.see(id, header, last, true, false)?;
        if let Some(unstage) = &mut self.unstage_whole
            && unstage.sighting.execute([unstage.whole_id, id])? > 0
        {
            unstage.key.execute([unstage.whole_id])?;
        }
        Ok(())
    }

    fn tombstone(
        &mut self,
        header: &Header,
        held: Option<Held>,
        last: &Last,
    ) -> rusqlite::Result<()> {
        let (id, staged) = match held {
            None => {
                self.counts.new += 1;
                let datestamp = header.datestamp.map(|_| self.datestamp.as_str());
                let (no_hash, no_payload) = (None::<[u8; 16]>, None::<&str>);
                let id = self.insert.insert(params![
                    self.catalog_id,
                    header.identifier,
                    datestamp,
                    true,
                    json(&header.sets),
                    self.taken_at,
                    no_hash,
                    "[]",
                    no_payload,
                ])?;
                (id, false)
            }
            Some(held) if held.deleted => (self.unchanged(held, header)?, false),
            // A set that never held the record alive has no hold that its tombstone could end.
            Some(held) if self.is_set && !last.alive => {
                self.counts.unchanged += 1;
                (held.id, false)
            }
            Some(held) => (held.id, true),
        };
        self.see(id, header, last, last.alive, staged)
    }

    fn unchanged(&mut self, held: Held, header: &Header) -> rusqlite::Result<i64> {
        self.counts.unchanged += 1;
        if !held.has_datestamp {
            let datestamp = header.datestamp.map(|_| self.datestamp.as_str());
            self.redate.execute(params![held.id, datestamp])?;
        }
        Ok(held.id)
    }

    fn see(
        &mut self,
        id: i64,
        header: &Header,
        last: &Last,
        alive: bool,
        staged: bool,
    ) -> rusqlite::Result<()> {
        self.held_live += i64::from(alive) - i64::from(last.alive);
        self.staged += i64::from(staged) - i64::from(last.staged);
        let datestamp = header.datestamp.map(|_| self.datestamp.as_str());
        self.see.execute(params![
            self.key_id,
            id,
            self.traversal,
            self.window,
            datestamp,
            alive,
            staged
        ])?;
        Ok(())
    }
}

fn found(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Held, Last)> {
    let content_hash = row.get_ref(2)?.as_blob_or_null()?;
    let held = Held {
        id: row.get(0)?,
        deleted: row.get(1)?,
        content_hash: content_hash.and_then(|hash| hash.try_into().ok()).map(u128::from_be_bytes),
        has_datestamp: row.get(3)?,
    };
    let last = Last {
        in_traversal: row.get(4)?,
        in_window: row.get(5)?,
        is_later: row.get(6)?,
        alive: row.get(7)?,
        staged: row.get(8)?,
    };
    Ok((held, last))
}

const FIND: &str = "
    SELECT
        record.id,
        record.deleted,
        record.content_hash,
        record.datestamp IS ?4,
        sighting.traversal_number IS ?5,
        sighting.window_number IS ?6,
        coalesce(sighting.datestamp > ?4, 0),
        coalesce(sighting.alive, 0),
        coalesce(sighting.staged, 0)
    FROM record
    LEFT JOIN sighting ON sighting.key_id = ?1 AND sighting.record_id = record.id
    WHERE record.catalog_id = ?2 AND record.identifier = ?3";

const INSERT: &str = "
    INSERT INTO record (
        catalog_id, identifier, datestamp, deleted, sets, harvested_at, changed_at, first_seen,
        content_hash, abouts, payload
    )
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?7, ?8, ?9)";

const REPLACE: &str = "
    UPDATE record
    SET datestamp = ?2, deleted = 0, sets = ?3, harvested_at = ?4, changed_at = ?4,
        content_hash = ?5, abouts = ?6, payload = ?7
    WHERE id = ?1";

const SEE: &str = "
    INSERT INTO sighting (key_id, record_id, traversal_number, window_number, datestamp, alive, staged)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (key_id, record_id) DO UPDATE SET
        traversal_number = excluded.traversal_number, window_number = excluded.window_number,
        datestamp = excluded.datestamp, alive = excluded.alive, staged = excluded.staged";

const FIND_WHOLE: &str =
    "SELECT id FROM harvest_key WHERE catalog_id = ?1 AND set_spec = '' AND staged > 0";

const UNSTAGE: &str =
    "UPDATE sighting SET staged = 0 WHERE key_id = ?1 AND record_id = ?2 AND staged";

const UPDATE_TRAVERSAL: &str = "
    UPDATE traversal
    SET opening_response_date = ?2, size_first = ?3, size_last = ?4, size_least = ?5, unreadable = ?6,
        session_bound = ?7, pages = ?8, delivered = ?9, distinct_identifiers = ?10, fresh_in_window = ?11,
        barren_run = ?12, empty_run = ?13, token = ?14, token_given_at = ?15, token_life_seconds = ?16
    WHERE key_id = ?1";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check_searches;

    #[test]
    fn no_statement_of_a_page_reads_a_whole_table() {
        let of_rows = [FIND, INSERT, REPLACE, SEE, UNSTAGE];
        for sql in of_rows.into_iter().chain([UPDATE_TRAVERSAL, FIND_WHOLE]) {
            check_searches(sql);
        }
    }
}
