//! `pmh check`: repositories examined.

use std::fs;
use std::path::Path;

use super::{Mock, ScriptServer, pmh, pmh_in};
use crate::support::root;

/// Flags for the mock, which calls itself by another name and lives in another year.
const OF_MOCK: [&str; 4] =
    ["--base-url-alias", "http://repository.example/oai", "--clock-skew", "any"];

/// A repository with one thing wrong: the last page has no token.
const NO_FINAL_TOKEN: &str = r#"
format = 1
title = "The last page has no token"
kind = "F007"
rules = [137]
repository.records.generate = { count = 20 }
repository.page-size = 5
protocol.last-token = "absent"

[[run]]
action = "harvest"
"#;

#[test]
fn a_repository_without_fault_conforms_and_one_with_a_fault_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "40", "--page-size", "10"]);
    let ran = pmh(folder.path(), &[&["check", &mock.base_url], &OF_MOCK[..]].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains(": conformant, as far as it was tested"), "{}", ran.stdout);
    drop(mock);
    fs::write(folder.path().join("wrong.toml"), NO_FINAL_TOKEN).expect("a file");
    let mock = Mock::start(folder.path(), &["wrong.toml"]);
    let ran = pmh(folder.path(), &[&["check", &mock.base_url], &OF_MOCK[..]].concat());
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    for said in [
        "fail paging.final-empty (must)",
        "expected an empty resumptionToken at the end, found no such element",
        "curl -sS 'http://127.0.0.1:",
        "rule 137 (MUST)",
        "openarchivesprotocol.html#FlowControl",
        ": not conformant",
    ] {
        assert!(ran.stdout.contains(said), "no `{said}` in {}", ran.stdout);
    }
    // Not what is asked for, so no reason to fail.
    let only_xml = [&["check", &mock.base_url, "--select", "xml"], &OF_MOCK[..]].concat();
    assert_eq!(pmh(folder.path(), &only_xml).exit, 0);
    let never = [&["check", &mock.base_url, "--fail-on", "never"], &OF_MOCK[..]].concat();
    assert_eq!(pmh(folder.path(), &never).exit, 0);
}

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
fn what_was_typed_wrongly_is_usage_before_anything_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let nobody = "http://127.0.0.1:1/oai";
    fs::write(
        folder.path().join("bad.toml"),
        "[[expected]]\nid = \"xml.nothing\"\nreason = \"x\"\n",
    )
    .expect("a file");
    fs::write(folder.path().join("bare.toml"), "[[expected]]\nid = \"xml.root\"\nreason = \" \"\n")
        .expect("a file");
    for (arguments, said) in [
        (&["check"][..], "expected the base URL"),
        (&["check", "example.org"], "expected a base URL such as"),
        (&["check", nobody, "--select", "pagin"], "did you mean `paging`?"),
        (&["check", nobody, "--report", "pdf"], "expected one of text"),
        (&["check", nobody, "--report", "text", "--report", "json"], "goes to standard output"),
        (&["check", nobody, "--profile", "x"], "expected one of protocol"),
        (&["check", nobody, "--clock-skew", "soon"], "expected seconds or `any`"),
        (&["check", nobody, "--baseline", "none.toml"], "none.toml"),
        (&["check", nobody, "--baseline", "bad.toml"], "there is no such check"),
        (&["check", nobody, "--baseline", "bare.toml"], "say why"),
        (&["check", "--replay", "none"], "check.json"),
        (&["check", nobody, "--record", "."], "new or empty folder"),
        (&["check", "explain", "paging.final"], "did you mean"),
    ] {
        let ran = pmh(folder.path(), arguments);
        assert_eq!(ran.exit, 2, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "{arguments:?}: no `{said}` in {}", ran.stderr);
    }
}

