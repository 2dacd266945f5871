//! The pause between two requests to one source (H22).

use std::time::Duration;

use url::{Host, Url};

use crate::time::Instant;

const PAUSE_MAX: Duration = Duration::from_secs(5);

/// Decides when the next request may leave.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    /// The operator's pause; `None`: derived from the last response time.
    fixed: Option<Duration>,
    not_before: Instant,
}

impl Pace {
    /// The pace for a source. One on loopback is nobody's burden and gets no pause of our own making.
    pub(crate) fn new(source: &str, pause: Option<Duration>) -> Self {
        let fixed = pause.or_else(|| is_loopback(source).then_some(Duration::ZERO));
        Self { fixed, not_before: Instant::START }
    }

    /// An answer came: the next request waits for a quarter of the time this one took.
    pub(crate) fn answered(&mut self, asked: Instant, now: Instant) {
        let took = Duration::from_millis(now.millis().saturating_sub(asked.millis()));
        self.wait(self.fixed.unwrap_or((took / 4).min(PAUSE_MAX)), now);
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
        let mut pace = Pace::new(source, pause);
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
}
