//! Cases as text: a table for people, and everything there is to say about one that failed.

use std::fmt::Write as _;
use std::time::Duration;

use pmh_oracle::{Class, Why};
use pmh_scenario::ONCE_MORE;

use crate::case::{Arm, Case};

/// The sign of a class: they differ in shape, not only in colour.
#[must_use]
pub const fn sign(class: Class) -> &'static str {
    match class {
        Class::Held => "●",
        Class::Failed => "✖",
        Class::Vacuous => "◌",
    }
}

/// The head of the table, for lines that begin with a sign.
#[must_use]
pub fn heading(arms: &[Arm], id_width: usize) -> String {
    let arms: Vec<&str> = arms.iter().map(|arm| arm.as_str()).collect();
    columns(id_width, "scenario", "how its last run ended", "caught", &arms.join(" + "))
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
    for property in case.played.iter().flat_map(|played| played.verdict.failed()) {
        if !text.contains(property.name()) {
            let _ = write!(text, "  ✖ {}", property.name());
        }
    }
    text
}

fn columns(id_width: usize, name: &str, end: &str, caught: &str, times: &str) -> String {
    format!("{name:id_width$}  {end:41}  {caught:6}  {times:>15}").trim_end().to_owned()
}

/// Everything about a case that is not as it should be, or, when `all` is set, everything.
#[must_use]
pub fn details(case: &Case, all: bool) -> String {
    let mut text = String::new();
    if let Some((first, other)) = case.disagreement() {
        let _ = writeln!(text, "{}: the arms disagree", case.id);
        for played in [first, other] {
            let _ = writeln!(text, "in the {} arm:", played.arm.as_str());
            text.push_str(&played.verdict.to_text());
        }
    } else if let Some(played) = case.played.first()
        && (all || played.verdict.class() != Class::Held)
    {
        text.push_str(&played.verdict.to_text());
        if played.verdict.class() == Class::Failed {
            text.push_str(&why_text(&played.whys));
        }
    }
    for bite in &case.bites {
        if !bite.is_caught() {
            let name = bite.specimen.name();
            let _ = writeln!(
                text,
                "{}: the specimen `{name}` got through, though `catches` names it",
                case.id
            );
            let _ = writeln!(text, "  {}", bite.specimen.what_is_wrong());
            text.push_str(&bite.verdict.to_text());
        }
    }
    text
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
