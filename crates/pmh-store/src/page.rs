//! One page into its rows: what each delivery means, decided from the row held and the key's last sighting.
//!
//! A delivery reads one row and writes one narrow sighting; the wide row is written only when a reader of the
//! store would notice, which the hash of its content tells without reading the payload. What the last delivery turned
//! out to be, new or unchanged, the next one is taken for as well: one statement writes it if that is so, and only
//! otherwise is it looked for.

use std::fmt::Write as _;

use pmh_harvest::{Batch, Counts, Key, Receipt, Tally};
use pmh_protocol::{Datestamp, Header, Item, Record, Stamp};
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
    let traversal = Some((batch.traversal, open.window));
    let delivery = Delivery { traversal, taken_at: batch.taken_at };
    let taken = take(transaction, key, &open, &delivery, &batch.items)?;
    write_progress(transaction, open.id, batch, &taken.tally)?;
    Ok(taken)
}

/// What items are taken with.
pub(crate) struct Delivery {
    /// Number and window of the traversal; `None` beside every list.
    pub(crate) traversal: Option<(u64, u64)>,
    pub(crate) taken_at: Stamp,
}

/// Takes items, and says what the tally of their traversal is with one more page of them.
pub(crate) fn take(
    transaction: &Transaction<'_>,
    key: &Key,
    open: &OpenKey,
    delivery: &Delivery,
    items: &[Item],
) -> rusqlite::Result<Receipt> {
    let mut page = PageWriter::new(transaction, key, open, delivery)?;
    for item in items {
        page.deliver(item)?;
    }
    let PageWriter { fresh, fresh_in_window, counts, held_live, staged, went_back, .. } = page;
    let earliest_noticed = page.earliest_noticed;

    let staged = open.staged.saturating_add_signed(staged);
    let held_live = open.held_live.saturating_add_signed(held_live);
    transaction
        .prepare_cached("UPDATE harvest_key SET held_live = ?2, staged = ?3 WHERE id = ?1")?
        .execute(params![open.id, stored(held_live), stored(staged)])?;
    let tally = open.tally.and_page(items.len() as u64, fresh, fresh_in_window);
    Ok(Receipt { fresh, counts, tally, staged, went_back, earliest_noticed, ..Receipt::default() })
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
        stored(progress.offset_gaps),
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
    /// `None` beside every list.
    traversal: Option<i64>,
    window: Option<i64>,
    is_set: bool,
    taken_at: String,
    /// Scratch for the datestamp in hand, so that a page allocates one.
    datestamp: String,

    transaction: &'t Transaction<'t>,
    find: CachedStatement<'t>,
    see_unchanged: CachedStatement<'t>,
    held_payload: CachedStatement<'t>,
    insert: CachedStatement<'t>,
    replace: CachedStatement<'t>,
    redate: CachedStatement<'t>,
    see_first: CachedStatement<'t>,
    see_again: CachedStatement<'t>,
    see_otherwise: CachedStatement<'t>,
    /// Cancels tombstones staged under the key without set; `None` when there can be none.
    unstage_whole: Option<Unstage<'t>>,
    /// Closes the hole of an identifier that came after all; `None` where the key has none.
    close_hole: Option<CachedStatement<'t>>,

    /// Takes the mark of an inferred tombstone away; `None` where there is none in the store.
    uninfer: Option<CachedStatement<'t>>,

    /// The last identifier was new.
    expects_new: bool,
    /// The last record that was looked for was held as it came.
    expects_unchanged: bool,
    fresh: u64,
    fresh_in_window: u64,
    counts: Counts,
    held_live: i64,
    staged: i64,
    went_back: u64,
    earliest_noticed: Option<Datestamp>,
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
    is_later: bool,
}

/// What a delivery makes of a sighting.
struct Seen {
    alive: bool,
    staged: bool,
    /// Of a live record.
    content_hash: Option<u128>,
}

