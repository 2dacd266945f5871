//! Annotations and a summary, where GitHub runs the pipeline.
//!
//! It shows ten annotations of a step and drops the rest in silence, so nine are made and one that counts the others.

use std::fmt::Write as _;
use std::io::Write as _;

use super::Results;
use super::report::markdown;
use crate::output;

/// Annotations that are made.
const ANNOTATIONS_MAX: usize = 9;
/// A summary over 1 MiB is refused as a whole.
const SUMMARY_BYTES_MAX: usize = 1_000_000;

/// Annotates what failed and appends the matrix to the step's summary, if this is GitHub.
pub(crate) fn annotate(results: &Results) -> anyhow::Result<()> {
    if std::env::var_os("GITHUB_ACTIONS").is_none_or(|value| value != "true") {
        return Ok(());
    }
    output::text(annotations(results));
    if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(summary(results).as_bytes())?;
    }
    Ok(())
}

fn annotations(results: &Results) -> String {
    let bad: Vec<_> = results.cells().filter(|(_, cell)| cell.standing.is_bad()).collect();
    let mut text = String::new();
    for (row, cell) in bad.iter().take(ANNOTATIONS_MAX) {
        let lines = cell.whys.iter().flat_map(|why| &why.told).flat_map(|told| &told.made_by);
        let line = lines.filter_map(|(_, line)| *line).next().unwrap_or(1);
        // A shipped scenario is no file of the project.
        let place = match row.file.ends_with(".toml") {
            true => format!("file={},line={line},", property(&row.file)),
            false => String::new(),
        };
        let title = property(&format!("{} × {}", row.id, cell.harvester));
        let _ = writeln!(text, "::error {place}title={title}::{}", message(&cell.headline()));
    }
    if bad.len() > ANNOTATIONS_MAX {
        let rest = bad.len() - ANNOTATIONS_MAX;
        let _ = writeln!(
            text,
            "::error title=pmh prove::{rest} more failed: see the summary of the step"
        );
    }
    text
}

fn summary(results: &Results) -> String {
    let mut text = markdown(results);
    if text.len() > SUMMARY_BYTES_MAX {
        let mut end = SUMMARY_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str("\n\n… the rest is in the reports.\n");
    }
    text
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Cell, Row, Standing};
    use super::*;

    #[test]
    fn nine_are_annotated_and_the_tenth_counts_the_rest() {
        let row = |number: usize| Row {
            id: format!("a/{number}"),
            title: String::new(),
            kind: None,
            rules: Vec::new(),
            seed: 1,
            file: "mine, too.toml".to_owned(),
            cells: vec![Cell {
                harvester: "h".to_owned(),
                standing: Standing::Failed,
                failed: Vec::new(),
                text: "✖ nothing-lost\n 50% are missing\n".to_owned(),
                whys: Vec::new(),
                note: None,
                took: Duration::ZERO,
                again: String::new(),
                file: String::new(),
            }],
        };
        let results = |rows: usize| Results {
            harvesters: vec!["h".to_owned()],
            rows: (0..rows).map(row).collect(),
            took: Duration::ZERO,
        };
        let text = annotations(&results(12));
        assert_eq!(text.lines().count(), 10);
        assert!(text.starts_with(
            "::error file=mine%2C too.toml,line=1,title=a/0 × h::nothing-lost: 50%25 are missing\n"
        ), "{text}");
        assert!(text.ends_with("::3 more failed: see the summary of the step\n"), "{text}");
        assert_eq!(annotations(&results(9)).lines().count(), 9);
        assert!(summary(&results(6_000)).len() < 1 << 20);
    }
}
