//! The store that forgets: rows, sightings and cursors in memory, with the meaning that [`Store`] gives them.
//!
//! Simulated harvests run on it, and durable stores are compared with it. It is therefore written to be read
//! beside the contract, not to be fast.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use pmh_protocol::{Datestamp, Item, Record, Stamp, Tombstone};

use crate::entry::{
    Batch, Closing, Comparison, Completion, Ending, Entry, Lacking, Mending, Opening, Progress,
    Refresh, SourceFacts, SourceMemory, Span,
};
use crate::key::Key;
use crate::store::{Counts, Known, OpenTraversal, Receipt, Store, Tally};

/// One record as a store holds it: live, or a tombstone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The identifier.
    pub identifier: String,
    /// The datestamp last delivered.
    pub datestamp: Option<Datestamp>,
    /// Whether this is a tombstone: then it has neither payload nor abouts.
    pub deleted: bool,
    /// setSpecs of the version held, in document order.
    pub sets: Vec<String>,
    /// The metadata as a self-contained XML fragment.
    pub payload: Option<String>,
    /// The abouts, likewise.
    pub abouts: Vec<String>,
    /// Whether this is a tombstone that was concluded from an absence.
    pub inferred: bool,
    /// When the version held, or the tombstone, was stored.
    pub harvested_at: Stamp,
    /// When payload, abouts or sets of the live record last changed; a withdrawal leaves it alone.
    pub changed_at: Stamp,
    /// When the identifier was first stored.
    pub first_seen: Stamp,
}

/// A store in memory. A clone is a store of its own, as a copy of a file would be.
///
/// An entry that refers to a traversal which is not open is a mistake of the caller; it panics here, where a
/// durable store refuses it.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    sources: BTreeMap<String, SourceFacts>,
    memories: BTreeMap<String, SourceMemory>,
    schemas: BTreeMap<(String, String), String>,
    /// Identifiers whose deletion was concluded from an absence.
    inferred: BTreeMap<(String, String), BTreeSet<String>>,
    catalogs: BTreeMap<(String, String), BTreeMap<String, Row>>,
    keys: BTreeMap<Key, KeyState>,
}

/// What is kept for one key.
#[derive(Clone, Debug, Default)]
struct KeyState {
    /// Its own part; `source` and the greatest traversal of other keys are filled in when it is asked for.
    known: Known,
    staged: u64,
    sightings: BTreeMap<String, Sighting>,
}

/// The last delivery of an identifier to a key.
#[derive(Clone, Copy, Debug, Default)]
struct Sighting {
    traversal: u64,
    window: u64,
    datestamp: Option<Datestamp>,
    /// Whether the key holds the identifier alive.
    alive: bool,
    /// Whether the delivery was a tombstone that waits for the traversal to be proven complete.
    staged: bool,
}

/// What items are taken with.
struct Delivery {
    /// Number and window of the traversal; `None` beside every list.
    traversal: Option<(u64, u64)>,
    taken_at: Stamp,
}

impl MemoryStore {
    /// All rows of a source and prefix, in the order of their identifiers.
    #[must_use]
    pub fn rows(&self, source: &str, prefix: &str) -> Vec<Row> {
        let catalog = (source.to_owned(), prefix.to_owned());
        let inferred = self.inferred.get(&catalog);
        let is_inferred = |row: &Row| {
            row.deleted && inferred.is_some_and(|inferred| inferred.contains(&row.identifier))
        };
        let rows = self.catalogs.get(&catalog).into_iter().flat_map(BTreeMap::values);
        rows.map(|row| Row { inferred: is_inferred(row), ..row.clone() }).collect()
    }

