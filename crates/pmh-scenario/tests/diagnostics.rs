//! What is said about a scenario file that cannot be meant.

use insta::assert_snapshot;
use pmh_scenario::{Finding, Severity, StoreExpect, Vocabulary, load, render_findings};

const KNOWN: Vocabulary<'_> = Vocabulary {
    specimens: &["never-counts", "insert-not-upsert"],
    guards: &["short-list", "no-progress"],
    outcomes: &["complete", "incomplete", "refused"],
};

/// All findings of a file, warnings of a sound one too.
fn findings(text: &str) -> Vec<Finding> {
    load("token/x", text, &KNOWN).map_or_else(|findings| findings, |loaded| loaded.warnings)
}

fn rendered(text: &str) -> String {
    render_findings("scenarios/token/x.toml", text, &findings(text), false)
}

/// Place, severity and message of each finding in a file that has a good beginning.
fn check(text: &str, expected: &[&str]) {
    check_whole(
        &format!("format = 1\ntitle = \"t\"\nkind = \"F001\"\nrules = [136]\n{text}"),
        expected,
    );
}

fn check_whole(text: &str, expected: &[&str]) {
    let found: Vec<String> = findings(text)
        .iter()
        .map(|finding| {
            let severity = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            format!("{}:{} {severity}: {}", finding.line, finding.column, finding.message)
        })
        .collect();
    assert_eq!(found, expected, "in\n{text}");
}

#[test]
fn a_typo_in_a_key_is_found_where_it_stands() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[repository]
page-szie = 20
[[run]]
action = "harvest"
"#), @r#"
    error: unknown field `page-szie`, expected one of `records`, `page-size`, `order`, `hidden`, `formats`, `sets-each`, `sets`
     --> scenarios/token/x.toml:6:1
      |
    6 | page-szie = 20
      | ^^^^^^^^^
      |
    help: did you mean `page-size`?
    "#);
}

#[test]
fn a_typo_in_a_word_is_found_where_it_stands() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[[fault]]
name = "f"
do.token = "smae"
[[run]]
action = "harvest"
"#), @r#"
    error: unknown variant `smae`, expected one of `expire`, `same`, `drop`, `wrap-to`, `rewind-to`, `empty-pages`, `skip`, `after-end`, `foreign`, `raw`, `long`, `swap-case`
     --> scenarios/token/x.toml:7:12
      |
    7 | do.token = "smae"
      |            ^^^^^^
      |
    help: did you mean `same`?
    "#);
}

#[test]
fn a_typo_in_a_table_of_an_effect_is_found_where_it_stands() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[[fault]]
name = "f"
do.token.warp-to = 1
[[run]]
action = "harvest"
"#), @r#"
    error: unknown variant `warp-to`, expected one of `expire`, `same`, `drop`, `wrap-to`, `rewind-to`, `empty-pages`, `skip`, `after-end`, `foreign`, `raw`, `long`, `swap-case`
     --> scenarios/token/x.toml:7:10
      |
    7 | do.token.warp-to = 1
      |          ^^^^^^^
      |
    help: did you mean `wrap-to`?
    "#);
}

#[test]
fn a_key_of_the_wrong_type_is_found_where_it_stands() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[[fault]]
name = "f"
when = { page = "3" }
do.token = "same"
[[run]]
action = "harvest"
"#), @r#"
    error: invalid type: string "3", expected a whole number
     --> scenarios/token/x.toml:7:17
      |
    7 | when = { page = "3" }
      |                 ^^^
    "#);
}

#[test]
fn a_missing_key_is_named() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[[fault]]
name = "f"
[[run]]
action = "harvest"
"#), @r#"
    error: missing field `do`
     --> scenarios/token/x.toml:5:1
      |
    5 | [[fault]]
      | ^^^^^^^^^
    "#);
}

#[test]
fn broken_toml_is_found_where_it_breaks() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[[fault]]
name = "f
do.token = "same"
[[run]]
action = "harvest"
"#), @r#"
    error: invalid basic string, expected `"`
     --> scenarios/token/x.toml:6:10
      |
    6 | name = "f
      |          ^
    "#);
}

#[test]
fn an_unknown_run_is_answered_with_the_runs_there_are() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[[fault]]
name = "f"
when = { run = "frist", page = 2 }
do.token = "same"
[[run]]
name = "first"
action = "harvest"
[[run]]
name = "second"
action = "incremental"
"#), @r#"
    error: no run is called `frist`
     --> scenarios/token/x.toml:7:16
      |
    7 | when = { run = "frist", page = 2 }
      |                ^^^^^^^ runs in this file: `first`, `second`
      |
    help: did you mean `first`?
    "#);
}

