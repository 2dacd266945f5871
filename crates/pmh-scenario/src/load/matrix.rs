//! One file, several cases: `[matrix]` names keys and the values that each of them takes.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::assemble::name_of;
use crate::finding::Finding;

/// Cases of one file: more are a search and no story.
const CASES_MAX: usize = 256;

/// One case: its label, such as `page-size=7,token=stateful`, and the table it is read from. A file without a matrix
/// is one case without a label.
pub(super) type Case<'i> = (String, DeTable<'i>);

/// One key of the matrix.
struct Axis<'i> {
    /// The whole path, as it is written.
    path: Spanned<String>,
    values: Vec<Spanned<DeValue<'i>>>,
}

/// Takes the matrix out of the table and puts each combination of its values in.
pub(super) fn cases(mut table: DeTable<'_>) -> Result<Vec<Case<'_>>, Finding> {
    let Some(matrix) = table.remove("matrix") else {
        return Ok(vec![(String::new(), table)]);
    };
    let span = matrix.span();
    let DeValue::Table(matrix) = matrix.into_inner() else {
        return Err(Finding::error(span, "the matrix is no table", "write it as `[matrix]`"));
    };
    let axes: Vec<Axis<'_>> =
        matrix.into_iter().map(|(key, value)| axis(&key, value)).collect::<Result<_, _>>()?;
    let number =
        axes.iter().try_fold(1_usize, |number, axis| number.checked_mul(axis.values.len()));
    if number.is_none_or(|number| number > CASES_MAX) {
        let message = format!("the matrix makes more than {CASES_MAX} cases");
        return Err(Finding::error(span, message, ""));
    }
    let names = labels(&axes);
    let mut cases = vec![(String::new(), table)];
    for (axis, name) in axes.iter().zip(&names) {
        let mut more = Vec::new();
        for (label, table) in &cases {
            for value in &axis.values {
                let mut table = table.clone();
                put(&mut table, &axis.path, value)?;
                let comma = if label.is_empty() { "" } else { "," };
                more.push((format!("{label}{comma}{name}={}", written(value.get_ref())), table));
            }
        }
        cases = more;
    }
    Ok(cases)
}

fn axis<'i>(
    key: &Spanned<std::borrow::Cow<'i, str>>,
    value: Spanned<DeValue<'i>>,
) -> Result<Axis<'i>, Finding> {
    let path = Spanned::new(key.span(), key.get_ref().to_string());
    if path.get_ref().split('.').any(str::is_empty) {
        let message = format!("`{}` is not the path of a key", path.get_ref());
        let label = "write it as \"repository.page-size\", between quotation marks";
        return Err(Finding::error(path.span(), message, label));
    }
    let span = value.span();
    match value.into_inner() {
        DeValue::Array(values) if !values.is_empty() => {
            Ok(Axis { path, values: values.into_iter().collect() })
        }
        DeValue::Table(_) => {
            let message = format!("`{}` takes no values", path.get_ref());
            let label =
                "the path of a key stands between quotation marks: \"repository.page-size\"";
            Err(Finding::error(key.span(), message, label))
        }
        _ => {
            let message = format!("`{}` takes no values", path.get_ref());
            Err(Finding::error(span, message, "expected a list of at least one value"))
        }
    }
}

/// The last part of each path, or the whole of it where two would look alike.
fn labels(axes: &[Axis<'_>]) -> Vec<String> {
    let last = |axis: &Axis<'_>| axis.path.get_ref().rsplit('.').next().unwrap_or("").to_owned();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for axis in axes {
        *times.entry(last(axis)).or_default() += 1;
    }
    axes.iter()
        .map(|axis| match times[&last(axis)] {
            1 => last(axis),
            _ => axis.path.get_ref().clone(),
        })
        .collect()
}

/// Writes the value at its path, as if the file had it there.
fn put<'i>(
    table: &mut DeTable<'i>,
    path: &Spanned<String>,
    value: &Spanned<DeValue<'i>>,
) -> Result<(), Finding> {
    let mut parts: Vec<&str> = path.get_ref().split('.').collect();
    let key = parts.pop().unwrap_or_default();
    let mut inner = table;
    let mut parts = parts.into_iter();
    while let Some(part) = parts.next() {
        if inner.get(part).is_none() {
            let empty = Spanned::new(path.span(), DeValue::Table(DeTable::new()));
            inner.insert(Spanned::new(path.span(), part.to_owned().into()), empty);
        }
        inner = match inner.get_mut(part).map(Spanned::get_mut) {
            Some(DeValue::Table(table)) => table,
            // An entry of a list is named by the part after it.
            Some(DeValue::Array(entries)) => {
                let name = parts.next().unwrap_or_default();
                let entry = entries.as_mut().iter_mut().find(|entry| name_of(entry) == Some(name));
                match entry.map(Spanned::get_mut) {
                    Some(DeValue::Table(table)) => table,
                    _ => {
                        let message = format!("no `{part}` is called `{name}`");
                        return Err(Finding::error(path.span(), message, ""));
                    }
                }
            }
            _ => {
                let message = format!("`{part}` in `{}` is no table", path.get_ref());
                return Err(Finding::error(path.span(), message, ""));
            }
        };
    }
    inner.remove(key);
    inner.insert(Spanned::new(path.span(), key.to_owned().into()), value.clone());
    Ok(())
}

/// A value in a label: short, and without what a shell or a file system would stumble over.
fn written(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(values) => {
            values.iter().map(|value| written(value.get_ref())).collect::<Vec<_>>().join("+")
        }
        DeValue::Table(table) => table
            .iter()
            .map(|(key, value)| format!("{}-{}", key.get_ref(), written(value.get_ref())))
            .collect::<Vec<_>>()
            .join("+"),
    }
}
