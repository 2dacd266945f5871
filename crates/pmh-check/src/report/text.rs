//! For a terminal: what failed, with all its evidence; what was skipped, in a line each.

use std::fmt::Write as _;

use super::{counts, place, sentence, uncovered};
use crate::outcome::{Examined, Outcome, Verdict};
use crate::rules::rule;

/// Instances of a check that are shown, and ids in a line, where nobody asked for more.
const SHOWN_MAX: usize = 3;
const NAMED_MAX: usize = 8;

/// The report. `verbose` also lists what passed; `coloured` puts the verdicts into colours.
#[must_use]
pub fn text(examined: &Examined, verbose: bool, coloured: bool) -> String {
    let mut out = String::new();
    for outcome in &examined.outcomes {
        let is_shown = match outcome.verdict {
            Verdict::Fail | Verdict::Warn | Verdict::Inconclusive => true,
            Verdict::Note | Verdict::Skip | Verdict::Pass => verbose,
        };
        if is_shown {
            write_outcome(&mut out, examined, outcome, verbose, coloured);
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{}: {}", examined.options.base_url, examined.conformance());
    let _ = writeln!(out, "  {}", counts(examined).join(" · "));
    let uncovered = uncovered(examined);
    if uncovered > 0 {
        let _ = writeln!(out, "  not judged at level must: {uncovered}, because");
        for (reason, ids) in reasons(examined) {
            let named = ids.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
            let more = match ids.len().saturating_sub(NAMED_MAX) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let _ = writeln!(out, "    {reason}: {named}{more}");
        }
    }
    let _ = writeln!(out, "  {} requests", examined.exchanges.len());
    out
}

fn write_outcome(
    out: &mut String,
    examined: &Examined,
    outcome: &Outcome,
    verbose: bool,
    coloured: bool,
) {
    let check = outcome.check;
    let expected = if outcome.is_expected { ", expected" } else { "" };
    let level = check.level.as_str();
    let verdict = painted(outcome.verdict, coloured);
    let _ = writeln!(out, "{verdict} {} ({level}{expected}): {}", check.id, check.title);
    if let Some(reason) = &outcome.reason {
        let _ = writeln!(out, "     {reason}");
    }
    let shown = if verbose { usize::MAX } else { SHOWN_MAX };
    for finding in outcome.findings.iter().take(shown) {
        let _ = writeln!(
            out,
            "     {}: {}",
            finding_word(outcome, finding.severity),
            sentence(finding)
        );
        if let Some(exchange) = finding.exchange.and_then(|at| examined.exchanges.get(at - 1)) {
            let _ = writeln!(out, "       {}", place(finding));
            let _ = writeln!(out, "       {}", exchange.curl());
        }
        if let Some(place) = &finding.place {
            let _ = writeln!(out, "       | {}", place.excerpt);
        }
    }
    let more = outcome.more + outcome.findings.len().saturating_sub(shown);
    if more > 0 {
        let _ = writeln!(out, "     and {more} more");
    }
    if matches!(outcome.verdict, Verdict::Fail | Verdict::Warn) {
        for rule in check.rules.iter().filter_map(|number| rule(*number)) {
            let (number, level) = (rule.number, rule.level);
            let _ = writeln!(out, "     rule {number} ({level}): {}", rule.sentence);
            let _ = writeln!(out, "       {}", rule.url());
        }
    }
}

fn finding_word(outcome: &Outcome, severity: crate::finding::Severity) -> &'static str {
    let verdict = Verdict::from(severity);
    // Only what is less grave than the verdict itself needs a word of its own.
    if verdict == outcome.verdict { "·" } else { verdict.as_str() }
}

fn painted(verdict: Verdict, coloured: bool) -> String {
    let word = format!("{:4}", verdict.as_str());
    if !coloured {
        return word;
    }
    let colour = match verdict {
        Verdict::Fail => 31,
        Verdict::Warn | Verdict::Inconclusive => 33,
        Verdict::Pass => 32,
        Verdict::Note | Verdict::Skip => 2,
    };
    format!("\u{1b}[{colour}m{word}\u{1b}[0m")
}

/// Why checks of the level must were not judged, each reason once.
fn reasons(examined: &Examined) -> Vec<(&str, Vec<&'static str>)> {
    let mut reasons: Vec<(&str, Vec<&'static str>)> = Vec::new();
    for outcome in &examined.outcomes {
        let is_uncovered = matches!(outcome.verdict, Verdict::Skip | Verdict::Inconclusive)
            && outcome.check.level == crate::check::Level::Must;
        let Some(reason) = outcome.reason.as_deref().filter(|_| is_uncovered) else { continue };
        match reasons.iter_mut().find(|(each, _)| *each == reason) {
            Some((_, ids)) => ids.push(outcome.check.id),
            None => reasons.push((reason, vec![outcome.check.id])),
        }
    }
    reasons
}
