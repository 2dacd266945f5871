//! What is no scenario at all: typos, wrong types, broken TOML.

use insta::assert_snapshot;
use pmh_scenario::render_findings;

use crate::{check, check_whole, findings, rendered};

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
fn a_file_without_end_is_refused_before_it_is_read() {
    let found = findings(&"#".repeat((1 << 20) + 1));
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("1048577 bytes"), "{}", found[0].message);
}

#[test]
fn no_cut_of_a_file_is_more_than_an_error() {
    let text = include_str!("../full.toml");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        for finding in findings(&text[..end]) {
            assert!(!render_findings("full.toml", &text[..end], &[finding], true).is_empty());
        }
    }
}