/// The key's last sighting of an identifier.
struct Last {
    /// There was one.
    exists: bool,
    in_traversal: bool,
    in_window: bool,
    is_later: bool,
    alive: bool,
    staged: bool,
}

impl<'t> PageWriter<'t> {
    fn new(
        transaction: &'t Transaction<'t>,
        key: &Key,
        open: &OpenKey,
        delivery: &Delivery,
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
        let is_shared =
            transaction.prepare_cached(HAS_OTHER_KEYS)?.exists([open.catalog_id, open.id])?;
        let see_unchanged = if is_shared { SEE_UNCHANGED_SHARED } else { SEE_UNCHANGED };
        Ok(Self {
            key_id: open.id,
            catalog_id: open.catalog_id,
            traversal: delivery.traversal.map(|(number, _)| stored(number)),
            window: delivery.traversal.map(|(_, window)| stored(window)),
            is_set: key.set.is_some(),
            taken_at: delivery.taken_at.to_string(),
            datestamp: String::new(),
            transaction,
            find: transaction.prepare_cached(FIND)?,
            see_unchanged: transaction.prepare_cached(see_unchanged)?,
            held_payload: transaction.prepare_cached("SELECT payload FROM record WHERE id = ?1")?,
            insert: transaction.prepare_cached(INSERT)?,
            replace: transaction.prepare_cached(REPLACE)?,
            redate: transaction.prepare_cached("UPDATE record SET datestamp = ?2 WHERE id = ?1")?,
            see_first: transaction.prepare_cached(SEE_FIRST)?,
            see_again: transaction.prepare_cached(SEE_AGAIN)?,
            see_otherwise: transaction.prepare_cached(SEE_OTHERWISE)?,
            unstage_whole,
            uninfer: match transaction.prepare_cached(HAS_INFERRED)?.exists([])? {
                true => Some(transaction.prepare_cached(UNINFER)?),
                false => None,
            },
            close_hole: match transaction.prepare_cached(HAS_HOLES)?.exists([open.id])? {
                true => Some(transaction.prepare_cached(CLOSE_HOLE)?),
                false => None,
            },
            expects_new: false,
            expects_unchanged: false,
            fresh: 0,
            fresh_in_window: 0,
            counts: Counts::default(),
            held_live: 0,
            staged: 0,
            went_back: 0,
            earliest_noticed: None,
        })
    }

    fn deliver(&mut self, item: &Item) -> rusqlite::Result<()> {
        let header = item.header();
        if let Some(close_hole) = &mut self.close_hole {
            close_hole.execute(params![self.key_id, header.identifier])?;
        }
        self.datestamp.clear();
        if let Some(datestamp) = header.datestamp {
            write!(self.datestamp, "{datestamp}").expect("a string takes every text");
        }
        if self.expects_new && self.try_insert(item)? {
            return Ok(());
        }
        if self.expects_unchanged
            && let Item::Record(record) = item
            && self.try_unchanged(record)?
        {
            return Ok(());
        }
        let found = {
            let datestamp = header.datestamp.map(|_| self.datestamp.as_str());
            let (traversal, window) = (self.traversal, self.window);
            let identifier = &header.identifier;
            self.find
                .query_row(
                    params![self.key_id, self.catalog_id, identifier, datestamp, traversal, window],
                    found,
                )
                .optional()?
        };
        self.expects_new = found.is_none();
        let Some((held, last)) = found else {
            self.try_insert(item)?;
            return Ok(());
        };
        self.fresh += u64::from(!last.in_traversal);
        self.fresh_in_window += u64::from(!last.in_window);
        if last.in_traversal && last.is_later {
            self.counts.unchanged += 1;
            return Ok(());
        }
        self.went_back += u64::from(held.is_later);
        if let Some(uninfer) = &mut self.uninfer {
            uninfer.execute([held.id])?;
        }
        match item {
            Item::Record(record) => self.record(record, &held, &last),
            Item::Tombstone(tombstone) => self.tombstone(&tombstone.header, &held, &last),
        }
    }

