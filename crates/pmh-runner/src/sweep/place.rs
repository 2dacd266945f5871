//! Where a harvester dies, in words that name the place again.

use std::fmt;

use pmh_scenario::CrashPhase;

use crate::simulate::StoreFailure;

/// A place in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrashPlace {
    /// Counted by events, in the pure arm.
    Event {
        /// The run that dies, from 0.
        run: usize,
        /// After so many events: answers that left the repository, and commits.
        events: u32,
        /// Entries that may be outstanding.
        lag: usize,
        /// Whether the runs after it die there as well, for as long as they bring the store on.
        is_repeated: bool,
    },
    /// The store fails, in the pure arm.
    Store {
        /// The run, from 0.
        run: usize,
        /// The commit, from 0.
        commit: u32,
        /// Entries that may be outstanding.
        lag: usize,
        /// How it fails.
        kind: StoreFailure,
    },
    /// Named by page and phase, in the loopback arm.
    Page {
        /// The run that dies, from 0.
        run: usize,
        /// The page of its first list.
        page: u32,
        /// The moment.
        phase: CrashPhase,
    },
}

impl fmt::Display for CrashPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event { run, events, lag, is_repeated } => {
                write!(f, "run {} dies after event {events}", run + 1)?;
                f.write_str(&rhythm(*lag))?;
                f.write_str(if *is_repeated { ", again and again" } else { "" })
            }
            Self::Store { run, commit, lag, kind } => {
                let how = match kind {
                    StoreFailure::Refused => "is refused",
                    StoreFailure::Unconfirmed => "is durable and not confirmed",
                    StoreFailure::Full => "is the first on a full disk",
                };
                write!(f, "commit {} of run {} {how}{}", commit + 1, run + 1, rhythm(*lag))
            }
            Self::Page { run, page, phase } => {
                write!(f, "run {} dies at page {page}, {phase:?}", run + 1)
            }
        }
    }
}

fn rhythm(lag: usize) -> String {
    match lag {
        usize::MAX => ", commits as late as can be".to_owned(),
        0 => ", commits at once".to_owned(),
        lag => format!(", commits {lag} behind"),
    }
}
