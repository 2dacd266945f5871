//! What the harvester is asked to do.

use pmh_protocol::{Datestamp, Stamp};

use super::Holdings;

/// One run of the harvester.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its name.
    pub name: String,
    /// Start of the span asked for.
    pub from: Option<Datestamp>,
    /// End of the span asked for.
    pub until: Option<Datestamp>,
    /// Only this set and its descendants.
    pub set: Option<String>,
    /// The metadata format, where it is not `oai_dc`.
    pub prefix: Option<String>,
    /// Everything is asked for again, whatever is known.
    pub full: bool,
    /// Departures that the operator has chosen, by name.
    pub switches: Vec<String>,
    /// Deletions take effect however many they are.
    pub allow_mass_delete: bool,
    /// A record that a whole list does not show any more is taken as deleted.
    pub infer_deletions: bool,
    /// The first departure from the protocol ends the run.
    pub strict: bool,
    /// What changes in the repository before it.
    pub before: Vec<Change>,
    /// Where the harvester is killed.
    pub crash: Option<Crash>,
    /// What the store must hold after it, where replies say what the repository holds.
    pub truth: Option<Holdings>,
    /// What must come of it.
    pub expect: RunExpect,
}

/// A change in the repository. Records are numbered from 1 in the order of the world; what was added counts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// So many new records.
    Add(u32),
    /// New versions of these; a deleted record comes back to life.
    Touch(Vec<u32>),
    /// Deletion of these: tombstones, as far as the repository keeps any.
    Delete(Vec<u32>),
    /// These vanish without a trace, whatever the repository says of deletions.
    Purge(Vec<u32>),
    /// New datestamps of these, and nothing else.
    Restamp(Vec<u32>),
    /// Other sets for these, and nothing else.
    Move(Move),
}

/// Records that go into other sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Their numbers.
    pub records: Vec<u32>,
    /// Where they are from now on; in no set where this is empty.
    pub to: Vec<String>,
    /// Whether their datestamps stay as they are, so that nobody who asks for what is new learns of it.
    pub is_silent: bool,
}

/// A sudden death of the harvester.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The list of the run, from 1.
    pub list: u32,
    /// The page, by content position in that list.
    pub page: u32,
    /// The moment.
    pub phase: CrashPhase,
    /// Whether it is only asked to stop, and may finish what it has in hand.
    pub is_orderly: bool,
}

/// The moment of a crash, in terms of its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPhase {
    /// The page has arrived, and the one after it where the harvester reads ahead; nothing of it is committed.
    Uncommitted,
    /// The page is committed, and nothing after it.
    Committed,
    /// The page has been asked for, all before it is committed, and nothing of the answer arrives.
    BeforeResponse,
    /// Half of the page's body has arrived, and all pages before it are committed.
    MidBody,
    /// The page has arrived, nothing of it is committed, and the next is not asked for.
    AfterResponse,
    /// The page has arrived, nothing of it is committed, and the request for the next is not answered.
    NextRequest,
    /// All pages are committed; what comes with the end of the list is not.
    BeforeClose,
    /// The end of the list is committed too.
    AfterClose,
}

/// What must come of a run. Absent: not asked.
#[derive(Clone, Debug, Default)]
pub struct RunExpect {
    /// `complete`, `incomplete` or `refused`.
    pub outcome: Option<String>,
    /// Name of the guard that ends it.
    pub guard: Option<String>,
    /// Exit code.
    pub exit: Option<i32>,
    /// Most requests.
    pub max_requests: Option<u32>,
    /// Rows that a reader of the store notices as new, changed, withdrawn or revived.
    pub changes: Option<u64>,
    /// Names of complaints that it must make.
    pub complaints: Vec<String>,
    /// Where the watermark stands afterwards.
    pub watermark: Option<WatermarkExpect>,
}

/// Where a watermark must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatermarkExpect {
    /// Where it stood before the run.
    Unchanged,
    /// Nowhere.
    None,
    /// Here.
    At(Stamp),
}

impl Run {
    /// The metadata format that is asked for where a run names none.
    pub(crate) const PREFIX: &'static str = "oai_dc";

    /// The metadata format that is asked for.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.prefix.as_deref().unwrap_or(Self::PREFIX)
    }
}
