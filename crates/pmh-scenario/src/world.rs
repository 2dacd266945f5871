//! The records of a repository, and how they change.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::{DeletedRecords, Granularity, Selection, Stamp};

use crate::body::{filled, payload_in, with_comment};
use crate::chance::keyed;
use crate::script::{Change, Move};

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
    /// What the sets are dealt by, and payloads made of.
    pub seed: u64,
    /// The metadata formats, by prefix; none is `oai_dc` alone.
    pub formats: Vec<String>,
    /// Into how many sets a record is dealt.
    pub sets_each: usize,
    /// The least bytes of a generated payload.
    pub body_bytes: usize,
    /// Whether identifiers have nothing to do with numbers.
    pub has_uuids: bool,
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
    /// Sets that it was in before, and perhaps still is.
    pub left: Vec<String>,
    /// Whether it went into its sets without a new datestamp, so that nobody who asks for what is new can know.
    pub moved_in_silence: bool,
    /// Which version of the payload, from 1.
    pub version: u32,
    /// Whether it is deleted.
    pub deleted: bool,
    /// Its payloads by format, where they are written down; empty where they are made up.
    pub xml: BTreeMap<String, String>,
}

impl WorldRecord {
    /// Whether format, dates and set of a request select it (rules 37, 44 and 45).
    #[must_use]
    pub fn is_selected(&self, selection: &Selection) -> bool {
        let has_format = self.xml.is_empty() || self.xml.contains_key(&selection.prefix);
        let is_young = selection.from.is_none_or(|from| self.stamp >= from.stamp);
        let is_old = selection.until.is_none_or(|until| match until.granularity {
            Granularity::Second => self.stamp <= until.stamp,
            Granularity::Day => self.stamp < until.stamp.plus_seconds(SECONDS_PER_DAY),
        });
        has_format && is_young && is_old && self.is_in(selection.set.as_deref())
    }

    /// Whether it is in this set or one of its descendants; everything is in the set that is none.
    pub(crate) fn is_in(&self, set: Option<&str>) -> bool {
        set.is_none_or(|set| self.sets.iter().any(|spec| covers(set, spec)))
    }

    /// Whether it has ever been in this set or one of its descendants.
    pub(crate) fn was_in(&self, set: Option<&str>) -> bool {
        self.is_in(set) || set.is_none_or(|set| self.left.iter().any(|spec| covers(set, spec)))
    }
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
        let mut world = Self { sets, seed, sets_each: 1, ..Self::default() };
        world.fill(count, deleted, first, step_seconds);
        world
    }

    /// Creates `count` records as [`World::generate`] does, with whatever else this world says of its records.
    pub(crate) fn fill(&mut self, count: u32, deleted: f64, first: Stamp, step_seconds: i64) {
        for number in 1..=count {
            let at = first.plus_seconds(step_seconds.saturating_mul(i64::from(number - 1)));
            self.create(number, at);
        }
        for number in chosen(self.seed, count, deleted) {
            if let Some(record) = self.records.get_mut(&number) {
                record.deleted = true;
            }
        }
    }

    /// The formats there are, by prefix.
    #[must_use]
    pub fn prefixes(&self) -> Vec<&str> {
        if self.formats.is_empty() {
            return vec!["oai_dc"];
        }
        self.formats.iter().map(String::as_str).collect()
    }

    /// The payload of a record in a format; `None` where it has none.
    #[must_use]
    pub fn payload(&self, record: &WorldRecord, prefix: &str) -> Option<String> {
        if record.xml.is_empty() {
            let made = payload_in(prefix, self.seed, &record.identifier, record.version);
            return Some(filled(made, self.body_bytes));
        }
        let text = record.xml.get(prefix)?;
        // What is touched gets a new version: its number is all that there is to change in a literal payload.
        match record.version {
            1 => Some(text.clone()),
            version => Some(with_comment(text, &format!("<!-- version {version} -->"))),
        }
    }

    /// The formats of this record.
    #[must_use]
    pub fn prefixes_of(&self, record: &WorldRecord) -> Vec<&str> {
        let all = self.prefixes();
        let has = |prefix: &&str| record.xml.is_empty() || record.xml.contains_key(*prefix);
        all.into_iter().filter(has).collect()
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
                        record.moved_in_silence = false;
                        record.deleted = false;
                        record.stamp = at;
                    }
                }
            }
            Change::Restamp(numbers) => {
                for number in numbers {
                    if let Some(record) = self.records.get_mut(number) {
                        record.moved_in_silence = false;
                        record.stamp = at;
                    }
                }
            }
            Change::Move(Move { records, to, is_silent }) => {
                for number in records {
                    if let Some(record) = self.records.get_mut(number) {
                        let left = std::mem::replace(&mut record.sets, to.clone());
                        record.left.extend(left);
                        record.moved_in_silence = *is_silent;
                        record.stamp = if *is_silent { record.stamp } else { at };
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
            .filter(|(_, record)| record.is_selected(selection))
            .map(|(number, record)| (record.stamp, record.identifier.as_str(), *number))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, _, number)| number).collect()
    }

    /// The record of this identifier.
    #[must_use]
    pub fn find(&self, identifier: &str) -> Option<&WorldRecord> {
        let number = identifier.strip_prefix(IDENTIFIER_PREFIX).and_then(|rest| rest.parse().ok());
        let by_number = number.and_then(|number: u32| self.records.get(&number));
        by_number
            .filter(|record| record.identifier == identifier)
            .or_else(|| self.records.values().find(|record| record.identifier == identifier))
    }

    fn create(&mut self, number: u32, at: Stamp) {
        let sets = if self.sets.is_empty() {
            Vec::new()
        } else {
            let dealt = keyed(self.seed, &["set", &number.to_string()]) % self.sets.len() as u64;
            let each = self.sets_each.clamp(1, self.sets.len());
            let chosen = (0..each).map(|next| (dealt as usize + next) % self.sets.len());
            chosen.map(|index| self.sets[index].clone()).collect()
        };
        let record = WorldRecord {
            identifier: if self.has_uuids { uuid(self.seed, number) } else { identifier(number) },
            xml: BTreeMap::new(),
            stamp: at,
            sets,
            left: Vec::new(),
            moved_in_silence: false,
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

/// The same where identifiers have nothing to do with numbers.
fn uuid(seed: u64, number: u32) -> String {
    let part = |name: &str| keyed(seed, &["uuid", name, &number.to_string()]);
    let (high, low) = (part("high"), part("low"));
    format!(
        "{IDENTIFIER_PREFIX}{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xFFFF,
        high & 0xFFF,
        low >> 52,
        low & 0xFFFF_FFFF_FFFF
    )
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
