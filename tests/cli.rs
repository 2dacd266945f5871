//! The program as a user meets it: words, exit codes, and one golden run of every command.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::program;

/// What a command printed and how it ended.
struct Ran {
    exit: i32,
    stdout: String,
    stderr: String,
}

fn pmh(folder: &Path, arguments: &[&str]) -> Ran {
    let Output { status, stdout, stderr } = Command::new(program())
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    Ran {
        exit: status.code().expect("it ends by itself"),
        stdout: text(stdout),
        stderr: text(stderr),
    }
}

/// A mock that is stopped when the test is over.
struct Mock {
    child: Child,
    base_url: String,
}

impl Mock {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(program())
            .arg("mock")
            .args(arguments)
            .args(["--port-file", "port", "--journal", "journal.ndjson"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the mock starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
        let base_url = line.trim().strip_prefix("listening on ").expect("an address").to_owned();
        let port = fs::read_to_string(folder.join("port")).expect("the port file is there by now");
        assert_eq!(
            base_url,
            format!("http://127.0.0.1:{port}/oai"),
            "the port file holds the bare number"
        );
        Self { child, base_url }
    }

    /// Asks for an orderly end; how it ended.
    fn stop(mut self) -> i32 {
        let id = i32::try_from(self.child.id()).expect("a process id");
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGTERM)
            .expect("it is running");
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(10) {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code().expect("it ends by itself");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the mock does not stop");
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_repository_is_harvested_looked_at_and_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "45", "--page-size", "20"]);

    let first = pmh(folder, &["harvest", &mock.base_url]);
    assert_eq!(first.exit, 0, "{}{}", first.stdout, first.stderr);
    assert!(first.stdout.starts_with("complete: 45 records on 3 pages"), "{}", first.stdout);
    assert!(first.stdout.contains("45 new"), "{}", first.stdout);

    let second = pmh(folder, &["harvest", &mock.base_url, "--json"]);
    let said: serde_json::Value = serde_json::from_str(&second.stdout).expect("one JSON object");
    assert_eq!((said["outcome"].as_str(), said["new"].as_u64()), (Some("complete"), Some(0)));

    let status = pmh(folder, &["status"]);
    assert_eq!(status.exit, 0);
    assert!(status.stdout.contains("45 live records"), "{}", status.stdout);
    assert!(status.stdout.contains("complete up to 2025-01-01T"), "{}", status.stdout);

    let export = pmh(folder, &["export", "--format", "jsonl"]);
    assert_eq!((export.exit, export.stdout.lines().count()), (0, 45));
    let line: serde_json::Value =
        serde_json::from_str(export.stdout.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line["identifier"].as_str(), Some("oai:repository.example:000001"));
    assert!(line["payload"].as_str().is_some_and(|payload| payload.starts_with("<oai_dc:dc")));

    let journal =
        fs::read_to_string(folder.join("journal.ndjson")).expect("the mock wrote its journal");
    assert!(journal.lines().count() >= 5, "{journal}");
    assert_eq!(mock.stop(), 0);
}

#[test]
fn a_store_answers_the_questions_people_ask_it_in_sql() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "7"]);
    assert_eq!(pmh(folder.path(), &["harvest", &mock.base_url]).exit, 0);
    let store = rusqlite::Connection::open(folder.path().join("pmh.sqlite")).expect("it is SQLite");
    let (last_ts, token, errors): (String, Option<String>, u32) = store
        .query_row("SELECT last_ts, token, errors FROM state;", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .expect("the view is there");
    assert_eq!((last_ts.as_str(), token, errors), ("2025-01-01T00:00:01Z", None, 0));
    let count: u32 = store
        .query_row(
            "SELECT count(*) FROM catalog_record WHERE harvested_at >= '2026-07-01';",
            [],
            |row| row.get(0),
        )
        .expect("the view is there");
    assert_eq!(count, 7);
}

#[test]
fn an_unfinished_harvest_says_why_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["token/ends-early"]);
    let ran = pmh(folder.path(), &["harvest", &mock.base_url]);
    assert_eq!(ran.exit, 4);
    for text in ["incomplete: the list ended after", "short-list", "blame: repository", "hint:"] {
        assert!(ran.stdout.contains(text), "no `{text}` in {}", ran.stdout);
    }
}

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

