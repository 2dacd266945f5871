//! Cases as text: a table for people, and everything there is to say about one that failed.

use std::fmt::Write as _;
use std::time::Duration;

use pmh_oracle::{Class, Finding, Verdict, Why};
use pmh_scenario::ONCE_MORE;

use crate::case::{Arm, Case, Played};

/// Stands above the ids.
const ID_HEAD: &str = "scenario";
/// How a run ends that the clock had to end, in the words of a verdict.
const OUT_OF_TIME: &str = "stopped by the clock";

/// The sign of a class: they differ in shape, not only in colour.
#[must_use]
pub const fn sign(class: Class) -> &'static str {
    match class {
        Class::Held => "●",
        Class::Failed => "✖",
        Class::Vacuous => "◌",
    }
}

/// How wide the column of ids is: its head needs room too.
#[must_use]
pub fn id_width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.chain([ID_HEAD]).map(|name| name.chars().count()).max().unwrap_or(0)
}

/// The head of the table, for lines that begin with a sign.
#[must_use]
pub fn heading(arms: &[Arm], id_width: usize) -> String {
    let arms: Vec<&str> = arms.iter().map(|arm| arm.as_str()).collect();
    columns(id_width, ID_HEAD, "how its last run ended", "caught", &arms.join(" + "))
}

/// One line of the table, without its sign: id, what became of the last run, wrong harvesters caught, times, and the
/// properties that failed.
#[must_use]
pub fn line(case: &Case, id_width: usize) -> String {
    let end = case
        .played
        .first()
        .and_then(|played| played.verdict.runs.iter().rev().find(|run| run.name != ONCE_MORE))
        .map(|run| run.end.as_str())
        .unwrap_or_default();
    let (_, name) = case.id.rsplit_once('/').unwrap_or(("", &case.id));
    let times: Vec<String> = case.played.iter().map(|played| duration(played.took)).collect();
    let caught = case.bites.iter().filter(|bite| bite.is_caught()).count();
    let caught = match case.bites.len() {
        0 => String::new(),
        all => format!("{caught}/{all}"),
    };
    let mut text = columns(id_width, name, end, &caught, &times.join(" + "));
    for name in failed_of(case) {
        let _ = write!(text, "  ✖ {name}");
    }
    text
}

fn columns(id_width: usize, name: &str, end: &str, caught: &str, times: &str) -> String {
    format!("{name:id_width$}  {end:41}  {caught:6}  {times:>15}").trim_end().to_owned()
}

/// What failed when the arms do not agree.
const ARMS_AGREE: &str = "arms-agree";
/// What failed when a specimen gets through.
const CATCHES: &str = "catches";

/// Names of everything that failed in a verdict, rules of the scenario included.
#[must_use]
pub(crate) fn failed_in(verdict: &Verdict) -> Vec<&'static str> {
    let is_failure = |finding: &Finding| matches!(finding, Finding::Failed { .. });
    let properties = verdict.failed().map(pmh_oracle::Property::name);
    let rules = verdict.trace.iter().filter(|rule| is_failure(&rule.finding));
    properties.chain(rules.map(|rule| rule.name)).collect()
}

/// Names of everything that failed in a case, each once.
#[must_use]
pub fn failed_of(case: &Case) -> Vec<&'static str> {
    let mut failed: Vec<&str> = Vec::new();
    let of_arms = case.played.iter().flat_map(|played| failed_in(&played.verdict));
    let agree = case.disagreement().map(|_| ARMS_AGREE);
    let catches = case.bites.iter().find(|bite| !bite.is_caught()).map(|_| CATCHES);
    for name in of_arms.chain(agree).chain(catches) {
        if !failed.contains(&name) {
            failed.push(name);
        }
    }
    failed
}

/// Why records are not held as they should be, in the first arm.
#[must_use]
pub fn whys_of(case: &Case) -> &[Why] {
    match case.played.first() {
        Some(played) if played.verdict.class() == Class::Failed => &played.whys,
        _ => &[],
    }
}