    fn open(&mut self, key: &Key, opening: &Opening) -> Receipt {
        let traversal = &opening.traversal;
        self.sources.insert(key.source.clone(), opening.source.clone());
        if let Some(schema) = &opening.schema {
            self.schemas.insert((key.source.clone(), key.prefix.clone()), schema.clone());
        }
        self.keys.entry(key.clone()).or_default();
        if let Some(refresh) = opening.refresh {
            for (other, state) in &mut self.keys {
                let is_concerned = other.source == key.source
                    && (refresh == Refresh::EarliestMovedBack || other.prefix == key.prefix);
                if is_concerned {
                    state.known.refresh_due = Some(refresh.as_str().to_owned());
                }
            }
        }
        let state = self.keys.entry(key.clone()).or_default();
        assert!(
            traversal.number > state.known.last_traversal,
            "traversal `{}` is not newer than `{}`",
            traversal.number,
            state.known.last_traversal
        );
        state.known.last_traversal = traversal.number;
        state.known.open = Some(OpenTraversal {
            traversal: traversal.clone(),
            progress: Progress::default(),
            tally: Tally::default(),
            cursor: None,
        });
        Receipt { staged: state.staged, ..Receipt::default() }
    }

    fn page(&mut self, key: &Key, batch: &Batch) -> Receipt {
        let traversal = self.state(key).open_traversal(batch.traversal).traversal.clone();
        let delivery = Delivery {
            traversal: Some((traversal.number, traversal.window_number)),
            taken_at: batch.taken_at,
        };
        let mut receipt = Receipt::default();
        let mut fresh_in_window = 0;
        for item in &batch.items {
            let last = self.deliver(key, item, &delivery, &mut receipt);
            receipt.fresh += u64::from(last.is_none_or(|last| last.traversal != traversal.number));
            fresh_in_window +=
                u64::from(last.is_none_or(|last| last.window != traversal.window_number));
        }
        let state = self.state(key);
        let staged = state.staged;
        let open = state.open_traversal(batch.traversal);
        open.tally = open.tally.and_page(batch.items.len() as u64, receipt.fresh, fresh_in_window);
        open.progress = batch.progress;
        open.cursor = batch.cursor.clone();
        let tally = open.tally;
        Receipt { tally, staged, ..receipt }
    }

    fn mend(&mut self, key: &Key, mending: &Mending) -> Receipt {
        self.keys.entry(key.clone()).or_default();
        let delivery = Delivery { traversal: None, taken_at: mending.taken_at };
        let mut receipt = Receipt::default();
        for item in &mending.items {
            self.deliver(key, item, &delivery, &mut receipt);
            if let Item::Tombstone(tombstone) = item
                && mending.inferred
            {
                self.inferences(key).insert(tombstone.header.identifier.clone());
            }
        }
        let state = self.state(key);
        state.known.holes.retain(|hole| !mending.closed.contains(&hole.identifier));
        Receipt { tally: state.tally(), staged: state.staged, ..receipt }
    }

    fn compare(&mut self, key: &Key, comparison: &Comparison) -> Receipt {
        let state = self.state(key);
        let window = state.open_traversal(comparison.traversal).traversal.window_number;
        let in_window = |sighting: &&Sighting| sighting.window == window;
        let lacking = match &comparison.of {
            Lacking::Headers(headers) => headers
                .iter()
                .filter(|header| {
                    let sighting = state.sightings.get(&header.identifier).filter(in_window);
                    sighting.is_none_or(|sighting| sighting.datestamp < header.datestamp)
                })
                .map(|header| header.identifier.clone())
                .collect(),
            Lacking::Unseen { most } => state
                .sightings
                .iter()
                .filter(|(_, sighting)| {
                    sighting.alive && !sighting.staged && sighting.traversal < comparison.traversal
                })
                .map(|(identifier, _)| identifier.clone())
                .take(*most)
                .collect(),
            Lacking::SinceSliced { since, most } => state
                .sightings
                .iter()
                .filter(|(_, sighting)| in_window(sighting) && sighting.traversal < *since)
                .map(|(identifier, _)| identifier.clone())
                .take(*most)
                .collect(),
        };
        Receipt { tally: state.tally(), staged: state.staged, lacking, ..Receipt::default() }
    }

