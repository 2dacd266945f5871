//! What was typed wrongly, and what there is to choose from.

use std::fs;
use std::path::Path;

use crate::support::{pmh, pmh_in};

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
        (&["check", "http://127.0.0.1:/oai"], "no port behind the colon"),
        (
            &["check", nobody, "--base-url-alias", "staging"],
            "`--base-url-alias`: expected a base URL",
        ),
        (&["check", nobody, "--report", "json=no/such.json"], "failed to write `no/such.json`"),
        (&["check", nobody, "--report", "json="], "as in `junit=check.xml`"),
        (&["check", nobody, "--report", "json=."], "failed to write `.`"),
        (&["check", nobody, "--report", "json=a", "--write-baseline", "a"], "written twice"),
        (&["check", nobody, "--save-scenario", ".."], "the name of a folder"),
        (&["check", nobody, "--save-scenario", "bad.toml/x"], "what is no folder"),
        (&["check", nobody, "--max-duration", "0"], "not in 1..="),
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
    // Trying whether a report can be written leaves nothing behind.
    let wrong = ["check", nobody, "--report", "json=new.json", "--report", "text=no/such.txt"];
    assert_eq!(pmh(folder.path(), &wrong).exit, 2);
    assert!(!folder.path().join("new.json").exists());
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
fn a_dry_run_shows_what_would_be_asked_and_sends_nothing() {
    let ran = pmh(Path::new("."), &["check", "http://127.0.0.1:1/oai", "--dry-run"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("GET  verb=Identify\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("POST verb=Identify\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("at most 300 requests (`--max-requests`)"), "{}", ran.stdout);
}
