//! What is not as it should be: the right exit code, a clear error, and nothing left behind.

use std::fs;
use std::process::{Command, Stdio};

use super::{pmh, pmh_in};
use crate::support::program;

/// Arguments, the exit code, and what standard error must say.
#[track_caller]
fn check_error(arguments: &[&str], exit: i32, said: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = pmh(folder.path(), arguments);
    assert_eq!(ran.exit, exit, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(said), "no `{said}` in {}", ran.stderr);
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert!(left.is_empty(), "a usage error left {left:?} behind");
}

#[test]
fn bad_input_is_usage_and_leaves_nothing_behind() {
    check_error(&[], 2, "Usage");
    check_error(&["harvest"], 2, "<BASE_URL>");
    for wrong in
        ["example.org/oai", "http://", "http://[", "http://h:99999/", "http://h/oai#x", "file:///x"]
    {
        check_error(&["harvest", wrong], 2, "expected a base URL such as");
    }
    check_error(
        &["harvest", "http://127.0.0.1:1/oai?verb=Identify"],
        2,
        "expected a base URL without arguments of OAI-PMH, found `verb` in it",
    );
    check_error(
        &["harvest", "http://127.0.0.1:1/oai", "--from", "yesterday"],
        2,
        "found `yesterday`",
    );
    check_error(
        &["harvest", "http://127.0.0.1:1/oai", "--from", "2024-02-01", "--until", "2024-01-01"],
        2,
        "is later than",
    );
    check_error(
        &["harvest", "http://127.0.0.1:1/oai", "--full", "--from", "2024-01-01"],
        2,
        "--from",
    );
    check_error(&["harvest", "http://127.0.0.1:1/oai", "--prefix", ""], 2, "is empty");
    check_error(&["identify", "example.org"], 2, "expected a base URL such as");
    check_error(&["status"], 2, "pmh.sqlite");
    check_error(&["export"], 2, "pmh.sqlite");
    check_error(&["prove", "no-such-file.toml"], 2, "no-such-file.toml");
    check_error(&["mock"], 2, "--records");
    check_error(&["mock", "--records", "1", "--listen", "0.0.0.0"], 2, "--allow-remote");
    check_error(
        &["harvest", "http://127.0.0.1:1/oai", "--store", "nowhere/pmh.sqlite"],
        2,
        "nowhere",
    );
    check_error(&["harvest", "http://127.0.0.1:1/oai", "--store", ":memory:"], 2, ":memory:");
    check_error(&["harvest", "http://127.0.0.1:1/oai", "--store", "."], 2, "it is a folder");
}

#[test]
fn a_date_that_is_none_is_usage() {
    for (date, said) in [
        ("2024-02-30", "expected a day and time that there are"),
        ("2024-05-01T12:00:60Z", "expected a day and time that there are"),
        ("9999-12-31", "before 9999-12-30, found `9999-12-31`"),
        ("9999-12-30", "before 9999-12-30, found `9999-12-30`"),
        ("2024-5-1", "expected `YYYY-MM-DD`"),
    ] {
        check_error(&["harvest", "http://127.0.0.1:1/oai", "--until", date], 2, said);
    }
}

#[test]
fn a_number_that_is_none_is_usage_and_says_what_is_expected() {
    for (flag, number, said) in [
        ("--limit", "x", "expected a whole number, 1 or more"),
        ("--limit", "-1", "expected a whole number, 1 or more"),
        ("--pause", "-1", "expected seconds between 0 and 3600"),
        ("--timeout-page", "-1", "expected seconds, more than 0"),
        ("--max-duration", "-0.5", "expected seconds, more than 0"),
        ("--max-page-bytes", "64 pages", "expected bytes, such as `1000000` or `64MiB`"),
        ("--disk-floor", "-1", "expected a whole number of MiB"),
    ] {
        check_error(&["harvest", "http://127.0.0.1:1/oai", flag, number], 2, said);
    }
}

#[test]
fn a_variable_that_is_empty_or_no_text_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = pmh_in(folder.path(), &[("HARVEST_STATE_DB", "")], &["status"]);
    assert_eq!(ran.exit, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("unset HARVEST_STATE_DB"), "{}", ran.stderr);
}

#[test]
fn a_file_that_is_no_store_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("letters.txt");
    fs::write(
        &path,
        "Dear Sir or Madam, this is long enough to be taken for a database header.\n".repeat(20),
    )
    .expect("a file");
    let before = fs::read(&path).expect("the file");
    for command in [&["harvest", "http://127.0.0.1:1/oai"][..], &["status"], &["export"]] {
        let mut arguments = command.to_vec();
        arguments.extend(["--store", "letters.txt"]);
        let ran = pmh(folder.path(), &arguments);
        assert_eq!(ran.exit, 2, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("letters.txt"), "{}", ran.stderr);
    }
    assert_eq!(fs::read(&path).expect("the file"), before);
}

#[test]
fn output_that_cannot_be_written_is_our_fault() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let status = Command::new(program())
        .args(["scenario", "schema"])
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .expect("it starts");
    assert_eq!(status.code(), Some(1));
}
