//! Elapsed time of a run, and waiting.

use std::time::{Duration, Instant as SystemInstant, SystemTime, UNIX_EPOCH};

use pmh_harvest::Instant;
use pmh_protocol::Stamp;

/// The one place that reads the machine's clocks.
///
/// Waits may be scaled down, so that a proof on loopback need not sit through a Retry-After: a scaled wait
/// takes a share of its time, and the clock then says that it took all of it.
#[derive(Debug)]
pub struct Clock {
    started: SystemInstant,
    skipped: Duration,
    wait_scale: f64,
}

impl Clock {
    /// A clock that starts now. Waits take `wait_scale` (0 to 1) of their time; 1 is real time.
    #[must_use]
    pub fn start(wait_scale: f64) -> Self {
        Self {
            started: SystemInstant::now(),
            skipped: Duration::ZERO,
            wait_scale: wait_scale.clamp(0.0, 1.0),
        }
    }

    /// Time since the start, waits counted in full.
    #[must_use]
    pub fn now(&self) -> Instant {
        Instant::START.plus(self.started.elapsed() + self.skipped)
    }

    /// The machine's calendar clock.
    #[must_use]
    pub fn today() -> Stamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp::from_seconds(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
    }

    /// Waits until `until`.
    pub(crate) async fn wait(&mut self, until: Instant) {
        let left = Duration::from_millis(until.millis().saturating_sub(self.now().millis()));
        tokio::time::sleep(left.mul_f64(self.wait_scale)).await;
        // What the scale saved is counted as elapsed; nothing is left of an unscaled wait.
        self.skipped += Duration::from_millis(until.millis().saturating_sub(self.now().millis()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_scaled_wait_counts_in_full() {
        let mut clock = Clock::start(0.0);
        let hour = Instant::from_millis(3_600_000);
        clock.wait(hour).await;
        assert!(clock.now() >= hour);
        assert!(clock.started.elapsed() < Duration::from_secs(60));
    }
}
