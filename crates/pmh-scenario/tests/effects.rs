//! Effects on documents, answers and their way, as a file writes them: read, shown again, and refused with a place.

use pmh_scenario::{Loaded, Vocabulary, load, render_findings};

const KNOWN: Vocabulary<'static> =
    Vocabulary { guards: &[], outcomes: &["complete"], specimens: &[] };

fn read(effect: &str) -> Result<Loaded, String> {
    let text = format!(
        "format = 1\ntitle = \"x\"\n[[fault]]\nname = \"x\"\n{effect}\n[[run]]\naction = \"harvest\"\n"
    );
    load("x", &text, &KNOWN).map_err(|findings| render_findings("x", &text, &findings, false))
}

#[test]
fn every_effect_is_read_and_shown_as_what_it_is() {
    for effect in [
        "do.wire.cut-at.byte = 5",
        "do.wire.reset-at.share = 0.25",
        "do.wire.stall-at.inside-record = 3",
        "do.wire.dribble = 7",
        "do.wire.length.too-big = 1",
        "do.wire.length.too-small = 1",
        "do.wire.length = \"absent\"",
        "do.wire = \"chunked-without-end\"",
        "do.wire.gzip = \"undeclared\"",
        "do.wire = \"silence\"",
        "do.wire.replace = \"HTTP/1.1 200 OK\\r\\n\"",
        "do.xml.control-char = 2",
        "do.xml.truncate.share = 0.5",
        "do.xml = \"junk-before\"",
        "do.xml.latin1 = \"mislabelled\"",
        "do.http = { status = 503, retry-after-date = \"-2m\" }",
        "do.http = { status = 301, location = \"{base-url}?{query}\", without = [\"content-type\"] }",
        "do.http = { content-type = \"text/html\", headers = [[\"a\", \"b\"], [\"a\", \"c\"]] }",
        "do.http = { body = { text = \"hello\" } }",
    ] {
        let loaded = read(effect).unwrap_or_else(|findings| panic!("{findings}"));
        let shown = loaded.show();
        let again = load("x", &shown, &KNOWN).unwrap_or_else(|findings| {
            panic!("{}", render_findings("x", &shown, &findings, false))
        });
        assert_eq!(loaded.script().faults[0].effect, again.script().faults[0].effect, "{shown}");
    }
}

#[test]
fn what_cannot_be_meant_is_said_with_its_place_and_what_to_write_instead() {
    for (effect, expected) in [
        (
            "do.wire.cut-at.share = 1.5",
            &["x:5:4", "no place after a share of 1.5", "less than 1"][..],
        ),
        ("do.wire.cut-at.inside-record = 0", &["x:5:4", "no record 0", "counted from 1"]),
        ("do.wire.dribble = 100000", &["cannot be 100000 pieces", "from 1 to 600"]),
        ("do.wire.cut-at.bite = 5", &["x:5:16", "`bite`", "did you mean `byte`?"]),
        ("do.wire = \"silent\"", &["`silent`", "did you mean `silence`?"]),
        ("do.xml.control-char = 0", &["no record 0"]),
        ("do.xml.huge-node = 0", &["cannot be 0 bytes"]),
        ("do.xml = \"utf-16\"", &["did you mean `utf16`?"]),
        (
            "do.http = { status = 204 }",
            &["cannot have the status 204", "with `body = \"empty\"` it can"],
        ),
        ("do.http = { status = 600 }", &["cannot have the status 600"]),
        (
            "do.http = { status = 503, retry-after-date = \"soon\" }",
            &["x:5:46", "`soon` is no time from now", "\"-2m\" for the past"],
        ),
        (
            "do.http = { status = 503, retry-after = \"1s\", retry-after-date = \"2m\" }",
            &["names one time", "another is named here"],
        ),
        ("do.http = { headers = [[\"a b\", \"c\"]] }", &["can be called `a b`", "letters, digits"]),
        (
            "do.http = { headers = [[\"Content-Length\", \"9\"]] }",
            &["said by whoever frames the answer", "`do.wire.length`"],
        ),
        ("do.http = { location = \"a\\nb\" }", &["cannot hold control characters"]),
    ] {
        let Err(findings) = read(effect) else { panic!("`{effect}` was taken") };
        for words in expected {
            assert!(findings.contains(words), "`{words}` is not in\n{findings}");
        }
    }
}

#[test]
fn two_ways_of_one_answer_are_one_too_many() {
    let findings =
        read("do.wire = \"refuse\"\n[[fault]]\nname = \"y\"\nwhen.page = 2\ndo.wire = \"silence\"");
    let Err(findings) = findings else { panic!("both were taken") };
    assert!(findings.contains("two faults of the wire can be due at one exchange"), "{findings}");
}
