//! Results as lines of a table, each beside its baseline.

use std::io::Write as _;

use crate::measure::Cost;

/// A heading, and what the columns are.
pub(crate) fn heading(title: &str, baseline: &str) {
    line(&format!("\n{title} (ratio: to {baseline})"));
    line(&format!(
        "  {:<38}{:>12}{:>10}{:>12}{:>10}{:>9}",
        "", "records/s", "MB/s", "CPU s/1M", "MiB", "ratio"
    ));
}

/// One result. `ratio` is the baseline's wall time as a share of this one's: 1 is as fast as the baseline.
pub(crate) fn row(name: &str, cost: &Cost, records: u64, bytes: u64, baseline: &Cost) {
    let peak = match cost.peak_kib {
        0 => String::new(),
        kib => format!("{:.1}", kib as f64 / 1024.0),
    };
    line(&format!(
        "  {name:<38}{:>12.0}{:>10.1}{:>12.2}{peak:>10}{:>9.3}",
        cost.per_second(records),
        cost.per_second(bytes) / 1e6,
        cost.cpu_per_million(records),
        baseline.wall.as_secs_f64() / cost.wall.as_secs_f64(),
    ));
}

/// A line of standard output; a reader that went away needs none.
pub(crate) fn line(text: &str) {
    drop(writeln!(std::io::stdout().lock(), "{text}"));
}

/// A line of standard error.
pub(crate) fn note(text: &str) {
    drop(writeln!(std::io::stderr().lock(), "{text}"));
}
