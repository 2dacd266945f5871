//! Failures that are known: a file says which, why, and until when.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use pmh_check::{Examined, Outcome, Verdict, find_check};
use pmh_client::Clock;
use pmh_protocol::Datestamp;
use serde::Deserialize;

use crate::exit::Ended;
use crate::output;

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What is expected.
    #[serde(default)]
    expected: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Id of the check.
    id: String,
    /// `fail` or `warn`.
    #[serde(default = "fail")]
    verdict: String,
    /// A text that every finding must contain; without, any finding is expected.
    instance: Option<String>,
    /// Why it is so.
    reason: String,
    /// The last day on which it is expected.
    expires: Option<String>,
}

fn fail() -> String {
    Verdict::Fail.as_str().to_owned()
}

/// A baseline that makes sense.
pub(super) struct Baseline {
    path: PathBuf,
    entries: Vec<(Entry, Option<Datestamp>)>,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Ended::usage(format!("failed to read `{shown}`: {error}")))?;
        let file: File =
            toml::from_str(&text).map_err(|error| Ended::usage(format!("`{shown}`: {error}")))?;
        let mut entries = Vec::new();
        for entry in file.expected {
            let wrong = |what: String| Ended::usage(format!("`{shown}`, `{}`: {what}", entry.id));
            if find_check(&entry.id).is_none() {
                return Err(wrong(
                    "there is no such check; `pmh check list` names them".to_owned(),
                ));
            }
            if !matches!(entry.verdict.as_str(), "fail" | "warn") {
                let said = &entry.verdict;
                return Err(wrong(format!("verdict: expected `fail` or `warn`, found `{said}`")));
            }
            if entry.reason.trim().is_empty() {
                return Err(wrong("say why it is expected, as `reason`".to_owned()));
            }
            let expires = match &entry.expires {
                None => None,
                Some(day) => {
                    let parsed = Datestamp::parse(day)
                        .map_err(|error| wrong(format!("`expires`: {error}")))?;
                    Some(parsed)
                }
            };
            entries.push((entry, expires));
        }
        Ok(Self { path: path.to_owned(), entries })
    }

    /// Marks what is expected; how many entries have nothing to expect any more.
    pub(super) fn apply(&self, examined: &mut Examined) -> usize {
        let today = Clock::today();
        let mut outdated = 0;
        for (entry, expires) in &self.entries {
            let path = self.path.display();
            if expires.is_some_and(|day| today >= day.stamp.plus_seconds(86_400)) {
                output::note(format!(
                    "`{path}`: `{}` expired on {} and counts again",
                    entry.id,
                    entry.expires.as_deref().unwrap_or_default()
                ));
                continue;
            }
            let outcomes = examined.outcomes.iter_mut();
            let Some(outcome) = outcomes.into_iter().find(|each| each.check.id == entry.id) else {
                continue;
            };
            if outcome.verdict.as_str() == entry.verdict && entry.covers(outcome) {
                outcome.is_expected = true;
                outcome.reason = Some(format!("expected: {}", entry.reason));
            } else if matches!(outcome.verdict, Verdict::Pass | Verdict::Note) {
                outdated += 1;
                output::note(format!(
                    "`{path}`: `{}` passes now: take it out of the file",
                    entry.id
                ));
            }
        }
        outdated
    }
}

impl Entry {
    fn covers(&self, outcome: &Outcome) -> bool {
        let Some(instance) = &self.instance else { return true };
        outcome.more == 0
            && outcome.findings.iter().all(|finding| {
                finding.found.contains(instance) || finding.expected.contains(instance)
            })
    }
}

/// Writes what failed as a baseline.
pub(super) fn write(path: &Path, examined: &Examined) -> anyhow::Result<()> {
    let mut text = format!(
        "# What is known to be wrong with {}. Give each entry its reason, and a day on which it `expires`.\n",
        examined.options.base_url
    );
    for outcome in &examined.outcomes {
        if !matches!(outcome.verdict, Verdict::Fail | Verdict::Warn) {
            continue;
        }
        let first = outcome.findings.first().map_or_else(String::new, |finding| {
            format!("expected {}, found {}", finding.expected, finding.found)
        });
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let _ = write!(
            text,
            "\n[[expected]]\nid = {}\nverdict = {}\nreason = {}\n",
            quoted(outcome.check.id),
            quoted(outcome.verdict.as_str()),
            quoted(&format!("known since {}: {first}", Clock::today()))
        );
    }
    fs::write(path, text).with_context(|| format!("failed to write `{}`", path.display()))
}
