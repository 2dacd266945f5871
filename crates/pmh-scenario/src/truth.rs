//! What the store must hold, computed from the script alone: this crate cannot see a harvester.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::{Datestamp, DeletedRecords};

use crate::body::payload_digest;
use crate::script::{Run, Script};

/// What a store must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// By identifier. What is not here must not be in the store.
    pub rows: BTreeMap<String, TrueRow>,
    /// Identifiers that must not be in the store, also where other unknown ones may be.
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
}

impl Truth {
    /// What the store must hold when the runs up to this one (from 0) were all complete. Runs beyond the last,
    /// such as the one that proves that nothing changes any more, bring no changes.
    #[must_use]
    pub fn after(script: &Script, run_index: usize) -> Self {
        if !script.is_modelled() {
            return Self::written(script, run_index);
        }
        let run = script.runs.get(run_index).or(script.runs.last());
        let prefix = run.map_or("oai_dc", Run::prefix);
        let policy = script.repository.protocol.deleted_records;
        let protocol = &script.repository.protocol;
        let granularity = protocol.dates.datestamps.granularity(protocol.granularity);
        let mut world = script.repository.world.clone();
        let mut shown = BTreeSet::new();
        for (index, run) in script.runs.iter().enumerate().take(run_index.saturating_add(1)) {
            let at = script.repository.clock.run_start(index);
            for change in &run.before {
                world.apply(change, at);
            }
            // Only a deletion without a trace asks whether anybody can have seen the record.
            if policy == DeletedRecords::No {
                shown.extend(
                    world
                        .records
                        .iter()
                        .filter(|(_, record)| !record.deleted)
                        .map(|(number, _)| *number),
                );
            }
        }
        let mut rows = BTreeMap::new();
        let shown_ever =
            world.records.iter().filter(|(number, _)| !protocol.paging.hides(**number));
        for (number, record) in shown_ever {
            let fate = match (record.deleted, policy) {
                (false, _) => {
                    // What has no payload in this format is in none of its lists.
                    let Some(payload) = world.payload(record, prefix) else { continue };
                    Fate::Live { digest: Some(payload_digest(&payload)) }
                }
                (true, DeletedRecords::No) if shown.contains(number) => Fate::Unknowable,
                (true, DeletedRecords::No) => continue,
                (true, DeletedRecords::Transient | DeletedRecords::Persistent) => Fate::Deleted,
            };
            let datestamp = Some(Datestamp::new(record.stamp, granularity));
            rows.insert(record.identifier.clone(), TrueRow { datestamp, fate });
        }
        Self { rows, ..Self::default() }
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
    use pmh_protocol::Granularity;

    use super::*;
    use crate::script::{Change, Run};

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
}
