//! Bytes that nobody meant: cut, mutated, and built to cost.

mod support;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use pmh_protocol::{
    BODY_BYTES_MAX, Body, COMPLAINTS_MAX, ComplaintKind, Headers, HttpPage, Item, ParseError,
    Parsed, parse_document, read_document,
};
use support::Dice;

const PAGES: [&[u8]; 10] = [
    include_bytes!("pages/ordinary-list.xml"),
    include_bytes!("pages/namespaces-on-ancestors.xml"),
    include_bytes!("pages/cdata.xml"),
    include_bytes!("pages/identify.xml"),
    include_bytes!("pages/junk-around.xml"),
    include_bytes!("pages/doctype-bomb.xml"),
    include_bytes!("pages/utf-16-le.xml"),
    include_bytes!("pages/windows-1252.xml"),
    include_bytes!("pages/bad-bytes.xml"),
    include_bytes!("pages/control-references.xml"),
];

const NAMESPACE: &str = "http://www.openarchives.org/OAI/2.0/";

fn list_of(entries: &str) -> String {
    format!("<OAI-PMH xmlns=\"{NAMESPACE}\"><ListRecords>{entries}</ListRecords></OAI-PMH>")
}

fn record_with(payload: &str) -> String {
    list_of(&format!(
        "<record><header><identifier>x</identifier></header><metadata>{payload}</metadata></record>"
    ))
}

fn answer(body: Vec<u8>) -> HttpPage {
    HttpPage { status: 200, headers: Headers::default(), body }
}

fn check(document: &str, is_expected: impl Fn(&ParseError) -> bool) {
    let error = parse_document(document.as_bytes()).expect_err("it is refused");
    assert!(is_expected(&error), "{error:?} of {}", document.chars().take(400).collect::<String>());
}

#[test]
fn no_page_that_is_cut_before_its_last_end_tag_is_read() {
    for page in &PAGES[..4] {
        let end_tag = b"</OAI-PMH>";
        let whole = page.windows(end_tag.len()).rposition(|window| window == end_tag).unwrap()
            + end_tag.len();
        for length in 0..whole {
            assert!(parse_document(&page[..length]).is_err(), "took the first {length} bytes");
        }
        assert!(parse_document(&page[..whole]).is_ok());
    }
}

#[test]
fn a_cut_page_is_told_from_a_broken_one() {
    let page = PAGES[0];
    let root = page.windows(8).position(|window| window == b"<OAI-PMH").unwrap();
    for length in root + 1..page.len() - "</OAI-PMH>\n".len() {
        match parse_document(&page[..length]) {
            Err(ParseError::Truncated { offset, .. }) => assert!(offset >= length - 1),
            // Where the cut leaves `OAI-PMH>` at the end there is nothing to tell by.
            other => panic!("{length} bytes: {other:?}"),
        }
    }
}

