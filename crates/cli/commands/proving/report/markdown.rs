//! Markdown: the matrix, and below it what failed.

use std::fmt::Write as _;

use super::super::{Results, Standing};

/// The report as Markdown.
pub(crate) fn markdown(results: &Results) -> String {
    let mut text = String::from("# Scenarios and harvesters\n\n");
    for harvester in &results.harvesters {
        let _ = writeln!(text, "- {}: {}", cell(harvester), results.counted(harvester));
    }
    text.push('\n');
    for (sign, word, what) in Standing::ALL_WORDS {
        let _ = writeln!(text, "{sign} *{word}*: {what}  ");
    }
    let names: Vec<String> = results.harvesters.iter().map(|name| cell(name)).collect();
    let _ = writeln!(text, "\n| scenario | {} | what happens |", names.join(" | "));
    let _ = writeln!(text, "|---|{}---|", "---|".repeat(names.len()));
    for row in &results.rows {
        let signs: Vec<&str> = row.cells.iter().map(|cell| cell.standing.sign()).collect();
        let _ =
            writeln!(text, "| {} | {} | {} |", cell(&row.id), signs.join(" | "), cell(&row.title));
    }
    for (row, one) in results.cells().filter(|(_, cell)| cell.standing.is_bad()) {
        let _ = writeln!(
            text,
            "\n<details><summary>{} × {}: {}</summary>\n\n````\n{}````\n\n</details>",
            super::escaped(&row.id),
            super::escaped(&one.harvester),
            super::escaped(&one.headline()),
            one.story()
        );
    }
    text
}

/// Text that cannot end a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
