//! What is handed to the store, in the order it must be committed.

use pmh_protocol::{Datestamp, DeletedRecords, Granularity, Header, Item, Stamp};

use crate::window::Window;

/// One unit of durable progress. A driver may commit several consecutive ones in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A traversal begins: durable before its opening request leaves (H5).
    Open(Opening),
    /// A page: its items and the cursor after it, in one transaction (H4).
    Page(Batch),
    /// A question about what the open traversal's window has delivered; changes nothing.
    Compare(Comparison),
    /// Records that were fetched one by one, beside every list.
    Mend(Mending),
    /// A traversal ends: staged tombstones, watermark and what becomes of the cursor, in one transaction.
    Close(Closing),
}

/// How a traversal begins, and what the source said about itself before it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The traversal.
    pub traversal: Traversal,
    /// The source, to be remembered for runs in which its Identify is broken (H1), and to be compared with (H24).
    pub source: SourceFacts,
    /// Address of the format's schema, as ListMetadataFormats gave it; `None` leaves alone what is remembered.
    pub schema: Option<String>,
    /// Why everything should be harvested again; `None` leaves alone what is remembered.
    pub refresh: Option<Refresh>,
}

/// Why everything should be harvested again (H24). It stays due until a whole list was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// The source's earliest datestamp lies further back than before: records may have been added below what is
    /// known. Concerns every key of the source.
    EarliestMovedBack,
    /// The format has another schema. Concerns every key of the source in this format.
    SchemaChanged,
}

impl Refresh {
    /// In words, as stores keep it and people read it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EarliestMovedBack => "the earliest datestamp moved back",
            Self::SchemaChanged => "the schema of the format changed",
        }
    }
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
}

/// What is remembered of a source's Identify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFacts {
    /// The form of datestamps it takes.
    pub granularity: Granularity,
    /// What it promises about deletions.
    pub deleted_records: DeletedRecords,
    /// repositoryName.
    pub name: Option<String>,
    /// Host of the base URL that it states.
    pub host: Option<String>,
    /// Namespace of its identifiers, where it describes them.
    pub namespace: Option<String>,
    /// earliestDatestamp.
    pub earliest: Option<Stamp>,
}

impl Default for SourceFacts {
    /// What is assumed of a source that has never said anything: days are understood everywhere, and no promise is
    /// relied on.
    fn default() -> Self {
        Self {
            granularity: Granularity::Day,
            deleted_records: DeletedRecords::No,
            name: None,
            host: None,
            namespace: None,
            earliest: None,
        }
    }
}

/// What is remembered of how a source behaves, over all its keys and runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceMemory {
    /// It asked not to be asked again before this moment of our clock (H15).
    pub not_before: Option<Stamp>,
    /// Its tokens work once: nothing is asked ahead of the store, so that no token is spent for nothing (H17).
    pub single_use: bool,
    /// The pause in milliseconds that it earned by being busy, at least kept between two requests (H22).
    pub pause_millis: u64,
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
    /// Pages after which the announced offset jumped over more than a page.
    pub offset_gaps: u64,
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

/// What is asked of a store about the open traversal: which identifiers are lacking. The receipt names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The traversal.
    pub traversal: u64,
    /// Which identifiers are lacking.
    pub of: Lacking,
}

/// Which identifiers a comparison names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// Those of the headers that the window has not delivered, or with an earlier datestamp.
    Headers(Vec<Header>),
    /// Those that the key holds alive and that the traversal has not delivered; at most so many.
    Unseen {
        /// At most so many.
        most: usize,
    },
    /// Those that the window had delivered before it was cut into slices, and no slice again; at most so many.
    SinceSliced {
        /// Number of the first slice's traversal.
        since: u64,
        /// At most so many.
        most: usize,
    },
}

/// Records that were fetched one by one. They are deliveries to the key, but of no list: cursor, watermark and open
/// traversal stay as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mending {
    /// Records and tombstones.
    pub items: Vec<Item>,
    /// Whether the tombstones are conclusions of ours rather than the repository's words.
    pub inferred: bool,
    /// Identifiers whose holes are closed, because they were fetched, do not exist any more, or are accepted as they are.
    pub closed: Vec<String>,
    /// When, on our clock: becomes `harvested_at` of the rows it changes.
    pub taken_at: Stamp,
}

/// A record that is known to be there and could not be had (H14).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Its identifier.
    pub identifier: String,
    /// Its datestamp, where a list told it.
    pub datestamp: Option<Datestamp>,
    /// Why it could not be had the last time.
    pub reason: String,
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
    /// What is remembered of the source from now on.
    pub memory: SourceMemory,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The new watermark; `None` leaves it alone (H10).
    pub watermark: Option<Stamp>,
    /// The start of what is known complete from now on; `None`: complete from the beginning.
    pub floor: Option<Stamp>,
    /// The list's facts, remembered for the guards of the next one; `None` leaves alone what is remembered.
    pub list: Option<CompleteList>,
    /// What is known complete beside what floor and watermark say; `None` when they say it all (H10).
    pub coverage: Option<Span>,
    /// Seconds by which the most delayed record of the list came later than its datestamp says; 0 for none.
    pub lag_seconds: i64,
    /// Records of the list that could not be had: from now on they are holes of the key.
    pub holes: Vec<Hole>,
    /// Why the run is not complete in spite of the list, for `status`: then the error count goes up by one.
    pub incomplete: Option<String>,
}

/// A span of datestamps that was once read completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Its start; `None` is the beginning.
    pub from: Option<Stamp>,
    /// Its end.
    pub until: Stamp,
}

impl Span {
    /// Whether all of `other` lies in it.
    #[must_use]
    pub fn holds(&self, other: &Self) -> bool {
        self.from <= other.from && other.until <= self.until
    }
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
