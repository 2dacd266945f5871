//! What is done with a store: export, forget, rekey.

use std::fs;

use super::{Mock, pmh};

const SOURCE: &str = "http://127.0.0.1";

/// A folder with a store of five records, and the base URL that they came from.
fn harvested() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "5"]);
    assert_eq!(pmh(folder.path(), &["harvest", &mock.base_url]).exit, 0);
    let base_url = mock.base_url.clone();
    (folder, base_url)
}

#[test]
fn an_export_as_xml_is_one_document_with_every_record() {
    let (folder, base_url) = harvested();
    let ran = pmh(folder.path(), &["export", "--format", "xml"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let mut reader = quick_xml::Reader::from_str(&ran.stdout);
    reader.config_mut().check_end_names = true;
    let (mut records, mut payloads, mut depth) = (0, 0, 0);
    loop {
        match reader.read_event().expect("it is well-formed") {
            quick_xml::events::Event::Start(start) => {
                depth += 1;
                match (depth, start.name().as_ref()) {
                    (2, "record") => {
                        records += 1;
                        let source = start.try_get_attribute("source").expect("readable");
                        assert_eq!(&*source.expect("a source").value, base_url);
                    }
                    (4, "oai_dc:dc") => payloads += 1,
                    _ => {}
                }
            }
            quick_xml::events::Event::End(_) => depth -= 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!((records, payloads, depth), (5, 5, 0));
    assert!(ran.stdout.contains("<identifier>oai:repository.example:000001</identifier>"));
}

#[test]
fn forgetting_says_what_it_would_remove_and_needs_a_yes() {
    let (folder, base_url) = harvested();
    let folder = folder.path();
    let asked = pmh(folder, &["forget", &base_url]);
    assert_eq!(asked.exit, 2, "{}{}", asked.stdout, asked.stderr);
    assert!(asked.stdout.contains("5 live records, 0 tombstones"), "{}", asked.stdout);
    assert!(asked.stderr.contains("`--yes` removes it"), "{}", asked.stderr);
    assert_eq!(pmh(folder, &["export"]).stdout.lines().count(), 5, "nothing was removed");

    let other = pmh(folder, &["forget", &base_url, "--set", "maps", "--yes"]);
    assert_eq!(other.exit, 3, "{}{}", other.stdout, other.stderr);
    let done = pmh(folder, &["forget", &base_url, "--prefix", "oai_dc", "--set", "", "--yes"]);
    assert_eq!(done.exit, 0, "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.starts_with("removed:\n"), "{}", done.stdout);
    assert!(pmh(folder, &["status"]).stdout.contains("nothing harvested yet"));
}

#[test]
fn a_moved_source_goes_on_where_it_stopped() {
    let (folder, old) = harvested();
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "5"]);
    let new = format!("{}?moved=yes", mock.base_url);
    let moved = pmh(folder, &["rekey", &old, &new]);
    assert_eq!(moved.exit, 0, "{}{}", moved.stdout, moved.stderr);
    assert!(moved.stdout.starts_with("moved: 1 key and 5 records"), "{}", moved.stdout);
    let status = pmh(folder, &["status"]).stdout;
    assert!(status.contains(&new) && status.contains("5 live records"), "{status}");

    let again = pmh(folder, &["rekey", &old, &new]);
    assert_eq!(again.exit, 3, "{}{}", again.stdout, again.stderr);
    assert!(again.stderr.contains("1 key is kept under"), "{}", again.stderr);
    let unknown = pmh(folder, &["rekey", &old, "http://127.0.0.1:1/third"]);
    assert_eq!(unknown.exit, 3, "{}{}", unknown.stdout, unknown.stderr);
    assert!(unknown.stderr.contains("keeps nothing under"), "{}", unknown.stderr);
    assert_eq!(pmh(folder, &["rekey", &new, "nowhere"]).exit, 2);
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in [
        &["forget", SOURCE, "--yes"][..],
        &["rekey", SOURCE, "http://127.0.0.1/oai"],
        &["verify", SOURCE],
        &["audit", SOURCE, "--repair"],
        &["export", "--format", "xml"],
    ] {
        let ran = pmh(folder.path(), command);
        assert_eq!(ran.exit, 2, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("found no store at `pmh.sqlite`"), "{}", ran.stderr);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
