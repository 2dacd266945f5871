//! `pmh mock` as whoever asks it sees it.

use std::fs;
use std::time::{Duration, Instant};

use super::{Mock, pmh};

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
