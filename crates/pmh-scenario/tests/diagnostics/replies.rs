//! Replies that cannot be given, and truths in the wrong place.

use crate::check;

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
    of(
        "[[reply]]\nwire.cut-at.share = 1.5",
        &["6:1 error: there is no place after a share of 1.5"],
    );
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
fn a_recording_says_itself_what_was_answered_and_how_often() {
    let end = "[[run]]\naction = \"harvest\"\n[truth]\npresent = []\n";
    let of = |key: &str, expected: &str| {
        let text = format!("[[reply]]\ntape = \"a/exchanges.jsonl\"\n{key}\n{end}");
        let unread =
            "6:8 error: failed to read `token/a/exchanges.jsonl`: no other file can be read here";
        check(&text, &[unread, expected]);
    };
    of("status = 404", "7:10 error: a recording says its own `status`");
    of("times = 2", "7:9 error: a recording says its own `times`");
    of("headers = { etag = \"x\" }", "7:20 error: a recording says its own `headers`");
}