    /// Takes one item; the key's last sighting of it before.
    fn deliver(
        &mut self,
        key: &Key,
        item: &Item,
        delivery: &Delivery,
        receipt: &mut Receipt,
    ) -> Option<Sighting> {
        let header = item.header();
        let state = self.state(key);
        state.known.holes.retain(|hole| hole.identifier != header.identifier);
        let last = state.sightings.get(&header.identifier).copied();
        let (traversal, window) = delivery
            .traversal
            .or_else(|| last.map(|last| (last.traversal, last.window)))
            .unwrap_or_default();
        let in_traversal =
            last.filter(|last| delivery.traversal.is_some() && last.traversal == traversal);
        let last_datestamp = in_traversal.and_then(|last| last.datestamp);
        if header.datestamp.zip(last_datestamp).is_some_and(|(this, last)| this < last) {
            receipt.counts.unchanged += 1;
            return last;
        }
        self.inferences(key).remove(&header.identifier);
        let held = self.catalog(key).get(&header.identifier).and_then(|row| row.datestamp);
        receipt.went_back +=
            u64::from(header.datestamp.zip(held).is_some_and(|(this, held)| this < held));
        let sighting =
            Sighting { traversal, window, datestamp: header.datestamp, ..last.unwrap_or_default() };
        let counts = match item {
            Item::Record(record) => {
                let counts = self.record(key, record, sighting, delivery.taken_at);
                if counts.noticed() > 0 {
                    receipt.earliest_noticed =
                        [receipt.earliest_noticed, header.datestamp].into_iter().flatten().min();
                }
                counts
            }
            Item::Tombstone(tombstone) => {
                self.tombstone(key, tombstone, sighting, delivery.taken_at)
            }
        };
        receipt.counts += counts;
        last
    }

    fn record(
        &mut self,
        key: &Key,
        record: &Record,
        sighting: Sighting,
        taken_at: Stamp,
    ) -> Counts {
        let header = &record.header;
        let mut row = Row {
            identifier: header.identifier.clone(),
            datestamp: header.datestamp,
            deleted: false,
            sets: header.sets.clone(),
            payload: record.payload.clone(),
            abouts: record.abouts.clone(),
            inferred: false,
            harvested_at: taken_at,
            changed_at: taken_at,
            first_seen: taken_at,
        };
        let mut counts = Counts::default();
        let rows = self.catalog(key);
        match rows.get_mut(&header.identifier) {
            None => {
                counts.new = 1;
                rows.insert(header.identifier.clone(), row);
            }
            Some(held) if held.deleted => {
                counts.revived = 1;
                row.first_seen = held.first_seen;
                *held = row;
            }
            Some(held) => {
                row.payload = row.payload.or_else(|| held.payload.clone());
                if (&row.payload, &row.abouts, &row.sets)
                    == (&held.payload, &held.abouts, &held.sets)
                {
                    counts.unchanged = 1;
                    held.datestamp = header.datestamp;
                } else {
                    counts.changed = 1;
                    row.first_seen = held.first_seen;
                    *held = row;
                }
            }
        }
        self.state(key)
            .see(&header.identifier, Sighting { alive: true, staged: false, ..sighting });
        // A tombstone staged under the key without set would end this key's hold too, and this delivery is newer.
        if let Some(whole) = self.keys.get_mut(&Key { set: None, ..key.clone() }) {
            whole.unstage(&header.identifier);
        }
        counts
    }

