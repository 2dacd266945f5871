//! What the store must hold, computed from the script and from what changed when: this crate cannot see a harvester.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::{Datestamp, DeletedRecords};

use crate::body::payload_digest;
use crate::course::{Course, Event, events};
use crate::reach::{Concern, Reach};
use crate::script::{Change, Move, Run, Script};
use crate::style::DatestampForm;
use crate::world::World;

/// What a store must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// By identifier. What is not here must not be in the store.
    pub rows: BTreeMap<String, TrueRow>,
    /// Identifiers that must not be in the store, also where other unknown ones may be: those of no set that was asked for.
    pub absent: BTreeSet<String>,
    /// Nobody knows what else the store may hold: what is not in `rows` is not judged. So it is where replies say what
    /// a repository holds and nobody has written down what follows from them.
    pub is_open: bool,
}

/// What must be held of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrueRow {
    /// As its header states it; `None` where that is not judged, and of no meaning for [`Fate::Unknowable`].
    pub datestamp: Option<Datestamp>,
    /// What has become of it.
    pub fate: Fate,
}

/// What has become of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It lives.
    Live {
        /// Digest of its payload, by [`payload_digest`]; `None` where that is not judged.
        digest: Option<String>,
    },
    /// It is a tombstone.
    Deleted,
    /// It was deleted without a trace after a harvester may have seen it: any state of it is allowed, also none.
    Unknowable,
    /// It changed while a list was read that may have passed it already, or no run has asked for it as it is now: any
    /// version of it is allowed, also none.
    Unsettled,
}

impl Truth {
    /// What the store must hold when the runs up to this one (from 0) were all complete, and nothing changed while they
    /// went on. Runs beyond the last, such as the one that proves that nothing changes any more, bring no changes.
    #[must_use]
    pub fn after(script: &Script, run_index: usize) -> Self {
        Self::of(script, run_index, &Course::default())
    }

    /// What the store must hold when this run (from 0) says that it is complete, after this course of things.
    #[must_use]
    pub fn of(script: &Script, run_index: usize, course: &Course) -> Self {
        if !script.is_modelled() {
            return Self::written(script, run_index);
        }
        let mut past = Past::new(script);
        let mut unsettled = BTreeSet::new();
        let mut reach = Reach::until(script, run_index, course);
        let is_complete = |run: usize| course.complete.get(run).copied().unwrap_or(true);
        for event in events(script, course).iter().filter(|event| event.run <= run_index) {
            let touched = past.apply(event);
            touched.iter().for_each(|number| reach.touch(*number, event));
            // A list may have passed the record already. The next run that begins after a complete one must bring it.
            let is_settled = !event.is_midway || (event.run..run_index).any(is_complete);
            if is_settled {
                unsettled.retain(|number| !touched.contains(number));
            } else {
                unsettled.extend(touched);
            }
        }
        let run = script.runs.get(run_index).or(script.runs.last());
        let mut truth = past.truth(run.map_or(Run::PREFIX, Run::prefix));
        for number in unsettled {
            let record = past.world.records.get(&number).or_else(|| past.world.gone.get(&number));
            if let Some(row) = record.and_then(|record| truth.rows.get_mut(&record.identifier))
                && row.fate != Fate::Unknowable
            {
                row.fate = Fate::Unsettled;
            }
        }
        past.narrow(&mut truth, &reach);
        truth
    }

    /// Everything that was ever so, the newest last, each with the run (from 0) in which it came to be so: every
    /// version that a store may have been shown.
    #[must_use]
    pub fn versions(script: &Script, course: &Course) -> Vec<(usize, Self)> {
        if !script.is_modelled() {
            let runs = 0..=script.runs.len();
            return runs.map(|index| (index, Self::written(script, index))).collect();
        }
        // Every run may ask for another format.
        let mut prefixes: BTreeSet<&str> = script.runs.iter().map(Run::prefix).collect();
        if prefixes.is_empty() {
            prefixes.insert(Run::PREFIX);
        }
        let all = |past: &Past<'_>, run: usize| -> Vec<(usize, Self)> {
            prefixes.iter().map(|prefix| (run, past.truth(prefix))).collect()
        };
        let mut past = Past::new(script);
        let mut versions = all(&past, 0);
        for event in &events(script, course) {
            past.apply(event);
            versions.extend(all(&past, event.run));
        }
        versions
    }

    /// What somebody wrote down for this run, or for the last one before it.
    fn written(script: &Script, run_index: usize) -> Self {
        let runs = &script.runs[..script.runs.len().min(run_index.saturating_add(1))];
        // The run that must change nothing comes after all of them, and finds what the last one left.
        let Some(written) = runs.last().and_then(|run| run.truth.as_ref()) else {
            return Self { is_open: true, ..Self::default() };
        };
        let row = |fate| TrueRow { datestamp: None, fate };
        let present = written.present.iter();
        let present = present.map(|name| (name.clone(), row(Fate::Live { digest: None })));
        let deleted = written.deleted.iter().map(|name| (name.clone(), row(Fate::Deleted)));
        Self {
            rows: present.chain(deleted).collect(),
            absent: written.absent.iter().cloned().collect(),
            is_open: !written.is_whole,
        }
    }
}

