//! Scenarios as a user meets them.

use std::fs;

use super::pmh;

#[test]
fn the_shipped_scenarios_are_proved_from_the_binary() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = pmh(folder.path(), &["prove", "--arm", "pure"]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("token/"), "{}", ran.stdout);
    let last = ran.stdout.lines().last().expect("a summary");
    assert!(
        last.contains("scenarios: ") && last.contains(" held · wrong harvesters caught "),
        "{last}"
    );
}

#[test]
fn shipped_scenarios_are_played_by_name_and_by_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let count = |name: &str| {
        let ran = pmh(folder.path(), &["prove", name, "--arm", "pure"]);
        assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
        ran.stdout.lines().filter(|line| line.contains('●')).count()
    };
    assert_eq!(count("token/ring"), 1);
    assert!(count("token/") > 5);
    let wrong = pmh(folder.path(), &["prove", "token/rng"]);
    assert_eq!(wrong.exit, 2);
    assert!(wrong.stderr.contains("did you mean the shipped `token/ring`?"), "{}", wrong.stderr);
    let listed = pmh(folder.path(), &["scenario", "list"]);
    assert!(listed.stdout.contains("token/ring "), "{}", listed.stdout);
}

#[test]
fn the_scenario_in_the_readme_holds_as_it_is_printed() {
    let readme = fs::read_to_string(crate::support::root().join("README.md")).expect("README.md");
    let block = readme
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("a scenario in the README");
    check_proof(block, 0, &["● mine", "1 held"]);
}

/// A scenario file of our own in an empty folder, and how `prove` takes it.
#[track_caller]
fn check_proof(text: &str, exit: i32, said: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mine.toml"), text).expect("a file");
    let ran = pmh(folder.path(), &["prove", "mine.toml", "--arm", "pure"]);
    assert_eq!(ran.exit, exit, "{}{}", ran.stdout, ran.stderr);
    for text in said {
        assert!(
            ran.stdout.contains(text) || ran.stderr.contains(text),
            "no `{text}` in\n{}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

const HEALTHY: &str = r#"
format = 1
title = "A list of three pages"
kind = "F002"
rules = [137]
repository.records.generate = { count = 6 }
repository.page-size = 2
"#;

#[test]
fn a_failed_expectation_is_answered_with_four() {
    let text = format!(
        "{HEALTHY}\n[[run]]\nname = \"only\"\naction = \"harvest\"\nexpect = {{ outcome = \"incomplete\" }}\n"
    );
    check_proof(&text, 4, &["✖", "expected", "1 failed"]);
}

#[test]
fn a_fault_that_never_fires_is_answered_with_five() {
    let text = format!(
        "{HEALTHY}\n[[fault]]\nname = \"never\"\nwhen = {{ page = 2, attempt = 9 }}\ndo.token = \"expire\"\n\n[[run]]\nname = \"only\"\naction = \"harvest\"\nexpect = {{ outcome = \"complete\" }}\n"
    );
    check_proof(&text, 5, &["◌", "never", "1 vacuous"]);
}

#[test]
fn a_specimen_that_gets_through_is_answered_with_four() {
    let text = format!(
        "catches = [\"inserts-tombstones\"]\n{HEALTHY}\n[[run]]\nname = \"only\"\naction = \"harvest\"\nexpect = {{ outcome = \"complete\" }}\n"
    );
    check_proof(&text, 4, &["`inserts-tombstones` got through"]);
}

#[test]
fn a_wrong_file_is_answered_with_two_and_a_caret_under_the_word() {
    let text = HEALTHY.replace("page-size", "page-sise");
    check_proof(&text, 2, &["mine.toml:7:12", "page-sise", "^^^", "did you mean `page-size`?"]);
}

#[test]
fn scenarios_are_shown_checked_and_described() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = pmh(folder.path(), &["scenario", "show", "healthy/pages"]);
    assert_eq!(shown.exit, 0, "{}", shown.stderr);
    assert!(shown.stdout.contains("page-size = 20"), "{}", shown.stdout);
    // What is shown is itself a scenario, and proves the same.
    fs::write(folder.path().join("shown.toml"), &shown.stdout).expect("a file");
    assert_eq!(pmh(folder.path(), &["prove", "shown.toml", "--arm", "pure"]).exit, 0);
    let source = pmh(folder.path(), &["scenario", "show", "--source", "token/expires"]);
    let written = include_str!("../../scenarios/token/expires.toml");
    let fourth = written.lines().nth(3).expect("a fourth line");
    assert!(source.stdout.contains(&format!("   4  {fourth}\n")), "{}", source.stdout);
    let schema = pmh(folder.path(), &["scenario", "schema"]);
    let schema: serde_json::Value = serde_json::from_str(&schema.stdout).expect("a JSON Schema");
    assert!(schema["properties"]["repository"].is_object());
    let lint = pmh(folder.path(), &["scenario", "lint"]);
    assert_eq!(lint.exit, 0, "{}", lint.stderr);
    assert!(lint.stdout.contains("0 wrong, 0 warnings"), "{}", lint.stdout);
}

#[test]
fn the_kill_matrix_and_the_coverage_are_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = pmh(folder.path(), &["prove", "--specimens", "healthy/pages"]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let row = ran.stdout.lines().find(|line| line.starts_with("healthy/pages")).expect("a row");
    assert!(row.contains('●') && !row.contains('✖'), "{row}");
    let ran = pmh(folder.path(), &["scenario", "coverage", "token/ring"]);
    assert!(ran.stdout.starts_with("● F025  tokens form a ring: token/ring\n"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("1 of 175 kinds, 2 of 272 rules\n"), "{}", ran.stdout);
}
