//! What must be true in the end, and what may be used up.

use super::TraceRule;

/// What must be true after the last run.
#[derive(Clone, Debug, Default)]
pub struct Expect {
    /// What the store must hold.
    pub store: StoreExpect,
    /// Guards that must each end a run.
    pub guards: Vec<String>,
    /// No guard may end a run.
    pub no_guards: bool,
    /// Rules on the requests of the case.
    pub trace: Vec<TraceRule>,
    /// One more run is added, and must change nothing.
    pub idempotent: bool,
}

/// How the store must compare with the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreExpect {
    /// Exactly the truth.
    #[default]
    Truth,
    /// Nothing but the truth, perhaps not all of it.
    Subset,
    /// The truth; a record may also be held in a newer version.
    TruthOrNewer,
    /// What it held before the last run.
    Unchanged,
    /// Everything that lived in it before the last run.
    Withheld,
    /// So many live records.
    Exactly(u64),
}

/// What a scenario may use up.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Requests over all runs; the repository answers no more than these.
    pub requests: u32,
    /// Seconds a run may neither ask nor end, on the wall clock.
    pub wall_seconds: u64,
}
