//! For continuous integration: a suite for each group, a case for each check.

use std::fmt::Write as _;

use super::{escape, groups, place, sentence};
use crate::check::Level;
use crate::outcome::{Examined, Outcome, Verdict};

/// The report as JUnit XML. What fails at `threshold` or a more binding level is a failure, what fails below it is
/// told; what could not be judged is an error if the answer was at fault, and skipped otherwise.
#[must_use]
pub fn junit(examined: &Examined, threshold: Level) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let count = |outcomes: &[&Outcome], kind: Kind| {
        outcomes.iter().filter(|outcome| kind_of(outcome, threshold) == kind).count()
    };
    let all: Vec<&Outcome> = examined.outcomes.iter().collect();
    let _ = writeln!(
        out,
        "<testsuites name=\"pmh check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        all.len(),
        count(&all, Kind::Failure),
        count(&all, Kind::Error),
        count(&all, Kind::Skipped),
    );
    for (group, outcomes) in groups(examined) {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{group}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            outcomes.len(),
            count(&outcomes, Kind::Failure),
            count(&outcomes, Kind::Error),
            count(&outcomes, Kind::Skipped),
        );
        for outcome in outcomes {
            case(&mut out, examined, outcome, threshold);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Passed,
    Failure,
    Error,
    Skipped,
}

fn kind_of(outcome: &Outcome, threshold: Level) -> Kind {
    match outcome.verdict {
        Verdict::Fail if outcome.is_expected || outcome.check.level > threshold => Kind::Passed,
        Verdict::Fail => Kind::Failure,
        Verdict::Inconclusive => Kind::Error,
        Verdict::Skip => Kind::Skipped,
        Verdict::Pass | Verdict::Note | Verdict::Warn => Kind::Passed,
    }
}

fn case(out: &mut String, examined: &Examined, outcome: &Outcome, threshold: Level) {
    let (check, group) = (outcome.check, outcome.check.group());
    let _ = write!(
        out,
        "    <testcase classname=\"oai-pmh.{group}\" name=\"{}\">",
        escape(&format!("{}: {}", check.id, check.title))
    );
    let reason = outcome.reason.as_deref().unwrap_or_default();
    let first = outcome.findings.first().map(sentence).unwrap_or_default();
    let all = evidence(examined, outcome);
    let _ = match kind_of(outcome, threshold) {
        Kind::Skipped => write!(out, "<skipped message=\"{}\"/>", escape(reason)),
        Kind::Error => write!(out, "<error message=\"{}\"/>", escape(reason)),
        Kind::Failure => write!(
            out,
            "<failure type=\"{}\" message=\"{}\">{}</failure>",
            check.level.as_str(),
            escape(&first),
            escape(&all)
        ),
        Kind::Passed if all.is_empty() => Ok(()),
        Kind::Passed => write!(out, "<system-out>{}</system-out>", escape(&all)),
    };
    out.push_str("</testcase>\n");
}

fn evidence(examined: &Examined, outcome: &Outcome) -> String {
    let mut all = String::new();
    for finding in &outcome.findings {
        let _ = writeln!(all, "{}", sentence(finding));
        if let Some(exchange) = finding.exchange.and_then(|at| examined.exchanges.get(at - 1)) {
            let _ = writeln!(all, "  {}\n  {}", place(finding), exchange.curl());
        }
        if let Some(place) = &finding.place {
            let _ = writeln!(all, "  | {}", place.excerpt);
        }
    }
    all
}
