//! A failure as a short file that tells its story.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pmh_oracle::{Finding, Property, Verdict};
use pmh_scenario::{Shrinking, load};

use super::accused::{Accused, Wrong, fails_when_sound};
use crate::vocabulary::vocabulary;

/// What a failure was shrunk to.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The file, with a comment above it that says what is wrong.
    pub file: String,
    /// What is wrong in it.
    pub wrong: Wrong,
    /// Files that were tried.
    pub probes: u64,
    /// Whether time was up before nothing was left to try.
    pub is_cut_short: bool,
}

impl Shrunk {
    /// Lines of the file that are neither empty nor words about it.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.file
            .lines()
            .filter(|line| !(line.is_empty() || line.starts_with('#') || is_title(line)))
            .count()
    }
}

/// Makes a file smaller for as long as the same goes wrong in it in the pure arm, and goes wrong with the specimen without
/// defect only if it did before: what no harvester could do is another story. `None` where nothing fails. `progress`
/// hears of every smaller file: faults, records, files tried.
#[must_use]
pub fn shrink(
    accused: Accused,
    text: &str,
    patience: Duration,
    progress: &mut dyn FnMut(usize, Option<i64>, u64),
) -> Option<Shrunk> {
    let started = Instant::now();
    let (first, _) = accused.wrong_in("shrinking", text)?;
    let sound_fails = |text: &str| {
        let loaded = load("shrinking", text, &vocabulary());
        loaded.is_ok_and(|loaded| fails_when_sound(&Arc::new(loaded.script()), first.property))
    };
    let did_sound_fail = sound_fails(text);
    // With a budget small enough every harvester has to be stopped.
    let kept: &'static [&'static str] =
        if first.property == Property::Terminates { &["budget"] } else { &[] };
    let mut shrinking = Shrinking::new(text, kept)?;
    let mut is_cut_short = false;
    let mut probes = 0;
    let sizes = Shrinking::size;
    let mut still = |candidate: &str| {
        if started.elapsed() > patience {
            is_cut_short = true;
            return false;
        }
        probes += 1;
        let is_like = accused
            .wrong_in("shrinking", candidate)
            .is_some_and(|(wrong, _)| wrong.is_like(&first))
            && sound_fails(candidate) == did_sound_fail;
        if is_like && let Some(smaller) = Shrinking::new(candidate, kept) {
            let (faults, records) = sizes(&smaller);
            progress(faults, records, probes);
        }
        is_like
    };
    shrinking.run(&mut still);
    let text = shrinking.text();
    let (wrong, verdict) = accused.wrong_in("shrinking", &text)?;
    let title = title(&wrong, &verdict);
    let mut story = format!("# {title}\n");
    for run in &verdict.runs {
        story.push_str(&format!("# run {}: {}\n", run.name, run.end));
    }
    // A file without one is warned about. JSON's strings are strings of TOML.
    if !text.lines().any(is_title) {
        story.push_str(&format!("title = {}\n", serde_json::Value::from(title)));
    }
    Some(Shrunk { file: format!("{story}{text}"), wrong, probes, is_cut_short })
}

fn is_title(line: &str) -> bool {
    line.starts_with("title = ")
}

/// What is wrong in this very file, with the rule that it breaks.
fn title(wrong: &Wrong, verdict: &Verdict) -> String {
    let told = verdict.properties.iter().find_map(|judged| match &judged.finding {
        Finding::Failed { evidence } if judged.property == wrong.property => evidence.first(),
        _ => None,
    });
    let how = told.unwrap_or(&wrong.how);
    let rule = wrong.property.rule().map_or_else(String::new, |rule| format!(" (rule {rule})"));
    format!("{}: {how}{rule}", wrong.property.name())
}
