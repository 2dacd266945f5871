//! Exchanges that are kept, and judged again.

use std::fs;

use super::{NO_FINAL_TOKEN, OF_MOCK};
use crate::support::{Mock, pmh};

#[test]
fn a_recording_brings_the_same_report_without_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("wrong.toml"), NO_FINAL_TOKEN).expect("a file");
    let mock = Mock::start(folder.path(), &["wrong.toml"]);
    let recorded =
        [&["check", &mock.base_url, "--record", "run", "--report", "json=one.json"], &OF_MOCK[..]];
    assert_eq!(pmh(folder.path(), &recorded.concat()).exit, 4);
    drop(mock);
    // What was wanted of the run lies beside it, and need not be said again.
    let replayed = ["check", "--replay", "run", "--report", "json=two.json"];
    let ran = pmh(folder.path(), &replayed);
    assert_eq!((ran.exit, ran.stderr.as_str()), (4, ""), "{}", ran.stdout);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a report");
    assert_eq!(read("one.json"), read("two.json"));
    // An address beside it is not asked, and whoever thinks so is told.
    let beside = [&replayed[..], &["http://127.0.0.1:1/oai"]].concat();
    let ran = pmh(folder.path(), &beside);
    assert_eq!(ran.exit, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("`http://127.0.0.1:1/oai` is not asked"), "{}", ran.stderr);
    // What other flags would ask is not there, and said.
    let ran = pmh(folder.path(), &["check", "--replay", "run", "--sample", "5"]);
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
    // A capture has its known failures, too.
    let known = ["--write-baseline", "known.toml"];
    assert_eq!(pmh(folder.path(), &[&judged[..], &known].concat()).exit, 4);
    let known = ["--baseline", "known.toml"];
    let ran = pmh(folder.path(), &[&judged[..], &known].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = pmh(folder.path(), &["check", "--from-capture", "none"]);
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("`--capture DIR`"), "{}", ran.stderr);
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

#[test]
fn a_recording_that_is_cut_off_is_never_told_as_what_the_repository_did() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "5"]);
    let record = [&["check", &mock.base_url, "--record", "run"], &OF_MOCK[..]].concat();
    assert_eq!(pmh(folder.path(), &record).exit, 0);
    drop(mock);
    let run = folder.path().join("run");
    let again = |flag: &str| pmh(folder.path(), &[&["check", flag, "run"], &OF_MOCK[..]].concat());
    // Whoever wrote it was killed in its last line.
    let index = fs::read_to_string(run.join("exchanges.jsonl")).expect("an index");
    fs::write(run.join("exchanges.jsonl"), &index[..index.len() - 20]).expect("a file");
    for flag in ["--replay", "--from-capture"] {
        let ran = again(flag);
        assert_eq!(ran.exit, 0, "{flag}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("is cut off, and left out"), "{flag}: {}", ran.stderr);
    }
    // A line in the middle is another matter.
    fs::write(run.join("exchanges.jsonl"), index.replacen("\"GET\"", "GET", 1)).expect("a file");
    let ran = again("--replay");
    assert!(ran.exit == 2 && ran.stderr.contains("exchanges.jsonl`: line 1: "), "{}", ran.stderr);
    fs::write(run.join("exchanges.jsonl"), &index).expect("a file");
    fs::write(run.join("0002-response.body"), "<OAI-PMH").expect("a file");
    for flag in ["--replay", "--from-capture"] {
        let ran = again(flag);
        assert_eq!(ran.exit, 2, "{flag}: {}{}", ran.stdout, ran.stderr);
        let said = "0002-response.body`: expected ";
        assert!(ran.stderr.contains(said), "{flag}: no `{said}` in {}", ran.stderr);
    }
}
