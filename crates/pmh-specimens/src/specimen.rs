//! A harvester with one defect, and what it is asked to do.

use std::collections::BTreeMap;

use pmh_protocol::Selection;

use crate::defect::Defect;
use crate::end::End;
use crate::harvest::Harvest;
use crate::wire::{Shelf, Wire};

/// A harvester with one defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specimen {
    defect: Defect,
}

/// What one run is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Where the repository is.
    pub base_url: String,
    /// What is wanted. With a date in it, the run asks for just that, and neither heeds nor moves the watermark.
    pub selection: Selection,
    /// Whether everything is asked for again, whatever is known.
    pub full: bool,
}

impl Specimen {
    /// The control and every wrong one.
    pub const ALL: [Self; Defect::ALL.len()] = {
        let mut all = [Self::SOUND; Defect::ALL.len()];
        let mut index = 0;
        while index < all.len() {
            all[index] = Self { defect: Defect::ALL[index] };
            index += 1;
        }
        all
    };

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
        self.defect.name()
    }

    /// The same in a sentence.
    #[must_use]
    pub const fn what_is_wrong(&self) -> &'static str {
        self.defect.sentence()
    }

    /// Name of the shelf that holds the rows of this selection.
    #[must_use]
    pub fn shelf_of<'a>(&self, selection: &'a Selection) -> &'a str {
        // Defect: an identifier is held once, whatever format it came in.
        if self.defect == Defect::OneShelf { "" } else { &selection.prefix }
    }

    /// The selection whose cursor and watermark this one goes by: a span of its own has a cursor of its own.
    #[must_use]
    pub fn place_of(&self, selection: &Selection) -> Selection {
        let mut place = selection.clone();
        // Defect: what one format was read up to is believed of all.
        if self.defect == Defect::OneWatermark {
            place.prefix.clear();
        }
        place
    }

    /// One run: goes on from the shelf's cursor, or lists what is new since the shelf's watermark.
    pub fn harvest(&self, task: &Task, wire: &mut dyn Wire, shelf: &mut dyn Shelf) -> End {
        let (defect, cookies) = (self.defect, BTreeMap::new());
        Harvest { defect, task, wire, shelf, cookies, granularity: None }.run()
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
