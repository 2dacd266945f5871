//! The repository before the first run.

use pmh_protocol::Stamp;

use super::Protocol;
use crate::world::World;

/// The repository as it stands before the first run.
#[derive(Clone, Debug)]
pub struct RepositoryScript {
    /// Its records.
    pub world: World,
    /// Entries a page.
    pub page_size: usize,
    /// How it keeps the protocol.
    pub protocol: Protocol,
    /// Its clock.
    pub clock: ClockScript,
}

/// The repository's clock: it moves by events, never by waiting.
#[derive(Clone, Copy, Debug)]
pub struct ClockScript {
    /// What it says when the first run begins.
    pub start: Stamp,
    /// Seconds it advances with each answered request.
    pub tick_seconds: i64,
    /// Run k, from 0, begins this many seconds times k after `start`: no budget of requests reaches so far.
    pub between_runs_seconds: i64,
}

impl ClockScript {
    /// The instant the run of this index, from 0, begins; what changes before it is stamped so.
    #[must_use]
    pub fn run_start(&self, run_index: usize) -> Stamp {
        let runs = i64::try_from(run_index).unwrap_or(i64::MAX);
        self.start.plus_seconds(self.between_runs_seconds.saturating_mul(runs))
    }
}
