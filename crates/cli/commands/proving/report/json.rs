//! JSON: every verdict, and why each record that is missing is missing. The schema is made from the same types.

use std::collections::BTreeMap;

use pmh_oracle::{Told, Why};
use schemars::{JsonSchema, schema_for};
use serde::Serialize;

use super::super::{Cell, Results, Row, Standing};

/// Version of this format; it grows by new members only.
const FORMAT: u32 = 1;

/// What a proof found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "Report of pmh prove")]
struct Report<'a> {
    /// Version of this format: 1. It grows by new members only.
    format: u32,
    /// The program that wrote it, with its version.
    program: &'static str,
    /// How long it took.
    seconds: f64,
    /// Everybody that was proved, in the order asked for.
    harvesters: &'a [String],
    /// For each harvester how many scenarios stand how; a standing that none has is left out.
    summary: BTreeMap<&'a str, BTreeMap<&'static str, usize>>,
    /// One for each scenario and harvester.
    results: Vec<Entry<'a>>,
}

/// One scenario before one harvester.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Result")]
struct Entry<'a> {
    /// Id of the scenario, with the case of its matrix in brackets if it has one.
    scenario: &'a str,
    /// What must be true, in a sentence.
    title: &'a str,
    /// The kind of failure that it plays, such as F005.
    kind: Option<&'a str>,
    /// Rules of the protocol that it speaks of.
    rules: &'a [u32],
    /// What its records are made from.
    seed: u64,
    /// The file as it was asked for, or the name of a shipped one.
    file: &'a str,
    /// Who was proved.
    harvester: &'a str,
    /// What came of it.
    standing: Word,
    /// Why it could not be asked, or what the file of known failures says of it.
    reason: Option<&'a str>,
    /// Names of the properties and rules that failed.
    failed: &'a [String],
    /// The verdict for people, or why there is none.
    verdict: &'a str,
    /// Why records are not as they should be: one for all those with the same story.
    why: Vec<Story<'a>>,
    /// How long it took.
    seconds: f64,
    /// A command that plays it again.
    again: &'a str,
}

/// How a scenario stands with a harvester.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Word {
    /// Everything that could be judged is as it must be.
    Held,
    /// Something is not: `verdict` says what.
    Failed,
    /// It should have brought everything, stopped before, and said so.
    GaveUp,
    /// Nothing failed, but what was to go wrong did not happen.
    Vacuous,
    /// It cannot be asked of this harvester.
    LeftOut,
    /// It failed, as the file of known failures says.
    KnownFailure,
    /// The file of known failures says that it fails, and it does not.
    UnexpectedPass,
}

/// Why some records are not as they should be.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Why")]
struct Story<'a> {
    /// The run after which the store was looked at.
    run: &'a str,
    /// What is wrong with them: `are missing`.
    wrong: &'a str,
    /// The records.
    identifiers: &'a [String],
    /// Where they were.
    places: Vec<Place>,
    /// Every exchange that could have delivered them.
    exchanges: Vec<Exchange<'a>>,
    /// Exchanges that are not told of, because there were too many.
    untold: usize,
    /// What came of it.
    conclusion: &'a str,
    /// What a harvester should have done instead, where the last answer says.
    advice: Option<&'a str>,
}

/// A page of a list.
#[derive(Debug, Serialize, JsonSchema)]
struct Place {
    /// Number of the exchange that opened the list.
    list_opened_by: u32,
    /// The page of that list, from 1.
    page: u32,
}

/// A request and its answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Exchange<'a> {
    /// Its number in the journal.
    n: u32,
    /// Its run.
    run: &'a str,
    /// The page that was asked for, from 1; 0 outside lists.
    page: u32,
    /// How often that page had been asked for, this time included.
    attempt: u32,
    /// What came, in words.
    answer: &'a str,
    /// The faults and replies of the scenario that made the answer.
    made_by: Vec<Cause<'a>>,
}

/// A part of the scenario.
#[derive(Debug, Serialize, JsonSchema)]
struct Cause<'a> {
    /// The name of the fault or reply.
    name: &'a str,
    /// Its line in the scenario file, from 1, where it is known.
    line: Option<usize>,
}

/// The JSON Schema (draft 2020-12) of the report.
pub(crate) fn report_schema() -> String {
    serde_json::to_string_pretty(&schema_for!(Report<'_>)).expect("a schema is plain data")
}

pub(super) fn json(results: &Results) -> String {
    let counts = |name| results.counts(name).into_iter().map(|(number, word)| (word, number));
    let names = results.harvesters.iter().map(String::as_str);
    let report = Report {
        format: FORMAT,
        program: concat!("pmh ", env!("CARGO_PKG_VERSION")),
        seconds: results.took.as_secs_f64(),
        harvesters: &results.harvesters,
        summary: names.map(|name| (name, counts(name).collect())).collect(),
        results: results.cells().map(|(row, cell)| entry(row, cell)).collect(),
    };
    let mut text = serde_json::to_string_pretty(&report).expect("a report is plain data");
    text.push('\n');
    text
}

fn entry<'a>(row: &'a Row, cell: &'a Cell) -> Entry<'a> {
    let reason = match &cell.standing {
        Standing::KnownFailure { reason } | Standing::UnexpectedPass { reason } => {
            Some(reason.as_str())
        }
        Standing::LeftOut => Some(cell.text.trim()),
        _ => cell.note.as_deref(),
    };
    Entry {
        scenario: &row.id,
        title: &row.title,
        kind: row.kind.as_deref(),
        rules: &row.rules,
        seed: row.seed,
        file: &row.file,
        harvester: &cell.harvester,
        standing: Word::from(&cell.standing),
        reason,
        failed: &cell.failed,
        verdict: &cell.text,
        why: cell.whys.iter().map(Story::from).collect(),
        seconds: cell.took.as_secs_f64(),
        again: &cell.again,
    }
}

impl From<&Standing> for Word {
    fn from(standing: &Standing) -> Self {
        match standing {
            Standing::Held => Self::Held,
            Standing::Failed => Self::Failed,
            Standing::GaveUp => Self::GaveUp,
            Standing::Vacuous => Self::Vacuous,
            Standing::LeftOut => Self::LeftOut,
            Standing::KnownFailure { .. } => Self::KnownFailure,
            Standing::UnexpectedPass { .. } => Self::UnexpectedPass,
        }
    }
}

impl<'a> From<&'a Why> for Story<'a> {
    fn from(why: &'a Why) -> Self {
        let place = |&(list_opened_by, page): &(u32, u32)| Place { list_opened_by, page };
        Self {
            run: &why.run,
            wrong: &why.wrong,
            identifiers: &why.identifiers,
            places: why.places.iter().map(place).collect(),
            exchanges: why.told.iter().map(Exchange::from).collect(),
            untold: why.untold,
            conclusion: &why.conclusion,
            advice: why.advice,
        }
    }
}

impl<'a> From<&'a Told> for Exchange<'a> {
    fn from(told: &'a Told) -> Self {
        let cause = |(name, line): &'a (String, Option<usize>)| Cause { name, line: *line };
        Self {
            n: told.n,
            run: &told.run,
            page: told.page,
            attempt: told.attempt,
            answer: &told.answer,
            made_by: told.made_by.iter().map(cause).collect(),
        }
    }
}
