//! The specimens by name.

use pmh_protocol::Selection;

use crate::end::End;
use crate::harvest::Harvest;
use crate::wire::{Shelf, Wire};

/// The one thing that is wrong with a specimen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Defect {
    /// Nothing: the control.
    None,
    /// An empty or blank token element is used as a token.
    EmptyTokenAsToken,
    /// metadataPrefix is sent beside the token.
    TokenBesideArguments,
    /// The next token is stored before the page it came with.
    NextTokenFirst,
    /// Rows are added, never replaced.
    InsertNotUpsert,
    /// A deleted header becomes a live row.
    InsertsTombstones,
    /// No guard: it goes on as long as tokens come, and believes every end.
    NeverCounts,
    /// A page without records is taken for the end.
    EndsAtEmptyPage,
    /// A token seen before is taken for a loop at once.
    EndsAtSeenToken,
}

/// A harvester with one defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specimen {
    defect: Defect,
}

impl Specimen {
    /// The control and every wrong one.
    pub const ALL: [Self; 9] = [
        Self { defect: Defect::None },
        Self { defect: Defect::EmptyTokenAsToken },
        Self { defect: Defect::TokenBesideArguments },
        Self { defect: Defect::NextTokenFirst },
        Self { defect: Defect::InsertNotUpsert },
        Self { defect: Defect::InsertsTombstones },
        Self { defect: Defect::NeverCounts },
        Self { defect: Defect::EndsAtEmptyPage },
        Self { defect: Defect::EndsAtSeenToken },
    ];

    /// The one with nothing wrong.
    pub const SOUND: Self = Self { defect: Defect::None };

    /// The specimen of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|specimen| specimen.name() == name)
    }

    /// What is wrong with it.
    #[must_use]
    pub const fn defect(&self) -> Defect {
        self.defect
    }

    /// Its name, as scenarios write it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.defect {
            Defect::None => "sound",
            Defect::EmptyTokenAsToken => "empty-token-as-token",
            Defect::TokenBesideArguments => "token-beside-arguments",
            Defect::NextTokenFirst => "next-token-first",
            Defect::InsertNotUpsert => "insert-not-upsert",
            Defect::InsertsTombstones => "inserts-tombstones",
            Defect::NeverCounts => "never-counts",
            Defect::EndsAtEmptyPage => "ends-at-empty-page",
            Defect::EndsAtSeenToken => "ends-at-seen-token",
        }
    }

    /// The same in a sentence.
    #[must_use]
    pub const fn what_is_wrong(&self) -> &'static str {
        match self.defect {
            Defect::None => "Nothing is wrong: it is the control, and must hold every scenario.",
            Defect::EmptyTokenAsToken => {
                "It sends an empty or blank token element back as a token."
            }
            Defect::TokenBesideArguments => "It repeats metadataPrefix beside the token.",
            Defect::NextTokenFirst => {
                "It stores the next token before the page that token came with, and loses the page when it dies in between."
            }
            Defect::InsertNotUpsert => {
                "It adds a row for every delivery, also of a record it holds."
            }
            Defect::InsertsTombstones => "It keeps a deleted record as a live row without payload.",
            Defect::NeverCounts => {
                "It has no guard and no count: it goes on as long as tokens come, and believes every end."
            }
            Defect::EndsAtEmptyPage => "It takes a page without records for the end of the list.",
            Defect::EndsAtSeenToken => "It takes any token seen before for a loop, and stops.",
        }
    }

    /// One run: goes on from the shelf's cursor, or lists what is selected from its start.
    pub fn harvest(
        &self,
        base_url: &str,
        selection: &Selection,
        wire: &mut dyn Wire,
        shelf: &mut dyn Shelf,
    ) -> End {
        Harvest { defect: self.defect, base_url, selection, wire, shelf }.run()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_specimen_is_found_by_a_name_of_its_own() {
        let names: BTreeSet<&str> = Specimen::ALL.iter().map(Specimen::name).collect();
        assert_eq!(names.len(), Specimen::ALL.len());
        for specimen in Specimen::ALL {
            assert_eq!(Specimen::named(specimen.name()), Some(specimen));
        }
        assert_eq!(Specimen::named("none"), None);
        assert_eq!(Specimen::named("sound"), Some(Specimen::SOUND));
    }
}
