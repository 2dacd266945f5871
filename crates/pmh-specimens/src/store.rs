//! A page to rows on the shelf, and the cursor after them.

use pmh_protocol::{Item, Page};

use crate::defect::Defect;
use crate::harvest::Harvest;
use crate::wire::{Halt, Row};

impl Harvest<'_> {
    /// Makes a page durable: its records first, then the cursor that names the page after it.
    pub(crate) fn store(&mut self, page: &Page, next: Option<&str>) -> Result<(), Halt> {
        let rows: Vec<Row<'_>> = page.items.iter().filter_map(|item| self.row(item)).collect();
        // Defect: the cursor first; who dies between the two has lost the page.
        if self.has(Defect::NextTokenFirst) {
            self.shelf.put_cursor(next)?;
            return self.shelf.put_rows(&rows);
        }
        self.shelf.put_rows(&rows)?;
        self.shelf.put_cursor(next)
    }

    const fn row<'i>(&self, item: &'i Item) -> Option<Row<'i>> {
        Some(match (item, self.defect) {
            // Defect: a record that is held already gets a second row.
            (Item::Record(record), Defect::InsertNotUpsert) => Row::Insert(record),
            // Defect: a record that is held may have changed.
            (Item::Record(record), Defect::FirstVersionStays) => Row::Keep(record),
            (Item::Record(record), _) => Row::Upsert(record),
            // Defect: the status of a header is not read.
            (Item::Tombstone(tombstone), Defect::InsertsTombstones) => {
                Row::Hollow(&tombstone.header)
            }
            // Defect: who is not told of a deletion keeps what was deleted.
            (Item::Tombstone(_), Defect::DropsTombstones) => return None,
            (Item::Tombstone(tombstone), _) => Row::Withdraw(&tombstone.header),
        })
    }
}
