//! Outcomes for people and programs. All are functions of the same value, and say the same.

mod html; // one page with the exchanges in it
mod json; // for programs
mod junit; // for continuous integration
mod markdown; // for a summary of a pipeline
mod monitor; // one line
mod text; // for a terminal

pub use html::html;
pub use json::{json, json_schema};
pub use junit::junit;
pub use markdown::markdown;
pub use monitor::monitor;
pub use text::text;

use crate::check::Level;
use crate::finding::Finding;
use crate::outcome::{Examined, Outcome, Verdict};

/// A finding as one sentence.
fn sentence(finding: &Finding) -> String {
    format!("expected {}, found {}", finding.expected, finding.found)
}

/// Where a finding is: number of the exchange, line and column.
fn place(finding: &Finding) -> String {
    let exchange = finding.exchange.map(|number| format!("exchange {number}"));
    let place = finding.place.as_ref().map(|at| format!("line {} column {}", at.line, at.column));
    exchange.into_iter().chain(place).collect::<Vec<_>>().join(", ")
}

/// Numbers of a verdict at each level: `fail 3 (2 must, 1 should)`.
fn counts(examined: &Examined) -> Vec<String> {
    let mut counts = Vec::new();
    for verdict in Verdict::ALL {
        let total = examined.total(verdict);
        if total == 0 {
            continue;
        }
        let levels: Vec<String> = Level::ALL
            .into_iter()
            .map(|level| (examined.count(level, verdict), level))
            .filter(|(count, _)| *count > 0)
            .map(|(count, level)| format!("{count} {}", level.as_str()))
            .collect();
        counts.push(format!("{} {total} ({})", verdict.as_str(), levels.join(", ")));
    }
    counts
}

/// The groups of checks in their order, with their outcomes.
fn groups(examined: &Examined) -> Vec<(&'static str, Vec<&Outcome>)> {
    let mut groups: Vec<(&'static str, Vec<&Outcome>)> = Vec::new();
    for outcome in &examined.outcomes {
        let group = outcome.check.group();
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, outcomes)) => outcomes.push(outcome),
            None => groups.push((group, vec![outcome])),
        }
    }
    groups
}

/// What must-level checks could not be judged: what a verdict does not cover.
fn uncovered(examined: &Examined) -> usize {
    examined.count(Level::Must, Verdict::Skip) + examined.count(Level::Must, Verdict::Inconclusive)
}

/// Text as XML and HTML have it.
fn escape(text: &str) -> String {
    pmh_protocol::escape_text(text)
}
