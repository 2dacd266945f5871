//! Single questions to a repository.

use std::fs;

use super::{Mock, ScriptServer, document, pmh, pmh_in};

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("one JSON object")
}

#[test]
fn a_repository_says_who_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "3"]);
    let ran = pmh(folder.path(), &["identify", &mock.base_url]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    for text in ["protocol    2.0", "datestamps  YYYY-MM-DD", "deletions   persistent"] {
        assert!(ran.stdout.contains(text), "no `{text}` in {}", ran.stdout);
    }
    let said = json(&pmh(folder.path(), &["identify", &mock.base_url, "--json"]).stdout);
    assert_eq!(said["protocol_version"].as_str(), Some("2.0"));
    let asked = fs::read_to_string(folder.path().join("journal.ndjson")).expect("a journal");
    assert_eq!(asked.matches("\"Identify\"").count(), 2, "one request each: {asked}");
    assert!(!folder.path().join("pmh.sqlite").exists(), "asking stores nothing");
}

#[test]
fn formats_are_listed_for_all_and_for_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "3"]);
    let all = pmh(folder.path(), &["formats", &mock.base_url]);
    assert_eq!((all.exit, all.stdout.lines().count()), (0, 1), "{}{}", all.stdout, all.stderr);
    assert!(all.stdout.starts_with("oai_dc  "), "{}", all.stdout);
    let one = ["formats", &mock.base_url, "oai:repository.example:000002", "--json"];
    assert_eq!(
        json(&pmh(folder.path(), &one).stdout)["namespace"].as_str(),
        Some("http://www.openarchives.org/OAI/2.0/oai_dc/")
    );
    let none = pmh(folder.path(), &["formats", &mock.base_url, "oai:nobody"]);
    assert_eq!(none.exit, 4, "{}{}", none.stdout, none.stderr);
    assert!(none.stderr.contains("idDoesNotExist"), "{}", none.stderr);
}

#[test]
fn a_record_is_printed_as_xml_and_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "3"]);
    let identifier = "oai:repository.example:000002";
    let xml = pmh(folder.path(), &["get", &mock.base_url, identifier]);
    assert_eq!(xml.exit, 0, "{}", xml.stderr);
    assert!(xml.stdout.starts_with("<oai_dc:dc"), "{}", xml.stdout);
    let said = json(&pmh(folder.path(), &["get", &mock.base_url, identifier, "--json"]).stdout);
    assert_eq!(said["identifier"].as_str(), Some(identifier));
    assert_eq!(said["payload"].as_str(), Some(xml.stdout.trim_end_matches('\n')));
    assert_eq!(said["deleted"].as_bool(), Some(false));
}

#[test]
fn a_record_that_is_not_there_is_answered_with_four_and_a_wrong_format_with_three() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "3"]);
    let ran = pmh(folder.path(), &["get", &mock.base_url, "oai:nobody"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (4, ""));
    assert!(ran.stderr.contains("answered `idDoesNotExist`"), "{}", ran.stderr);
    let identifier = "oai:repository.example:000002";
    let ran = pmh(folder.path(), &["get", &mock.base_url, identifier, "--prefix", "marc21"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("answered `cannotDisseminateFormat`"), "{}", ran.stderr);
}

/// Three sets, two on a page.
const SETS: &str = r#"
format = 1
title = "A repository with sets"
kind = "F002"
rules = [137]
repository.records.generate = { count = 6 }
repository.sets = ["art", "maps", "maps:old"]
repository.page-size = 2

[[run]]
action = "harvest"
"#;

#[test]
fn sets_are_listed_and_their_lack_is_no_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "3"]);
    let none = pmh(folder.path(), &["sets", &mock.base_url]);
    assert_eq!((none.exit, none.stdout.as_str()), (0, ""), "{}", none.stderr);
    assert!(none.stderr.contains("no sets"), "{}", none.stderr);
    drop(mock);
    fs::write(folder.path().join("sets.toml"), SETS).expect("a file");
    let mock = Mock::start(folder.path(), &["sets.toml"]);
    let listed = pmh(folder.path(), &["sets", &mock.base_url]);
    assert_eq!(listed.exit, 0, "{}", listed.stderr);
    let specs: Vec<&str> =
        listed.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(specs, ["art", "maps", "maps:old"]);
}

#[test]
fn what_cannot_be_asked_is_answered_with_three() {
    let folder = tempfile::tempdir().expect("a folder");
    // Nobody listens on port 1.
    let nobody = "http://127.0.0.1:1/oai";
    for command in [
        &["identify", nobody][..],
        &["sets", nobody],
        &["formats", nobody],
        &["get", nobody, "oai:x"],
    ] {
        let ran = pmh(folder.path(), command);
        assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("no OAI-PMH answer: no connection"), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("hint: check scheme, host and port of the base URL"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_repository_of_the_environment_leaves_the_record_to_be_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "3"]);
    let record = "oai:repository.example:000001";
    let environment = [("OAI_BASE_URL", mock.base_url.as_str())];
    for command in [&["get", record, "--json"][..], &["formats", record], &["formats"]] {
        let ran = pmh_in(folder, &environment, command);
        assert_eq!(ran.exit, 0, "{command:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("oai_dc"), "{}", ran.stdout);
    }
    let unknown = pmh_in(folder, &environment, &["formats", "oai:repository.example:none"]);
    assert_eq!(unknown.exit, 4, "{}{}", unknown.stdout, unknown.stderr);
    // A URL is a repository, whatever the environment names.
    let other = pmh_in(folder, &environment, &["formats", "http://127.0.0.1:1/oai"]);
    assert_eq!(other.exit, 3, "{}{}", other.stdout, other.stderr);
    let alone = pmh(folder, &["get", record]);
    assert_eq!(alone.exit, 2, "{}{}", alone.stdout, alone.stderr);
    assert!(alone.stderr.contains("set OAI_BASE_URL"), "{}", alone.stderr);
}

#[test]
fn the_hint_fits_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let answer = |status: &str, fields: &str| {
        format!("HTTP/1.1 {status}\r\nConnection: close\r\n{fields}Content-Length: 2\r\n\r\nno")
    };
    for (status, fields, hint) in [
        ("500 Broken", "", "hint: the server failed"),
        ("404 Not Found", "", "hint: check the base URL"),
        ("200 OK", "Content-Encoding: gzip\r\n", "hint: the answer was damaged"),
        (
            "302 Found",
            "Location: /oai\r\n",
            "hint: ask for the base URL that the repository has now",
        ),
    ] {
        let answer = answer(status, fields);
        let server = ScriptServer::start(move |_| answer.clone());
        let ran = pmh(folder.path(), &["identify", &server.base_url()]);
        assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(hint), "no `{hint}` in {}", ran.stderr);
    }
}

#[test]
fn what_a_repository_says_stays_on_its_line_and_turns_nothing_round() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = "<error code=\"badArgument\">first\nsecond \u{202E}line</error>";
    let server = ScriptServer::start(move |_| document(error));
    let ran = pmh(folder.path(), &["identify", &server.base_url()]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("first second \u{FFFD}line\n"), "{}", ran.stderr);
}
