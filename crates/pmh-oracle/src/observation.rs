//! What actually happened, as plain data: the runner translates every client's own types into these, so that
//! the judge shares no code with the accused.

use pmh_protocol::Stamp;
use pmh_scenario::Journal;

/// One case: what the harvester did and what the repository saw of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// The runs in the order they took place: those of the script, then those the harness added.
    pub runs: Vec<RunObservation>,
    /// The repository's account of all of them.
    pub journal: Journal,
    /// What the reader of the client's store can see.
    pub sight: Sight,
    /// What the scenario asks and this client cannot tell or be told, a sentence each: the verdict repeats them.
    pub unjudged: Vec<String>,
}

/// What the reader of a store can see. What it cannot is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The rows. Without them only requests and ends of runs are judged.
    pub rows: bool,
    /// Whether a row that is not there was never held, or was removed because it was withdrawn.
    pub tombstones: bool,
}

impl Default for Sight {
    /// Everything.
    fn default() -> Self {
        Self { rows: true, tombstones: true }
    }
}

/// One run, and the store as it stood after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunObservation {
    /// Its name, as the journal has it.
    pub name: String,
    /// How it ended.
    pub end: RunEnd,
    /// Every row of the store. A store that holds two rows of one identifier shows both.
    pub rows: Vec<HeldRow>,
    /// The datestamp up to which the client says it is complete; `Known(None)` when it says there is none yet.
    pub watermark: Knowledge<Option<Stamp>>,
    /// What the client says it did to its store.
    pub counts: Option<ChangeCounts>,
    /// Whether anything unfinished is remembered: a later run goes on with it, or asks for it again.
    pub window_open: Knowledge<bool>,
    /// Names of the complaints that it made.
    pub complaints: Knowledge<Vec<String>>,
    /// The script does not name this run: it was added to see whether anything changes.
    pub added_by_harness: bool,
}

/// Something that a client can tell, or that its reader cannot know and is therefore not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Knowledge<T> {
    /// What it is.
    Known(T),
    /// Nobody can tell.
    #[default]
    Unknown,
}

impl<T> Knowledge<T> {
    /// The value, if there is one.
    pub const fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown => None,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// By itself.
    Ended {
        /// `complete`, `incomplete`, `refused` or `failed`.
        outcome: String,
        /// Name of the guard that ended it.
        guard: Option<String>,
        /// The client's own words.
        reason: Option<String>,
        /// Exit code.
        exit: i32,
    },
    /// It was killed.
    Crashed,
    /// It had to be stopped: the requests of the budget were spent.
    OverBudget,
    /// It had to be stopped: it neither asked nor ended for the time of the budget.
    OutOfTime,
}

impl RunEnd {
    /// Whether the run claims to hold everything.
    #[must_use]
    pub fn claims_complete(&self) -> bool {
        self.outcome() == Some("complete")
    }

    /// The outcome of a run that ended by itself.
    #[must_use]
    pub fn outcome(&self) -> Option<&str> {
        match self {
            Self::Ended { outcome, .. } => Some(outcome),
            Self::Crashed | Self::OverBudget | Self::OutOfTime => None,
        }
    }

    /// The guard that ended the run.
    #[must_use]
    pub fn guard(&self) -> Option<&str> {
        match self {
            Self::Ended { guard, .. } => guard.as_deref(),
            Self::Crashed | Self::OverBudget | Self::OutOfTime => None,
        }
    }
}

/// One row of the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeldRow {
    /// Its identifier.
    pub identifier: String,
    /// Its datestamp as the store has it; `None` when the reader cannot know.
    pub datestamp: Option<String>,
    /// Whether it is a tombstone.
    pub deleted: bool,
    /// Digest of the payload, made like the truth's; `None` when the reader cannot know, and for tombstones. A
    /// live row *without* payload has the digest of the empty text.
    pub digest: Option<String>,
}

/// What a client says it did to its store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    /// Rows that were not there before.
    pub new: u64,
    /// Rows whose content changed.
    pub changed: u64,
    /// Rows delivered again as they were.
    pub unchanged: u64,
    /// Rows that became tombstones.
    pub withdrawn: u64,
    /// Tombstones that became rows again.
    pub revived: u64,
}

impl ChangeCounts {
    /// How many rows a reader of the store sees differently afterwards.
    #[must_use]
    pub const fn changes(&self) -> u64 {
        self.new
            .saturating_add(self.changed)
            .saturating_add(self.withdrawn)
            .saturating_add(self.revived)
    }
}
