//! What a repository is told.

use std::fs;

use super::{NO_FINAL_TOKEN, OF_MOCK};
use crate::support::{Mock, pmh};

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
fn the_file_of_a_static_repository_is_examined_without_asking_anybody() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("wrong.xml"), "<Repository/>").expect("a file");
    let ran = pmh(folder.path(), &["check", "--static", "wrong.xml"]);
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("fail static.schema (must)"), "{}", ran.stdout);
    assert_eq!(pmh(folder.path(), &["check", "--static", "none.xml"]).exit, 2);
    // A file that is not even XML was tested, too; what no file answers to was not.
    fs::write(folder.path().join("wrong.xml"), "no XML").expect("a file");
    let ran = pmh(folder.path(), &["check", "--static", "wrong.xml", "--write-baseline", "known"]);
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains(": not conformant"), "{}", ran.stdout);
    let ran = pmh(folder.path(), &["check", "--static", "wrong.xml", "--baseline", "known"]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let none = ["check", "--static", "wrong.xml", "--select", "xml"];
    assert_eq!(pmh(folder.path(), &none).exit, 5, "`xml` is asked of repositories");
}
