//! What is said about a scenario file that cannot be meant.

mod faults; // where nothing can happen
mod names; // of things that are not there
mod replies; // word for word
mod repository; // what it cannot hold
mod runs; // and their ends
mod shape; // what is no scenario

use pmh_scenario::{Finding, Severity, Vocabulary, load, render_findings};

const KNOWN: Vocabulary<'_> = Vocabulary {
    specimens: &["never-counts", "insert-not-upsert"],
    guards: &["short-list", "no-progress"],
    outcomes: &["complete", "incomplete", "refused"],
};

/// All findings of a file, warnings of a sound one too.
fn findings(text: &str) -> Vec<Finding> {
    load("token/x", text, &KNOWN).map_or_else(|findings| findings, |loaded| loaded.warnings)
}

fn rendered(text: &str) -> String {
    render_findings("scenarios/token/x.toml", text, &findings(text), false)
}

/// Place, severity and message of each finding in a file that has a good beginning.
fn check(text: &str, expected: &[&str]) {
    check_whole(
        &format!("format = 1\ntitle = \"t\"\nkind = \"F001\"\nrules = [136]\n{text}"),
        expected,
    );
}

fn check_whole(text: &str, expected: &[&str]) {
    let found: Vec<String> = findings(text)
        .iter()
        .map(|finding| {
            let severity = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            format!("{}:{} {severity}: {}", finding.line, finding.column, finding.message)
        })
        .collect();
    assert_eq!(found, expected, "in\n{text}");
}
