//! Names that nobody knows, and names that two things have.

use insta::assert_snapshot;

use crate::{check, check_whole, rendered};

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
