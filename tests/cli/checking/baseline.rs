//! Failures that are known.

use std::fs;

use super::{NO_FINAL_TOKEN, OF_MOCK};
use crate::support::{Mock, pmh};

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
    // A date as TOML has it does as well.
    let dated = format!("{known}expires = 2020-01-01\n");
    fs::write(folder.path().join("dated.toml"), dated).expect("a file");
    assert!(check(&["--baseline", "dated.toml"]).stderr.contains("expired on 2020-01-01"));
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
fn each_instance_of_a_failure_may_have_its_own_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "5"]);
    let base_url = mock.base_url.as_str();
    // The mock calls itself by another name, which it also says in each answer.
    let check = |baseline: &str| {
        fs::write(folder.path().join("known.toml"), baseline).expect("a file");
        let flags = ["check", base_url, "--select", "identify.base-url,identify.admin-email"];
        pmh(
            folder.path(),
            &[&flags[..], &["--clock-skew", "any", "--baseline", "known.toml"]].concat(),
        )
    };
    let entry = |instance: &str| {
        format!(
            "[[expected]]\nid = \"identify.base-url\"\nreason = \"so it is\"\ninstance = \"{instance}\"\n"
        )
    };
    assert_eq!(check("").exit, 4);
    let ran = check(&format!("{}{}", entry("repository.example"), entry("another.example")));
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let said = "of `identify.base-url` no finding holds `another.example` any more";
    assert!(ran.stderr.contains(said), "no `{said}` in {}", ran.stderr);
    assert_eq!(check(&entry("another.example")).exit, 4);
}