    fn tombstone(
        &mut self,
        key: &Key,
        tombstone: &Tombstone,
        sighting: Sighting,
        taken_at: Stamp,
    ) -> Counts {
        let header = &tombstone.header;
        let mut counts = Counts::default();
        let mut staged = false;
        let rows = self.catalog(key);
        match rows.get_mut(&header.identifier) {
            None => {
                counts.new = 1;
                let row = Row {
                    identifier: header.identifier.clone(),
                    datestamp: header.datestamp,
                    deleted: true,
                    sets: header.sets.clone(),
                    payload: None,
                    abouts: Vec::new(),
                    inferred: false,
                    harvested_at: taken_at,
                    changed_at: taken_at,
                    first_seen: taken_at,
                };
                rows.insert(header.identifier.clone(), row);
            }
            Some(held) if held.deleted => {
                counts.unchanged = 1;
                held.datestamp = header.datestamp;
            }
            // A set that never held the record alive has no hold that its tombstone could end.
            Some(_) if key.set.is_some() && !sighting.alive => counts.unchanged = 1,
            Some(_) => staged = true,
        }
        self.state(key).see(&header.identifier, Sighting { staged, ..sighting });
        counts
    }

    fn close(&mut self, key: &Key, closing: &Closing) -> Receipt {
        self.memories.insert(key.source.clone(), closing.memory);
        // A run may end before the first traversal of a key that was never seen.
        let state = self.keys.entry(key.clone()).or_default();
        let tally = closing.traversal.map(|number| state.open_traversal(number).tally);
        let mut counts = Counts::default();
        match &closing.ending {
            Ending::Complete(completion) => {
                assert!(tally.is_some(), "only a traversal can be complete");
                counts.withdrawn = self.apply_staged(key, closing.closed_at);
                self.state(key).complete(completion);
            }
            Ending::Incomplete { keep_cursor, .. } => {
                state.known.errors += 1;
                if let Some(number) = closing.traversal.filter(|_| !keep_cursor) {
                    state.open_traversal(number).cursor = None;
                }
            }
        }
        let staged = self.state(key).staged;
        Receipt { counts, tally: tally.unwrap_or_default(), staged, ..Receipt::default() }
    }

    /// Lets the key's staged tombstones take effect; how many rows that withdrew.
    fn apply_staged(&mut self, key: &Key, closed_at: Stamp) -> u64 {
        let sightings = &self.state(key).sightings;
        let staged: Vec<(String, Option<Datestamp>)> = sightings
            .iter()
            .filter(|(_, sighting)| sighting.staged)
            .map(|(identifier, sighting)| (identifier.clone(), sighting.datestamp))
            .collect();
        let mut withdrawn = 0;
        for (identifier, datestamp) in staged {
            let mut held_alive = false;
            for (other, state) in self.keys_of_catalog(key) {
                if other == key || key.set.is_none() {
                    state.release(&identifier);
                }
                held_alive |=
                    state.sightings.get(&identifier).is_some_and(|sighting| sighting.alive);
            }
            if held_alive {
                continue;
            }
            for (_, state) in self.keys_of_catalog(key) {
                state.unstage(&identifier);
            }
            let row = self.catalog(key).get_mut(&identifier).expect("only rows are staged");
            row.deleted = true;
            row.datestamp = datestamp;
            row.payload = None;
            row.abouts.clear();
            row.harvested_at = closed_at;
            withdrawn += 1;
        }
        withdrawn
    }

    fn whole_size(&self, key: &Key) -> Option<u64> {
        let whole = self.keys.get(&Key { set: None, ..key.clone() })?;
        whole.known.last_complete.filter(|list| list.everything)?.size
    }

    fn state(&mut self, key: &Key) -> &mut KeyState {
        self.keys.get_mut(key).expect("a key is made by its first entry")
    }

    fn catalog(&mut self, key: &Key) -> &mut BTreeMap<String, Row> {
        self.catalogs.entry((key.source.clone(), key.prefix.clone())).or_default()
    }

    fn inferences(&mut self, key: &Key) -> &mut BTreeSet<String> {
        self.inferred.entry((key.source.clone(), key.prefix.clone())).or_default()
    }

    fn keys_of_catalog(&mut self, key: &Key) -> impl Iterator<Item = (&Key, &mut KeyState)> {
        let (source, prefix) = (key.source.clone(), key.prefix.clone());
        self.keys
            .iter_mut()
            .filter(move |(other, _)| other.source == source && other.prefix == prefix)
    }
}

