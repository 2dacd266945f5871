//! What the store must hold, computed from the script and from what changed when: this crate cannot see a harvester.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::Datestamp;

use crate::course::{Course, events};
use crate::past::{Digests, Past};
use crate::reach::Reach;
use crate::script::{Run, Script};

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
        /// Digest of its payload, by [`payload_digest`](crate::payload_digest); `None` where that is not judged.
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
        Self::with(script, run_index, course, &mut Digests::new())
    }

    /// The same, with the digests that were worked out before.
    pub(crate) fn with<'a>(
        script: &'a Script,
        run_index: usize,
        course: &Course,
        digests: &mut Digests<'a>,
    ) -> Self {
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
        let mut truth = past.truth(run.map_or(Run::PREFIX, Run::prefix), digests);
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

#[cfg(test)]
mod tests {
    use pmh_protocol::{DeletedRecords, Granularity};

    use super::*;
    use crate::course::Midway;
    use crate::script::Change;

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
