//! A store beside the truth, row by row.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::{Datestamp, DeletedRecords};
use pmh_scenario::{Fate, TrueRow};

use crate::case::Case;
use crate::observation::{HeldRow, RunObservation};

/// How one record of the truth is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// As it should be.
    Right,
    /// It lives, and is not there.
    Missing,
    /// Another version than the newest is there.
    Stale,
    /// It lives, and is held as withdrawn.
    Withdrawn,
    /// It was withdrawn, and is held alive.
    Alive,
    /// It was withdrawn, and no tombstone is there.
    Unmarked,
}

impl Standing {
    /// What is wrong with so many records, verb included.
    pub(crate) const fn as_str(self, number: usize) -> &'static str {
        match (self, number) {
            (Self::Right, 1) => "is held as it should be",
            (Self::Right, _) => "are held as they should be",
            (Self::Missing, 1) => "is missing",
            (Self::Missing, _) => "are missing",
            (Self::Stale, 1) => "is held in an older version",
            (Self::Stale, _) => "are held in older versions",
            (Self::Withdrawn, 1) => "is held as withdrawn though it lives",
            (Self::Withdrawn, _) => "are held as withdrawn though they live",
            (Self::Alive, 1) => "is held alive though it was withdrawn",
            (Self::Alive, _) => "are held alive though they were withdrawn",
            (Self::Unmarked, 1) => "was withdrawn and has no tombstone",
            (Self::Unmarked, _) => "were withdrawn and have no tombstones",
        }
    }
}

/// The rows of a store by identifier.
pub(crate) struct Held<'a>(BTreeMap<&'a str, Vec<&'a HeldRow>>);

impl<'a> Held<'a> {
    pub(crate) fn of(run: &'a RunObservation) -> Self {
        Self::new(&run.rows)
    }

    pub(crate) fn new(rows: &'a [HeldRow]) -> Self {
        let mut held: BTreeMap<&str, Vec<&HeldRow>> = BTreeMap::new();
        for row in rows {
            held.entry(&row.identifier).or_default().push(row);
        }
        Self(held)
    }

    pub(crate) fn rows(&self, identifier: &str) -> &[&'a HeldRow] {
        self.0.get(identifier).map_or(&[], Vec::as_slice)
    }

    /// How many identifiers a reader who knows `before` finds new, gone or changed here. Content decides what has
    /// changed; the datestamp only where the content is not known.
    pub(crate) fn changes_since(&self, before: &Self) -> usize {
        let identifiers: BTreeSet<&str> = self.0.keys().chain(before.0.keys()).copied().collect();
        let content = |held: &Self, identifier: &str| {
            let mut content: Vec<_> =
                held.rows(identifier).iter().map(|row| content(row)).collect();
            content.sort_unstable();
            content
        };
        identifiers
            .into_iter()
            .filter(|identifier| content(self, identifier) != content(before, identifier))
            .count()
    }

    /// Identifiers with more than one row.
    pub(crate) fn doubles(&self) -> impl Iterator<Item = (&'a str, usize)> {
        self.0
            .iter()
            .filter(|(_, rows)| rows.len() > 1)
            .map(|(identifier, rows)| (*identifier, rows.len()))
    }

    /// How this record is held. Under a policy that may forget tombstones their absence is right as well.
    pub(crate) fn standing(
        &self,
        identifier: &str,
        row: &TrueRow,
        policy: DeletedRecords,
    ) -> Standing {
        let held = self.rows(identifier);
        let any_alive = held.iter().any(|held| !held.deleted);
        match &row.fate {
            Fate::Unknowable | Fate::Unsettled => Standing::Right,
            Fate::Live { .. } if held.is_empty() => Standing::Missing,
            Fate::Live { .. } if !any_alive => Standing::Withdrawn,
            Fate::Deleted if any_alive => Standing::Alive,
            Fate::Deleted if held.is_empty() && policy == DeletedRecords::Persistent => {
                Standing::Unmarked
            }
            Fate::Deleted if held.is_empty() => Standing::Right,
            Fate::Live { .. } | Fate::Deleted => {
                if held.iter().any(|held| is_version(held, row)) {
                    Standing::Right
                } else {
                    Standing::Stale
                }
            }
        }
    }
}

