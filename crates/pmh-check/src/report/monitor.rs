//! For monitors: one line with the verdict and how fast the repository is.

use crate::check::Level;
use crate::outcome::{Examined, Verdict};

/// One line: a word that monitors know (OK, WARNING, CRITICAL, UNKNOWN), what it means, and figures after `|`.
#[must_use]
pub fn monitor(examined: &Examined, threshold: Level) -> String {
    let failures = examined.failures(threshold).count();
    let warnings = examined.total(Verdict::Warn);
    let is_tested = examined.is_reached() && examined.is_tested();
    let word = match (is_tested, failures, warnings) {
        (false, ..) => "UNKNOWN",
        (true, 0, _) if examined.is_cut_short => "UNKNOWN",
        (true, 0, 0) => "OK",
        (true, 0, _) => "WARNING",
        (true, ..) => "CRITICAL",
    };
    let mut millis: Vec<u64> = examined
        .exchanges
        .iter()
        .filter(|each| each.page().is_some())
        .map(|each| each.millis)
        .collect();
    millis.sort_unstable();
    let median = millis.get(millis.len() / 2).copied().unwrap_or(0);
    let slowest = millis.last().copied().unwrap_or(0);
    let ids: Vec<&str> = examined.failures(threshold).map(|each| each.check.id).take(5).collect();
    let named = if ids.is_empty() { String::new() } else { format!(" ({})", ids.join(", ")) };
    format!(
        "{word}: {}, {failures} failed{named}, {warnings} warned | median={median}ms slowest={slowest}ms requests={} passed={}\n",
        examined.conformance(),
        examined.exchanges.len(),
        examined.total(Verdict::Pass),
    )
}
