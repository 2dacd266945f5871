//! Elapsed time of a run, passed in by the driver: the core reads no clock.

use std::time::Duration;

/// Milliseconds since the run began, on a clock that never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(u64);

impl Instant {
    /// The moment the run began.
    pub const START: Self = Self(0);

    /// The moment `millis` milliseconds after the run began.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the run began.
    #[must_use]
    pub const fn millis(self) -> u64 {
        self.0
    }

    /// This moment and `wait` more.
    #[must_use]
    pub fn plus(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }
}
