//! Faults that can never be due, and effects that cannot be.

use insta::assert_snapshot;

use crate::{check, rendered};

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
