//! Cases as text: a table for people, and everything there is to say about one that failed.

use std::fmt::Write as _;
use std::time::Duration;

use pmh_oracle::Class;
use pmh_scenario::ONCE_MORE;

use crate::case::Case;

/// The sign of a class: they differ in shape, not only in colour.
#[must_use]
pub const fn sign(class: Class) -> &'static str {
    match class {
        Class::Held => "●",
        Class::Failed => "✖",
        Class::Vacuous => "◌",
    }
}

/// One line of the table, without its sign: id, what became of its last run, bites, times.
#[must_use]
pub fn line(case: &Case, id_width: usize) -> String {
    let end = case
        .played
        .first()
        .and_then(|played| played.verdict.runs.iter().rev().find(|run| run.name != ONCE_MORE))
        .map(|run| run.end.clone())
        .unwrap_or_default();
    let (_, name) = case.id.rsplit_once('/').unwrap_or(("", &case.id));
    let times: Vec<String> = case.played.iter().map(|played| duration(played.took)).collect();
    let bites = match case.bites.len() {
        0 => String::new(),
        all => {
            let caught = case.bites.iter().filter(|bite| bite.is_caught()).count();
            format!("catches {caught} of {all}")
        }
    };
    format!("{name:id_width$}  {end:44}  {bites:14}  {:>15}", times.join(" + "))
        .trim_end()
        .to_owned()
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

fn duration(took: Duration) -> String {
    let millis = took.as_secs_f64() * 1_000.0;
    if millis < 10.0 { format!("{millis:.1} ms") } else { format!("{millis:.0} ms") }
}
