//! Text becomes a loaded file, in two passes: serde for the shape, then our own check for the meaning.
//!
//! Each pass reports all of its findings at once. What a file with mistakes of form means is not asked: what follows from
//! a misspelt key would be told too, and hide it.

mod assemble; // several files as one
mod bodies; // the files that replies are read from
mod matrix; // one file as several cases
mod origins; // which file a key came from
mod saved; // records from saved answers
mod sources; // the files, laid end to end
mod tape; // exchanges that were recorded

use toml::Spanned;

use crate::check;
use crate::finding::{Finding, Severity};
use crate::model::File;
use crate::shape::read_table;

pub(crate) use bodies::Held;
pub(crate) use origins::Origins;
pub(crate) use sources::Sources;
pub use sources::{ReadFile, SourceFile};
pub(crate) use tape::Taped;

/// Names that a file may use and that belong to others: passed in, so that this crate need not know them.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary<'a> {
    /// Harvesters that are wrong on purpose.
    pub specimens: &'a [&'a str],
    /// Guards of the harvester.
    pub guards: &'a [&'a str],
    /// Outcomes of a run.
    pub outcomes: &'a [&'a str],
}

/// A scenario file without errors: one case of it.
#[derive(Debug)]
pub struct Loaded {
    /// Path of the file below the scenario folder, without its ending.
    pub(crate) family: String,
    /// Which case of the file's matrix, such as `page-size=7`; empty without a matrix.
    pub(crate) case: String,
    pub(crate) file: File,
    /// Line of each fault's table, from 1.
    pub(crate) fault_lines: Vec<usize>,
    /// What each reply holds, in the order of the file.
    pub(crate) bodies: Vec<Held>,
    /// Which file each key came from.
    pub(crate) origins: Origins,
    /// What was probably not meant.
    pub warnings: Vec<Finding>,
}

impl Loaded {
    /// The name of the case: the path of its file, and which case it is, as in `token/expires[page-size=7]`.
    #[must_use]
    pub fn id(&self) -> String {
        match self.case.as_str() {
            "" => self.family.clone(),
            case => format!("{}[{case}]", self.family),
        }
    }
}

/// Reads a scenario that stands alone: it extends nothing and reads its replies from no file. Of a matrix the first
/// case is given. `id` is the path of its file below the scenario folder, without its ending.
///
/// # Errors
/// As [`load_all`].
pub fn load(id: &str, text: &str, known: &Vocabulary<'_>) -> Result<Loaded, Vec<Finding>> {
    let alone = |_: &str| Err("no other file can be read here".to_owned());
    let mut cases = load_all(id, text, known, &alone)?;
    Ok(cases.swap_remove(0))
}

/// Reads a scenario, what it extends, and the files of its replies: every case of its matrix, in order; at least one.
/// `id` is the path of its file below the scenario folder, without its ending; `read` reads the others.
///
/// # Errors
/// When there is at least one error: all findings, warnings too, in the order of the text.
pub fn load_all(
    id: &str,
    text: &str,
    known: &Vocabulary<'_>,
    read: &ReadFile<'_>,
) -> Result<Vec<Loaded>, Vec<Finding>> {
    let mut sources = Sources::default();
    let whole = assemble::gather(&format!("{id}.toml"), text, &mut sources, read);
    let outcome = whole.and_then(|family| {
        let cases = matrix::cases(family.table()?).map_err(|finding| vec![finding])?;
        read_cases(id, text, known, read, &sources, cases)
    });
    outcome.map_err(|mut findings| {
        findings = findings.into_iter().map(|finding| finding.located(&sources)).collect();
        findings.sort_by_key(|finding| (finding.file.is_some(), finding.span.start));
        // What is wrong in every case of a matrix is wrong once.
        findings.dedup();
        findings
    })
}

fn read_cases(
    id: &str,
    text: &str,
    known: &Vocabulary<'_>,
    read: &ReadFile<'_>,
    sources: &Sources,
    cases: Vec<matrix::Case<'_>>,
) -> Result<Vec<Loaded>, Vec<Finding>> {
    let mut loaded = Vec::new();
    let mut wrong = Vec::new();
    for (case, table) in cases {
        let origins = Origins::of(&table, sources);
        let mut file: File = match read_table(table, 0..text.len()) {
            Ok(file) => file,
            Err(findings) => {
                wrong.extend(findings);
                continue;
            }
        };
        let unread = saved::read_records(&mut file, sources, read);
        let mut findings = check::check(&file, text, known);
        findings.extend(unread);
        let bodies = bodies::read_all(&file, sources, read, &mut findings);
        findings.sort_by_key(|finding| finding.span.start);
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            wrong.extend(findings);
            continue;
        }
        let line = |fault: &Spanned<_>| sources.line(fault.span().start);
        loaded.push(Loaded {
            family: id.to_owned(),
            case,
            fault_lines: file.fault.iter().map(line).collect(),
            bodies,
            origins,
            warnings: findings.into_iter().map(|finding| finding.located(sources)).collect(),
            file,
        });
    }
    if wrong.is_empty() { Ok(loaded) } else { Err(wrong) }
}
