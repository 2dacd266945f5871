//! The dates that one list has shown, and where they would move the watermark.

use pmh_protocol::{Page, Stamp};

use crate::defect::Defect;

/// Dates of one reading of a list.
#[derive(Debug, Default)]
pub(crate) struct Dates {
    /// Whether the first answer has been seen; after a resume it never is.
    has_opening: bool,
    opening: Option<Stamp>,
    last: Option<Stamp>,
    newest: Option<Stamp>,
}

impl Dates {
    pub(crate) fn opened() -> Self {
        Self::default()
    }

    /// A list that an earlier run opened: nobody remembers when.
    pub(crate) fn resumed() -> Self {
        Self { has_opening: true, ..Self::default() }
    }

    /// An answer with this responseDate has come.
    pub(crate) fn answered(&mut self, response_date: Option<Stamp>) {
        if !self.has_opening {
            (self.has_opening, self.opening) = (true, response_date);
        }
        self.last = response_date;
    }

    pub(crate) fn brought(&mut self, page: &Page) {
        let stamps = page.items.iter().filter_map(|item| Some(item.header().datestamp?.stamp));
        self.newest = stamps.chain(self.newest).max();
    }

    /// responseDate of the last answer.
    pub(crate) const fn last(&self) -> Option<Stamp> {
        self.last
    }

    /// Up to when everything is held once the list is complete: what changes while it is read may be missing.
    pub(crate) const fn watermark(&self, defect: Defect, own_clock: Stamp) -> Option<Stamp> {
        match defect {
            // Defect: the repository's clock may be behind.
            Defect::WatermarkFromOwnClock => Some(own_clock),
            // Defect: what changed on an early page has been missed by then.
            Defect::WatermarkOfLastAnswer => self.last,
            // Defect: a datestamp may lie in the future.
            Defect::WatermarkOfNewestRecord => self.newest,
            _ => self.opening,
        }
    }
}
