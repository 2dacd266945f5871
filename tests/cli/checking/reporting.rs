//! Reports, and where they go.

use std::fs;
use std::path::Path;

use boon::{Compiler, Schemas};
use serde_json::Value;

use super::{NO_FINAL_TOKEN, OF_MOCK};
use crate::support::{Mock, pmh};

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
    let json: Value = serde_json::from_str(&ran.stdout).expect("one JSON object");
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
fn a_report_is_as_the_published_schema_says() {
    let ran = pmh(Path::new("."), &["check", "--report-schema"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let schema: Value = serde_json::from_str(&ran.stdout).expect("the schema is JSON");
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    // Nothing is fetched. The schema itself is held against the draft that it names.
    compiler.add_resource("report.json", schema).expect("a resource");
    let schema = compiler.compile("report.json", &mut schemas).expect("the schema is one");
    let wrong =
        |report: &Value| schemas.validate(report, schema).err().map(|error| error.to_string());
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("wrong.toml"), NO_FINAL_TOKEN).expect("a file");
    let mock = Mock::start(folder.path(), &["wrong.toml"]);
    let flags = [&["check", &mock.base_url, "--report", "json"], &OF_MOCK[..]].concat();
    let nobody = ["check", "http://127.0.0.1:1/oai", "--report", "json"];
    for flags in [&flags[..], &nobody] {
        let report = pmh(folder.path(), flags).stdout;
        let mut report: Value = serde_json::from_str(&report).expect("the report is JSON");
        assert_eq!(wrong(&report), None);
        let first = report["checks"][0].as_object_mut().expect("a check");
        first.insert("verdict".to_owned(), "fine".into());
        assert!(wrong(&report).is_some_and(|error| error.contains("/checks/0/verdict")));
    }
}
