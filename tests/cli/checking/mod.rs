//! `pmh check`: repositories examined.

mod baseline; // failures that are known
mod changing; // a repository that is changed on purpose
mod defects; // which check tells of which defect
mod hostile; // servers that mean no good
mod recording; // exchanges that are judged again
mod reporting; // reports to where they belong
mod usage; // what was typed wrongly
mod verdict; // what a repository is told

/// Flags for the mock, which calls itself by another name and lives in another year.
const OF_MOCK: [&str; 4] =
    ["--base-url-alias", "http://repository.example/oai", "--clock-skew", "any"];

/// A repository with one thing wrong: the last page has no token.
const NO_FINAL_TOKEN: &str = r#"
format = 1
title = "The last page has no token"
kind = "F007"
rules = [137]
repository.records.generate = { count = 20 }
repository.page-size = 5
protocol.last-token = "absent"

[[run]]
action = "harvest"
"#;
