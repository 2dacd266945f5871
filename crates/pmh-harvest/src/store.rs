//! What the core asks of a store, and what a store tells it.

use std::ops::AddAssign;
use std::sync::Arc;

use pmh_protocol::{Datestamp, Stamp};

use crate::entry::{
    CompleteList, Cursor, Entry, Hole, Progress, SourceFacts, SourceMemory, Span, Traversal,
};
use crate::key::Key;

/// Durable storage of records, tombstones, cursors and watermarks.
///
/// The meaning of an entry, the same in every store:
///
/// *Sighting.* Per key and identifier the store keeps the last delivery: traversal, window, datestamp, alive or
/// not. An item is *fresh* when its traversal has not delivered the identifier before, and fresh in the window
/// when no traversal of the window has. Within one traversal a delivery with an earlier datestamp than the last
/// one is ignored (but counted as delivered); an equal or missing datestamp lets the later delivery win.
///
/// *Live record.* No row: insert (new). A tombstone: replace it (revived). A live row: content decides. Different
/// payload, abouts or sets: update (changed). The same: nothing but the datestamp is written, and only if it
/// differs (unchanged). A record without payload keeps the payload held before. A live delivery cancels the
/// tombstone that the key, or the key without set, has staged for the identifier; other sets speak for themselves.
///
/// *Tombstone.* No row: insert a tombstone (new). A tombstone: keep it (unchanged), with the new datestamp. A live
/// row: stage it, which counts nothing; the row stays live until the traversal, or a later one of the key, is
/// closed as complete. A tombstone under a set that does not hold the row alive has nothing to end (unchanged).
///
/// *Going back.* A delivery whose datestamp is earlier than that of the row held, by the text of the two, goes back,
/// unless its own traversal delivered the row held: then it is ignored.
///
/// *Opening.* What is said of the source replaces what was said before, and so does a schema, where one is said. A
/// refresh becomes due for every known key it concerns, and stays due until a list of the key that was everything
/// is closed as complete. *Closing* replaces the memory of the source, however it ends.
///
/// *Mending.* Its items are taken like those of a page that belongs to no traversal: they are fresh to nobody, what the
/// sightings say of traversal and window stays (0 and 0 where there was none), and the delivery wins whatever its
/// datestamp. Holes close when they are named, and when their identifier is delivered by whatever means.
///
/// An inferred tombstone is marked as such until its identifier is delivered again by whatever means.
///
/// *Coverage.* The spans that a key covers beside floor and watermark are kept; one that lies in another, or in what
/// floor and watermark say, is not.
///
/// *Closing as complete.* Every staged tombstone of the key ends the key's hold on the identifier (one of a key
/// without set ends every key's); a row that no key of the same source and prefix holds alive any more becomes
/// a tombstone (withdrawn): payload and abouts gone, row and sets kept, with the tombstone's datestamp, and
/// whatever else was staged for it is done with.
pub trait Store {
    /// What a failure of this store looks like.
    type Error;

    /// Everything remembered of a key; the default for one never seen.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn known(&mut self, key: &Key) -> Result<Known, Self::Error>;

    /// Commits entries in one transaction, in order; one receipt for each.
    ///
    /// # Errors
    /// When it could not be committed: then nothing of it was.
    fn commit(&mut self, key: &Key, entries: &[Arc<Entry>]) -> Result<Vec<Receipt>, Self::Error>;
}

/// What a store remembers of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Complete up to here, on the repository's clock.
    pub watermark: Option<Stamp>,
    /// Complete from here on, where the key never harvested everything.
    pub floor: Option<Stamp>,
    /// Failed runs since the last complete one.
    pub errors: u32,
    /// The unfinished traversal.
    pub open: Option<OpenTraversal>,
    /// The last complete list.
    pub last_complete: Option<CompleteList>,
    /// The source's last good Identify, whatever key learned it.
    pub source: Option<SourceFacts>,
    /// Greatest traversal number in the store, over all keys.
    pub last_traversal: u64,
    /// Identifiers that this key holds alive.
    pub held_live: u64,
    /// How the source behaved.
    pub memory: SourceMemory,
    /// Address of the schema that the source last named for the format.
    pub schema: Option<String>,
    /// Why everything should be harvested again, in words (H24).
    pub refresh_due: Option<String>,
    /// The most seconds by which a record came later than its datestamp says (F063).
    pub lag_seconds: i64,
    /// Spans that are known complete beside floor and watermark, in order (H10).
    pub coverage: Vec<Span>,
    /// Records that could not be had, in the order of their identifiers (H14).
    pub holes: Vec<Hole>,
    /// The size of the last complete list of the same source and format without set, where everything was asked
    /// for.
    pub whole_size: Option<u64>,
}

/// An unfinished traversal as the last commit left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTraversal {
    /// What was opened.
    pub traversal: Traversal,
    /// What was learned.
    pub progress: Progress,
    /// What was counted.
    pub tally: Tally,
    /// Where it goes on; `None` before the first page, after the last, or when the token was voided.
    pub cursor: Option<Cursor>,
}

/// What one commit of one entry did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// Identifiers of the page that its traversal had not delivered before.
    pub fresh: u64,
    /// What happened to rows.
    pub counts: Counts,
    /// The traversal so far, written in the same transaction.
    pub tally: Tally,
    /// Staged tombstones of the key.
    pub staged: u64,
    /// Rows whose datestamp was later before this commit (H7).
    pub went_back: u64,
    /// The earliest datestamp of the live rows that this commit made, changed or revived.
    pub earliest_noticed: Option<Datestamp>,
    /// Identifiers that a comparison found lacking, in their order.
    pub lacking: Vec<String>,
    /// Bytes that are free where the store lies, as far as it can tell.
    pub free_bytes: Option<u64>,
}

/// What happened to rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that were not there before, live or tombstone.
    pub new: u64,
    /// Live rows whose content changed.
    pub changed: u64,
    /// Deliveries that changed no content.
    pub unchanged: u64,
    /// Live rows that became tombstones.
    pub withdrawn: u64,
    /// Tombstones that became live rows.
    pub revived: u64,
}

impl Counts {
    /// Rows touched in any way that a reader of the store would notice.
    #[must_use]
    pub const fn noticed(&self) -> u64 {
        self.new + self.changed + self.withdrawn + self.revived
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.new += other.new;
        self.changed += other.changed;
        self.unchanged += other.unchanged;
        self.withdrawn += other.withdrawn;
        self.revived += other.revived;
    }
}

/// A traversal counted exactly and durably.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pages committed.
    pub pages: u64,
    /// Items delivered, repeats included.
    pub delivered: u64,
    /// Distinct identifiers delivered.
    pub distinct: u64,
    /// Distinct identifiers delivered that no earlier traversal of the window had delivered.
    pub fresh_in_window: u64,
    /// Pages with items, in a row up to now, that brought no fresh identifier; pages without items do not count.
    pub barren_run: u64,
    /// Pages without items in a row up to now.
    pub empty_run: u64,
}

impl Tally {
    /// This tally and one more page of `items` items, of which so many were fresh.
    #[must_use]
    pub const fn and_page(self, items: u64, fresh: u64, fresh_in_window: u64) -> Self {
        Self {
            pages: self.pages + 1,
            delivered: self.delivered + items,
            distinct: self.distinct + fresh,
            fresh_in_window: self.fresh_in_window + fresh_in_window,
            barren_run: match (items, fresh) {
                (0, _) => self.barren_run,
                (_, 0) => self.barren_run + 1,
                _ => 0,
            },
            empty_run: if items == 0 { self.empty_run + 1 } else { 0 },
        }
    }
}
