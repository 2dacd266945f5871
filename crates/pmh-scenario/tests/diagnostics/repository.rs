//! Repositories that cannot be.

use crate::check;

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

#[test]
fn records_move_between_sets_that_there_are() {
    let moved = |to: &str| {
        let sets = "[repository]\nsets = [\"maps\"]\n[[run]]\naction = \"harvest\"\n";
        format!("{sets}before = [{{ move = {{ records = [1, 99], to = [{to}] }} }}]\n")
    };
    check(
        &moved("\"mapps\""),
        &["9:36 error: there is no record 99", "9:47 error: no set is called `mapps`"],
    );
    check(&moved(""), &["9:36 error: there is no record 99"]);
}
