//! What happened, translated into the oracle's plain words: here, and nowhere in the oracle, the harvester's
//! own types are known.

use pmh_harvest::{Counts, Known, Outcome, Row};
use pmh_oracle::{ChangeCounts, HeldRow, Knowledge, RunEnd, RunObservation};
use pmh_scenario::{Script, payload_digest};

/// The runs of a script as the harness plays them: its own, and one more that must change nothing.
pub(crate) fn runs_of(script: &Script) -> Vec<PlayedRun> {
    let own = script.runs.len();
    (0..own + usize::from(script.expect.idempotent))
        .map(|index| PlayedRun {
            index,
            name: script.run_name(index).to_owned(),
            added_by_harness: index >= own,
        })
        .collect()
}

/// A run about to be played.
pub(crate) struct PlayedRun {
    /// From 0; beyond the script's runs for the one added.
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) added_by_harness: bool,
}

impl PlayedRun {
    /// The observation of this run: how it ended, and the store as it is now.
    pub(crate) fn observed(
        self,
        end: RunEnd,
        counts: Option<ChangeCounts>,
        complaints: Knowledge<Vec<String>>,
        rows: Vec<HeldRow>,
        known: &Known,
    ) -> RunObservation {
        RunObservation {
            name: self.name,
            end,
            rows,
            watermark: Knowledge::Known(known.watermark),
            counts,
            // A hole is a window of one record.
            window_open: Knowledge::Known(known.open.is_some() || !known.holes.is_empty()),
            complaints,
            added_by_harness: self.added_by_harness,
        }
    }
}

/// The end of a run in the oracle's words.
pub(crate) fn end_of(outcome: &Outcome) -> RunEnd {
    RunEnd::Ended {
        outcome: outcome.word().to_owned(),
        guard: outcome.guard().map(str::to_owned),
        reason: Some(outcome.end.to_string()),
        exit: outcome.exit_code(),
    }
}

/// Counts in the oracle's words.
pub(crate) const fn counts_of(counts: &Counts) -> ChangeCounts {
    let Counts { new, changed, unchanged, withdrawn, revived } = *counts;
    ChangeCounts { new, changed, unchanged, withdrawn, revived }
}

/// A row in the oracle's words.
pub(crate) fn row_of(row: &Row) -> HeldRow {
    HeldRow {
        identifier: row.identifier.clone(),
        datestamp: row.datestamp.map(|datestamp| datestamp.to_string()),
        deleted: row.deleted,
        digest: (!row.deleted).then(|| payload_digest(row.payload.as_deref().unwrap_or_default())),
    }
}

/// Rows in the oracle's words, run after run: what has not changed is not worked out again.
#[derive(Default)]
pub(crate) struct RowReader {
    /// In the order of their identifiers.
    last: Vec<(Row, HeldRow)>,
}

impl RowReader {
    /// These rows, in the order of their identifiers.
    pub(crate) fn in_words(&mut self, rows: Vec<Row>) -> Vec<HeldRow> {
        let mut before = std::mem::take(&mut self.last).into_iter().peekable();
        for row in rows {
            while before.next_if(|(last, _)| last.identifier < row.identifier).is_some() {}
            let is_same = |(last, _): &(Row, HeldRow)| {
                (&last.identifier, last.datestamp, last.deleted, &last.payload)
                    == (&row.identifier, row.datestamp, row.deleted, &row.payload)
            };
            let held = match before.next_if(is_same) {
                Some((_, held)) => held,
                None => row_of(&row),
            };
            self.last.push((row, held));
        }
        self.last.iter().map(|(_, held)| held.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use pmh_protocol::{Datestamp, Stamp};

    use super::*;

    fn row(identifier: &str, datestamp: &str, payload: &str) -> Row {
        let stamp = Stamp::from_seconds(0);
        Row {
            identifier: identifier.to_owned(),
            datestamp: Datestamp::parse(datestamp).ok(),
            deleted: payload.is_empty(),
            sets: Vec::new(),
            payload: (!payload.is_empty()).then(|| payload.to_owned()),
            abouts: Vec::new(),
            inferred: false,
            harvested_at: stamp,
            changed_at: stamp,
            first_seen: stamp,
        }
    }

    #[test]
    fn rows_are_read_as_they_are_whatever_was_read_before() {
        let mut reader = RowReader::default();
        for rows in [
            vec![row("b", "2024-01-01", "<x/>"), row("d", "2024-01-01", "<y/>")],
            vec![row("a", "2024-01-01", "<x/>"), row("d", "2024-01-01", "<y/>")],
            vec![row("a", "2024-01-02", "<x/>"), row("d", "2024-01-01", "<z/>")],
            vec![row("a", "2024-01-02", ""), row("c", "2024-01-01", "<y/>")],
            Vec::new(),
            vec![row("a", "2024-01-02", "")],
        ] {
            let expected: Vec<HeldRow> = rows.iter().map(row_of).collect();
            assert_eq!(reader.in_words(rows), expected);
        }
    }
}