    /// Writes the rows of an identifier that is new; `false`, and nothing, when it is held.
    fn try_insert(&mut self, item: &Item) -> rusqlite::Result<bool> {
        let header = item.header();
        let record = match item {
            Item::Record(record) => Some(record),
            Item::Tombstone(_) => None,
        };
        let payload = record.and_then(|record| record.payload.as_deref());
        let abouts = record.map_or(&[][..], |record| &record.abouts);
        let content_hash = record.map(|_| content_hash(payload, abouts, &header.sets));
        let inserted = self.insert.execute(params![
            self.catalog_id,
            header.identifier,
            header.datestamp.map(|_| self.datestamp.as_str()),
            record.is_none(),
            json(&header.sets),
            self.taken_at,
            content_hash.map(u128::to_be_bytes),
            json(abouts),
            payload,
        ])?;
        if inserted == 0 {
            return Ok(false);
        }
        self.counts.new += 1;
        if record.is_some() {
            self.notice(header);
        }
        self.fresh += 1;
        self.fresh_in_window += 1;
        let id = self.transaction.last_insert_rowid();
        let seen = Seen { alive: record.is_some(), staged: false, content_hash };
        self.see(id, header, &Last::NONE, &seen)?;
        Ok(true)
    }

    /// Writes the sighting of a record that the key holds alive as it came, date included, and that neither this
    /// traversal nor this window has delivered; `false`, and nothing, when anything about it is otherwise.
    fn try_unchanged(&mut self, record: &Record) -> rusqlite::Result<bool> {
        // Without payload the hash would have to be that of the payload held; a tombstone that the key without set has
        // staged may be there to cancel.
        let (Some(payload), Some(traversal), Some(window), None) =
            (record.payload.as_deref(), self.traversal, self.window, &self.unstage_whole)
        else {
            return Ok(false);
        };
        let header = &record.header;
        let content_hash = content_hash(Some(payload), &record.abouts, &header.sets);
        let seen = self.see_unchanged.execute(params![
            self.key_id,
            self.catalog_id,
            header.identifier,
            header.datestamp.map(|_| self.datestamp.as_str()),
            traversal,
            window,
            content_hash.to_be_bytes(),
        ])?;
        if seen == 0 {
            return Ok(false);
        }
        self.fresh += 1;
        self.fresh_in_window += 1;
        self.counts.unchanged += 1;
        Ok(true)
    }

    fn record(&mut self, record: &Record, held: &Held, last: &Last) -> rusqlite::Result<()> {
        let header = &record.header;
        let kept_payload: Option<String> = match record.payload {
            None => self.held_payload.query_row([held.id], |row| row.get(0))?,
            Some(_) => None,
        };
        let payload = record.payload.as_deref().or(kept_payload.as_deref());
        let content_hash = content_hash(payload, &record.abouts, &header.sets);
        let is_unchanged = !held.deleted && held.content_hash == Some(content_hash);
        self.expects_unchanged =
            is_unchanged && held.has_datestamp && last.alive && !last.in_window;
        if !is_unchanged {
            *if held.deleted { &mut self.counts.revived } else { &mut self.counts.changed } += 1;
            self.notice(header);
            self.replace.execute(params![
                held.id,
                header.datestamp.map(|_| self.datestamp.as_str()),
                json(&header.sets),
                self.taken_at,
                content_hash.to_be_bytes(),
                json(&record.abouts),
                payload,
            ])?;
        } else {
            self.unchanged(held, header)?;
        }
        let seen = Seen { alive: true, staged: false, content_hash: Some(content_hash) };
        self.see(held.id, header, last, &seen)?;
        if let Some(unstage) = &mut self.unstage_whole
            && unstage.sighting.execute([unstage.whole_id, held.id])? > 0
        {
            unstage.key.execute([unstage.whole_id])?;
        }
        Ok(())
    }

