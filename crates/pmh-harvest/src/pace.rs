//! The pause between two requests to one source (H22).

use std::time::Duration;

use url::{Host, Url};

use crate::time::Instant;

const PAUSE_MAX: Duration = Duration::from_secs(5);
/// The first pause that a busy source earns, and the least worth keeping.
const EARNED_FIRST: Duration = Duration::from_millis(250);

/// Decides when the next request may leave.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    /// The operator's pause; `None`: derived from the last response time.
    fixed: Option<Duration>,
    /// What the source has earned by being busy, in this run and those before.
    earned: Duration,
    was_busy: bool,
    not_before: Instant,
}

impl Pace {
    /// The pace for a source that has earned a pause before. One on loopback is nobody's burden and gets no pause of
    /// our own making, unless it was busy.
    pub(crate) fn new(source: &str, pause: Option<Duration>, earned: Duration) -> Self {
        let earned = if pause.is_some() { Duration::ZERO } else { earned.min(PAUSE_MAX) };
        let fixed = pause.or_else(|| is_loopback(source).then_some(Duration::ZERO));
        Self { fixed, earned, was_busy: false, not_before: Instant::START }
    }

    /// An answer came: the next request waits for a quarter of the time this one took.
    pub(crate) fn answered(&mut self, asked: Instant, now: Instant) {
        let took = Duration::from_millis(now.millis().saturating_sub(asked.millis()));
        let pause = self.fixed.unwrap_or((took / 4).min(PAUSE_MAX));
        self.wait(pause.max(self.earned), now);
    }

    /// The source said that it is busy: every pause from now on is at least twice what it was, unless the operator has
    /// named one.
    pub(crate) fn slow_down(&mut self, asked_for: Option<Duration>) {
        self.was_busy = true;
        if asked_for.is_none() {
            self.earned = (self.earned * 2).clamp(EARNED_FIRST, PAUSE_MAX);
        }
    }

    /// What is to be remembered of the pause earned: half of it when this run met no busy answer.
    pub(crate) fn earned(&self) -> Duration {
        match self.was_busy {
            true => self.earned,
            false => Some(self.earned / 2).filter(|half| *half >= EARNED_FIRST).unwrap_or_default(),
        }
    }

    /// Nothing leaves for so long.
    pub(crate) fn wait(&mut self, pause: Duration, now: Instant) {
        self.not_before = self.not_before.max(now.plus(pause));
    }

    pub(crate) const fn not_before(&self) -> Instant {
        self.not_before
    }
}

fn is_loopback(source: &str) -> bool {
    match Url::parse(source).as_ref().map(Url::host) {
        Ok(Some(Host::Ipv4(address))) => address.is_loopback(),
        Ok(Some(Host::Ipv6(address))) => address.is_loopback(),
        Ok(Some(Host::Domain(name))) => name.eq_ignore_ascii_case("localhost"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, pause: Option<Duration>, took_ms: u64, expected_ms: u64) {
        let mut pace = Pace::new(source, pause, Duration::ZERO);
        pace.answered(Instant::from_millis(1_000), Instant::from_millis(1_000 + took_ms));
        assert_eq!(
            pace.not_before(),
            Instant::from_millis(1_000 + took_ms + expected_ms),
            "{source}"
        );
    }

    #[test]
    fn the_pause_is_a_quarter_of_the_response_time_within_bounds() {
        check("https://x.example/oai", None, 2_000, 500);
        check("https://x.example/oai", None, 60_000, 5_000);
        check("http://127.0.0.1:8080/oai", None, 2_000, 0);
        check("http://[::1]/oai", None, 2_000, 0);
        check("http://localhost/oai", None, 2_000, 0);
        check("http://127.0.0.1/oai", Some(Duration::from_secs(1)), 2_000, 1_000);
    }

    #[test]
    fn a_busy_source_earns_longer_pauses_and_loses_them_again() {
        let mut pace = Pace::new("http://127.0.0.1/oai", None, Duration::ZERO);
        let mut earned = Vec::new();
        for _ in 0..6 {
            pace.slow_down(None);
            earned.push(pace.earned().as_millis());
        }
        assert_eq!(earned, [250, 500, 1_000, 2_000, 4_000, 5_000]);
        let now = Instant::from_millis(9_000);
        pace.answered(now, now);
        assert_eq!(pace.not_before(), Instant::from_millis(14_000), "even on loopback");

        let quiet = |earned| Pace::new("http://127.0.0.1/oai", None, earned).earned();
        assert_eq!(quiet(Duration::from_secs(5)), Duration::from_millis(2_500));
        assert_eq!(quiet(Duration::from_millis(400)), Duration::ZERO);
        assert_eq!(quiet(Duration::from_secs(500)), Duration::from_millis(2_500), "is bounded");
    }

    #[test]
    fn the_operators_pause_is_kept_however_busy_the_source() {
        let pause = Some(Duration::from_millis(100));
        let mut pace = Pace::new("https://x.example/oai", pause, Duration::from_secs(3));
        pace.slow_down(pause);
        pace.answered(Instant::START, Instant::from_millis(1_000));
        assert_eq!(pace.not_before(), Instant::from_millis(1_100));
    }
}
