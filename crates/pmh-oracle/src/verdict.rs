//! The finding of the judge: one per property, each with evidence, and the text people read.
//!
//! The text is what snapshots hold. It names no time, port or path, so it is the same in every arm.

use std::fmt;

use crate::property::Property;

/// What the judge found in one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Id of the scenario.
    pub scenario: String,
    /// The scenario's sentence.
    pub title: String,
    /// What became of each run.
    pub runs: Vec<RunSummary>,
    /// Every property in the order of [`Property::ALL`].
    pub properties: Vec<Judged>,
    /// Every rule on requests that the scenario asks for, in its order.
    pub trace: Vec<JudgedRule>,
    /// What the scenario asks and the client could not tell or be told, a sentence each.
    pub unjudged: Vec<String>,
}

/// One rule on requests and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedRule {
    /// Its name.
    pub name: &'static str,
    /// What was found.
    pub finding: Finding,
}

/// One property and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The property.
    pub property: Property,
    /// What was found.
    pub finding: Finding,
}

/// What was found about one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It holds.
    Held {
        /// In how many places it was looked at.
        checked: u64,
    },
    /// It does not.
    Failed {
        /// One sentence per thing found, at most [`crate::EVIDENCE_MAX`] and one that counts the rest.
        evidence: Vec<String>,
    },
    /// The case holds nothing that the property is about, and was not meant to.
    NotApplicable {
        /// What there was not.
        why: String,
    },
    /// Something was meant to be tested and was not: the case proves less than it says.
    Vacuous {
        /// What did not happen.
        why: String,
    },
}

/// What became of one run, for the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// Its name.
    pub name: String,
    /// How it ended, in words.
    pub end: String,
    /// Requests it made.
    pub requests: usize,
    /// Records of the truth, tombstones included, that are held as they should be; `None` where nobody can see the
    /// store.
    pub right: Option<usize>,
    /// Records of the truth.
    pub of: usize,
}

/// The class of a verdict. The greater is the worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Every property held or does not apply.
    Held,
    /// Nothing failed, but something was not tested.
    Vacuous,
    /// Something failed.
    Failed,
}

impl Class {
    /// The exit code of the one table.
    #[must_use]
    pub const fn exit(self) -> i32 {
        match self {
            Self::Held => 0,
            Self::Failed => 4,
            Self::Vacuous => 5,
        }
    }

    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Failed => "failed",
            Self::Vacuous => "vacuous",
        }
    }
}

impl Verdict {
    /// The class: a failure outweighs everything.
    #[must_use]
    pub fn class(&self) -> Class {
        let properties = self.properties.iter().map(|judged| &judged.finding);
        let trace = self.trace.iter().map(|judged| &judged.finding);
        let worst = properties.chain(trace).map(Finding::class).max();
        // A verdict about nothing proves nothing.
        worst.unwrap_or(Class::Vacuous)
    }

    /// Whether everything that was meant to be tested was, and held.
    #[must_use]
    pub fn held(&self) -> bool {
        self.class() == Class::Held
    }

    /// Whether nothing failed only because something was not tested.
    #[must_use]
    pub fn is_vacuous(&self) -> bool {
        self.class() == Class::Vacuous
    }

    /// The properties that failed.
    pub fn failed(&self) -> impl Iterator<Item = Property> {
        self.properties
            .iter()
            .filter(|judged| matches!(judged.finding, Finding::Failed { .. }))
            .map(|judged| judged.property)
    }

    /// What was found about `property`.
    #[must_use]
    pub fn finding(&self, property: Property) -> Option<&Finding> {
        self.properties
            .iter()
            .find(|judged| judged.property == property)
            .map(|judged| &judged.finding)
    }

    /// The verdict for people: short, the same in every arm and on every machine.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.to_string()
    }
}

impl Finding {
    const fn class(&self) -> Class {
        match self {
            Self::Held { .. } | Self::NotApplicable { .. } => Class::Held,
            Self::Vacuous { .. } => Class::Vacuous,
            Self::Failed { .. } => Class::Failed,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.scenario, self.class().as_str())?;
        writeln!(f, "  {}", self.title)?;
        let width = self.runs.iter().map(|run| run.name.chars().count()).max().unwrap_or(0);
        for run in &self.runs {
            writeln!(f, "  run {:width$}  {run}", run.name)?;
        }
        let mut idle = Vec::new();
        for Judged { property, finding } in &self.properties {
            let name = property.name();
            match finding {
                Finding::Held { checked } => {
                    writeln!(f, "  ● {name:24}{}", counted(*checked, property.unit()))?;
                }
                Finding::Vacuous { why } => writeln!(f, "  ◌ {name:24}{why}")?,
                Finding::NotApplicable { .. } => idle.push(name),
                Finding::Failed { evidence } => {
                    writeln!(f, "  ✖ {name}")?;
                    for line in evidence {
                        writeln!(f, "      {line}")?;
                    }
                    if let Some(advice) = property.advice() {
                        writeln!(f, "      what to do: {advice}")?;
                    }
                }
            }
        }
        for JudgedRule { name, finding } in &self.trace {
            match finding {
                Finding::Held { checked } => {
                    writeln!(f, "  ● asked: {name:24}{}", counted(*checked, "place"))?;
                }
                Finding::Vacuous { why } | Finding::NotApplicable { why } => {
                    writeln!(f, "  ◌ asked: {name:24}{why}")?;
                }
                Finding::Failed { evidence } => {
                    writeln!(f, "  ✖ asked: {name}")?;
                    for line in evidence {
                        writeln!(f, "      {line}")?;
                    }
                }
            }
        }
        if !idle.is_empty() {
            writeln!(f, "  ○ nothing to check: {}", idle.join(", "))?;
        }
        for sentence in &self.unjudged {
            writeln!(f, "  – not judged: {sentence}")?;
        }
        Ok(())
    }
}

