//! The program explains itself.

use std::path::Path;

use super::pmh;

#[test]
fn help_names_every_command_and_exit_code() {
    let help = pmh(Path::new("."), &["--help"]).stdout;
    for word in [
        "prove",
        "mock",
        "check",
        "harvest",
        "verify",
        "audit",
        "forget",
        "rekey",
        "scenario",
        "Exit codes:",
        "vacuous",
    ] {
        assert!(help.contains(word), "no `{word}` in {help}");
    }
}

#[test]
fn every_command_teaches_with_an_example() {
    for command in [
        "check",
        "harvest",
        "status",
        "verify",
        "audit",
        "export",
        "forget",
        "rekey",
        "identify",
        "sets",
        "formats",
        "get",
        "completions",
        "man",
    ] {
        let ran = pmh(Path::new("."), &[command, "--help"]);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("Example"), "{}", ran.stdout);
        assert!(ran.stdout.contains(&format!("  pmh {command} ")), "{}", ran.stdout);
    }
}

#[test]
fn completions_and_the_manual_know_every_command_and_flag() {
    for (shell, word) in
        [("bash", "complete -F"), ("zsh", "#compdef pmh"), ("fish", "complete -c pmh")]
    {
        let ran = pmh(Path::new("."), &["completions", shell]);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        for word in [word, "verify", "dry-run"] {
            assert!(ran.stdout.contains(word), "no `{word}` for {shell}");
        }
    }
    let page = pmh(Path::new("."), &["man"]).stdout;
    assert!(page.contains(".TH pmh 1"), "{page}");
    let page = pmh(Path::new("."), &["man", "harvest"]).stdout;
    assert!(page.contains(".TH pmh-harvest 1"), "{page}");
    assert!(page.contains("\\-\\-dry\\-run"), "{page}");
    assert_eq!(pmh(Path::new("."), &["man", "nonsense"]).exit, 2);
}
