//! Runs that cannot be, and what they cannot end with.

use pmh_scenario::{StoreExpect, load};

use crate::{KNOWN, check};

#[test]
fn runs_must_happen_where_something_is() {
    check(
        r#"[[run]]
action = "harvest"
before = [{ delete = [0, 61] }, { add = 2 }, { touch = [62, 63] }]
"#,
        &[
            r#"7:23 error: there is no record 0"#,
            r#"7:26 error: there is no record 61"#,
            r#"7:61 error: there is no record 63"#,
        ],
    );
    check(
        r#"[[run]]
action = "harvest"
before = [{ add = 0 }]
"#,
        &[r#"7:19 error: 0 records cannot be added to 60"#],
    );
    check(
        r#"[[run]]
action = "harvest"
before = [{ add = 4000000000 }]
"#,
        &[r#"7:19 error: 4000000000 records cannot be added to 60"#],
    );
    check(
        r#"[[run]]
action = "harvest"
crash = { at = { page = 2 }, phase = "committed" }
"#,
        &[r#"7:25 error: nothing follows the crash"#],
    );
    check(
        r#"[[run]]
action = "harvest"
crash = { at = { page = 0 }, phase = "committed" }
[[run]]
action = "resume"
"#,
        &[r#"7:25 error: there is no page 0"#],
    );
    check(
        r#"[[run]]
action = "harvest"
crash = { at = { page = 4 }, phase = "committed" }
[[run]]
action = "resume"
"#,
        &[r#"7:25 error: the crash is on a page that does not exist"#],
    );
    check(
        r#"[[run]]
action = "harvest"
before = [{ add = 1 }]
crash = { at = { page = 4 }, phase = "committed" }
[[run]]
action = "resume"
"#,
        &[],
    );
}

#[test]
fn outcome_guard_and_exit_code_must_agree() {
    let expecting = |expect: &str, expected: &[&str]| {
        check(&format!("[[run]]\naction = \"harvest\"\nexpect = {expect}\n"), expected);
    };
    expecting(r#"{ outcome = "incomplete", guard = "short-list", exit = 4 }"#, &[]);
    expecting("{ exit = 1 }", &[]);
    expecting(
        r#"{ outcome = "complete", exit = 4 }"#,
        &["7:41 error: a run that is `complete` does not exit with 4"],
    );
    expecting(
        r#"{ guard = "short-list", exit = 0 }"#,
        &["7:41 error: a run that is `incomplete` does not exit with 0"],
    );
    expecting(
        r#"{ outcome = "complete", guard = "short-list" }"#,
        &["7:42 error: a run that a guard ends is not `complete`"],
    );
    expecting("{ exit = 9 }", &["7:19 error: a harvest never exits with 9"]);
}

#[test]
fn an_unfinished_harvest_is_expected_to_hold_a_part() {
    let store = |outcome: &str| {
        let text = format!(
            "format = 1\ntitle = \"t\"\n[[run]]\naction = \"harvest\"\nexpect.outcome = \"{outcome}\"\n"
        );
        load("x", &text, &KNOWN).unwrap().script().expect.store
    };
    assert_eq!(store("complete"), StoreExpect::Truth);
    assert_eq!(store("incomplete"), StoreExpect::Subset);
    assert_eq!(store("refused"), StoreExpect::Subset);
}

#[test]
fn what_a_run_asks_for_and_must_show_is_checked() {
    let run = |keys: &str| format!("[[run]]\naction = \"harvest\"\n{keys}\n");
    check(
        &run("from = 2024-02-01\nuntil = 2024-01-01"),
        &["7:8 error: `from` (2024-02-01) is later than `until` (2024-01-01)"],
    );
    check(
        &run("from = 2024-01-01\nuntil = \"2024-02-01T00:00:00Z\""),
        &["8:9 error: `from` and `until` must have the same form: two days, or two instants"],
    );
    check(
        &run("full = true\nfrom = 2024-01-01"),
        &["8:8 error: a run that asks for everything has no span"],
    );
    check(
        &run("infer-deletions = true"),
        &["7:19 error: deletions are inferred from a list of everything"],
    );
    check(&run("switches = [\"pots\"]"), &["7:13 error: no switch is called `pots`"]);
    check(
        &run("expect = { watermark = \"soon\" }"),
        &["7:24 error: `soon` is no place of a watermark"],
    );
    check(
        &run("crash = { phase = \"committed\" }\n[[run]]\naction = \"resume\""),
        &["7:19 error: the crash has no place"],
    );
    check(
        &run(
            "crash = { at = { page = 1 }, phase = \"before-close\" }\n[[run]]\naction = \"resume\"",
        ),
        &["7:25 error: this moment is at the end of the list, and at no page"],
    );
    check(
        &run(
            "crash = { at = { page = 1 }, phase = \"committed\", signal = \"TERM\" }\n[[run]]\naction = \"resume\"",
        ),
        &["7:38 error: an orderly stop is asked for before a response"],
    );
}

#[test]
fn what_the_end_must_show_is_checked() {
    let run = "[[run]]\naction = \"harvest\"\n";
    let expect = |keys: &str| format!("{run}[expect]\n{keys}\n");
    check(&expect("guards = [\"shrot-list\"]"), &["8:11 error: no guard is called `shrot-list`"]);
    check(
        &expect("no-guards = true\nguards = [\"short-list\"]"),
        &["9:11 error: no guard may end a run, and this one must"],
    );
    check(
        &expect("trace = [\"token-verbatim\", { never = { verb = \"Identity\" } }]"),
        &["8:47 error: no verb is called `Identity`"],
    );
    check(
        &expect("trace = [{ no-request-after = \"all\" }]"),
        &["8:31 error: no guard is called `all`"],
    );
    check(
        &format!("{run}[client.guards-at]\nmass-delete = 101\ntries = 0\n"),
        &[
            "8:15 error: 101 is no share in percent",
            "9:9 error: with `tries` at 0 nothing could be harvested",
        ],
    );
    for query in ["", "?mode=oaipmh", "a b"] {
        check(
            &format!("{run}[client]\nbase-url-query = \"{query}\"\n"),
            &["8:18 error: this cannot stand in a URL behind its question mark"],
        );
    }
}

#[test]
fn a_harvester_may_send_one_request_at_least() {
    check(
        "[[run]]\naction = \"harvest\"\n[expect]\ntrace = [{ max-concurrency = 0 }]\n",
        &["8:30 error: no harvester does without a request"],
    );
}

#[test]
fn what_a_run_can_never_meet_is_told() {
    let run = |text: &str| {
        format!(
            "repository.sets = [\"art\", \"art:paint\"]\n[[run]]\naction = \"harvest\"\n{text}\n"
        )
    };
    check(&run("set = \"art\""), &[]);
    check(&run("set = \"maps\""), &["8:7 warning: the repository has no set `maps`"]);
    check(&run("set = \"maps\"\nexpect = { outcome = \"refused\" }"), &[]);
    let killed = "crash = { at = { page = 1 }, phase = \"committed\" }\nexpect = { outcome = \"complete\" }\n\
                  [[run]]\naction = \"resume\"";
    check(&run(killed), &["9:22 error: a run that is killed has no outcome"]);
}

#[test]
fn a_record_needs_an_identifier() {
    let record = "repository.records.literal = [{ id = \"\", stamp = \"2024-01-01\" }]\n[[run]]\naction = \"harvest\"\n";
    check(record, &["5:38 error: a record needs an identifier"]);
}