/// Everything about a case that is not as it should be, or, when `all` is set, everything; but for [`whys_of`] it.
#[must_use]
pub fn details(case: &Case, all: bool) -> String {
    let mut text = String::new();
    let class = case.class();
    let is_told = all || class != Class::Held;
    if let Some((first, other)) = case.disagreement() {
        let _ = writeln!(text, "{}: {}", case.id, class.as_str());
        let _ = writeln!(text, "  ✖ {ARMS_AGREE}\n      they do not: below is what came of each");
        let ends = |played: &Played| played.verdict.runs.iter().any(|run| run.end == OUT_OF_TIME);
        if ends(first) != ends(other) {
            let _ = writeln!(
                text,
                "      one was stopped by the clock: `budget.wall` is how long a run with a real clock may neither ask nor end"
            );
        }
        for played in [first, other] {
            let _ = writeln!(text, "  in the {} arm:", played.arm.as_str());
            text.push_str(&indented(&played.verdict.to_text(), "  "));
        }
    } else if let Some(played) = case.played.first().filter(|_| is_told) {
        // The class of the case, which a specimen may have spoilt.
        let _ = writeln!(text, "{}: {}", case.id, class.as_str());
        text.push_str(&without_head(&played.verdict));
    }
    for bite in case.bites.iter().filter(|bite| !bite.is_caught()) {
        let _ = writeln!(
            text,
            "  ✖ {CATCHES}\n      the specimen `{}` got through, though `catches` names it\n      {}\n      \
             its own run, in which nothing was found wrong:",
            bite.specimen.name(),
            bite.specimen.what_is_wrong()
        );
        text.push_str(&indented(&without_head(&bite.verdict), "      "));
    }
    text
}

/// The text of a verdict without the line that names its class.
fn without_head(verdict: &Verdict) -> String {
    verdict.to_text().lines().skip(1).map(|line| format!("{line}\n")).collect()
}

fn indented(text: &str, by: &str) -> String {
    text.lines().map(|line| format!("{by}{line}\n")).collect()
}

/// Identifiers that one story names; the others are counted.
const NAMED_MAX: usize = 3;

/// Why records are not held as they should be, for people.
#[must_use]
pub fn why_text(whys: &[Why]) -> String {
    let mut text = String::new();
    for why in whys {
        let named: Vec<&str> = why.identifiers.iter().take(NAMED_MAX).map(String::as_str).collect();
        let rest = match why.identifiers.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        let _ = writeln!(
            text,
            "  why, after run `{}`: `{}`{rest} {}",
            why.run,
            named.join("`, `"),
            why.wrong
        );
        for (opened, page) in &why.places {
            let _ = writeln!(text, "      on page {page} of the list that #{opened} opened");
        }
        if why.untold > 0 {
            let _ = writeln!(text, "      … {} earlier exchanges", why.untold);
        }
        for told in &why.told {
            let place = match told.page {
                0 => String::new(),
                page => format!(" page {page}, attempt {}:", told.attempt),
            };
            let made_by: Vec<String> = told
                .made_by
                .iter()
                .map(|(name, line)| match line {
                    Some(line) => format!("`{name}` (line {line} of the scenario)"),
                    None => format!("`{name}`"),
                })
                .collect();
            let because = match made_by.is_empty() {
                true => String::new(),
                false => format!("  ← {}", made_by.join(", ")),
            };
            let _ = writeln!(text, "      #{}{place} {}{because}", told.n, told.answer);
        }
        let _ = writeln!(text, "      {}", why.conclusion);
        if let Some(advice) = why.advice {
            let _ = writeln!(text, "      what to do: {advice}");
        }
    }
    text
}

fn duration(took: Duration) -> String {
    let millis = took.as_secs_f64() * 1_000.0;
    if millis < 10.0 { format!("{millis:.1} ms") } else { format!("{millis:.0} ms") }
}
