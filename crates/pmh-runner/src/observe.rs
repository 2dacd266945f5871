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
