//! For programs. The form has a number, which changes when a field changes its meaning or goes.

use std::collections::BTreeMap;

use schemars::{JsonSchema, schema_for};
use serde::Serialize;

use crate::exchange::Exchange;
use crate::finding::Finding;
use crate::outcome::{Examined, Outcome, Verdict};
use crate::rules::rule;

/// Number of the form.
const FORMAT: u32 = 1;

/// What an examination of a repository found.
#[derive(Debug, Serialize, JsonSchema)]
struct Report<'a> {
    /// Number of this form; it changes when a field changes its meaning or goes.
    format: u32,
    /// The repository that was examined, or the file.
    base_url: &'a str,
    /// The profile whose checks were run beside those of the protocol.
    profile: &'static str,
    /// `conformant, as far as it was tested`, `not conformant`, `not tested` or `not tested to the end`.
    conformance: &'static str,
    /// How many checks have each verdict.
    counts: BTreeMap<&'static str, usize>,
    /// Every check that was asked for.
    checks: Vec<Checked<'a>>,
    /// Every request and what came of it, in order.
    exchanges: Vec<Asked<'a>>,
}

/// A check and what came of it.
#[derive(Debug, Serialize, JsonSchema)]
struct Checked<'a> {
    /// A name that stays.
    id: &'static str,
    /// What holds when it passes.
    title: &'static str,
    /// `must`, `should`, `guideline`, `profile` or `info`.
    level: &'static str,
    /// What came of it.
    verdict: Word,
    /// Whether a baseline expects its failure, which then does not count.
    expected: bool,
    /// Why it was skipped, is inconclusive or expected.
    reason: Option<&'a str>,
    /// How many things it looked at.
    looked_at: usize,
    /// The instances.
    findings: Vec<Instance<'a>>,
    /// Instances that were not kept.
    more: usize,
    /// The rules that it stands for.
    rules: Vec<Rule>,
}

/// A verdict, or how grave a finding is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Word {
    /// It holds wherever it was looked at.
    Pass,
    /// Worth telling.
    Note,
    /// Not judged.
    Skip,
    /// It could not be judged.
    Inconclusive,
    /// Tolerated, and not as it should be.
    Warn,
    /// It does not hold.
    Fail,
}

/// A rule of the specification.
#[derive(Debug, Serialize, JsonSchema)]
struct Rule {
    /// Its number.
    number: u16,
    /// How binding the specification calls it.
    level: &'static str,
    /// What it asks.
    sentence: &'static str,
    /// Where the specification says so.
    url: String,
}

/// One instance of what a check looks for.
#[derive(Debug, Serialize, JsonSchema)]
struct Instance<'a> {
    /// `fail`, `warn` or `note`.
    severity: Word,
    /// What should be there.
    expected: &'a str,
    /// What is there.
    found: &'a str,
    /// Number of the exchange that shows it.
    exchange: Option<usize>,
    /// Line in its answer, from 1.
    line: Option<usize>,
    /// Column in characters, from 1.
    column: Option<usize>,
    /// What stands there.
    excerpt: Option<&'a str>,
}

/// A request and what came of it.
#[derive(Debug, Serialize, JsonSchema)]
struct Asked<'a> {
    /// Its number, from 1.
    number: usize,
    /// `GET` or `POST`.
    method: &'static str,
    /// Where it was sent.
    url: &'a str,
    /// The form, where it was sent by POST.
    body: Option<&'a str>,
    /// The same request as a line for a shell.
    curl: String,
    /// When it was sent, in UTC.
    time: String,
    /// How long the answer took.
    millis: u64,
    /// HTTP status, if an answer came.
    status: Option<u16>,
    /// Bytes of the answer as it came, if one came.
    bytes: Option<usize>,
    /// What came, in a few words.
    answer: String,
}

/// The report as one JSON object.
#[must_use]
pub fn json(examined: &Examined) -> String {
    let report = Report {
        format: FORMAT,
        base_url: &examined.options.base_url,
        profile: examined.options.profile.as_str(),
        conformance: examined.conformance(),
        counts: Verdict::ALL
            .into_iter()
            .map(|verdict| (verdict.as_str(), examined.total(verdict)))
            .collect(),
        checks: examined.outcomes.iter().map(Checked::from).collect(),
        exchanges: examined.exchanges.iter().map(Asked::from).collect(),
    };
    serde_json::to_string_pretty(&report).expect("a report is plain data") + "\n"
}

/// The JSON Schema (draft 2020-12) of the report.
#[must_use]
pub fn json_schema() -> String {
    serde_json::to_string_pretty(&schema_for!(Report<'_>)).expect("a schema is plain data")
}

impl<'a> From<&'a Outcome> for Checked<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        let check = outcome.check;
        let rules = check.rules.iter().filter_map(|number| rule(*number)).map(|rule| Rule {
            number: rule.number,
            level: rule.level,
            sentence: rule.sentence,
            url: rule.url(),
        });
        Self {
            id: check.id,
            title: check.title,
            level: check.level.as_str(),
            verdict: outcome.verdict.into(),
            expected: outcome.is_expected,
            reason: outcome.reason.as_deref(),
            looked_at: outcome.looked_at,
            findings: outcome.findings.iter().map(Instance::from).collect(),
            more: outcome.more,
            rules: rules.collect(),
        }
    }
}

impl From<Verdict> for Word {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Pass,
            Verdict::Note => Self::Note,
            Verdict::Skip => Self::Skip,
            Verdict::Inconclusive => Self::Inconclusive,
            Verdict::Warn => Self::Warn,
            Verdict::Fail => Self::Fail,
        }
    }
}

impl<'a> From<&'a Finding> for Instance<'a> {
    fn from(finding: &'a Finding) -> Self {
        let place = finding.place.as_ref();
        Self {
            severity: Verdict::from(finding.severity).into(),
            expected: &finding.expected,
            found: &finding.found,
            exchange: finding.exchange,
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            excerpt: place.map(|place| place.excerpt.as_str()),
        }
    }
}

impl<'a> From<&'a Exchange> for Asked<'a> {
    fn from(exchange: &'a Exchange) -> Self {
        Self {
            number: exchange.number,
            method: exchange.request.method.as_str(),
            url: &exchange.request.url,
            body: exchange.request.body.as_deref(),
            curl: exchange.curl(),
            time: exchange.at.to_string(),
            millis: exchange.millis,
            status: exchange.status(),
            bytes: exchange.page().map(|page| page.body.len()),
            answer: exchange.describe(),
        }
    }
}
