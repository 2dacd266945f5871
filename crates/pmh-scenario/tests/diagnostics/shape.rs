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
    error: expected a whole number, 0 to 4294967295, found the text "3"
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
fn every_mistake_of_form_is_told_at_once() {
    let found = findings(
        "format = 1\ntitel = \"t\"\nkind = 7\n[repositry]\npage-sze = 2\n[repository]\npage-sze = 2\n\
         sets = [\"a\", 3, true]\n[[fault]]\nname = 1\n[[run]]\nacton = \"harvest\"\n[[run]]\naction = \"harvst\"\n\
         [expect]\ntrace = [{ at-mst = { n = 1 } }]\n",
    );
    let said = |finding: &pmh_scenario::Finding| {
        let message = finding.message.split(", expected one of").next().unwrap_or_default();
        format!("{}:{} {message}", finding.line, finding.column)
    };
    assert_eq!(
        found.iter().map(said).collect::<Vec<_>>(),
        [
            "2:1 unknown field `titel`",
            "3:8 expected text between quotation marks, found the number 7",
            "4:2 unknown field `repositry`",
            "7:1 unknown field `page-sze`",
            "8:14 expected text between quotation marks, found the number 3",
            "8:17 expected text between quotation marks, found `true`",
            "10:8 expected text between quotation marks, found the number 1",
            "12:1 unknown field `acton`",
            "14:10 unknown variant `harvst`",
            "16:12 unknown variant `at-mst`",
        ]
    );
    // What is no TOML is told at every place, too.
    check_whole(
        "format = 1\ntitle = \"x\n[repository\npage-size = 2\n",
        &[
            "2:11 error: invalid basic string, expected `\"`",
            "3:12 error: unclosed table, expected `]`",
        ],
    );
}

#[test]
fn a_wrong_type_is_told_with_what_belongs_there() {
    let said = |text: &str, said: &str| {
        let found = findings(&format!("format = 1\ntitle = \"t\"\n{text}\n"));
        let messages: Vec<_> = found.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, [said], "{text}");
    };
    said("repository.page-size = -1", "expected a whole number, 1 to 100000, found the number -1");
    said(
        "repository.records.generate.count = 99999999999",
        "expected a whole number, 0 to 1000000, found the number 99999999999",
    );
    said(
        "repository.records = 20",
        "expected something such as `{ generate = { count = 20 } }`, found the number 20",
    );
    said(
        "expect.trace = [{ at-most = 3 }]",
        "expected a table, such as `{ n = 1 }`, found the number 3",
    );
    said("extends = \"a.toml\"", "expected a list, such as `[\"…\"]`, found the text \"a.toml\"");
    said("expect.idempotent = \"yes\"", "expected `true` or `false`, found the text \"yes\"");
    said(
        "kind = 2024-01-01",
        "expected text between quotation marks, found the date 2024-01-01 without quotation marks",
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
    let text = include_str!("../full.toml");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        for finding in findings(&text[..end]) {
            assert!(!render_findings("full.toml", &text[..end], &[finding], true).is_empty());
        }
    }
}
