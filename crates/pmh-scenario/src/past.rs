//! The repository up to a moment, and what may be known of it there.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::{Datestamp, DeletedRecords};

use crate::body::payload_digest;
use crate::course::Event;
use crate::reach::{Concern, Reach};
use crate::script::{Change, Move, Script};
use crate::style::DatestampForm;
use crate::truth::{Fate, TrueRow, Truth};
use crate::world::World;

/// Digests that were worked out, by number and version of a record and by format: `None` where it has no payload.
pub(crate) type Digests<'a> = BTreeMap<(u32, u32, &'a str), Option<String>>;

/// The repository up to a moment, and what anybody can have seen of it.
pub(crate) struct Past<'a> {
    script: &'a Script,
    pub(crate) world: World,
    /// Run of the last event.
    run: usize,
    /// Records that were alive when a run began, or became so while it went on.
    shown: BTreeSet<u32>,
}

impl<'a> Past<'a> {
    /// Before anything has changed.
    pub(crate) fn new(script: &'a Script) -> Self {
        let world = script.repository.world.clone();
        Self { script, world, run: 0, shown: BTreeSet::new() }
    }

    /// Plays an event, and names the records that it touched.
    pub(crate) fn apply(&mut self, event: &Event<'_>) -> BTreeSet<u32> {
        // What is alive at the end of a run, or in the middle of it, can have been seen.
        if event.run > self.run || event.is_midway {
            self.look();
        }
        self.run = event.run;
        let known: BTreeSet<u32> = self.world.records.keys().copied().collect();
        self.world.apply(event.change, event.stamp);
        match event.change {
            Change::Add(_) => self
                .world
                .records
                .keys()
                .filter(|number| !known.contains(number))
                .copied()
                .collect(),
            Change::Touch(numbers)
            | Change::Delete(numbers)
            | Change::Purge(numbers)
            | Change::Restamp(numbers)
            | Change::Move(Move { records: numbers, .. }) => numbers.iter().copied().collect(),
        }
    }

    /// Leaves what the runs were not asked for out of what must be held.
    pub(crate) fn narrow(&self, truth: &mut Truth, reach: &Reach) {
        for (number, record) in self.world.records.iter().chain(&self.world.gone) {
            let Some(row) = truth.rows.get_mut(&record.identifier) else { continue };
            match reach.concern(*number, record) {
                Concern::Held => {}
                Concern::Open if row.fate == Fate::Unknowable => {}
                Concern::Open => row.fate = Fate::Unsettled,
                Concern::Foreign => {
                    truth.rows.remove(&record.identifier);
                    truth.absent.insert(record.identifier.clone());
                }
            }
        }
    }

    fn look(&mut self) {
        let alive = self.world.records.iter().filter(|(_, record)| !record.deleted);
        self.shown.extend(alive.map(|(number, _)| *number));
    }

    /// What a store must hold of the records in a format.
    pub(crate) fn truth(&self, prefix: &'a str, digests: &mut Digests<'a>) -> Truth {
        let numbers = self.world.records.keys().chain(self.world.gone.keys());
        let rows = numbers.filter_map(|number| self.row_of(*number, prefix, digests));
        let rows = rows.map(|(identifier, row)| (identifier.to_owned(), row)).collect();
        Truth { rows, ..Truth::default() }
    }

    /// What it must hold of one of them, with its identifier.
    pub(crate) fn row_of(
        &self,
        number: u32,
        prefix: &'a str,
        digests: &mut Digests<'a>,
    ) -> Option<(&str, TrueRow)> {
        let protocol = &self.script.repository.protocol;
        let lives = self.world.records.get(&number);
        let record = lives.or_else(|| self.world.gone.get(&number))?;
        if protocol.paging.hides(number) {
            return None;
        }
        let in_silence =
            lives.is_none() || record.deleted && protocol.deleted_records == DeletedRecords::No;
        let fate = match (record.deleted, in_silence) {
            (_, true) if self.shown.contains(&number) => Fate::Unknowable,
            (_, true) => return None,
            (true, false) => Fate::Deleted,
            (false, false) => {
                let digest = digests.entry((number, record.version, prefix)).or_insert_with(|| {
                    self.world.payload(record, prefix).as_deref().map(payload_digest)
                });
                // What has no payload in this format is in none of its lists.
                Fate::Live { digest: Some(digest.clone()?) }
            }
        };
        let granularity = protocol.dates.datestamps.granularity(protocol.granularity);
        // A datestamp that is another one in every answer says nothing.
        let datestamp = Some(Datestamp::new(record.stamp, granularity))
            .filter(|_| protocol.dates.datestamps != DatestampForm::Now);
        Some((&record.identifier, TrueRow { datestamp, fate }))
    }
}
