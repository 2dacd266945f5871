//! The records of a repository, and how they change.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::{DeletedRecords, Granularity, Selection, Stamp};

use crate::chance::keyed;
use crate::script::Change;

const SECONDS_PER_DAY: i64 = 86_400;

/// All records of a repository, in one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// By number, from 1 in the order of creation.
    pub records: BTreeMap<u32, WorldRecord>,
    /// Those that are gone without a trace, likewise.
    pub gone: BTreeMap<u32, WorldRecord>,
    /// The sets that there are; every record is in one of them.
    pub sets: Vec<String>,
    /// What the sets are dealt by.
    pub seed: u64,
}

/// A record in one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldRecord {
    /// Its identifier.
    pub identifier: String,
    /// When it was created, changed or deleted.
    pub stamp: Stamp,
    /// Its sets.
    pub sets: Vec<String>,
    /// Which version of the payload, from 1.
    pub version: u32,
    /// Whether it is deleted.
    pub deleted: bool,
}

impl World {
    /// `count` records: the first stamped `first`, each later one `step_seconds` after the one before, the
    /// share `deleted` of them deleted, dealt over `sets`.
    #[must_use]
    pub fn generate(
        seed: u64,
        count: u32,
        deleted: f64,
        first: Stamp,
        step_seconds: i64,
        sets: Vec<String>,
    ) -> Self {
        let mut world = Self { sets, seed, ..Self::default() };
        for number in 1..=count {
            let at = first.plus_seconds(step_seconds.saturating_mul(i64::from(number - 1)));
            world.create(number, at);
        }
        for number in chosen(seed, count, deleted) {
            if let Some(record) = world.records.get_mut(&number) {
                record.deleted = true;
            }
        }
        world
    }

    /// Plays one change: what it touches is stamped `at`. Numbers without a record change nothing, nor does
    /// the deletion of what is deleted; a new version brings a deleted record back to life.
    pub fn apply(&mut self, change: &Change, at: Stamp) {
        match change {
            Change::Add(count) => {
                let last = |records: &BTreeMap<u32, WorldRecord>| {
                    records.last_key_value().map_or(0, |(number, _)| *number)
                };
                let last = last(&self.records).max(last(&self.gone));
                for number in (last + 1..).take(*count as usize) {
                    self.create(number, at);
                }
            }
            Change::Touch(numbers) => {
                for number in numbers {
                    if let Some(record) = self.records.get_mut(number) {
                        record.version += 1;
                        record.deleted = false;
                        record.stamp = at;
                    }
                }
            }
            Change::Restamp(numbers) => {
                for number in numbers {
                    if let Some(record) = self.records.get_mut(number) {
                        record.stamp = at;
                    }
                }
            }
            Change::Purge(numbers) => {
                for number in numbers {
                    self.gone.extend(self.records.remove(number).map(|record| (*number, record)));
                }
            }
            Change::Delete(numbers) => {
                for number in numbers {
                    if let Some(record) =
                        self.records.get_mut(number).filter(|record| !record.deleted)
                    {
                        record.deleted = true;
                        record.stamp = at;
                    }
                }
            }
        }
    }

    /// Numbers of the records that a list with these criteria shows (rules 27, 37, 44 and 45), by datestamp,
    /// then identifier. Under `DeletedRecords::No` a deleted record leaves no trace.
    #[must_use]
    pub fn selection(&self, selection: &Selection, policy: DeletedRecords) -> Vec<u32> {
        let mut found: Vec<(Stamp, &str, u32)> = self
            .records
            .iter()
            .filter(|(_, record)| policy != DeletedRecords::No || !record.deleted)
            .filter(|(_, record)| selection.from.is_none_or(|from| record.stamp >= from.stamp))
            .filter(|(_, record)| {
                selection.until.is_none_or(|until| match until.granularity {
                    Granularity::Second => record.stamp <= until.stamp,
                    Granularity::Day => record.stamp < until.stamp.plus_seconds(SECONDS_PER_DAY),
                })
            })
            .filter(|(_, record)| {
                selection
                    .set
                    .as_deref()
                    .is_none_or(|set| record.sets.iter().any(|spec| covers(set, spec)))
            })
            .map(|(number, record)| (record.stamp, record.identifier.as_str(), *number))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, _, number)| number).collect()
    }

    /// The record of this identifier.
    #[must_use]
    pub fn find(&self, identifier: &str) -> Option<&WorldRecord> {
        let number = identifier.strip_prefix(IDENTIFIER_PREFIX)?.parse().ok()?;
        self.records.get(&number).filter(|record| record.identifier == identifier)
    }

    fn create(&mut self, number: u32, at: Stamp) {
        let sets = if self.sets.is_empty() {
            Vec::new()
        } else {
            let dealt = keyed(self.seed, &["set", &number.to_string()]) % self.sets.len() as u64;
            vec![self.sets[dealt as usize].clone()]
        };
        let record = WorldRecord {
            identifier: identifier(number),
            stamp: at,
            sets,
            version: 1,
            deleted: false,
        };
        self.records.insert(number, record);
    }
}

