//! Failures that are known: a file says which, why, and until when.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use pmh_check::{Examined, Finding, Outcome, Verdict, find_check};
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

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Id of the check.
    id: String,
    /// `fail` or `warn`.
    #[serde(default = "fail")]
    verdict: String,
    /// A text that the finding must contain; without, any finding of the check is expected. A check may have several
    /// entries.
    instance: Option<String>,
    /// Why it is so.
    reason: String,
    /// The last day on which it is expected: a date of TOML, or a string.
    expires: Option<toml::Value>,
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
                    let parsed = Datestamp::parse(&written(day))
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
        let path = self.path.display();
        let mut standing: Vec<&Entry> = Vec::new();
        for (entry, expires) in &self.entries {
            if expires.is_some_and(|day| today >= day.stamp.plus_seconds(86_400)) {
                output::note(format!(
                    "`{path}`: `{}` expired on {} and counts again",
                    entry.id,
                    entry.expires.as_ref().map(written).unwrap_or_default()
                ));
            } else {
                standing.push(entry);
            }
        }
        let mut outdated = 0;
        for outcome in &mut examined.outcomes {
            let of_check = standing.iter().copied().filter(|entry| entry.id == outcome.check.id);
            let (expecting, others): (Vec<&Entry>, Vec<&Entry>) =
                of_check.partition(|entry| entry.verdict == outcome.verdict.as_str());
            for gone in others.iter().chain(&expecting).filter(|entry| !entry.is_met(outcome)) {
                outdated += 1;
                let what = match &gone.instance {
                    Some(instance) if expecting.contains(gone) => {
                        format!(
                            "of `{}` no finding holds `{}` any more",
                            gone.id,
                            output::plain(instance)
                        )
                    }
                    _ => format!("`{}` passes now", gone.id),
                };
                output::note(format!("`{path}`: {what}: take it out of the file"));
            }
            if is_covered(outcome, &expecting) {
                outcome.is_expected = true;
                let mut reasons: Vec<&str> =
                    expecting.iter().map(|entry| entry.reason.as_str()).collect();
                reasons.dedup();
                outcome.reason = Some(format!("expected: {}", reasons.join("; ")));
            }
        }
        outdated
    }
}

impl Entry {
    /// Whether there still is what it expects, or it cannot be told.
    fn is_met(&self, outcome: &Outcome) -> bool {
        match outcome.verdict {
            Verdict::Pass | Verdict::Note => false,
            verdict if verdict.as_str() == self.verdict => {
                outcome.more > 0 || grave(outcome).any(|finding| self.covers(finding))
            }
            _ => true,
        }
    }

    fn covers(&self, finding: &Finding) -> bool {
        self.instance.as_ref().is_none_or(|instance| {
            finding.found.contains(instance) || finding.expected.contains(instance)
        })
    }
}

/// Whether all that is found is expected, each finding by one entry or another.
fn is_covered(outcome: &Outcome, entries: &[&Entry]) -> bool {
    let covered = |finding: &Finding| entries.iter().any(|entry| entry.covers(finding));
    let any_will_do = entries.iter().any(|entry| entry.instance.is_none());
    // Instances that were only counted may be others.
    any_will_do || (!entries.is_empty() && outcome.more == 0 && grave(outcome).all(covered))
}

/// The findings that make the verdict what it is.
fn grave(outcome: &Outcome) -> impl Iterator<Item = &Finding> {
    outcome.findings.iter().filter(|finding| Verdict::from(finding.severity) == outcome.verdict)
}

/// A date as it is written, of TOML or a string.
fn written(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
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
