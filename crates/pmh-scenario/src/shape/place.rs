//! Where in a table a span lies.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To the value of a key.
    Key(String),
    /// To an entry of a list, from 0.
    Entry(usize),
}

/// The path of the key or value that has exactly this span; the outermost if there are several.
pub(super) fn path_of(table: &DeTable<'_>, span: &Range<usize>) -> Option<Vec<Step>> {
    table.iter().find_map(|(key, value)| {
        let step = Step::Key(key.get_ref().to_string());
        if key.span() == *span { Some(vec![step]) } else { path_in(step, value, span) }
    })
}

fn path_in(step: Step, value: &Spanned<DeValue<'_>>, span: &Range<usize>) -> Option<Vec<Step>> {
    let within = |rest: Vec<Step>| std::iter::once(step.clone()).chain(rest).collect();
    if let DeValue::Array(entries) = value.get_ref() {
        // A list of tables begins where its first table does.
        let mut entries = entries.iter().enumerate();
        let inner = entries.find_map(|(index, entry)| path_in(Step::Entry(index), entry, span));
        if let Some(rest) = inner {
            return Some(within(rest));
        }
    }
    // Of a table it is the header that is named.
    let is_header = value.get_ref().is_table() && value.span().start == span.start;
    if value.span() == *span || is_header {
        return Some(vec![step]);
    }
    value.get_ref().as_table().and_then(|table| path_of(table, span)).map(within)
}

/// What stands at a path.
pub(super) fn value_at<'a, 'i>(table: &'a DeTable<'i>, path: &[Step]) -> Option<&'a DeValue<'i>> {
    let (first, rest) = path.split_first()?;
    let Step::Key(key) = first else { return None };
    let mut value = table.get(key.as_str())?.get_ref();
    for step in rest {
        value = match (step, value) {
            (Step::Key(key), DeValue::Table(table)) => table.get(key.as_str())?.get_ref(),
            (Step::Entry(index), DeValue::Array(entries)) => entries.get(*index)?.get_ref(),
            _ => return None,
        };
    }
    Some(value)
}

/// Takes out what stands at a path; whether something did.
pub(super) fn take(table: &mut DeTable<'_>, path: &[Step]) -> bool {
    match path {
        [Step::Key(key)] => table.remove(key.as_str()).is_some(),
        [Step::Key(key), rest @ ..] => {
            table.get_mut(key.as_str()).is_some_and(|value| take_in(value.get_mut(), rest))
        }
        _ => false,
    }
}

fn take_in(value: &mut DeValue<'_>, path: &[Step]) -> bool {
    match (value, path) {
        (DeValue::Table(table), path) => take(table, path),
        (DeValue::Array(entries), [Step::Entry(index), rest @ ..]) => {
            if *index >= entries.len() {
                return false;
            }
            match rest {
                [] => {
                    let others = entries.iter().enumerate().filter(|(at, _)| at != index);
                    *entries = others.map(|(_, entry)| entry.clone()).collect();
                    true
                }
                rest => take_in(entries.as_mut()[*index].get_mut(), rest),
            }
        }
        _ => false,
    }
}

/// What a value is, for a sentence.
pub(super) fn in_words(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {:?}", text.as_ref()),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => format!("`{value}`"),
        DeValue::Datetime(date) => format!("the date {date} without quotation marks"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
