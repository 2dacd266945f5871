//! Who is played, and what was wrong with it.

use std::fmt;
use std::sync::Arc;

use pmh_oracle::{Class, Finding, Observation, Property, Verdict, judge};
use pmh_scenario::{Loaded, Script, load};
use pmh_specimens::Specimen;

use super::panics::caught;
use crate::simulate::{differs_at_once, simulate};
use crate::specimen::play_specimen;
use crate::vocabulary::vocabulary;

/// A harvester that a sweep plays in the pure arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accused {
    /// The shipped one.
    Shipped,
    /// One that is wrong on purpose. It is blamed for what the sound one does not do in the same world.
    Specimen(Specimen),
}

/// What is wrong: the property that failed, and how, without names and numbers, so that two failures of one cause look
/// the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wrong {
    /// The property.
    pub property: Property,
    /// The first sentence of its evidence with `#` for every number and nothing for what is quoted.
    pub how: String,
    /// How the run ended that the sentence is about, as in `incomplete, guard short-list, exit 4`; empty where it is
    /// about none.
    pub end: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.property.name(), self.how)
    }
}

impl Wrong {
    /// The first thing that failed in a verdict. What a scenario expects of its runs comes last: it fails along with
    /// nearly everything else.
    #[must_use]
    pub fn of(verdict: &Verdict) -> Option<Self> {
        let failed = |wanted: bool| {
            verdict.properties.iter().find_map(|judged| match &judged.finding {
                Finding::Failed { evidence }
                    if (judged.property == Property::AsExpected) == wanted =>
                {
                    let how = evidence.first().map_or("", String::as_str);
                    let named = how.split_once("run `").and_then(|(_, rest)| rest.split_once('`'));
                    let mut runs = verdict.runs.iter();
                    let run = named.and_then(|(name, _)| runs.find(|run| run.name == name));
                    let end = run.map(|run| run.end.clone()).unwrap_or_default();
                    Some(Self { property: judged.property, how: skeleton(how), end })
                }
                _ => None,
            })
        };
        failed(false).or_else(|| failed(true))
    }

    /// Whether the other is the same failure, as far as that can be seen: the same property, of a run that ended in
    /// the same way, told in the same words up to the story of a page. One record or many is the same.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.property == other.property
            && self.end == other.end
            && gist(&self.how) == gist(&other.how)
    }
}

impl Accused {
    /// What is wrong in this world, with the verdict; `None` where nothing is, or where nobody could do better.
    #[must_use]
    pub fn wrong(self, script: &Arc<Script>) -> Option<(Wrong, Verdict)> {
        // Of a run that panicked nothing is known, so that there is nothing to judge.
        caught(|| self.judged(script))
            .unwrap_or_else(|wrong| Some((wrong, judge(script, &Observation::default()))))
    }

    fn judged(self, script: &Arc<Script>) -> Option<(Wrong, Verdict)> {
        let observation = match self {
            Self::Shipped => simulate(script),
            Self::Specimen(specimen) => play_specimen(script, specimen),
        };
        let verdict = judge(script, &observation);
        if verdict.class() != Class::Failed {
            return match self {
                Self::Shipped => Self::wrong_rhythm(script, &observation),
                Self::Specimen(_) => None,
            };
        }
        let wrong = Wrong::of(&verdict)?;
        if let Self::Specimen(_) = self {
            // A specimen has few ways of recovering, and is not blamed for what the sound one does not manage.
            if fails_when_sound(script, wrong.property) {
                return None;
            }
        }
        Some((wrong, verdict))
    }

    /// Whether what is asked depends on how fast the store is; with the verdict on the run with a fast one.
    fn wrong_rhythm(script: &Arc<Script>, latest: &Observation) -> Option<(Wrong, Verdict)> {
        let at_once = differs_at_once(script, latest)?;
        let how = "what is asked depends on how fast the store is".to_owned();
        let wrong = Wrong { property: Property::AsExpected, how, end: String::new() };
        Some((wrong, judge(script, &at_once)))
    }

    /// The same for the text of a scenario file; `None` also where it is none.
    #[must_use]
    pub fn wrong_in(self, id: &str, text: &str) -> Option<(Wrong, Verdict)> {
        let loaded: Loaded = load(id, text, &vocabulary()).ok()?;
        self.wrong(&Arc::new(loaded.script()))
    }
}

/// Whether the specimen without defect fails in this way too.
pub(super) fn fails_when_sound(script: &Arc<Script>, property: Property) -> bool {
    let sound = judge(script, &play_specimen(script, Specimen::SOUND));
    sound.failed().any(|failed| failed == property)
}

/// The words of a sentence that say what kind of thing is wrong: neither number nor plural, and without the story that
/// follows it.
fn gist(how: &str) -> Vec<&str> {
    const FILLERS: [&str; 13] =
        ["#", "a", "an", "and", "are", "has", "have", "is", "it", "more", "they", "was", "were"];
    let sentence = how.split(';').next().unwrap_or_default();
    sentence
        .split_whitespace()
        .filter(|word| !FILLERS.contains(word))
        .map(|word| word.trim_end_matches('s'))
        .collect()
}

/// A sentence without what differs from world to world.
pub(super) fn skeleton(sentence: &str) -> String {
    let mut bare = String::new();
    for (index, part) in sentence.split('`').enumerate() {
        bare.push_str(if index % 2 == 0 { part } else { "…" });
    }
    let mut text = String::new();
    for character in bare.chars() {
        match character {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skeleton_keeps_words_and_drops_names_and_numbers() {
        assert_eq!(skeleton("run `a`: 12 of 300 are missing"), "run …: # of # are missing");
    }

    #[test]
    fn a_failure_is_like_another_of_the_same_kind_and_end_and_no_other() {
        let wrong = |how: &str, end: &str| Wrong {
            property: Property::NothingLost,
            how: skeleton(how),
            end: end.to_owned(),
        };
        let one =
            wrong("run `a`: `x` is missing; page 2: #2 brought 3 entries", "complete, exit 0");
        let check = |how: &str, end: &str, expected: bool| {
            assert_eq!(one.is_like(&wrong(how, end)), expected, "{how}, {end}");
        };
        let many = "run `b`: `x` and 7 more are missing; page 2 was never asked for";
        check(many, "complete, exit 0", true);
        check(many, "incomplete, guard short-list, exit 4", false);
        check("run `a`: `x` is held in an older version; page 1", "complete, exit 0", false);
        check("run `a`: 2 are held in older versions", "complete, exit 0", false);
        let other = Wrong { property: Property::Tombstones, ..one.clone() };
        assert!(!one.is_like(&other));
    }

    #[test]
    fn a_failure_says_how_the_run_ended_that_it_is_about() {
        let mut script = Script::plain(3, 2, 1);
        script.runs[0].expect.outcome = Some("refused".to_owned());
        let (wrong, _) = Accused::Shipped.wrong(&Arc::new(script)).expect("it is not refused");
        assert_eq!(
            (wrong.property, wrong.end.as_str()),
            (Property::AsExpected, "complete, exit 0")
        );
    }
}
