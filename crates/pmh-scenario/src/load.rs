//! Text becomes a loaded file, in two passes: serde for the shape, then our own check for the meaning.
//!
//! The first pass stops at its first finding, because what follows could not be understood; the second reports all
//! of its findings at once.

use crate::check;
use crate::finding::{Finding, Severity};
use crate::model::File;
use crate::suggest::nearest;

/// The largest file that is read.
const TEXT_BYTES_MAX: usize = 1 << 20;

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

/// A scenario file without errors.
#[derive(Debug)]
pub struct Loaded {
    /// Path of the file below the scenario folder, without its ending.
    pub(crate) id: String,
    pub(crate) file: File,
    /// Line of each fault's table, from 1.
    pub(crate) fault_lines: Vec<usize>,
    /// What was probably not meant.
    pub warnings: Vec<Finding>,
}

/// Reads a scenario. `id` is the path of its file below the scenario folder, without its ending.
///
/// # Errors
/// When there is at least one error: all findings, warnings too, in the order of the text.
pub fn load(id: &str, text: &str, known: &Vocabulary<'_>) -> Result<Loaded, Vec<Finding>> {
    if text.len() > TEXT_BYTES_MAX {
        let message =
            format!("the file has {} bytes, more than the limit of {TEXT_BYTES_MAX}", text.len());
        return Err(vec![Finding::error(0..0, message, "").located(text)]);
    }
    let file: File =
        toml::from_str(text).map_err(|error| vec![shape_finding(&error).located(text)])?;
    let mut findings: Vec<Finding> =
        check::check(&file, text, known).into_iter().map(|finding| finding.located(text)).collect();
    findings.sort_by_key(|finding| finding.span.start);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(findings);
    }
    let fault_lines =
        file.fault.iter().map(|fault| crate::finding::place(text, fault.span().start).0).collect();
    Ok(Loaded { id: id.to_owned(), file, fault_lines, warnings: findings })
}

/// What the TOML reader or serde did not understand. Both put the offending word and what they expected between
/// backticks, and name types as Rust does; only wording and suggestion depend on that, so that a change there costs
/// a hint and no more.
fn shape_finding(error: &toml::de::Error) -> Finding {
    let message = error.message().trim_end();
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let suggestion = match quoted.split_first() {
        Some((word, names)) if message.starts_with("unknown") => {
            nearest(word, names.iter().copied())
        }
        _ => None,
    };
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    let plain = match first.rsplit_once(", expected ") {
        Some((what, "u8" | "u16" | "u32" | "u64")) => format!("{what}, expected a whole number"),
        Some((what, "f64")) => format!("{what}, expected a number"),
        Some(("invalid type: unit variant", "newtype variant")) => {
            "this needs a value: write it as a key, such as `{ wrap-to = 1 }`".to_owned()
        }
        Some(("string values must be quoted", _)) => {
            "expected a value; text stands between quotation marks".to_owned()
        }
        _ if first.starts_with("wanted exactly 1 element") => {
            "a fault does one thing: write one `do`, and another `[[fault]]` for the next"
                .to_owned()
        }
        _ if first == "missing field `format`" => {
            "the file does not say its format: add `format = 1` at its head".to_owned()
        }
        _ => first.to_owned(),
    };
    Finding::error(error.span().unwrap_or(0..0), plain, rest.replace('\n', "; "))
        .suggest(suggestion)
}
