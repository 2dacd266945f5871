//! What is not as it should be: the right exit code, a clear error, and nothing left behind.

use std::fs;
use std::process::{Command, Stdio};

use super::pmh;
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