    fn tombstone(&mut self, header: &Header, held: &Held, last: &Last) -> rusqlite::Result<()> {
        let staged = if held.deleted {
            self.unchanged(held, header)?;
            false
        } else if self.is_set && !last.alive {
            // A set that never held the record alive has no hold that its tombstone could end.
            self.counts.unchanged += 1;
            false
        } else {
            true
        };
        self.see(held.id, header, last, &Seen { alive: last.alive, staged, content_hash: None })
    }

    /// A live row is made, changed or revived.
    fn notice(&mut self, header: &Header) {
        self.earliest_noticed =
            [self.earliest_noticed, header.datestamp].into_iter().flatten().min();
    }

    fn unchanged(&mut self, held: &Held, header: &Header) -> rusqlite::Result<()> {
        self.counts.unchanged += 1;
        if !held.has_datestamp {
            let datestamp = header.datestamp.map(|_| self.datestamp.as_str());
            self.redate.execute(params![held.id, datestamp])?;
        }
        Ok(())
    }

    fn see(&mut self, id: i64, header: &Header, last: &Last, seen: &Seen) -> rusqlite::Result<()> {
        let Seen { alive, staged, content_hash } = *seen;
        self.held_live += i64::from(alive) - i64::from(last.alive);
        self.staged += i64::from(staged) - i64::from(last.staged);
        let datestamp = header.datestamp.map(|_| self.datestamp.as_str());
        let content_hash = content_hash.map(u128::to_be_bytes);
        if last.exists && alive == last.alive && staged == last.staged {
            // The ordinary case by far, and the one that need not look after the index of what is staged.
            self.see_again.execute(params![
                self.key_id,
                id,
                self.traversal,
                self.window,
                datestamp,
                content_hash
            ])?;
            return Ok(());
        }
        let see = if last.exists { &mut self.see_otherwise } else { &mut self.see_first };
        see.execute(params![
            self.key_id,
            id,
            self.traversal,
            self.window,
            datestamp,
            content_hash,
            alive,
            staged
        ])?;
        Ok(())
    }
}

impl Last {
    const NONE: Self = Self {
        exists: false,
        in_traversal: false,
        in_window: false,
        is_later: false,
        alive: false,
        staged: false,
    };
}

