//! Any bytes as the body of an answer: no panic, bounded output, and every fragment that is kept can be read again on
//! its own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pmh_protocol::{
    Body, COMPLAINTS_MAX, Headers, HttpPage, Item, ParseError, Parsed, parse_document,
    read_document,
};

/// Large enough for everything a fuzzer writes, small enough that a bomb would be noticed.
const LIMIT: usize = 1 << 20;
const NAMESPACE: &str = "http://www.openarchives.org/OAI/2.0/";

fuzz_target!(|bytes: &[u8]| {
    let _ = parse_document(bytes);
    // The first byte chooses what is said about the rest.
    let (choice, body) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    let mut headers = Headers::default();
    let encoding = ["", "gzip", "deflate", "br", "zstd", "br, gzip"];
    headers.push("Content-Encoding", encoding[usize::from(choice & 0x0F) % encoding.len()]);
    let charset = ["text/xml", "text/xml; charset=iso-8859-1", "text/xml; charset=gbk"];
    headers.push("Content-Type", charset[usize::from(choice >> 4) % charset.len()]);
    for body in [body, bytes] {
        let page = HttpPage { status: 200, headers: headers.clone(), body: body.to_vec() };
        if let Ok(parsed) = read_document(&page, LIMIT) {
            judge(&parsed);
        }
    }
});

fn judge(parsed: &Parsed) {
    assert!(parsed.complaints.len() <= COMPLAINTS_MAX);
    for (is_description, fragment) in fragments(&parsed.document.body) {
        // A description stands one element less deep than a payload, and depth is bounded.
        let again = if is_description {
            format!(
                "<OAI-PMH xmlns=\"{NAMESPACE}\"><Identify><description>{fragment}</description></Identify></OAI-PMH>"
            )
        } else {
            format!(
                "<OAI-PMH xmlns=\"{NAMESPACE}\"><ListRecords><record><header><identifier>x</identifier>\
                 </header><metadata>{fragment}</metadata></record></ListRecords></OAI-PMH>"
            )
        };
        match parse_document(again.as_bytes()) {
            Ok(read) => assert_eq!(fragments(&read.document.body).len(), 1, "{fragment}"),
            // The declarations that it was given may be one attribute too many for its first tag.
            Err(ParseError::Limit { .. }) => {}
            Err(error) => panic!("{error} in {fragment}"),
        }
    }
}

/// Everything that is kept as XML, and whether it is a description of Identify.
fn fragments(body: &Body) -> Vec<(bool, &str)> {
    match body {
        Body::List(page) => page.items.iter().flat_map(fragments_of_item).collect(),
        Body::Record(item) => fragments_of_item(item),
        Body::Identify(identify) => {
            identify.descriptions.iter().map(|each| (true, each.as_str())).collect()
        }
        Body::Sets { sets, .. } => sets
            .iter()
            .flat_map(|set| &set.descriptions)
            .map(|each| (false, each.as_str()))
            .collect(),
        Body::Errors(_) | Body::Formats(_) => Vec::new(),
    }
}

fn fragments_of_item(item: &Item) -> Vec<(bool, &str)> {
    match item {
        Item::Record(record) => {
            record.payload.iter().chain(&record.abouts).map(|each| (false, each.as_str())).collect()
        }
        Item::Tombstone(_) => Vec::new(),
    }
}
