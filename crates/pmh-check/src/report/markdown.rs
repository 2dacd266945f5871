//! For the summary page of a pipeline.

use std::fmt::Write as _;

use super::{counts, place, sentence};
use crate::outcome::{Examined, Verdict};

/// The report as Markdown: the verdict, the counts, and a table of what is not as it should be.
#[must_use]
pub fn markdown(examined: &Examined) -> String {
    let mut out = format!(
        "## OAI-PMH: {}\n\n`{}` · {} · {} requests\n",
        examined.conformance(),
        examined.options.base_url,
        counts(examined).join(" · "),
        examined.exchanges.len(),
    );
    let is_told =
        |verdict| matches!(verdict, Verdict::Fail | Verdict::Warn | Verdict::Inconclusive);
    let told: Vec<_> = examined.outcomes.iter().filter(|each| is_told(each.verdict)).collect();
    if told.is_empty() {
        return out;
    }
    out.push_str("\n| verdict | check | level | what |\n|---|---|---|---|\n");
    for outcome in told {
        let expected = if outcome.is_expected { " (expected)" } else { "" };
        let what = match outcome.findings.first() {
            Some(first) => format!("{} ({})", sentence(first), place(first)),
            None => outcome.reason.clone().unwrap_or_default(),
        };
        let _ = writeln!(
            out,
            "| {}{expected} | `{}` | {} | {} |",
            outcome.verdict.as_str(),
            outcome.check.id,
            outcome.check.level.as_str(),
            cell(&what)
        );
    }
    out
}

/// Text that stays inside a cell of a table, and that is no markup of its own: a repository is quoted in it.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '\\' | '[' | ']' | '!' | '*' | '_' => {
                out.push('\\');
                out.push(character);
            }
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\n' | '\r' => out.push(' '),
            plain => out.push(plain),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn what_a_repository_says_stays_in_its_cell() {
        assert_eq!(cell("a|b\n<img> [x](y)"), "a\\|b &lt;img> \\[x\\](y)");
    }
}
