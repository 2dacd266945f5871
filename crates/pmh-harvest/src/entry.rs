//! What is handed to the store, in the order it must be committed.

use pmh_protocol::{DeletedRecords, Granularity, Item, Stamp};

use crate::window::Window;

/// One unit of durable progress. A driver may commit several consecutive ones in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A traversal begins: durable before its opening request leaves (H5).
    Open(Traversal),
    /// A page: its items and the cursor after it, in one transaction (H4).
    Page(Batch),
    /// A traversal ends: staged tombstones, watermark and what becomes of the cursor, in one transaction.
    Close(Closing),
}

/// One attempt to read one list. Opening one replaces an unfinished traversal of the same key; the rows, and
/// what is staged, stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traversal {
    /// Greater than the number of every traversal opened before it in this store.
    pub number: u64,
    /// The number of the first traversal that was opened for this window: names the window over its restarts.
    pub window_number: u64,
    /// What is asked for.
    pub window: Window,
    /// When it was opened, on our clock.
    pub opened_at: Stamp,
    /// Restarts of the window in a row that brought no identifier new to it, up to this traversal (H13).
    pub restarts_in_row: u32,
    /// All restarts of the window up to this traversal.
    pub restarts: u32,
    /// What the source said about itself, to be remembered for runs in which its Identify is broken (H1).
    pub source: SourceFacts,
}

/// What is remembered of a source's Identify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFacts {
    /// The form of datestamps it takes.
    pub granularity: Granularity,
    /// What it promises about deletions.
    pub deleted_records: DeletedRecords,
}

/// A page's worth of durable progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The traversal it belongs to.
    pub traversal: u64,
    /// Its number in the traversal, from 1.
    pub page: u64,
    /// Records and tombstones in the order delivered.
    pub items: Vec<Item>,
    /// What is known of the list after this page.
    pub progress: Progress,
    /// Where the list goes on; `None` when it ended with this page.
    pub cursor: Option<Cursor>,
    /// When the page was taken, on our clock: becomes `harvested_at` of the rows it changes.
    pub taken_at: Stamp,
}

/// What a traversal has learned of its list. A resumed run goes on with it, never with its own first answer (H5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// responseDate of the traversal's first answer (or its stand-in, H10): the watermark's upper bound.
    pub opening_response_date: Option<Stamp>,
    /// Sizes of the list as announced.
    pub sizes: Option<Sizes>,
    /// Entries that could not be read.
    pub unreadable: u64,
    /// A token value came back: the list lives in a session, so nothing is asked ahead or asked again (H17).
    pub session_bound: bool,
}

/// What completeListSize said over the pages of one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// On the first page that announced one.
    pub first: u64,
    /// On the last.
    pub last: u64,
    /// The least.
    pub least: u64,
}

impl Sizes {
    /// These sizes and one more announcement.
    #[must_use]
    pub fn and(sizes: Option<Self>, announced: u64) -> Self {
        match sizes {
            None => Self { first: announced, last: announced, least: announced },
            Some(sizes) => Self { last: announced, least: sizes.least.min(announced), ..sizes },
        }
    }

    /// Whether every announcement was the same.
    #[must_use]
    pub const fn is_constant(&self) -> bool {
        self.first == self.last && self.last == self.least
    }
}

/// The durable position inside an unfinished traversal: it names the page about to be worked (H4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The token to ask that page with.
    pub token: String,
    /// When the token was given, on our clock.
    pub given_at: Stamp,
    /// Seconds that the repository said it would live, where it did.
    pub life_seconds: Option<i64>,
}

/// How a traversal ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The traversal; `None` when the run ended before one was opened or resumed: an incomplete ending is then
    /// counted and nothing else happens.
    pub traversal: Option<u64>,
    /// When, on our clock: becomes `harvested_at` of the rows that staged tombstones withdraw.
    pub closed_at: Stamp,
    /// What is to be done.
    pub ending: Ending,
}

/// The two ways a traversal ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Proven complete: staged tombstones take effect, the traversal is gone, the run of errors is over.
    Complete(Completion),
    /// Not proven complete: the window stays open, rows and stage are kept, the error count goes up by one.
    Incomplete {
        /// Whether the cursor may still be used (a signal, a lost network) or is void (a guard, a refused token) (H18).
        keep_cursor: bool,
        /// The reason, for `status`.
        reason: String,
    },
}

/// What a complete traversal leaves behind for later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The new watermark; `None` leaves it alone (H10).
    pub watermark: Option<Stamp>,
    /// The start of what is known complete from now on; `None`: complete from the beginning.
    pub floor: Option<Stamp>,
    /// The list's facts, remembered for the guards of the next one; `None` leaves alone what is remembered.
    pub list: Option<CompleteList>,
}

/// The last complete list of a key, or the last whole one where there was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompleteList {
    /// Pages it took.
    pub pages: u64,
    /// Distinct identifiers it delivered.
    pub distinct: u64,
    /// The size it announced last.
    pub size: Option<u64>,
    /// Whether it ended with an empty token rather than with none (H3).
    pub ended_empty: bool,
    /// Whether it was the whole list.
    pub everything: bool,
}
