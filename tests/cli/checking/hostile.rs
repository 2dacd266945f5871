//! Servers that mean no good, and secrets that are none of their business.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::OF_MOCK;
use crate::cli::wait_until;
use crate::support::{Mock, ScriptServer, pmh, program};

#[test]
fn what_cannot_be_tested_is_answered_with_three_and_nothing_selected_with_five() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = pmh(folder.path(), &["check", "http://127.0.0.1:1/oai", "--report", "monitor"]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.starts_with("UNKNOWN: not tested"), "{}", ran.stdout);
    let none = ["check", "http://127.0.0.1:1/oai", "--select", "xml", "--exclude", "xml"];
    assert_eq!(pmh(folder.path(), &none).exit, 5);
}

#[test]
fn an_answer_that_is_too_large_is_refused_and_told() {
    let server = ScriptServer::start(|_| {
        "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\nConnection: close\r\n\r\n<?xml".into()
    });
    let folder = tempfile::tempdir().expect("a folder");
    let ran = pmh(folder.path(), &["check", &server.base_url()]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("larger than allowed"), "{}", ran.stdout);
    assert!(server.heads().len() <= 2, "asking again does not help");
}

#[test]
fn secrets_go_to_the_repository_and_nowhere_else() {
    let elsewhere = ScriptServer::start(|_| "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".into());
    let target = elsewhere.base_url().replace("127.0.0.1", "localhost");
    let server = ScriptServer::start(move |_| {
        format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\nConnection: close\r\n\r\n")
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base_url = server.base_url();
    let flags = [
        "check",
        &base_url,
        "--header",
        "X-Api-Key: s3cret",
        "--record",
        "run",
        "--report",
        "json",
    ];
    let ran = pmh(folder.path(), &flags);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(server.heads().iter().all(|head| head.contains("x-api-key: s3cret")));
    assert!(!elsewhere.heads().is_empty(), "it was followed");
    assert!(!elsewhere.heads().iter().any(|head| head.contains("s3cret")));
    assert!(!ran.stdout.contains("s3cret"));
    for entry in fs::read_dir(folder.path().join("run")).expect("a recording") {
        let text = fs::read(entry.expect("a file").path()).expect("a file");
        assert!(!String::from_utf8_lossy(&text).contains("s3cret"));
    }
}

#[test]
fn a_server_that_never_ends_its_answer_is_left_when_the_time_of_the_run_is_over() {
    // The connection is kept open for longer than the test may take.
    let silent = ScriptServer::start(|_| {
        std::thread::sleep(Duration::from_secs(60));
        String::new()
    });
    let folder = tempfile::tempdir().expect("a folder");
    let began = Instant::now();
    let flags = ["check", &silent.base_url(), "--max-duration", "1", "--record", "run"];
    let ran = pmh(folder.path(), &flags);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("`--max-duration` allows more"), "{}", ran.stdout);
    assert_eq!(silent.heads().len(), 1, "nothing is asked when the time is over");
    let again = pmh(folder.path(), &["check", "--replay", "run", "--max-duration", "1"]);
    assert_eq!((again.exit, again.stdout), (3, ran.stdout), "{}", again.stderr);
}

#[test]
fn a_run_that_is_stopped_says_that_it_is_not_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "5"]);
    let base_url = mock.base_url.as_str();
    let arguments = ["check", base_url, "--pause", "600", "--report", "monitor"];
    let child = Command::new(program())
        .args(arguments)
        .args(OF_MOCK)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    wait_until("the first request", || {
        let journal = fs::read_to_string(folder.path().join("journal.ndjson"));
        journal.is_ok_and(|text| text.contains("Identify"))
    });
    // It waits for its pause by then, or soon.
    let id = i32::try_from(child.id()).expect("a process id");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGTERM)
        .expect("it is running");
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert_eq!(status.code(), Some(3), "{stdout}{stderr}");
    assert!(stdout.starts_with("UNKNOWN: not tested"), "{stdout}");
    assert!(stderr.contains("what was not asked is skipped"), "{stderr}");
}
