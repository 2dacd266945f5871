//! Every effect on a document, an answer or its way, met once by the harvester in both arms: what the pure arm takes for
//! the wire must be what the wire does.

use std::sync::{Arc, Mutex};

use pmh_oracle::judge;
use pmh_runner::{Loopback, simulate, vocabulary};
use pmh_scenario::{Script, load, render_findings};

use crate::support::program;

/// Effects played side by side.
const PLAYERS: usize = 4;

/// What the harvester does about page 2 when the effect is there the first time: asks for it once or twice. (A page that
/// is whole is taken; a lost one is asked for again.)
const ASKED: &[(&str, usize)] = &[
    ("do.wire.cut-at.share = 0.5", 2),
    ("do.wire.cut-at.byte = 0", 2),
    ("do.wire.cut-at.inside-record = 2", 2),
    ("do.wire.reset-at.share = 0.9", 2),
    ("do.wire.reset-at.byte = 0", 2),
    ("do.wire.reset-at.inside-record = 1", 2),
    ("do.wire.stall-at.share = 0.5", 2),
    ("do.wire.dribble = 12", 1),
    ("do.wire.length.too-big = 100", 2),
    ("do.wire.length.too-small = 100", 2),
    ("do.wire.length = \"absent\"", 1),
    ("do.wire = \"chunked-without-end\"", 2),
    ("do.wire.gzip = \"undeclared\"", 1),
    ("do.wire.gzip = \"declared-only\"", 1),
    ("do.wire.gzip = \"cut\"", 2),
    ("do.wire.gzip = \"double\"", 1),
    ("do.wire = \"refuse\"", 2),
    ("do.wire = \"silence\"", 2),
    ("do.wire.replace = \"SSH-2.0-server\\r\\n\"", 2),
    ("do.wire.replace = \"HTTP/1.1 200 OK\\r\\ncontent-length: 5\\r\\n\\r\\nhello\"", 2),
    ("do.http = { status = 500 }", 2),
    ("do.http = { status = 500, body = \"document\" }", 1),
    ("do.http = { status = 404, body = \"html\" }", 2),
    ("do.http = { status = 200, body = \"html\" }", 2),
    ("do.http = { status = 200, body = \"empty\" }", 2),
    ("do.http = { status = 204, body = \"empty\" }", 2),
    ("do.http = { status = 202, body = { text = \"one moment\" } }", 2),
    ("do.http = { status = 429 }", 2),
    ("do.http = { status = 503, retry-after = \"2m\" }", 2),
    ("do.http = { status = 503, retry-after = \"-1\" }", 2),
    ("do.http = { status = 503, retry-after = \"soon\" }", 2),
    ("do.http = { status = 503, retry-after-date = \"2m\" }", 2),
    ("do.http = { status = 503, retry-after-date = \"-1d\" }", 2),
    ("do.http = { status = 503, retry-after = \"Wed, 21 Oct 2015 07:28:00 GMT\" }", 2),
    ("do.http = { status = 302, location = \"?{query}\" }", 2),
    ("do.http = { status = 301, location = \"{base-url}?{query}\" }", 2),
    ("do.http = { status = 307, location = \"{base-url}\" }", 2),
    ("do.http = { status = 303, location = \"/oai/moved?{query}\" }", 2),
    ("do.http = { content-type = \"text/html; charset=iso-8859-1\" }", 1),
    ("do.http = { content-type = \"\" }", 1),
    (
        "do.http = { headers = [[\"set-cookie\", \"sid=1\"], [\"set-cookie\", \"node=b\"]], without = [\"content-type\"] }",
        1,
    ),
    ("do.xml.control-char = 2", 1),
    ("do.xml.bad-utf8 = 1", 1),
    ("do.xml.undefined-entity = 1", 1),
    ("do.xml.bare-ampersand = 1", 1),
    ("do.xml.unclosed-tag = 1", 2),
    ("do.xml.truncate.share = 0.7", 2),
    ("do.xml.truncate.inside-record = 2", 2),
    ("do.xml = \"doctype\"", 2),
    ("do.xml = \"bom\"", 1),
    ("do.xml = \"utf16\"", 1),
    ("do.xml = \"wrong-namespace\"", 1),
    ("do.xml = \"no-namespace\"", 1),
    ("do.xml = \"prefixes\"", 1),
    ("do.xml = \"junk-before\"", 1),
    ("do.xml = \"junk-after\"", 1),
    ("do.xml = \"two-documents\"", 2),
    ("do.xml.declaration-inside-metadata = 1", 1),
    ("do.xml = \"html\"", 2),
    ("do.xml = \"empty\"", 2),
    ("do.xml.huge-node = 3000000", 1),
    ("do.xml.deep = 100000", 2),
];

fn script(effect: &str) -> Arc<Script> {
    let text = format!(
        "format = 1\ntitle = \"One effect\"\n\n[repository]\nrecords.generate = {{ count = 12 }}\npage-size = 4\n\n\
         [[fault]]\nname = \"the effect\"\nwhen = {{ page = 2, attempt = 1 }}\n{effect}\n\n\
         [[run]]\naction = \"harvest\"\nexpect = {{ outcome = \"complete\", exit = 0 }}\n\n\
         [expect]\nstore = \"truth\"\n"
    );
    match load("effect", &text, &vocabulary()) {
        Ok(loaded) => Arc::new(loaded.script()),
        Err(findings) => panic!("{}", render_findings("effect", &text, &findings, false)),
    }
}

#[test]
fn every_effect_is_met_alike_in_both_arms_and_loses_nothing() {
    let next = Mutex::new(ASKED.iter());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..PLAYERS {
            scope.spawn(|| {
                let take = || next.lock().expect("no player panicked here").next();
                while let Some((effect, times)) = take() {
                    let script = script(effect);
                    let pure = simulate(&script);
                    let real =
                        Loopback::new(program()).play(&script).expect("the arm can be set up");
                    let mut differs = Vec::new();
                    let verdict = judge(&script, &pure);
                    if !verdict.held() {
                        differs.push(verdict.to_text());
                    }
                    let in_loopback = judge(&script, &real).to_text();
                    if in_loopback != verdict.to_text() {
                        differs.push(format!("in loopback: {in_loopback}"));
                    }
                    let journal = pure.journal.deterministic().to_ndjson();
                    let journal_in_loopback = real.journal.deterministic().to_ndjson();
                    if journal != journal_in_loopback {
                        differs.push(format!("{journal}\nin loopback:\n{journal_in_loopback}"));
                    }
                    let asked = pure.journal.exchanges().filter(|exchange| exchange.page == 2);
                    let asked = asked.count();
                    if asked != *times {
                        differs.push(format!("asked for {asked} times, expected {times}"));
                    }
                    if !differs.is_empty() {
                        let text = format!("{effect}\n{}", differs.join("\n"));
                        wrong.lock().expect("no player panicked here").push(text);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no player panicked here");
    assert!(wrong.is_empty(), "{} effects:\n\n{}", wrong.len(), wrong.join("\n\n"));
}