const IDENTIFIER_PREFIX: &str = "oai:repository.example:";

/// The identifier of the record with this number.
#[must_use]
pub fn identifier(number: u32) -> String {
    format!("{IDENTIFIER_PREFIX}{number:06}")
}

/// Whether `spec` is `set` or one of its descendants.
fn covers(set: &str, spec: &str) -> bool {
    spec.strip_prefix(set).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// The share of the numbers up to `count`, by their keys: exactly so many, whichever they are.
fn chosen(seed: u64, count: u32, share: f64) -> BTreeSet<u32> {
    let mut keys: Vec<(u64, u32)> = (1..=count)
        .map(|number| (keyed(seed, &["deleted", &number.to_string()]), number))
        .collect();
    keys.sort_unstable();
    // The conversion saturates, so that no share can ask for more than there are or less than none.
    let wanted = (f64::from(count) * share).round() as usize;
    keys.into_iter().take(wanted).map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pmh_protocol::Datestamp;

    fn world() -> World {
        let first = Stamp::parse("2024-01-01T00:00:00Z").unwrap();
        let sets = vec!["art".to_owned(), "art:paint".to_owned(), "arts".to_owned()];
        World::generate(1, 100, 0.07, first, 3600, sets)
    }

    fn select(change: impl FnOnce(&mut Selection), policy: DeletedRecords) -> Vec<u32> {
        let mut selection =
            Selection { prefix: "oai_dc".into(), from: None, until: None, set: None };
        change(&mut selection);
        world().selection(&selection, policy)
    }

    #[test]
    fn the_share_of_deleted_records_is_exact() {
        assert_eq!(world().records.values().filter(|record| record.deleted).count(), 7);
        assert_eq!(select(|_| (), DeletedRecords::No).len(), 93);
        assert_eq!(select(|_| (), DeletedRecords::Persistent).len(), 100);
    }

    #[test]
    fn both_ends_of_a_range_are_inside() {
        let check = |from: &str, until: &str, expected: &[u32]| {
            let found = select(
                |selection| {
                    selection.from = Some(Datestamp::parse(from).unwrap());
                    selection.until = Some(Datestamp::parse(until).unwrap());
                },
                DeletedRecords::Transient,
            );
            assert_eq!(found, expected, "from {from} until {until}");
        };
        check("2024-01-01T01:00:00Z", "2024-01-01T03:00:00Z", &[2, 3, 4]);
        check("2024-01-01T01:00:01Z", "2024-01-01T02:59:59Z", &[3]);
        check("2024-01-05", "2024-01-05", &[97, 98, 99, 100]);
        check("2024-01-06", "2024-01-07", &[]);
    }

    #[test]
    fn a_set_brings_its_descendants_and_no_namesakes() {
        let of = |set: &str| {
            select(|selection| selection.set = Some(set.to_owned()), DeletedRecords::Persistent)
        };
        assert_eq!(of("art").len() + of("arts").len(), 100);
        assert!(of("art:paint").iter().all(|number| of("art").contains(number)));
        assert!(of("art:paint").len() < of("art").len());
        assert!(of("ar").is_empty());
    }

    #[test]
    fn a_list_is_in_order_of_datestamp_then_identifier() {
        let mut world = world();
        let at = Stamp::parse("2025-01-01T00:00:00Z").unwrap();
        world.apply(&Change::Touch(vec![9, 3]), at);
        let all = Selection { prefix: "oai_dc".into(), from: None, until: None, set: None };
        let list = world.selection(&all, DeletedRecords::Persistent);
        assert_eq!(list[..3], [1, 2, 4]);
        assert_eq!(list[97..], [100, 3, 9]);
    }

    #[test]
    fn changes_leave_their_instant_behind_and_deletion_of_the_deleted_does_not() {
        let mut world = world();
        let one = Stamp::parse("2025-01-01T00:00:00Z").unwrap();
        let two = Stamp::parse("2025-01-02T00:00:00Z").unwrap();
        world.apply(&Change::Add(2), one);
        world.apply(&Change::Delete(vec![101, 900]), one);
        world.apply(&Change::Delete(vec![101]), two);
        assert_eq!(world.records.len(), 102);
        assert_eq!((world.records[&101].deleted, world.records[&101].stamp), (true, one));
        world.apply(&Change::Touch(vec![101]), two);
        let revived = &world.records[&101];
        assert_eq!((revived.deleted, revived.stamp, revived.version), (false, two, 2));
    }

    #[test]
    fn a_record_is_found_by_its_identifier_only_as_it_is_written() {
        assert!(world().find("oai:repository.example:000007").is_some());
        for other in ["oai:repository.example:7", "oai:repository.example:000101", "7", ""] {
            assert!(world().find(other).is_none(), "found `{other}`");
        }
    }
}