fn found(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Held, Last)> {
    let content_hash = row.get_ref(2)?.as_blob_or_null()?;
    let held = Held {
        id: row.get(0)?,
        deleted: row.get(1)?,
        content_hash: content_hash.and_then(|hash| hash.try_into().ok()).map(u128::from_be_bytes),
        has_datestamp: row.get(3)?,
        is_later: row.get(10)?,
    };
    let last = Last {
        in_traversal: row.get(4)?,
        in_window: row.get(5)?,
        is_later: row.get(6)?,
        alive: row.get(7)?,
        staged: row.get(8)?,
        exists: row.get(9)?,
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
        coalesce(sighting.staged, 0),
        sighting.key_id IS NOT NULL,
        coalesce(record.datestamp > ?4, 0)
    FROM record
    LEFT JOIN sighting ON sighting.key_id = ?1 AND sighting.record_id = record.id
    WHERE record.catalog_id = ?2 AND record.identifier = ?3";

/// Where the catalog has one key, the row is what that key was given last, and need not be looked at.
const SEE_UNCHANGED: &str = "
    UPDATE sighting SET traversal_number = ?5, window_number = ?6
    WHERE key_id = ?1 AND alive AND NOT staged AND traversal_number <> ?5 AND window_number <> ?6
        AND content_hash = ?7 AND datestamp IS ?4
        AND record_id = (SELECT id FROM record WHERE catalog_id = ?2 AND identifier = ?3)";

const SEE_UNCHANGED_SHARED: &str = "
    UPDATE sighting SET traversal_number = ?5, window_number = ?6, datestamp = ?4
    WHERE key_id = ?1 AND alive AND NOT staged AND traversal_number <> ?5 AND window_number <> ?6
        AND record_id = (
            SELECT id FROM record
            WHERE catalog_id = ?2 AND identifier = ?3 AND NOT deleted AND content_hash = ?7
                AND datestamp IS ?4
        )";

const HAS_OTHER_KEYS: &str = "SELECT 1 FROM harvest_key WHERE catalog_id = ?1 AND id <> ?2";

const INSERT: &str = "
    INSERT INTO record (
        catalog_id, identifier, datestamp, deleted, sets, harvested_at, changed_at, first_seen,
        content_hash, abouts, payload
    )
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?7, ?8, ?9)
    ON CONFLICT (catalog_id, identifier) DO NOTHING";

const REPLACE: &str = "
    UPDATE record
    SET datestamp = ?2, deleted = 0, sets = ?3, harvested_at = ?4, changed_at = ?4,
        content_hash = ?5, abouts = ?6, payload = ?7
    WHERE id = ?1";

const SEE_FIRST: &str = "
    INSERT INTO sighting (
        key_id, record_id, traversal_number, window_number, datestamp, content_hash, alive, staged
    )
    VALUES (?1, ?2, coalesce(?3, 0), coalesce(?4, 0), ?5, ?6, ?7, ?8)";

const SEE_AGAIN: &str = "
    UPDATE sighting
    SET traversal_number = coalesce(?3, traversal_number), window_number = coalesce(?4, window_number),
        datestamp = ?5, content_hash = ?6
    WHERE key_id = ?1 AND record_id = ?2";

const SEE_OTHERWISE: &str = "
    UPDATE sighting
    SET traversal_number = coalesce(?3, traversal_number), window_number = coalesce(?4, window_number),
        datestamp = ?5, content_hash = ?6, alive = ?7, staged = ?8
    WHERE key_id = ?1 AND record_id = ?2";

const HAS_HOLES: &str = "SELECT 1 FROM hole WHERE key_id = ?1";

pub(crate) const CLOSE_HOLE: &str = "DELETE FROM hole WHERE key_id = ?1 AND identifier = ?2";

const HAS_INFERRED: &str = "SELECT 1 FROM inferred LIMIT 1";

const UNINFER: &str = "DELETE FROM inferred WHERE record_id = ?1";

const FIND_WHOLE: &str =
    "SELECT id FROM harvest_key WHERE catalog_id = ?1 AND set_spec = '' AND staged > 0";

const UNSTAGE: &str =
    "UPDATE sighting SET staged = 0 WHERE key_id = ?1 AND record_id = ?2 AND staged";

const UPDATE_TRAVERSAL: &str = "
    UPDATE traversal
    SET opening_response_date = ?2, size_first = ?3, size_last = ?4, size_least = ?5, unreadable = ?6,
        session_bound = ?7, offset_gaps = ?8, pages = ?9, delivered = ?10, distinct_identifiers = ?11,
        fresh_in_window = ?12, barren_run = ?13, empty_run = ?14, token = ?15, token_given_at = ?16,
        token_life_seconds = ?17
    WHERE key_id = ?1";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check_searches;

    #[test]
    fn no_statement_of_a_page_reads_a_whole_table() {
        let of_rows = [
            FIND,
            INSERT,
            REPLACE,
            SEE_FIRST,
            SEE_AGAIN,
            SEE_OTHERWISE,
            UNSTAGE,
            CLOSE_HOLE,
            UNINFER,
        ];
        let others = [
            SEE_UNCHANGED,
            SEE_UNCHANGED_SHARED,
            HAS_OTHER_KEYS,
            UPDATE_TRAVERSAL,
            FIND_WHOLE,
            HAS_HOLES,
        ];
        for sql in of_rows.into_iter().chain(others) {
            check_searches(sql);
        }
    }
}
