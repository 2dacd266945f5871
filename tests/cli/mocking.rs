//! `pmh mock` as whoever asks it sees it.

use std::fs;
use std::time::{Duration, Instant};

use super::{Mock, pmh};
use crate::support::root;

#[test]
fn a_mock_logs_each_request_and_holds_each_answer_back() {
    let room = tempfile::tempdir().expect("a folder");
    let folder = room.path();
    let arguments = ["--records", "3", "--access-log", "access.log", "--delay", "150"];
    let mock = Mock::start(folder, &arguments);
    let began = Instant::now();
    let ran = pmh(folder, &["harvest", &mock.base_url]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    // Identify, ListMetadataFormats and one page.
    assert!(began.elapsed() >= Duration::from_millis(450), "{:?}", began.elapsed());
    let log = fs::read_to_string(folder.join("access.log")).expect("the log is there");
    let lines: Vec<_> = log.lines().collect();
    assert_eq!(lines.len(), 3, "{log}");
    for (line, verb) in lines.iter().zip(["Identify", "ListMetadataFormats", "ListRecords"]) {
        assert!(line.starts_with("127.0.0.1 - - ["), "{line}");
        assert!(line.contains(&format!("] \"GET /oai?verb={verb}")), "{line}");
        assert!(line.contains(" HTTP/1.1\" 200 ") && line.ends_with("\""), "{line}");
    }
    assert_eq!(mock.stop(), 0);
    assert!(!folder.join("port").exists(), "the port file goes with the mock");
}

#[test]
fn a_log_that_cannot_be_opened_is_a_matter_of_usage() {
    let room = tempfile::tempdir().expect("a folder");
    let ran = pmh(room.path(), &["mock", "--records", "3", "--access-log", "no/such/folder"]);
    assert_eq!(ran.exit, 2);
    assert!(
        ran.stderr.contains("failed to open the access log `no/such/folder`"),
        "{}",
        ran.stderr
    );
}

/// The fixture needs Python, which tests do not: its command is played here, and the fixture itself by `tests/peers/run.sh`.
#[test]
fn the_command_of_the_fixture_for_pytest_serves_and_writes_its_port() {
    let fixture = root().join("tests/peers/pytest/conftest.py");
    let fixture = fs::read_to_string(fixture).expect("the fixture is there");
    let (_, words) = fixture.split_once("Popen([\"pmh\", \"mock\", ").expect("its command");
    let (words, _) = words.split_once(']').expect("its end");
    let words: Vec<&str> = words.split(", ").map(|word| word.trim_start_matches('f')).collect();
    let [scenario, port_file] = words[..] else { panic!("two words: {words:?}") };
    assert_eq!(port_file, "\"--port-file={tmp_path}/port\"");
    let room = tempfile::tempdir().expect("a folder");
    // It sees to it that a line is printed once the port file is there.
    let mock = Mock::start(room.path(), &[scenario.trim_matches('"')]);
    let ran = pmh(room.path(), &["harvest", &mock.base_url]);
    assert_eq!(ran.exit, 4, "the example expects a list that ends early: {}", ran.stderr);
    assert_eq!(mock.stop(), 0);
}
