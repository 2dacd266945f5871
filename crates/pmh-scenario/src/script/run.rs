//! What the harvester is asked to do.

use super::Holdings;

/// One run of the harvester.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its name.
    pub name: String,
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
}

/// A sudden death of the harvester.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The page, by content position in the run's first list.
    pub page: u32,
    /// The moment.
    pub phase: CrashPhase,
}

/// The moment of a crash, in terms of its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPhase {
    /// The page has arrived, and the one after it where the harvester reads ahead; nothing of it is committed.
    Uncommitted,
    /// The page is committed, and nothing after it.
    Committed,
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
}