#[test]
fn an_unknown_specimen_is_answered_with_a_near_name() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
catches = ["never-count"]
[[run]]
action = "harvest"
"#), @r#"
    error: no specimen is called `never-count`
     --> scenarios/token/x.toml:5:12
      |
    5 | catches = ["never-count"]
      |            ^^^^^^^^^^^^^ there are `never-counts`, `insert-not-upsert`
      |
    help: did you mean `never-counts`?
    "#);
}

#[test]
fn an_unknown_guard_is_answered_with_a_near_name() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[[run]]
action = "harvest"
expect = { outcome = "incomplete", guard = "shortlist" }
"#), @r#"
    error: no guard is called `shortlist`
     --> scenarios/token/x.toml:7:44
      |
    7 | expect = { outcome = "incomplete", guard = "shortlist" }
      |                                            ^^^^^^^^^^^ there are `short-list`, `no-progress`
      |
    help: did you mean `short-list`?
    "#);
}

#[test]
fn a_fault_that_can_never_be_due_is_explained_by_the_sum() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[repository]
records.generate = { count = 200 }
page-size = 20
[[fault]]
name = "f"
when = { page = 12 }
do.token = "same"
[[run]]
action = "harvest"
"#), @r#"
    warning: this fault can never be due
      --> scenarios/token/x.toml:10:17
       |
     7 | page-size = 20
       |             -- 200 records in pages of 20 make 10 pages
    ...
    10 | when = { page = 12 }
       |                 ^^ page 12 of 10
    "#);
}

