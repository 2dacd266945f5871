//! Which scenarios catch which wrong harvesters, whether they name them or not.

use std::fmt::Write as _;
use std::sync::Arc;

use pmh_oracle::{Class, Property, judge};
use pmh_scenario::Script;
use pmh_specimens::Specimen;

use crate::specimen::play_specimen;

/// What became of one specimen in one scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kill {
    /// The specimen.
    pub specimen: Specimen,
    /// Whether the scenario names it.
    pub is_named: bool,
    /// Whether it failed.
    pub is_caught: bool,
}

impl Kill {
    /// Whether this is as it must be: what is named fails, and what has nothing wrong does not.
    #[must_use]
    pub fn is_right(&self) -> bool {
        match self.specimen == Specimen::SOUND {
            true => !self.is_caught,
            false => self.is_caught || !self.is_named,
        }
    }

    const fn sign(self) -> char {
        match (self.is_named, self.is_caught) {
            (true, true) => '●',
            (true, false) => '✖',
            (false, true) => '○',
            (false, false) => '·',
        }
    }
}

/// Every specimen before this scenario, in the order of [`Specimen::ALL`]. The sound one may give up where the shipped one
/// recovers, which is not what is expected of the run, and cannot follow thresholds.
#[must_use]
pub fn kills(script: &Arc<Script>) -> Vec<Kill> {
    Specimen::ALL
        .into_iter()
        .map(|specimen| {
            let verdict = judge(script, &play_specimen(script, specimen));
            let is_caught = if specimen == Specimen::SOUND {
                let mut failed = verdict.failed();
                let fails_more = failed.any(|property| property != Property::AsExpected);
                script.thresholds.is_empty() && fails_more
            } else {
                verdict.class() == Class::Failed
            };
            let is_named = script.catches.iter().any(|name| name == specimen.name());
            Kill { specimen, is_named, is_caught }
        })
        .collect()
}

/// The matrix as text: a line a scenario, a column a specimen in groups of ten, and what the columns and the signs mean.
#[must_use]
pub fn kill_matrix(rows: &[(String, Vec<Kill>)]) -> String {
    let width = rows.iter().map(|(id, _)| id.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let digits = |place| (1..=Specimen::ALL.len()).map(move |number| number / place % 10);
    for place in [10, 1] {
        let columns = in_tens(digits(place).map(|digit| digit.to_string()));
        let _ = writeln!(text, "{:width$} {columns}", "");
    }
    for (id, kills) in rows {
        let signs = in_tens(kills.iter().map(|kill| kill.sign().to_string()));
        let _ = writeln!(text, "{id:width$} {signs}");
    }
    let caught = |index: usize| {
        rows.iter().filter(|(_, kills)| kills.get(index).is_some_and(|kill| kill.is_caught)).count()
    };
    let _ = writeln!(text);
    for (index, specimen) in Specimen::ALL.iter().enumerate() {
        let (name, what) = (specimen.name(), specimen.what_is_wrong());
        let _ = writeln!(text, "{:>3}  {name}: caught by {}. {what}", index + 1, caught(index));
    }
    text.push_str("\n● caught as named  ○ caught though not named  · got through  ✖ got through though named\n");
    text
}

/// One column after the other, with a gap after each ten.
fn in_tens(columns: impl Iterator<Item = String>) -> String {
    let columns: Vec<String> = columns.collect();
    let tens: Vec<String> = columns.chunks(10).map(<[String]>::concat).collect();
    tens.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_repository_catches_who_needs_no_fault_and_the_sound_one_never() {
        let mut script = Script::plain(6, 2, 1);
        script.catches = vec!["token-beside-arguments".to_owned(), "never-counts".to_owned()];
        let kills = kills(&Arc::new(script));
        let of = |name: &str| kills.iter().find(|kill| kill.specimen.name() == name).unwrap();
        assert!(of("sound").is_right() && !of("sound").is_caught);
        assert!(of("token-beside-arguments").is_caught && of("token-beside-arguments").is_right());
        assert!(!of("never-counts").is_right(), "named, and nothing here catches it");
        let text = kill_matrix(&[("plain".to_owned(), kills.clone())]);
        let row = text.lines().nth(2).unwrap();
        assert!(row.starts_with("plain") && row.contains('●') && row.contains('✖'), "{text}");
        assert!(text.contains("token-beside-arguments: caught by 1."), "{text}");
    }
}