impl fmt::Display for RunSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requests = counted(self.requests as u64, "request");
        write!(f, "{} · {requests}", self.end)?;
        match self.right {
            Some(right) => write!(f, " · {right} of {} records held", self.of),
            None => f.write_str(" · its store was not read"),
        }
    }
}

/// A number and its noun, in the plural where it must be.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fault, lose, one_run, right};
    use crate::{judge, testing};

    #[test]
    fn a_verdict_reads_like_this_when_everything_held() {
        let mut script = testing::with_deletion();
        script.expect.idempotent = true;
        let verdict = judge(&script, &right(&script));
        assert_eq!(
            verdict.to_text(),
            "\
plain: held
  6 records in pages of 2
  run harvest    complete, exit 0 · 3 requests · 6 of 6 records held
  run again      complete, exit 0 · 3 requests · 6 of 6 records held
  run once-more  complete, exit 0 · 3 requests · 6 of 6 records held
  ● as-expected             3 expectations
  ● nothing-invented        18 rows
  ● nothing-lost            16 records
  ● no-doubles              18 rows
  ● tombstones              2 withdrawn records
  ● watermark               18 records
  ● open-window             3 runs
  ● token-sole-argument     6 token requests
  ● token-verbatim          6 token requests
  ● stops-after-empty-token 3 list ends
  ● terminates              3 runs
  ○ nothing to check: resumption, honours-retry-after, faults-fired
"
        );
        assert_eq!(
            (verdict.class().exit(), verdict.held(), verdict.is_vacuous()),
            (0, true, false)
        );
    }

    #[test]
    fn a_verdict_reads_like_this_when_something_failed() {
        let mut script = one_run();
        script.faults.push(fault("the token dies"));
        let mut observation = right(&script);
        lose(&mut observation, 0, &[3, 4]);
        let verdict = judge(&script, &observation);
        assert_eq!(
            verdict.to_text(),
            "\
plain: failed
  6 records in pages of 2
  run harvest  complete, exit 0 · 3 requests · 4 of 6 records held
  ✖ as-expected
      the store after run `harvest` is not the truth: 2 records are missing
  ● nothing-invented        4 rows
  ✖ nothing-lost
      run `harvest`: `oai:repository.example:000003` and 1 more are missing; page 2: #2 brought 2 entries
  ● no-doubles              4 rows
  ✖ watermark
      run `harvest`: `oai:repository.example:000003` and 1 more are missing below the watermark; page 2: #2 \
             brought 2 entries
      what to do: keep the date from which the next run asks only when a list has come to its end, and take it from \
             the responseDate of the answer that opened the list (rule 237)
  ● open-window             1 run
  ● token-sole-argument     2 token requests
  ● token-verbatim          2 token requests
  ● stops-after-empty-token 1 list end
  ● terminates              1 run
  ◌ faults-fired            `the token dies` never fired
  ○ nothing to check: tombstones, resumption, honours-retry-after
"
        );
        assert_eq!(
            (verdict.class().exit(), verdict.held(), verdict.is_vacuous()),
            (4, false, false)
        );
        let failed: Vec<&str> = verdict.failed().map(Property::name).collect();
        assert_eq!(failed, ["as-expected", "nothing-lost", "watermark"]);
    }

    #[test]
    fn what_nobody_can_see_is_not_judged_and_said() {
        let script = testing::with_crash();
        let mut observation = right(&script);
        observation.runs.iter_mut().for_each(|run| run.rows.clear());
        observation.sight.rows = false;
        observation.unjudged = vec!["the store: it was not read".to_owned()];
        let verdict = judge(&script, &observation);
        let text = verdict.to_text();
        assert!(verdict.held(), "{text}");
        assert!(
            text.contains("complete, exit 0 · 2 requests · its store was not read\n"),
            "{text}"
        );
        assert!(text.contains("nothing to check: as-expected, nothing-invented, "), "{text}");
        assert!(text.ends_with("  – not judged: the store: it was not read\n"), "{text}");
        observation.sight.rows = true;
        assert_eq!(judge(&script, &observation).class(), Class::Failed);
    }

    #[test]
    fn a_reader_that_sees_no_tombstones_takes_a_removed_row_for_one() {
        let script = testing::with_deletion();
        let mut observation = right(&script);
        lose(&mut observation, 1, &[2]);
        assert_eq!(judge(&script, &observation).class(), Class::Failed);
        observation.sight.tombstones = false;
        let verdict = judge(&script, &observation);
        assert!(verdict.held(), "{}", verdict.to_text());
    }

    #[test]
    fn what_was_not_tested_makes_a_verdict_vacuous() {
        let mut script = one_run();
        script.faults.push(fault("the token dies"));
        let verdict = judge(&script, &right(&script));
        assert_eq!(
            (verdict.class().exit(), verdict.held(), verdict.is_vacuous()),
            (5, false, true)
        );
    }
}
