//! Sweeps and failures as a user meets them.

use std::fs;

use super::pmh;

/// A harvester that keeps to the protocol fails this: nobody is refused.
const FAILS: &str = r#"
format = 1
title = "Somebody expects a refusal"
kind = "F002"
rules = [137]
repository.records.generate = { count = 30, deleted = 0.2 }
repository.page-size = 7
protocol.token = "opaque"
protocol.last-token = "blank"

[[fault]]
name = "the server fails"
when.page = 2
do.http.status = 500
times = 1

[[run]]
name = "harvest"
action = "harvest"
expect = { outcome = "refused" }

[[run]]
name = "again"
action = "incremental"
"#;

#[test]
fn a_failure_is_shrunk_written_and_confirmed_from_disk_in_both_arms() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("fails.toml"), FAILS).expect("a file");
    let ran = pmh(folder.path(), &["shrink", "fails.toml", "--out", "small/short.toml"]);
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    let confirmed =
        "confirmed from disk: fails in the pure arm, and 3 times of 3 in the loopback arm";
    assert!(ran.stderr.contains(confirmed), "{}", ran.stderr);
    let short =
        fs::read_to_string(folder.path().join("small/short.toml")).expect("what was written");
    assert!(!short.contains("[[fault]]") && short.matches("[[run]]").count() == 1, "{short}");
    assert!(short.contains("# as-expected: run `harvest`: expected outcome `refused`"), "{short}");
    // What was written is a scenario like any other, and fails like the one that it came from.
    let proved = pmh(folder.path(), &["prove", "small/short.toml"]);
    assert_eq!(proved.exit, 4, "{}{}", proved.stdout, proved.stderr);
}

#[test]
fn what_holds_is_not_shrunk_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let holds = FAILS.replace("expect = { outcome = \"refused\" }", "");
    fs::write(folder.path().join("holds.toml"), holds).expect("a file");
    let ran = pmh(folder.path(), &["shrink", "holds.toml"]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("there is nothing to shrink"), "{}", ran.stderr);
}

#[test]
fn a_sweep_says_what_it_played_and_what_plays_a_failure_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let size = ["--pages", "3", "--page-size", "2"];
    let sweep = ["sweep", "seeds", "--runs", "5", "--seed", "40"];
    let ran = pmh(folder.path(), &[&sweep[..], &size].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let said = "5 worlds from 40 on, of 3.0 pages and 6.0 records on average: 0 failures";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    let wrong = ["--specimen", "needs-last-token", "--runs", "200", "--out", "found"];
    let ran = pmh(folder.path(), &[&["sweep", "seeds"][..], &size, &wrong].concat());
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    let again = ran
        .stdout
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("again: pmh "))
        .expect("a command");
    assert!(
        again.ends_with("--runs 1 --pages 3 --page-size 2 --specimen needs-last-token"),
        "{again}"
    );
    let ran = pmh(folder.path(), &again.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(folder.path().join("found").is_dir());
}