/// The repository up to a moment, and what anybody can have seen of it.
struct Past<'a> {
    script: &'a Script,
    world: World,
    /// Run of the last event.
    run: usize,
    /// Records that were alive when a run began, or became so while it went on.
    shown: BTreeSet<u32>,
}

impl<'a> Past<'a> {
    fn new(script: &'a Script) -> Self {
        let world = script.repository.world.clone();
        Self { script, world, run: 0, shown: BTreeSet::new() }
    }

    /// Plays an event, and names the records that it touched.
    fn apply(&mut self, event: &Event<'_>) -> BTreeSet<u32> {
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
    fn narrow(&self, truth: &mut Truth, reach: &Reach) {
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
    fn truth(&self, prefix: &str) -> Truth {
        let protocol = &self.script.repository.protocol;
        let granularity = protocol.dates.datestamps.granularity(protocol.granularity);
        let mut rows = BTreeMap::new();
        let records = self.world.records.iter().map(|(number, record)| (number, record, false));
        let gone = self.world.gone.iter().map(|(number, record)| (number, record, true));
        for (number, record, is_gone) in records.chain(gone) {
            if protocol.paging.hides(*number) {
                continue;
            }
            let in_silence =
                is_gone || record.deleted && protocol.deleted_records == DeletedRecords::No;
            let fate = match (record.deleted, in_silence) {
                (_, true) if self.shown.contains(number) => Fate::Unknowable,
                (_, true) => continue,
                (true, false) => Fate::Deleted,
                (false, false) => {
                    // What has no payload in this format is in none of its lists.
                    let Some(payload) = self.world.payload(record, prefix) else { continue };
                    Fate::Live { digest: Some(payload_digest(&payload)) }
                }
            };
            // A datestamp that is another one in every answer says nothing.
            let datestamp = Some(Datestamp::new(record.stamp, granularity))
                .filter(|_| protocol.dates.datestamps != DatestampForm::Now);
            rows.insert(record.identifier.clone(), TrueRow { datestamp, fate });
        }
        Truth { rows, ..Truth::default() }
    }
}

#[cfg(test)]
mod tests {
    use pmh_protocol::Granularity;

    use super::*;
    use crate::course::Midway;
    use crate::script::Run;

    /// Three records; run 0 as it is, then one run per list of changes. What becomes of them after each run.
    fn check(policy: DeletedRecords, changes: Vec<Vec<Change>>, expected: &[&[&str]]) {
        let mut script = Script::plain(3, 2, 1);
        script.repository.protocol.deleted_records = policy;
        script.runs.extend(changes.into_iter().enumerate().map(|(at, before)| Run {
            name: format!("run {at}"),
            before,
            ..Run::default()
        }));
        for (index, expected) in expected.iter().enumerate() {
            let truth = Truth::after(&script, index);
            let found: Vec<String> = truth
                .rows
                .iter()
                .map(|(identifier, row)| {
                    let fate = match &row.fate {
                        Fate::Live { .. } => "live",
                        Fate::Deleted => "deleted",
                        Fate::Unknowable => "unknowable",
                        Fate::Unsettled => "unsettled",
                    };
                    format!("{} {fate}", &identifier[identifier.len() - 1..])
                })
                .collect();
            assert_eq!(&found, expected, "after run {index}");
        }
    }

    #[test]
    fn a_deletion_is_a_tombstone_where_the_repository_keeps_any() {
        check(
            DeletedRecords::Persistent,
            vec![vec![Change::Delete(vec![2]), Change::Add(1)], vec![Change::Touch(vec![2])]],
            &[
                &["1 live", "2 live", "3 live"],
                &["1 live", "2 deleted", "3 live", "4 live"],
                &["1 live", "2 live", "3 live", "4 live"],
            ],
        );
    }

    #[test]
    fn a_silent_deletion_is_unknowable_once_the_record_was_shown_and_nothing_before() {
        check(
            DeletedRecords::No,
            vec![vec![Change::Delete(vec![2])], vec![Change::Add(1), Change::Delete(vec![4])]],
            &[
                &["1 live", "2 live", "3 live"],
                &["1 live", "2 unknowable", "3 live"],
                &["1 live", "2 unknowable", "3 live"],
            ],
        );
    }

    #[test]
    fn runs_beyond_the_last_bring_no_changes() {
        let mut script = Script::plain(5, 2, 1);
        script.runs[0].before = vec![Change::Add(1)];
        assert_eq!(Truth::after(&script, 0), Truth::after(&script, 7));
    }

    #[test]
    fn a_change_is_stamped_with_the_instant_its_run_begins() {
        let mut script = Script::plain(1, 1, 1);
        script.runs.push(Run {
            name: "second".into(),
            before: vec![Change::Touch(vec![1])],
            ..script.runs[0].clone()
        });
        let stamp = |script: &Script| {
            Truth::after(script, 1)
                .rows
                .into_values()
                .next()
                .unwrap()
                .datestamp
                .unwrap()
                .to_string()
        };
        assert_eq!(stamp(&script), "2025-01-02T00:00:00Z");
        script.repository.protocol.granularity = Granularity::Day;
        assert_eq!(stamp(&script), "2025-01-02");
    }

    #[test]
    fn a_new_version_has_another_digest() {
        let mut script = Script::plain(1, 1, 1);
        let before = Truth::after(&script, 0);
        script.runs[0].before = vec![Change::Touch(vec![1])];
        let after = Truth::after(&script, 0);
        assert_ne!(
            before.rows.into_values().next().unwrap().fate,
            after.rows.into_values().next().unwrap().fate
        );
    }

    /// What becomes of three records after each of three runs, when this changes in the first.
    fn check_midway(change: Change, complete: &[bool], expected: [&str; 3]) {
        let mut script = Script::plain(3, 2, 1);
        let run = script.runs[0].clone();
        script.runs.extend([run.clone(), run]);
        let at = script.repository.clock.start.plus_seconds(5);
        let course =
            Course { changes: vec![Midway { run: 0, at, change }], complete: complete.to_vec() };
        let found = [0, 1, 2].map(|index| {
            let truth = Truth::of(&script, index, &course);
            let fate = |row: &TrueRow| match row.fate {
                Fate::Live { .. } => 'l',
                Fate::Deleted => 'd',
                Fate::Unknowable => 'u',
                Fate::Unsettled => '?',
            };
            truth.rows.values().map(fate).collect::<String>()
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn what_changes_while_a_list_is_read_is_settled_by_the_run_after_the_one_that_completes_it() {
        check_midway(Change::Touch(vec![2]), &[true], ["l?l", "lll", "lll"]);
        check_midway(Change::Delete(vec![2]), &[true], ["l?l", "ldl", "ldl"]);
        check_midway(Change::Add(1), &[true], ["lll?", "llll", "llll"]);
        check_midway(Change::Purge(vec![2]), &[true], ["lul", "lul", "lul"]);
        check_midway(Change::Touch(vec![2]), &[false, true], ["l?l", "l?l", "lll"]);
    }

    #[test]
    fn every_version_of_a_record_is_in_its_history() {
        let mut script = Script::plain(1, 1, 1);
        script.runs[0].before = vec![Change::Touch(vec![1])];
        let at = script.repository.clock.start.plus_seconds(5);
        let change = Change::Touch(vec![1]);
        let course = Course { changes: vec![Midway { run: 0, at, change }], complete: Vec::new() };
        let versions = Truth::versions(&script, &course);
        let dates: Vec<String> = versions
            .iter()
            .map(|(_, truth)| truth.rows.values().next().unwrap().datestamp.unwrap().to_string())
            .collect();
        assert_eq!(dates, ["2024-01-02T00:00:00Z", "2025-01-01T00:00:00Z", "2025-01-01T00:00:05Z"]);
    }

    #[test]
    fn what_an_index_shows_late_is_unsettled_until_the_next_run() {
        let mut script = Script::plain(2, 1, 1);
        script.repository.protocol.index_lag_seconds = 60;
        script.runs[0].before = vec![Change::Touch(vec![1])];
        let fate = |index: usize| Truth::after(&script, index).rows.into_values().next().unwrap();
        assert_eq!(fate(0).fate, Fate::Unsettled);
        assert!(matches!(fate(1).fate, Fate::Live { .. }));
        assert_eq!(fate(1).datestamp.unwrap().to_string(), "2025-01-01T00:00:00Z");
    }
}