/// Waits until `is_true`, and says what did not happen.
#[track_caller]
fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_signal_ends_a_harvest_in_order_and_the_next_run_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "400", "--page-size", "4"]);
    // A pause makes the harvest last long enough to be interrupted.
    let mut harvest = Command::new(program())
        .args(["harvest", &mock.base_url, "--pause", "0.05", "--json"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let journal = || fs::read_to_string(folder.join("journal.ndjson")).unwrap_or_default();
    wait_until("the fifth page", || journal().lines().count() > 6);
    let id = i32::try_from(harvest.id()).expect("a process id");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGTERM)
        .expect("it is running");
    let mut status = None;
    wait_until("the end of the harvest", || {
        status = harvest.try_wait().expect("it can be waited for");
        status.is_some()
    });
    assert_eq!(status.and_then(|status| status.code()), Some(4));
    let said: serde_json::Value =
        serde_json::from_reader(harvest.stdout.take().expect("a pipe")).expect("one JSON object");
    assert_eq!(
        (said["outcome"].as_str(), said["reason"].as_str()),
        (Some("incomplete"), Some("stopped"))
    );
    let pages = said["pages"].as_u64().expect("a number");
    assert!((1..100).contains(&pages), "stopped after {pages} of 100 pages");

    let resumed = pmh(folder, &["harvest", &mock.base_url, "--json"]);
    let said: serde_json::Value = serde_json::from_str(&resumed.stdout).expect("one JSON object");
    assert_eq!(
        (said["outcome"].as_str(), said["distinct"].as_u64()),
        (Some("complete"), Some(400))
    );
    // Identify, and every page that was still missing, once.
    assert_eq!(said["requests"].as_u64(), Some(1 + 100 - pages));
}

#[test]
fn a_second_run_on_a_key_is_told_who_holds_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "400", "--page-size", "4"]);
    let mut first = Command::new(program())
        .args(["harvest", &mock.base_url, "--pause", "0.05", "--json"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    wait_until("the store", || folder.path().join("pmh.sqlite").exists());
    wait_until("the first page", || {
        fs::read_to_string(folder.path().join("journal.ndjson")).unwrap_or_default().lines().count()
            > 2
    });
    let second = pmh(folder.path(), &["harvest", &mock.base_url]);
    drop(first.kill());
    drop(first.wait());
    assert_eq!(second.exit, 3, "{}{}", second.stdout, second.stderr);
    assert!(second.stderr.contains(&format!("process `{}`", first.id())), "{}", second.stderr);
    assert!(second.stderr.contains("hint:"), "{}", second.stderr);
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
        &["harvest", "http://127.0.0.1:1/oai", "--from", "yesterday"],
        2,
        "found `yesterday`",
    );
    check_error(
        &["harvest", "http://127.0.0.1:1/oai", "--from", "2024-02-01", "--until", "2024-01-01"],
        2,
        "is later than",
    );
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
fn an_unreachable_repository_is_answered_with_three() {
    let folder = tempfile::tempdir().expect("a folder");
    // Nobody listens on port 1.
    let ran = pmh(folder.path(), &["harvest", "http://127.0.0.1:1/oai", "--wait-scale", "0"]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("refused: no OAI-PMH answer: no connection"), "{}", ran.stdout);
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
fn scenarios_are_shown_checked_and_described() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = pmh(folder.path(), &["scenario", "show", "healthy/pages"]);
    assert_eq!(shown.exit, 0, "{}", shown.stderr);
    assert!(shown.stdout.contains("page-size = 20"), "{}", shown.stdout);
    // What is shown is itself a scenario, and proves the same.
    fs::write(folder.path().join("shown.toml"), &shown.stdout).expect("a file");
    assert_eq!(pmh(folder.path(), &["prove", "shown.toml", "--arm", "pure"]).exit, 0);
    let schema = pmh(folder.path(), &["scenario", "schema"]);
    let schema: serde_json::Value = serde_json::from_str(&schema.stdout).expect("a JSON Schema");
    assert!(schema["properties"]["repository"].is_object());
    let lint = pmh(folder.path(), &["scenario", "lint"]);
    assert_eq!(lint.exit, 0, "{}", lint.stderr);
    assert!(lint.stdout.contains("0 wrong, 0 warnings"), "{}", lint.stdout);
}

#[test]
fn help_names_every_command_and_exit_code() {
    let help = pmh(Path::new("."), &["--help"]).stdout;
    for word in
        ["prove", "mock", "harvest", "status", "export", "scenario", "Exit codes:", "vacuous"]
    {
        assert!(help.contains(word), "no `{word}` in {help}");
    }
}