#[test]
fn a_recording_brings_the_same_report_without_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("wrong.toml"), NO_FINAL_TOKEN).expect("a file");
    let mock = Mock::start(folder.path(), &["wrong.toml"]);
    let recorded =
        [&["check", &mock.base_url, "--record", "run", "--report", "json=one.json"], &OF_MOCK[..]];
    assert_eq!(pmh(folder.path(), &recorded.concat()).exit, 4);
    drop(mock);
    let replayed = [&["check", "--replay", "run", "--report", "json=two.json"], &OF_MOCK[..]];
    let ran = pmh(folder.path(), &replayed.concat());
    assert_eq!((ran.exit, ran.stderr.as_str()), (4, ""), "{}", ran.stdout);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a report");
    assert_eq!(read("one.json"), read("two.json"));
    // What other flags would ask is not there, and said.
    let other = [&["check", "--replay", "run", "--sample", "5"], &OF_MOCK[..]];
    let ran = pmh(folder.path(), &other.concat());
    assert!(ran.stderr.contains("not in the recording"), "{}", ran.stderr);
}

#[test]
fn a_later_run_is_compared_with_an_earlier_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "12", "--page-size", "5"]);
    let check = |more: &[&str]| {
        pmh(folder.path(), &[&["check", &mock.base_url], &OF_MOCK[..], more].concat())
    };
    assert_eq!(check(&["--record", "first"]).exit, 0);
    let ran = check(&["--previous", "first", "--report", "json"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let said = "since the earlier run: deleted.persists was skip, is pass";
    assert!(ran.stderr.contains(said), "no `{said}` in {}", ran.stderr);
    let other = ["check", "http://127.0.0.1:1/oai", "--previous", "first"];
    let ran = pmh(folder.path(), &other);
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("expected a recording of"), "{}", ran.stderr);
}

#[test]
fn the_file_of_a_static_repository_is_examined_without_asking_anybody() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("wrong.xml"), "<Repository/>").expect("a file");
    let ran = pmh(folder.path(), &["check", "--static", "wrong.xml"]);
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("fail static.schema (must)"), "{}", ran.stdout);
    assert_eq!(pmh(folder.path(), &["check", "--static", "none.xml"]).exit, 2);
}

#[test]
fn a_known_failure_does_not_count_until_it_expires_or_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("wrong.toml"), NO_FINAL_TOKEN).expect("a file");
    let mock = Mock::start(folder.path(), &["wrong.toml"]);
    // The mock packs its answers, and does not say so.
    let exclude = ["--exclude", "transport.compression-advertised"];
    let check = |more: &[&str]| {
        let flags = [&["check", &mock.base_url], &OF_MOCK[..], &exclude, more].concat();
        pmh(folder.path(), &flags)
    };
    assert_eq!(check(&["--write-baseline", "known.toml"]).exit, 4);
    let known = fs::read_to_string(folder.path().join("known.toml")).expect("a baseline");
    assert_eq!(known.matches("[[expected]]").count(), 1, "{known}");
    let ran = check(&["--baseline", "known.toml"]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("paging.final-empty (must, expected)"), "{}", ran.stdout);
    let expired = format!("{known}expires = \"2020-01-01\"\n");
    fs::write(folder.path().join("expired.toml"), expired).expect("a file");
    let ran = check(&["--baseline", "expired.toml"]);
    assert_eq!(ran.exit, 4);
    assert!(ran.stderr.contains("expired on 2020-01-01"), "{}", ran.stderr);
    let other = format!("{known}instance = \"something else\"\n");
    fs::write(folder.path().join("other.toml"), other).expect("a file");
    assert_eq!(check(&["--baseline", "other.toml"]).exit, 4, "of another instance");
    let gone = format!("{known}\n[[expected]]\nid = \"xml.root\"\nreason = \"it was so\"\n");
    fs::write(folder.path().join("gone.toml"), gone).expect("a file");
    let ran = check(&["--baseline", "gone.toml"]);
    assert_eq!(ran.exit, 0);
    assert!(ran.stderr.contains("`xml.root` passes now"), "{}", ran.stderr);
    assert_eq!(check(&["--baseline", "gone.toml", "--strict-baseline"]).exit, 4);
}

