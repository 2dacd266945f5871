//! The truth of a whole case: after each of its runs, and every version of every record.

use std::collections::{BTreeMap, BTreeSet};

use crate::course::{Course, events};
use crate::past::{Digests, Past};
use crate::script::{Run, Script};
use crate::truth::{TrueRow, Truth};

/// The truth of a whole case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truths {
    /// As [`Truth::of`] each run of the script, and of one more, which brings no changes.
    pub after: Vec<Truth>,
    /// By identifier, everything that was ever so of a record, the newest last, each with the run (from 0) in which it
    /// came to be so: every version that a store may have been shown.
    pub versions: BTreeMap<String, Vec<(usize, TrueRow)>>,
}

impl Truths {
    /// The truth of a case after this course of things.
    #[must_use]
    pub fn of(script: &Script, course: &Course) -> Self {
        let mut digests = Digests::new();
        let runs = 0..=script.runs.len();
        let after: Vec<Truth> =
            runs.map(|index| Truth::with(script, index, course, &mut digests)).collect();
        let mut truths = Self { after: Vec::new(), versions: BTreeMap::new() };
        if script.is_modelled() {
            truths.note_versions(script, course, &mut digests);
        } else {
            for (index, truth) in after.iter().enumerate() {
                truth.rows.iter().for_each(|(name, row)| truths.note(index, name, row.clone()));
            }
        }
        Self { after, ..truths }
    }

    /// Every version of every record, in the order of time.
    fn note_versions<'a>(
        &mut self,
        script: &'a Script,
        course: &Course,
        digests: &mut Digests<'a>,
    ) {
        // Every run may ask for another format.
        let mut prefixes: BTreeSet<&str> = script.runs.iter().map(Run::prefix).collect();
        if prefixes.is_empty() {
            prefixes.insert(Run::PREFIX);
        }
        let mut past = Past::new(script);
        for prefix in &prefixes {
            for (name, row) in past.truth(prefix, digests).rows {
                self.note(0, &name, row);
            }
        }
        for event in &events(script, course) {
            // A record that is not touched stays what it was: what is in silence was shown by then, or never is.
            for number in past.apply(event) {
                for prefix in &prefixes {
                    if let Some((name, row)) = past.row_of(number, prefix, digests) {
                        self.note(event.run, name, row);
                    }
                }
            }
        }
    }

    fn note(&mut self, run: usize, identifier: &str, row: TrueRow) {
        match self.versions.get_mut(identifier) {
            Some(versions) => versions.push((run, row)),
            None => {
                self.versions.insert(identifier.to_owned(), vec![(run, row)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pmh_protocol::DeletedRecords;

    use super::*;
    use crate::course::Midway;
    use crate::script::Change;

    fn script(runs: usize, policy: DeletedRecords) -> Script {
        let mut script = Script::plain(4, 2, 1);
        script.repository.protocol.deleted_records = policy;
        let run = script.runs[0].clone();
        script.runs.extend((1..runs).map(|index| Run { name: index.to_string(), ..run.clone() }));
        script
    }

    #[test]
    fn every_version_of_a_record_is_kept_with_its_run() {
        let mut script = script(2, DeletedRecords::Persistent);
        script.runs[1].before = vec![Change::Touch(vec![1])];
        let at = script.repository.clock.start.plus_seconds(5);
        let change = Change::Touch(vec![1]);
        let course = Course { changes: vec![Midway { run: 0, at, change }], complete: Vec::new() };
        let truths = Truths::of(&script, &course);
        let versions: Vec<String> = truths.versions["oai:repository.example:000001"]
            .iter()
            .map(|(run, row)| format!("{run}: {}", row.datestamp.unwrap()))
            .collect();
        assert_eq!(
            versions,
            ["0: 2024-01-02T00:00:00Z", "0: 2025-01-01T00:00:05Z", "1: 2025-01-02T00:00:00Z"]
        );
        assert_eq!(truths.versions["oai:repository.example:000002"].len(), 1);
    }

    /// What is noted change by change is what looking at everything after every change would have found.
    #[test]
    fn versions_are_those_that_the_truth_after_each_change_shows() {
        for policy in [DeletedRecords::No, DeletedRecords::Transient, DeletedRecords::Persistent] {
            let mut script = script(4, policy);
            script.runs[1].before = vec![Change::Delete(vec![1]), Change::Add(2)];
            script.runs[2].before = vec![Change::Touch(vec![1, 5]), Change::Delete(vec![6, 2])];
            script.runs[3].before = vec![Change::Purge(vec![3, 6]), Change::Restamp(vec![4])];
            let at = script.repository.clock.start.plus_seconds(5);
            let midway = |change| Midway { run: 0, at, change };
            let changes = [Change::Add(1), Change::Delete(vec![5]), Change::Touch(vec![1])];
            let changes = changes.into_iter().map(midway).collect();
            let course = Course { changes, complete: Vec::new() };
            let mut digests = Digests::new();
            let mut past = Past::new(&script);
            let mut seen = vec![past.truth(Run::PREFIX, &mut digests)];
            for event in &events(&script, &course) {
                past.apply(event);
                seen.push(past.truth(Run::PREFIX, &mut digests));
            }
            let mut expected: BTreeMap<String, Vec<TrueRow>> = BTreeMap::new();
            for (name, row) in seen.into_iter().flat_map(|truth| truth.rows) {
                expected.entry(name).or_default().push(row);
            }
            expected.values_mut().for_each(Vec::dedup);
            let truths = Truths::of(&script, &course);
            let rows = |versions: Vec<(usize, TrueRow)>| {
                let mut rows: Vec<TrueRow> = versions.into_iter().map(|(_, row)| row).collect();
                rows.dedup();
                rows
            };
            let found: BTreeMap<String, Vec<TrueRow>> = truths
                .versions
                .into_iter()
                .map(|(name, versions)| (name, rows(versions)))
                .collect();
            assert_eq!(found, expected, "{policy:?}");
        }
    }
}