impl Store for MemoryStore {
    type Error = Infallible;

    fn known(&mut self, key: &Key) -> Result<Known, Infallible> {
        let last_traversal = self.keys.values().map(|state| state.known.last_traversal).max();
        let own = self.keys.get(key).map(|state| state.known.clone()).unwrap_or_default();
        Ok(Known {
            source: self.sources.get(&key.source).cloned(),
            last_traversal: last_traversal.unwrap_or_default(),
            memory: self.memories.get(&key.source).copied().unwrap_or_default(),
            schema: self.schemas.get(&(key.source.clone(), key.prefix.clone())).cloned(),
            whole_size: self.whole_size(key),
            ..own
        })
    }

    fn commit(&mut self, key: &Key, entries: &[Arc<Entry>]) -> Result<Vec<Receipt>, Infallible> {
        let receipts = entries.iter().map(|entry| match entry.as_ref() {
            Entry::Open(opening) => self.open(key, opening),
            Entry::Page(batch) => self.page(key, batch),
            Entry::Compare(comparison) => self.compare(key, comparison),
            Entry::Mend(mending) => self.mend(key, mending),
            Entry::Close(closing) => self.close(key, closing),
        });
        Ok(receipts.collect())
    }
}

impl KeyState {
    /// The open traversal as it was counted last.
    fn tally(&self) -> Tally {
        self.known.open.as_ref().map(|open| open.tally).unwrap_or_default()
    }

    fn open_traversal(&mut self, number: u64) -> &mut OpenTraversal {
        let open = self.known.open.as_mut().filter(|open| open.traversal.number == number);
        open.expect("entries refer to the open traversal")
    }

    fn complete(&mut self, completion: &Completion) {
        self.known.watermark = completion.watermark.or(self.known.watermark);
        self.known.floor = completion.floor;
        self.known.last_complete = completion.list.or(self.known.last_complete);
        self.known.lag_seconds = self.known.lag_seconds.max(completion.lag_seconds);
        if completion.list.is_some_and(|list| list.everything) {
            self.known.refresh_due = None;
        }
        self.known.errors = match completion.incomplete {
            None => 0,
            Some(_) => self.known.errors + 1,
        };
        self.known.open = None;
        for hole in &completion.holes {
            self.known.holes.retain(|held| held.identifier != hole.identifier);
            self.known.holes.push(hole.clone());
        }
        self.known.holes.sort_by(|one, other| one.identifier.cmp(&other.identifier));
        self.known.coverage.extend(completion.coverage);
        let known = self.known.watermark.map(|until| Span { from: self.known.floor, until });
        let spans = std::mem::take(&mut self.known.coverage);
        for span in &spans {
            let in_another = |other: &Span| other != span && other.holds(span);
            let is_idle = known.is_some_and(|known| known.holds(span))
                || spans.iter().any(in_another)
                || self.known.coverage.contains(span);
            if !is_idle {
                self.known.coverage.push(*span);
            }
        }
        self.known.coverage.sort_unstable();
    }

    /// Replaces a sighting and keeps the counts in step.
    fn see(&mut self, identifier: &str, sighting: Sighting) {
        let before = self.sightings.insert(identifier.to_owned(), sighting).unwrap_or_default();
        self.known.held_live =
            self.known.held_live + u64::from(sighting.alive) - u64::from(before.alive);
        self.staged = self.staged + u64::from(sighting.staged) - u64::from(before.staged);
    }

    /// Ends the key's hold on an identifier.
    fn release(&mut self, identifier: &str) {
        if let Some(sighting) = self.sightings.get(identifier).copied() {
            self.see(identifier, Sighting { alive: false, staged: false, ..sighting });
        }
    }

    fn unstage(&mut self, identifier: &str) {
        if let Some(sighting) = self.sightings.get(identifier).copied() {
            self.see(identifier, Sighting { staged: false, ..sighting });
        }
    }
}