#[test]
fn no_mutation_makes_the_reader_panic() {
    const PIECES: [&[u8]; 20] = [
        b"<",
        b">",
        b"&",
        b";",
        b"\"",
        b"'",
        b"/>",
        b"</",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"<?",
        b"?>",
        b"xmlns:a=''",
        b"\xC3",
        b"\xFF\xFE",
        b"\0",
        b"&#1;",
        b"encoding='gbk'",
    ];
    let mut readable = 0;
    for seed in 0..20_000 {
        let mut dice = Dice(seed);
        let mut bytes = PAGES[dice.below(PAGES.len())].to_vec();
        for _ in 0..=dice.below(4) {
            let at = dice.below(bytes.len());
            let to = (at + dice.below(30)).min(bytes.len());
            match dice.below(4) {
                0 => bytes[at] = u8::try_from(dice.below(256)).unwrap(),
                1 => drop(bytes.drain(at..to)),
                2 => drop(bytes.splice(at..at, PIECES[dice.below(PIECES.len())].iter().copied())),
                _ => {
                    let copy = bytes[at..to].to_vec();
                    let into = dice.below(bytes.len());
                    bytes.splice(into..into, copy);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        // Fragments must be well-formed on their own, or the reader let something through.
        if let Ok(parsed) = read_document(&answer(bytes), BODY_BYTES_MAX) {
            readable += 1;
            for fragment in fragments(&parsed) {
                let again = record_with(fragment);
                let read = parse_document(again.as_bytes()).unwrap_or_else(|error| {
                    panic!("seed {seed}: {error} in {fragment}");
                });
                let kept = fragments(&read);
                assert_eq!(kept.len(), 1, "seed {seed}: {fragment}");
            }
        }
    }
    assert!(readable > 1000, "only {readable} mutations were readable: they prove little");
}

fn fragments(parsed: &Parsed) -> Vec<&str> {
    match &parsed.document.body {
        Body::List(page) => page
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Record(record) => record.payload.as_deref(),
                Item::Tombstone(_) => None,
            })
            .collect(),
        Body::Identify(identify) => identify.descriptions.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn depth_is_bounded() {
    let nested =
        |depth: usize| record_with(&format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth)));
    // OAI-PMH, ListRecords, record and metadata are four of the hundred.
    assert!(parse_document(nested(96).as_bytes()).is_ok());
    for depth in [97, 1_000_000] {
        check(&nested(depth), |error| matches!(error, ParseError::Limit { what: "depth", .. }));
    }
}

#[test]
fn attributes_and_declarations_are_bounded() {
    let attributes: String = (0..300).map(|number| format!(" a{number}=''")).collect();
    check(&record_with(&format!("<a{attributes}/>")), |error| {
        matches!(error, ParseError::Limit { .. })
    });
    let declarations = |level: usize| -> String {
        (0..100).map(|number| format!(" xmlns:p{level}-{number}='u'")).collect()
    };
    let nested: String = (0..4).map(|level| format!("<a{}>", declarations(level))).collect();
    check(&record_with(&(nested + "</a></a></a></a>")), |error| {
        matches!(error, ParseError::Limit { what: "namespace declarations in scope", .. })
    });
}

#[test]
fn a_long_declaration_is_not_given_to_every_record() {
    // A page of a megabyte would become one of a gigabyte.
    let record =
        "<record><header><identifier>x</identifier></header><metadata><p:a/></metadata></record>";
    let document = list_of(&record.repeat(1_500))
        .replace("<ListRecords>", &format!("<ListRecords xmlns:p='{}'>", "n".repeat(1 << 20)));
    check(
        &document,
        |error| matches!(error, ParseError::Limit { what, .. } if what.starts_with("bytes of namespace")),
    );
}

#[test]
fn complaints_are_bounded_and_the_unreadable_still_counted() {
    let parsed = parse_document(list_of(&"<record/>".repeat(1000)).as_bytes()).unwrap();
    assert_eq!(parsed.complaints.len(), COMPLAINTS_MAX);
    assert_eq!(parsed.unreadable, 1000);
    assert!(parsed.complaints.iter().all(|complaint| complaint.found.chars().count() <= 100));
}

#[test]
fn what_no_xml_reader_would_take_is_not_taken() {
    for payload in [
        "<a b='1' b='2'/>",
        "<a b='1'c='2'/>",
        "<a b=1/>",
        "<a b/>",
        "<a b='<'/>",
        "<a>]]></a>",
        "<a><!-- -- --></a>",
        "<a></b>",
        "<1/>",
        "< a/>",
        "<a><?XML x?></a>",
        "<a><?1 x?></a>",
        "<a><??></a>",
        "<!x><a/>",
    ] {
        check(&record_with(payload), |error| matches!(error, ParseError::Malformed { .. }));
    }
    check(&record_with("<!DOCTYPE a><a/>"), |error| matches!(error, ParseError::Entity { .. }));
}

#[test]
fn what_is_never_closed_in_a_whole_document_is_broken_not_cut() {
    for payload in ["<a b='1>", "<a><!-- </a>", "<a><![CDATA[</a>"] {
        check(&record_with(payload), |error| matches!(error, ParseError::Malformed { .. }));
    }
}

#[test]
fn an_html_page_is_told_however_late_it_begins() {
    let comment = format!("<!-- {} -->", "x".repeat(2000));
    for page in ["<!DOCTYPE HTML><p>", "<Html/>"] {
        check(&format!("{comment}{page}"), |error| matches!(error, ParseError::Html));
    }
}

#[test]
fn junk_after_the_document_may_be_anything_but_half_a_character() {
    let mut bytes = list_of("<record/>").into_bytes();
    bytes.extend(b"\x0C<p>&");
    assert!(parse_document(&bytes).is_ok());
    bytes.push(0xC3);
    assert_eq!(parse_document(&bytes), Err(ParseError::NotUtf8 { offset: bytes.len() - 1 }));
}

#[test]
fn a_body_beyond_the_limit_is_refused_unread_and_one_below_it_is_read() {
    let record = record_with("<a>@</a>");
    let (before, after) = record.split_once('@').unwrap();
    let long = |length: usize| [before, &"long ".repeat(length / 5), after].concat().into_bytes();
    let refused = Err(ParseError::Limit { what: "bytes of the body", limit: BODY_BYTES_MAX });
    assert_eq!(read_document(&answer(long(100_000_000)), BODY_BYTES_MAX), refused);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&long(100_000_000)).unwrap();
    let packed = encoder.finish().unwrap();
    assert!(packed.len() < 1_000_000);
    assert_eq!(read_document(&answer(packed), BODY_BYTES_MAX), refused);
    let parsed = read_document(&answer(long(60_000_000)), BODY_BYTES_MAX).unwrap();
    assert!(fragments(&parsed)[0].len() > 60_000_000);
}

