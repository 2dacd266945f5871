//! Every way of breaking the protocol, and the checks that tell of it.

use std::fs;
use std::path::Path;

use super::OF_MOCK;
use crate::support::{Mock, pmh, root};

/// The table that the examination in memory brings.
fn defects_and_checks() -> String {
    let path =
        "crates/pmh-check/tests/examination/defects/snapshots/examination__defects__defects.snap";
    fs::read_to_string(root().join(path)).expect("the table of defects and checks")
}

#[test]
fn a_defect_is_told_over_the_network_by_the_checks_that_tell_of_it_in_memory() {
    let names = ["gzip-forced", "page-gap", "responsedate-stale", "token-session-stateful"];
    let ran = pmh(Path::new("."), &[&["check", "defects"], &names[..]].concat());
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let table = defects_and_checks();
    for (name, line) in names.iter().zip(ran.stdout.lines()) {
        assert!(line.starts_with(name), "{line}");
        assert!(table.lines().any(|expected| expected == line), "{line}");
    }
    assert_eq!(ran.stdout.lines().count(), names.len());
    // What is no defect is told by no check.
    let ran = pmh(Path::new("."), &["check", "defects", "none"]);
    assert_eq!((ran.exit, ran.stdout.trim()), (0, "none"), "{}", ran.stderr);
    let ran = pmh(Path::new("."), &["check", "defects", "page-cap"]);
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("did you mean `page-gap`?"), "{}", ran.stderr);
}

#[test]
fn a_mock_has_every_defect_of_the_table_and_several_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = pmh(folder.path(), &["mock", "--defect", "list"]);
    let names: Vec<&str> = listed.stdout.lines().collect();
    let table = defects_and_checks();
    let expected: Vec<&str> =
        table.lines().skip(4).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, expected);
    let defects = ["--defect", "no-final-empty-token", "--defect", "error-unknown-code"];
    let mock = Mock::start(folder.path(), &defects);
    let ran = pmh(folder.path(), &[&["check", &mock.base_url], &OF_MOCK[..]].concat());
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    for said in ["fail paging.final-empty (must)", "fail errors.code-known (must)"] {
        assert!(ran.stdout.contains(said), "no `{said}` in {}", ran.stdout);
    }
    drop(mock);
    let mock = Mock::start(folder.path(), &["--defect", "none"]);
    let ran = pmh(folder.path(), &[&["check", &mock.base_url], &OF_MOCK[..]].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let requests = ran.stdout.lines().last().expect("a count").trim();
    let requests: u32 = requests.trim_end_matches(" requests").parse().expect("a count");
    assert!(requests < 250, "{requests}");
    for (arguments, said) in [
        (&["mock", "--defect", "no-such"][..], "`pmh mock --defect list` names them"),
        (&["mock", "--defect", "none", "--records", "3"], "cannot be used with"),
    ] {
        let ran = pmh(folder.path(), arguments);
        assert_eq!(ran.exit, 2, "{arguments:?}");
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    }
}
