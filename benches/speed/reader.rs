//! The reader alone: bytes of a page to its records, beside a bare pass over the same XML events.

use std::hint::black_box;

use pmh_protocol::parse_document;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::corpus::{Corpus, Edition};
use crate::{measure, table};

pub(crate) fn run(records: u64) {
    for page_size in [100, 1000] {
        let corpus = Corpus { records: records.min(20_000), page_size };
        let pages: Vec<String> =
            (1..=corpus.pages()).map(|number| corpus.page(number, Edition::First)).collect();
        let bytes = pages.iter().map(|page| page.len() as u64).sum();
        let baseline = measure::of_work(|| pages.iter().for_each(|page| events(page)));
        let read = measure::of_work(|| {
            for page in &pages {
                black_box(parse_document(page.as_bytes()).expect("the corpus is well-formed"));
            }
        });
        table::heading(&format!("reader, pages of {page_size}"), "bare events");
        table::row("bare events", &baseline, corpus.records, bytes, &baseline);
        table::row("pmh reader", &read, corpus.records, bytes, &baseline);
    }
}

fn events(page: &str) {
    let mut reader = Reader::from_str(page);
    loop {
        match reader.read_event().expect("the corpus is well-formed") {
            Event::Eof => return,
            event => drop(black_box(event)),
        }
    }
}