#[test]
fn text_does_not_grow_beyond_the_limit_by_what_is_done_for_it() {
    const LIMIT: usize = 4 << 20;
    // Each byte becomes two or three: in another charset, as a bad byte, as a forbidden character.
    let fill = |declaration: &str, piece: &[u8]| {
        let mut body = format!("{declaration}<OAI-PMH>").into_bytes();
        body.extend(piece.repeat((LIMIT - body.len()) / piece.len()));
        body
    };
    let utf_16 = [&b"\xFF\xFE"[..], &b"\x01\x4E".repeat(LIMIT / 2 - 1)].concat();
    for body in [
        fill("<?xml version='1.0' encoding='ISO-8859-1'?>", b"\xE9"),
        fill("<?xml version='1.0' encoding='windows-1252'?>", b"\x80"),
        fill("", b"\x80"),
        fill("", b"\x01"),
        fill("", b"&"),
        fill("", b"&#1"),
        utf_16,
    ] {
        let refused = Err(ParseError::Limit { what: "bytes of the text", limit: LIMIT });
        assert_eq!(read_document(&answer(body), LIMIT), refused);
    }
    // What does not grow may be much, and takes no longer for being nearly something else.
    for (start, piece) in
        [("", "&#1;"), ("", "&amp;"), ("<a>&#1;</a>", "<!-"), ("&#1;", "<![CDATA[")]
    {
        let error = read_document(&answer(fill(start, piece.as_bytes())), LIMIT).unwrap_err();
        assert!(!matches!(error, ParseError::Limit { .. }), "{error}");
    }
}

#[test]
fn every_cut_of_a_page_in_another_charset_is_refused() {
    for page in &PAGES[6..9] {
        for length in 0..page.len() {
            let read = read_document(&answer(page[..length].to_vec()), BODY_BYTES_MAX);
            // The line end after the last end tag may be missing, whole or half.
            let is_whole = length + 3 > page.len();
            assert!(read.is_err() || is_whole, "took the first {length} bytes");
        }
    }
}

#[test]
fn a_flood_of_forbidden_characters_is_one_complaint() {
    let parsed = parse_document(record_with(&"<a>\u{1}</a>".repeat(10_000)).as_bytes()).unwrap();
    let repairs =
        parsed.complaints.iter().filter(|each| each.kind == ComplaintKind::ControlCharacter);
    let found: Vec<&str> = repairs.map(|each| each.found.as_str()).collect();
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("10000, the first U+0001 after "), "{}", found[0]);
}