#[test]
fn reports_go_where_they_are_sent_and_are_what_they_should_be() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("wrong.toml"), NO_FINAL_TOKEN).expect("a file");
    let mock = Mock::start(folder.path(), &["wrong.toml"]);
    let reports = [
        "--report",
        "junit=check.xml",
        "--report",
        "html=check.html",
        "--report",
        "markdown=check.md",
        "--report",
        "json",
    ];
    let ran = pmh(folder.path(), &[&["check", &mock.base_url], &OF_MOCK[..], &reports].concat());
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one JSON object");
    assert_eq!(json["format"].as_u64(), Some(1));
    assert_eq!(json["conformance"].as_str(), Some("not conformant"));
    assert_eq!(json["counts"]["fail"].as_u64(), Some(1), "{}", ran.stdout);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a report");
    let junit = read("check.xml");
    check_well_formed(&junit);
    assert!(
        junit.contains("failures=\"1\"") && junit.contains("<failure type=\"must\""),
        "{junit}"
    );
    let html = read("check.html");
    assert!(html.contains("id=\"x1\"") && html.contains("href=\"#x"), "exchanges are linked");
    assert!(!html.contains("<script"), "nothing in it is run");
    assert!(read("check.md").contains("| fail | `paging.final-empty` | must |"));
    let required = ["--require", "sets.descendants"];
    let ran = pmh(folder.path(), &[&["check", &mock.base_url], &OF_MOCK[..], &required].concat());
    assert!(ran.stderr.contains("required and not judged: sets.descendants"), "{}", ran.stderr);
}

fn check_well_formed(text: &str) {
    let mut reader = quick_xml::Reader::from_str(text);
    while reader.read_event().expect("well-formed XML") != quick_xml::events::Event::Eof {}
}

#[test]
fn a_dry_run_shows_what_would_be_asked_and_sends_nothing() {
    let ran = pmh(Path::new("."), &["check", "http://127.0.0.1:1/oai", "--dry-run"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("GET  verb=Identify\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("POST verb=Identify\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("at most 300 requests (`--max-requests`)"), "{}", ran.stdout);
}

#[test]
fn checks_are_listed_and_explained_whatever_the_environment_says() {
    let variables = [("OAI_BASE_URL", "http://127.0.0.1:1/oai")];
    let listed = pmh_in(Path::new("."), &variables, &["check", "list"]);
    assert_eq!(listed.exit, 0, "{}", listed.stderr);
    assert!(listed.stdout.lines().count() > 170, "{}", listed.stdout);
    let ran = pmh_in(Path::new("."), &variables, &["check", "explain", "paging"]);
    assert!(ran.stdout.contains("paging.final-empty (must)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("rule 137 (MUST)"), "{}", ran.stdout);
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
fn a_repository_that_fails_becomes_a_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("wrong.toml"), NO_FINAL_TOKEN).expect("a file");
    let mock = Mock::start(folder.path(), &["wrong.toml"]);
    let save = ["--save-scenario", "saved"];
    let ran = pmh(folder.path(), &[&["check", &mock.base_url], &OF_MOCK[..], &save].concat());
    assert_eq!(ran.exit, 4, "{}", ran.stderr);
    let text = fs::read_to_string(folder.path().join("saved/saved.toml")).expect("a scenario");
    let file: toml::Table = text.parse().expect("TOML");
    let replies = file["reply"].as_array().expect("replies");
    assert!(replies.len() >= 6, "Identify, formats and four pages: {text}");
    for reply in replies {
        let path = reply["file"].as_str().expect("a file");
        let body = fs::read_to_string(folder.path().join("saved").join(path)).expect("a body");
        assert!(body.contains("<OAI-PMH"), "{path}");
    }
    let present = file["truth"]["present"].as_array().expect("what must be there");
    assert_eq!(present.len(), 20, "{text}");
}

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

#[test]
fn what_a_harvest_wrote_down_is_judged_without_asking_anybody() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--defect", "no-schemalocation"]);
    let ran = pmh(folder.path(), &["harvest", &mock.base_url, "--capture", "seen"]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    drop(mock);
    let judged = [&["check", "--from-capture", "seen", "--verbose"], &OF_MOCK[..]].concat();
    let ran = pmh(folder.path(), &judged);
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    let failed = ran.stdout.lines().filter(|line| line.starts_with("fail "));
    assert_eq!(failed.count(), 1, "{}", ran.stdout);
    for said in ["fail xml.schema-location (must)", "nobody asked for it", "pass xml.well-formed"] {
        assert!(ran.stdout.contains(said), "no `{said}` in {}", ran.stdout);
    }
    let ran = pmh(folder.path(), &["check", "--from-capture", "none"]);
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("`--capture DIR`"), "{}", ran.stderr);
}
