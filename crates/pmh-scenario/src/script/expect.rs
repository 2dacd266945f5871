//! What must be true in the end, and what may be used up.

/// What must be true after the last run.
#[derive(Clone, Debug)]
pub struct Expect {
    /// What the store must hold.
    pub store: StoreExpect,
    /// One more run is added, and must change nothing.
    pub idempotent: bool,
}

/// How the store must compare with the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreExpect {
    /// Exactly the truth.
    Truth,
    /// Nothing but the truth, perhaps not all of it.
    Subset,
}

/// What a scenario may use up.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Requests over all runs; the repository answers no more than these.
    pub requests: u32,
    /// Seconds a run may take on the wall clock.
    pub wall_seconds: u64,
}
