//! TAP: a line for each, and what failed as a block below it.

use std::fmt::Write as _;

use super::super::{Results, Standing};

pub(super) fn tap(results: &Results) -> String {
    let mut text = format!("TAP version 14\n1..{}\n", results.cells().count());
    for (index, (row, cell)) in results.cells().enumerate() {
        let is_ok =
            !cell.standing.is_bad() && !matches!(cell.standing, Standing::KnownFailure { .. });
        let directive = match &cell.standing {
            Standing::KnownFailure { reason } => format!(" # TODO {}", line(reason)),
            Standing::LeftOut => format!(" # SKIP {}", line(&cell.text)),
            Standing::Vacuous => " # SKIP what was to go wrong did not happen".to_owned(),
            _ => String::new(),
        };
        let word = if is_ok { "ok" } else { "not ok" };
        // A hash would begin a directive.
        let name = format!("{} × {}", row.id, cell.harvester).replace('#', "\\#");
        let _ = writeln!(text, "{word} {} - {name}{directive}", index + 1);
        if cell.standing.is_bad() {
            text.push_str("  ---\n  story: |\n");
            for line in cell.story().lines() {
                let _ = writeln!(text, "    {line}");
            }
            text.push_str("  ...\n");
        }
    }
    text
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