#[test]
fn two_faults_of_one_name_are_shown_together() {
    assert_snapshot!(rendered(r#"format = 1
title = "t"
kind = "F001"
rules = [136]
[[fault]]
name = "f"
do.token = "same"
[[fault]]
name = "f"
do.token = "drop"
[[run]]
action = "harvest"
"#), @r#"
    error: two faults are called `f`
     --> scenarios/token/x.toml:9:8
      |
    6 | name = "f"
      |        --- the first is here
    ...
    9 | name = "f"
      |        ^^^
    "#);
}

#[test]
fn all_findings_of_the_second_pass_come_at_once() {
    assert_snapshot!(rendered(r#"format = 1
catches = ["nobody"]
[repository]
page-size = 0
[[run]]
name = "a"
action = "resume"
crash = { at = { page = 0 }, phase = "committed" }
"#), @r#"
    warning: the scenario has no title
     --> scenarios/token/x.toml:1:1
      |
    1 | format = 1
      | ^
      |
    help: add `title`: one sentence on what happens and what must come of it

    error: no specimen is called `nobody`
     --> scenarios/token/x.toml:2:12
      |
    2 | catches = ["nobody"]
      |            ^^^^^^^^ there are `never-counts`, `insert-not-upsert`

    error: a page holds 1 to 100000, not 0
     --> scenarios/token/x.toml:4:13
      |
    4 | page-size = 0
      |             ^ 1 to 100000

    error: the first run has nothing to resume
     --> scenarios/token/x.toml:7:10
      |
    7 | action = "resume"
      |          ^^^^^^^^
      |
    help: the first run is a `harvest`

    error: nothing follows the crash
     --> scenarios/token/x.toml:8:25
      |
    8 | crash = { at = { page = 0 }, phase = "committed" }
      |                         ^ in the last run
      |
    help: add a `[[run]]` with `action = "resume"`: what matters is what comes of it
    "#);
}

#[test]
fn names_must_be_known_and_told_apart() {
    check_whole(
        r#"format = 2
title = "t"
kind = "F001"
rules = [136]
[[run]]
action = "harvest"
"#,
        &[r#"1:10 error: format 2 is unknown"#],
    );
    check_whole(
        r#"format = 1
title = "t"
kind = "8"
rules = [136]
[[run]]
action = "harvest"
"#,
        &[r#"3:8 error: `8` is not a kind of failure"#],
    );
    check_whole(
        r#"format = 1
title = "t"
kind = "F001"
rules = [0, 273]
[[run]]
action = "harvest"
"#,
        &[r#"4:10 error: there is no rule 0"#, r#"4:13 error: there is no rule 273"#],
    );
    check(r#""#, &[r#"5:1 error: the scenario has no run"#]);
    check(
        r#"[[run]]
action = "harvest"
[[run]]
action = "incremental"
[[run]]
action = "incremental"
"#,
        &[r#"10:10 error: two runs are called `incremental`"#],
    );
    check(
        r#"[[run]]
action = "harvest"
[[run]]
action = "harvest"
"#,
        &[
            r#"8:10 error: only the first run is a `harvest`"#,
            r#"8:10 error: two runs are called `harvest`"#,
        ],
    );
    check(
        r#"[[run]]
action = "incremental"
"#,
        &[r#"6:10 error: the first run has nothing to go on from"#],
    );
    check(
        r#"[[run]]
action = "harvest"
name = "once-more"
"#,
        &[r#"7:8 error: the name `once-more` is taken"#],
    );
    check(
        r#"[[run]]
action = "harvest"
expect.outcome = "completed"
"#,
        &[r#"7:18 error: no outcome is called `completed`"#],
    );
    check_whole(
        r#"format = 1
[[run]]
action = "harvest"
"#,
        &[r#"1:1 warning: the scenario has no title"#],
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
fn mistakes_of_shape_are_told_without_words_of_the_machine() {
    check_whole(
        "title = \"t\"\n",
        &["1:1 error: the file does not say its format: add `format = 1` at its head"],
    );
    let fault = |fault: &str, expected: &[&str]| {
        check(
            &format!("[[fault]]\nname = \"f\"\n{fault}\n[[run]]\naction = \"harvest\"\n"),
            expected,
        );
    };
    fault(
        "do.token = \"wrap-to\"",
        &["7:12 error: this needs a value: write it as a key, such as `{ wrap-to = 1 }`"],
    );
    fault(
        "do.token = \"same\"\ndo.http = { status = 500 }",
        &[
            "7:1 error: a fault does one thing: write one `do`, and another `[[fault]]` for the next",
        ],
    );
    fault("times =", &["7:8 error: expected a value; text stands between quotation marks"]);
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
fn what_a_repository_holds_must_be_possible() {
    check(
        r#"[repository]
page-size = 100001
[[run]]
action = "harvest"
"#,
        &[r#"6:13 error: a page holds 1 to 100000, not 100001"#],
    );
    check(
        r#"[repository]
records.generate = { count = 1000001 }
[[run]]
action = "harvest"
"#,
        &[r#"6:30 error: the number of records is 0 to 1000000, not 1000001"#],
    );
    check(
        r#"[repository]
records.generate = { deleted = 1.5 }
[[run]]
action = "harvest"
"#,
        &[r#"6:32 error: `1.5` is not a share"#],
    );
    check(
        r#"[repository]
records.generate = { deleted = nan }
[[run]]
action = "harvest"
"#,
        &[r#"6:32 error: `NaN` is not a share"#],
    );
    check(
        r#"[repository]
sets = ["a b", "art", "art", "maps:old"]
[[run]]
action = "harvest"
"#,
        &[
            r#"6:9 error: `a b` is not a setSpec"#,
            r#"6:23 error: two sets are called `art`"#,
            r#"6:30 warning: the set `maps` above `maps:old` is not listed"#,
        ],
    );
    check(
        r#"[repository]
records.generate = { stamps.every = { from = 2024-12-31, step = "1h" } }
[[run]]
action = "harvest"
"#,
        &[
            r#"6:22 error: the last record is stamped 2025-01-02T11:00:00Z, but the clock starts at 2025-01-01T00:00:00Z"#,
        ],
    );
    check(
        r#"[protocol]
ttl.requests = 0
[[run]]
action = "harvest"
"#,
        &[r#"6:16 error: requests that a token survives are at least 1, not 0"#],
    );
    check(
        r#"[clock]
between-runs = "0s"
[[run]]
action = "harvest"
"#,
        &[r#"6:16 error: runs begin one after the other, so that changes are stamped apart"#],
    );
    check(
        r#"[clock]
tick = "1h"
[[run]]
action = "harvest"
"#,
        &[r#"6:8 error: 500 requests of 3600 s each outrun the 86400 s from one run to the next"#],
    );
    check(
        r#"[clock]
between-runs = "100d"
[[run]]
action = "harvest"
[[run]]
action = "incremental"
name = "b"
[[run]]
action = "incremental"
"#,
        &[r#"6:16 error: the clock runs until 2026-02-05T00:00:00Z, but it must stay before 2026"#],
    );
    check(
        r#"[clock]
start = 2026-01-01
[[run]]
action = "harvest"
"#,
        &[r#"6:9 error: the clock runs until 2026-01-03T00:00:00Z, but it must stay before 2026"#],
    );
    check(
        r#"[budget]
requests = 0
[[run]]
action = "harvest"
"#,
        &[r#"6:12 error: a budget of requests is 1 to 50000, not 0"#],
    );
    check(
        r#"[budget]
requests = 50001
[[run]]
action = "harvest"
"#,
        &[r#"6:12 error: a budget of requests is 1 to 50000, not 50001"#],
    );
    check(
        r#"[budget]
wall = "0s"
[[run]]
action = "harvest"
"#,
        &[r#"6:8 error: no run ends in no time"#],
    );
}

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
fn faults_must_happen_where_something_is() {
    check(
        r#"[[fault]]
name = "f"
when = { page = 0, list = 0, attempt = 0, token = 0 }
do.token = "drop"
[[run]]
action = "harvest"
"#,
        &[
            r#"7:17 error: there is no page 0"#,
            r#"7:27 error: there is no list 0"#,
            r#"7:40 error: there is no attempt 0"#,
        ],
    );
    check(
        r#"[[fault]]
name = "f"
times = 0
do.token = "drop"
[[run]]
action = "harvest"
"#,
        &[r#"7:9 error: the fault may fire no time at all"#],
    );
    check(
        r#"[[fault]]
name = "f"
do.http = { status = 99 }
[[run]]
action = "harvest"
"#,
        &[r#"7:22 error: an answer with a body cannot have the status 99"#],
    );
    check(
        "[[fault]]\nname = \"f\"\ndo.http = { status = 304, retry-after = \"a\\nb\" }\n[[run]]\naction = \"harvest\"\n",
        &[
            "7:22 error: an answer with a body cannot have the status 304",
            "7:41 error: a header field cannot hold control characters",
        ],
    );
    check(
        r#"[[fault]]
name = "f"
do.token.empty-pages = 0
[[run]]
action = "harvest"
"#,
        &[r#"7:24 error: there cannot be 0 empty pages"#],
    );
    check(
        r#"[[fault]]
name = "f"
do.token.rewind-to = 4
[[run]]
action = "harvest"
"#,
        &[r#"7:22 error: there is no page 4 to lead to"#],
    );
    check(
        r#"[[fault]]
name = "f"
when.page = 2
do.token.wrap-to = 2
[[run]]
action = "harvest"
"#,
        &[r#"8:20 error: page 2 has not been answered when page 2 is"#],
    );
    check(
        r#"[[fault]]
name = "f"
when.page = 1
do.token = "same"
[[run]]
action = "harvest"
"#,
        &[r#"7:13 warning: this fault can never be due"#],
    );
    check(
        r#"[[fault]]
name = "f"
when.token = 0
do.token = "expire"
[[run]]
action = "harvest"
"#,
        &[r#"7:14 warning: this fault can never be due"#],
    );
    check(
        r#"[[fault]]
name = "f"
when.page = 3
do.token = "drop"
[[run]]
action = "harvest"
"#,
        &[r#"7:13 warning: this fault can never be due"#],
    );
    check(
        r#"[[fault]]
name = "f"
when = { run = "harvest", page = 4 }
do.token = "same"
[[run]]
action = "harvest"
[[run]]
action = "incremental"
before = [{ add = 1 }]
"#,
        &[r#"7:34 warning: this fault can never be due"#],
    );
    check(
        r#"[[fault]]
name = "f"
when = { run = "incremental", page = 4 }
do.token = "same"
[[run]]
action = "harvest"
[[run]]
action = "incremental"
before = [{ add = 1 }]
"#,
        &[],
    );
}

#[test]
fn a_file_without_end_is_refused_before_it_is_read() {
    let found = findings(&"#".repeat((1 << 20) + 1));
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("1048577 bytes"), "{}", found[0].message);
}

#[test]
fn no_cut_of_a_file_is_more_than_an_error() {
    let text = include_str!("full.toml");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        for finding in findings(&text[..end]) {
            assert!(!render_findings("full.toml", &text[..end], &[finding], true).is_empty());
        }
    }
}

#[test]
fn pages_that_would_never_end_or_begin_are_refused() {
    let run = "[[run]]\naction = \"harvest\"\n";
    check(
        &format!(
            "[repository]\npage-size = 5\nhidden = {{ from = 4, to = 3 }}\n[protocol]\noverlap = 5\ncap = {{ records = 0, then = \"ends\" }}\nfilter-forgotten-after = 0\n{run}"
        ),
        &[
            "7:10 error: there are no records from 4 to 3",
            "9:11 error: pages of 5 cannot overlap by 5: no list would end",
            "10:7 error: a list of no records has no page",
            "11:26 error: there is no page 0",
        ],
    );
    check(
        &format!(
            "[repository]\norder = \"id\"\n[protocol]\nlist = \"key-set\"\noverlap = 2\n{run}"
        ),
        &[
            "8:8 error: pages that go on after a datestamp need a list in their order",
            "9:11 error: pages that go on after a datestamp do not overlap",
        ],
    );
}

#[test]
fn lives_of_tokens_that_contradict_themselves_are_refused() {
    let run = "[[run]]\naction = \"harvest\"\n";
    check(
        &format!("[protocol]\ntoken = \"session\"\nttl.one-use = true\nttl.time = \"0s\"\n{run}"),
        &[
            "7:15 error: the one token of a session is used for every page",
            "8:12 error: no token lives for no time",
        ],
    );
    check(
        &format!("[protocol]\nexpiration = \"right\"\nlist-size.estimate = -2.0\n{run}"),
        &[
            "6:14 error: tokens that live for ever have no date to die",
            "7:1 error: an estimate cannot be off by the share -2",
        ],
    );
}

#[test]
fn texts_that_no_document_can_hold_are_refused() {
    let run = "[[run]]\naction = \"harvest\"\n";
    let what = "error: a document cannot hold control characters";
    for (text, place) in [
        ("cursor.text = \"\\u0001\"", "6:1"),
        ("list-size.text = \"\\u0001\"", "6:1"),
        ("expiration.text = \"\\u0001\"", "6:1"),
        ("response-date.text = \"\\u0001\"", "6:1"),
        ("earliest.text = \"\\u0001\"", "6:1"),
        ("identify.granularity = \"\\u0001\"", "6:1"),
        ("identify.admin-emails = [\"\\u0001\"]", "6:1"),
    ] {
        check(&format!("[protocol]\n{text}\n{run}"), &[&format!("{place} {what}")]);
    }
}

#[test]
fn effects_on_tokens_that_cannot_be_are_refused() {
    let fault = |effect: &str| {
        format!("[[fault]]\nname = \"f\"\ndo.token{effect}\n[[run]]\naction = \"harvest\"\n")
    };
    for (effect, expected) in [
        (".skip = 0", "7:17 error: leaving out no page is no fault"),
        (".long = 0", "7:17 error: no token has 0 bytes"),
        (".long = 100001", "7:17 error: no token has 100001 bytes"),
        (".raw = \" \"", "7:16 error: a token of nothing but white space leads nowhere"),
        (".raw = \"a\\u0001\"", "7:16 error: a document cannot hold control characters"),
        (".after-end.status = 204", "7:10 error: an answer with a body cannot have the status 204"),
        (" = \"foreign\"", "6:8 error: there is no other list that a token could belong to"),
    ] {
        check(&fault(effect), &[expected]);
    }
}

#[test]
fn changes_in_mid_list_that_cannot_be_are_refused() {
    let fault = |effect: &str| {
        format!("[[fault]]\nname = \"f\"\ndo.{effect}\n[[run]]\naction = \"harvest\"\n")
    };
    for (effect, expected) in [
        ("repo.add = 0", "7:15 error: a fault cannot add 0 records"),
        ("repo.touch = [60, 61]", "7:22 error: there is no record 61"),
        ("repo.purge = [0]", "7:18 error: there is no record 0"),
        ("repo = \"reorder\"", "6:8 error: only a live list can change its order"),
        ("repo.deploy.page-size = 0", "7:28 error: a page cannot hold 0 entries"),
        ("oai.errors.codes = []", "6:8 error: an error needs a code"),
        (
            "oai.errors = { codes = [\"x\"], status = 304 }",
            "6:8 error: an answer with a body cannot have the status 304",
        ),
        ("oai.repeat = 0", "6:8 error: there is no entry 0"),
        ("time.delay = \"0s\"", "7:17 error: no time is no fault"),
        (
            "time.back = \"13h\"",
            "7:16 error: 46800 s are more than half of what lies between two runs",
        ),
        (
            "time.response-date = \"\\u0001\"",
            "7:25 error: a document cannot hold control characters",
        ),
    ] {
        check(&fault(effect), &[expected]);
    }
}

#[test]
fn a_reply_that_cannot_be_given_is_found() {
    let replies =
        |text: &str| format!("{text}\n[[run]]\naction = \"harvest\"\n[truth]\npresent = []\n");
    let of = |text: &str, expected: &[&str]| check(&replies(text), expected);
    of(
        "[[reply]]\nbody = \"a\"\nxml = \"b\"",
        &["7:7 error: a reply has one content: `body` or `xml`"],
    );
    of("[[reply]]\nstatus = 99", &["6:10 error: an answer cannot have the status 99"]);
    of("[[reply]]\ntimes = 0", &["6:9 error: the reply may answer no time at all"]);
    of(
        "[[reply]]\nheaders = { \"a b\" = \"c\" }",
        &["6:21 error: `a b` is not the name of a header field"],
    );
    of(
        "[[reply]]\nname = \"x\"\n[[reply]]\nname = \"y\"",
        &["7:1 error: no request comes as far as this reply"],
    );
    of(
        "[[reply]]\nname = \"x\"\ntimes = 1\n[[reply]]\nname = \"x\"",
        &["8:1 error: two replies are called `x`"],
    );
    of("[[reply]]\nwhen.verb = \"ListRecord\"", &["6:13 error: no verb is called `ListRecord`"]);
    of("[[reply]]\nwhen.chance = 2.0", &["6:15 error: `2` is not a share"]);
    of("[[reply]]\nwhen.match.query-regex = \"(\"", &["6:26 error: this is no regular expression"]);
    of(
        "[[reply]]\nwhen.match.contains-window = \"May\"",
        &["6:30 error: `May` is no span of time"],
    );
    of("[[reply]]\nwhen.match.path = \"oai\"", &["6:19 error: `oai` is no path"]);
    of(
        "[[reply]]\nwhen.request = 2",
        &["6:16 warning: one retry moves this place to another request"],
    );
}

#[test]
fn the_truth_is_written_down_where_it_cannot_be_computed_and_nowhere_else() {
    check(
        "[[run]]\naction = \"harvest\"\n[truth]\npresent = [\"a\"]\n",
        &["8:12 error: the truth follows from the repository and cannot be written down beside it"],
    );
    check(
        "[[reply]]\nbody = \"\"\n[[run]]\naction = \"harvest\"\n",
        &["8:10 warning: nothing says what the store must hold"],
    );
    check(
        "[[reply]]\nbody = \"\"\n[[run]]\naction = \"harvest\"\n[truth]\npresent = [\"a\"]\nabsent = [\"a\"]\n",
        &["11:11 error: two records of the truth are called `a`"],
    );
}

#[test]
fn more_places_that_can_never_be_reached_are_found() {
    let fault = |when: &str| {
        format!(
            "[[fault]]\nname = \"f\"\nwhen = {when}\ndo.http.status = 500\n[[run]]\naction = \"harvest\"\n"
        )
    };
    check(&fault("{ record = 61 }"), &["7:19 warning: this fault can never be due"]);
    check(&fault("{ page = 2, token = 0 }"), &["7:28 warning: this fault can never be due"]);
    check(&fault("{ chance = 0.0 }"), &["7:19 warning: this fault can never be due"]);
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
fn records_one_by_one_are_checked() {
    let run = "[[run]]\naction = \"harvest\"\n";
    let records = |records: &str| format!("[repository]\nrecords.literal = [{records}]\n{run}");
    check(
        &records("{ id = \"a\", stamp = 2024-01-01 }, { id = \"a\", stamp = 2024-01-01 }"),
        &["6:61 error: two records are called `a`"],
    );
    check(
        &records("{ id = \"a\", stamp = 2026-01-01 }"),
        &[
            "6:40 error: the record is stamped 2026-01-01T00:00:00Z, but the clock starts at 2025-01-01T00:00:00Z",
        ],
    );
    check(
        &records("{ id = \"a\", stamp = 2024-01-01, sets = [\"x\"] }"),
        &["6:60 error: no set is called `x`"],
    );
    check(
        &format!("[repository]\nformats = [\"oai_dv\"]\n{run}"),
        &["6:12 error: no format is called `oai_dv`"],
    );
    check(
        &format!("{run}prefix = \"marc21\"\n"),
        &["7:10 warning: the repository has no format `marc21`"],
    );
}
