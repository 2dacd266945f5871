//! A failure as a short file that tells its story.

use std::time::{Duration, Instant};

use pmh_scenario::Shrinking;

use super::accused::{Accused, Wrong};

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
    /// Lines of the file that are neither empty nor comments.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count()
    }
}

/// Makes a file smaller for as long as the same property fails in it in the pure arm; `None` where nothing fails.
/// `progress` hears of every smaller file: faults, records, files tried.
#[must_use]
pub fn shrink(
    accused: Accused,
    text: &str,
    patience: Duration,
    progress: &mut dyn FnMut(usize, Option<i64>, u64),
) -> Option<Shrunk> {
    let started = Instant::now();
    let (first, _) = accused.wrong_in("shrinking", text)?;
    let mut shrinking = Shrinking::new(text)?;
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
            .is_some_and(|(wrong, _)| wrong.is_like(&first));
        if is_like && let Some(smaller) = Shrinking::new(candidate) {
            let (faults, records) = sizes(&smaller);
            progress(faults, records, probes);
        }
        is_like
    };
    shrinking.run(&mut still);
    let text = shrinking.text();
    let (wrong, verdict) = accused.wrong_in("shrinking", &text)?;
    let mut story = format!("# {}\n", title(&wrong));
    for run in &verdict.runs {
        story.push_str(&format!("# run {}: {}\n", run.name, run.end));
    }
    Some(Shrunk { file: format!("{story}{text}"), wrong, probes, is_cut_short })
}

/// What is wrong, with the rule that it breaks.
fn title(wrong: &Wrong) -> String {
    match wrong.property.rule() {
        Some(rule) => format!("{wrong} (rule {rule})"),
        None => wrong.to_string(),
    }
}
