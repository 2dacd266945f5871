//! TOML text to values, with every mistake of form in words for people.
//!
//! serde stops at the first mistake. So what it stumbled over is taken out and the rest is read again, until nothing is
//! left to stumble over; what is missing only because it was taken out is not told.

mod place; // where in a table a span lies
mod wanted; // what belongs at a place, as the schema has it

use std::ops::Range;

use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::DeTable;

use crate::finding::Finding;
use crate::load::Sources;
use crate::suggest::nearest;
use place::Step;

/// Mistakes that are told of one file: who has made more mends these first.
const MISTAKES_MAX: usize = 50;

/// Reads a file of TOML that is no scenario, such as one of settings. What is wrong is told as for scenarios.
///
/// # Errors
/// Every mistake of form, in the order of the text.
pub fn read_toml<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<T, Vec<Finding>> {
    let mut sources = Sources::default();
    sources.add(String::new(), text.to_owned());
    let table = parsed(text);
    let value = table.and_then(|table| read_table(table, 0..text.len()));
    value.map_err(|findings| {
        let findings = findings.into_iter().map(|finding| finding.located(&sources));
        let mut findings: Vec<Finding> = findings.collect();
        findings.sort_by_key(|finding| finding.span.start);
        findings
    })
}

/// Text to a table.
///
/// # Errors
/// Every place where it is no TOML.
pub(crate) fn parsed(text: &str) -> Result<DeTable<'_>, Vec<Finding>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(table.into_inner());
    }
    let mut findings: Vec<Finding> = Vec::new();
    for error in errors.iter().take(MISTAKES_MAX) {
        let finding = told(error, None);
        // A reader that goes on after a mistake may stumble over the same place again.
        if !findings.iter().any(|earlier| earlier.span == finding.span) {
            findings.push(finding);
        }
    }
    Err(findings)
}

/// A table to a value; `span` is the whole text.
///
/// # Errors
/// Every mistake of form.
pub(crate) fn read_table<T: DeserializeOwned + JsonSchema>(
    table: DeTable<'_>,
    span: Range<usize>,
) -> Result<T, Vec<Finding>> {
    let mut left = table;
    let mut findings = Vec::new();
    let mut gone: Vec<Gone> = Vec::new();
    for _ in 0..MISTAKES_MAX {
        let whole = Spanned::new(span.clone(), left.clone());
        let error = match T::deserialize(toml::Deserializer::from(whole)) {
            Ok(value) if findings.is_empty() => return Ok(value),
            Ok(_) => break,
            Err(error) => error,
        };
        let mut path =
            error.span().and_then(|span| place::path_of(&left, &span)).unwrap_or_default();
        let missing = error.message().strip_prefix("missing field ").map(|name| name.trim());
        if let Some(gone) = gone.iter().rfind(|gone| gone.explains(&path, missing)) {
            // What cannot be whole any more goes as well.
            if path.is_empty() {
                path = gone.path[..gone.path.len() - 1].to_vec();
            }
        } else {
            let schema = schema_for!(T);
            let found = place::value_at(&left, &path);
            let place = found.map(|found| (found, wanted::at(schema.as_value(), &path)));
            findings
                .push(told(&error, place.as_ref().map(|(found, text)| (*found, text.as_deref()))));
        }
        gone.push(Gone { meant: meant(&error), path: path.clone() });
        if !place::take(&mut left, &path) {
            break;
        }
    }
    Err(findings)
}

/// Something that was taken out.
struct Gone {
    path: Vec<Step>,
    /// What was probably meant by it.
    meant: Option<String>,
}

impl Gone {
    /// Whether what is wrong at `path` is wrong only because this is not there any more.
    fn explains(&self, path: &[Step], missing: Option<&str>) -> bool {
        let Some((last, above)) = self.path.split_last() else { return false };
        if !above.starts_with(path) {
            return false;
        }
        let Some(missing) = missing else { return true };
        let name = missing.trim_matches('`');
        let is_it = |step: &Step| matches!(step, Step::Key(key) if key == name);
        is_it(last) || self.meant.as_deref() == Some(name)
    }
}

/// The offending word and the names that were expected: both stand between backticks.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

fn meant(error: &toml::de::Error) -> Option<String> {
    let quoted = quoted(error.message());
    let (word, names) = quoted.split_first()?;
    let is_unknown = error.message().starts_with("unknown");
    nearest(word, names.iter().copied()).filter(|_| is_unknown).map(str::to_owned)
}

/// What the TOML reader or serde did not understand: `place` is the value that stands there, and what should. Both name
/// types as Rust does; only wording and suggestion depend on that, so that a change there costs a hint and no more.
fn told(error: &toml::de::Error, place: Option<(&toml::de::DeValue<'_>, Option<&str>)>) -> Finding {
    let message = error.message().trim_end();
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    let plain = match first.rsplit_once(", expected ") {
        Some(("invalid type: unit variant", "newtype variant")) => {
            "this needs a value: write it as a key, such as `{ wrap-to = 1 }`".to_owned()
        }
        Some(("string values must be quoted", _)) => {
            "expected a value; text stands between quotation marks".to_owned()
        }
        Some((what, expected))
            if what.starts_with("invalid type") || what.starts_with("invalid value") =>
        {
            mistaken(what, expected, place)
        }
        _ if first == "wanted string or table" => mistaken("", "", place),
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
        .suggest(meant(error).as_deref())
}

/// A value of the wrong type or size.
fn mistaken(
    what: &str,
    expected: &str,
    place: Option<(&toml::de::DeValue<'_>, Option<&str>)>,
) -> String {
    let (value, wanted) = place.unzip();
    let what = what.split_once(": ").map_or("something else", |(_, what)| what);
    let found = value.map_or_else(|| what.to_owned(), place::in_words);
    match (wanted.flatten(), wanted::of_the_machine(expected)) {
        (Some(wanted), Some(_)) => format!("expected {wanted}, found {found}"),
        (None, Some(plain)) => format!("expected {plain}, found {found}"),
        // It was written for people already.
        (_, None) => format!("expected {expected}, found {found}"),
    }
}
