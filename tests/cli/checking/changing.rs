//! A repository that is changed in the middle, because `--change` says how.

use std::fs;

use super::OF_MOCK;
use crate::support::{Mock, pmh, program};

/// A repository in which a record is withdrawn when somebody asks for one that never was.
const WITHDRAWS: &str = r#"
format = 1
title = "A record is withdrawn by a request"
rules = [24]
repository.records.generate = { count = 20 }
repository.page-size = 5

[[fault]]
name = "a record is withdrawn"
when = { verb = "GetRecord", args = { identifier = "oai:repository.example:withdraw" } }
do.repo.delete = [2]
times = 1

[[run]]
action = "harvest"
"#;

/// The line of this check in a verbose report, and the one below it.
fn told(report: &str, id: &str) -> String {
    let mut lines = report.lines().skip_while(|line| !line.contains(&format!(" {id} (")));
    lines.by_ref().take(2).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_withdrawal_by_the_command_decides_what_only_a_change_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("withdraws.toml"), WITHDRAWS).expect("a file");
    let mock = Mock::start(folder.path(), &["withdraws.toml"]);
    let check = |more: &[&str]| {
        let flags = [&["check", &mock.base_url, "--verbose"], &OF_MOCK[..], more].concat();
        let ran = pmh(folder.path(), &flags);
        assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
        ran
    };
    // Nobody said how to change it; a command that fails, and one that changes nothing.
    let ran = check(&[]);
    assert!(
        told(&ran.stdout, "deleted.datestamp").contains("nobody was told how"),
        "{}",
        ran.stdout
    );
    let ran = check(&["--change", "echo not for the report; exit 7"]);
    assert!(
        ran.stderr.contains("`--change`: the command ended with exit status: 7"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains("not for the report"), "standard output is for reports");
    let said = told(&ran.stdout, "deleted.datestamp");
    assert!(said.contains("the change deleted no record"), "{said}");
    // One that withdraws a record.
    let program = program();
    let withdraw = format!(
        "'{}' get {} oai:repository.example:withdraw || true",
        program.display(),
        mock.base_url
    );
    let ran = check(&["--change", &withdraw, "--record", "run"]);
    for id in ["deleted.datestamp", "paging.reissue-after-change"] {
        let said = told(&ran.stdout, id);
        assert!(said.starts_with(&format!("pass {id}")), "{said}{}", ran.stderr);
    }
    // Judged again, it is the same: the recording knows that it was changed, and when.
    drop(mock);
    let replayed = [&["check", "--replay", "run", "--verbose"], &OF_MOCK[..]].concat();
    let again = pmh(folder.path(), &replayed);
    assert_eq!((again.exit, again.stdout), (0, ran.stdout), "{}", again.stderr);
}