/// What makes two rows of one identifier the same to a reader.
fn content(row: &HeldRow) -> (bool, Option<&str>) {
    let stand_in = row.datestamp.as_deref().filter(|_| !row.deleted);
    (row.deleted, row.digest.as_deref().or(stand_in))
}

/// The records of the truth after `run`, each with its standing in the store.
pub(crate) fn standings<'a>(
    case: &'a Case<'_>,
    run: &'a RunObservation,
) -> impl Iterator<Item = (&'a str, &'a TrueRow, Standing)> {
    let held = Held::of(run);
    let policy = match case.observation.sight.tombstones {
        true => case.script.repository.protocol.deleted_records,
        false => DeletedRecords::Transient,
    };
    case.truth(run).rows.iter().map(move |(identifier, row)| {
        (identifier.as_str(), row, held.standing(identifier, row, policy))
    })
}

/// Rows that are no version the repository had up to the end of `run`.
pub(crate) fn invented<'a>(case: &Case<'_>, run: &'a RunObservation) -> Vec<&'a HeldRow> {
    let truth = case.truth(run);
    run.rows
        .iter()
        .filter(|held| {
            truth.absent.contains(&held.identifier)
                || !truth.is_open
                    && !case.versions(run, &held.identifier).any(|row| is_version(held, row))
        })
        .collect()
}

/// Whether the row is this version, as far as its reader can know.
fn is_version(held: &HeldRow, row: &TrueRow) -> bool {
    match &row.fate {
        Fate::Live { digest } => {
            !held.deleted
                && is_datestamp(held, row.datestamp)
                && (held.digest.is_none() || digest.is_none() || held.digest == *digest)
        }
        Fate::Deleted => held.deleted && is_datestamp(held, row.datestamp),
        // It was deleted in silence: a harvester that has found out has no datestamp to hold.
        Fate::Unknowable => held.deleted,
        // Its versions stand in the history, one by one.
        Fate::Unsettled => false,
    }
}

fn is_datestamp(held: &HeldRow, datestamp: Option<Datestamp>) -> bool {
    let Some(datestamp) = datestamp else { return true };
    held.datestamp.as_deref().is_none_or(|text| {
        Datestamp::parse_lenient(text).is_ok_and(|held| held.stamp == datestamp.stamp)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(identifier: &str, datestamp: &str, deleted: bool, digest: Option<&str>) -> HeldRow {
        HeldRow {
            identifier: identifier.to_owned(),
            datestamp: Some(datestamp.to_owned()),
            deleted,
            digest: digest.map(str::to_owned),
        }
    }

    #[test]
    fn a_reader_sees_changes_of_content_and_of_datestamps_only_where_there_is_no_content() {
        let check = |before: &[HeldRow], after: &[HeldRow], expected: usize| {
            let found = Held::new(after).changes_since(&Held::new(before));
            assert_eq!(found, expected, "from {before:?} to {after:?}");
        };
        let live = [row("a", "2024-01-01", false, Some("1"))];
        let twice = [live[0].clone(), live[0].clone()];
        check(&[], &live, 1);
        check(&live, &[], 1);
        check(&live, &live, 0);
        check(&live, &twice, 1);
        check(&live, &[row("a", "2024-01-01", false, Some("2"))], 1);
        check(&live, &[row("a", "2024-01-02", false, Some("1"))], 0);
        check(&live, &[row("a", "2024-01-01", true, None)], 1);
        check(&[row("a", "2024-01-01", false, None)], &[row("a", "2024-01-02", false, None)], 1);
        check(&[row("a", "2024-01-01", true, None)], &[row("a", "2024-01-02", true, None)], 0);
    }
}
