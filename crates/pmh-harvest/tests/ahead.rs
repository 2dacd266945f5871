//! How far a run gets ahead of the store: by hand, with receipts as late as the core can go on without them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::VecDeque;
use std::sync::Arc;

use pmh_harvest::{
    Answered, End, Entry, Fetched, Harvest, Instant, Key, Known, MemoryStore, Outcome, Plan, Step,
    Store as _,
};
use pmh_protocol::{
    Body, Datestamp, Document, Echo, Granularity, Header, Identify, Item, Page, Parsed, Record,
    ResumptionToken, Stamp, Verb,
};

/// Pages that may be outstanding once a list has proven long enough: the receipts of so many could bring the tenth
/// page without anything new, which ends a run.
const OUTSTANDING_MAX: usize = 10;

fn key() -> Key {
    Key { source: "http://127.0.0.1/oai".into(), prefix: "oai_dc".into(), set: None }
}

fn document(body: Body) -> Fetched {
    let response_date = Stamp::parse("2024-06-01T10:00:00Z").ok();
    Fetched::Document(Box::new(Answered {
        parsed: Parsed {
            document: Document { response_date, request: Echo::default(), body },
            complaints: Vec::new(),
            unreadable: 0,
        },
        date: None,
        cookies: Vec::new(),
    }))
}

fn identify() -> Fetched {
    document(Body::Identify(Box::new(Identify {
        protocol_version: "2.0".into(),
        granularity: Some(Granularity::Second),
        ..Identify::default()
    })))
}

/// A page of one record. An empty token ends the list.
fn page(id: u64, token: &str, announced_size: Option<u64>) -> Fetched {
    let item = Item::Record(Record {
        header: Header {
            identifier: format!("oai:x:{id:04}"),
            datestamp: Datestamp::parse("2024-05-01T00:00:00Z").ok(),
            sets: Vec::new(),
        },
        payload: Some("<x/>".into()),
        abouts: Vec::new(),
    });
    let token = Some(ResumptionToken { announced_size, ..ResumptionToken::new(token) });
    document(Body::List(Page { verb: Verb::ListRecords, items: vec![item], token }))
}

/// The outcome of a list, and how many pages were outstanding after so many were durable, whenever the core could
/// not go on. `list` gives the page of a number from 1. `early` hands every receipt in at once.
fn run(plan: Plan, early: bool, list: impl Fn(u64) -> Fetched) -> (Outcome, Vec<(usize, usize)>) {
    let mut store = MemoryStore::default();
    let started = Stamp::parse("2024-06-01T12:00:00Z").unwrap();
    let mut harvest = Harvest::resume(plan, Known::default(), started);
    let mut queued: VecDeque<Arc<Entry>> = VecDeque::new();
    let (mut pages_asked, mut pages_durable, mut waits) = (0, 0, Vec::new());
    let mut identified = false;
    loop {
        let step = match early && !queued.is_empty() {
            true => Step::Idle,
            false => harvest.step(Instant::START),
        };
        match step {
            Step::Fetch(_) if !identified => {
                identified = true;
                harvest.fetched(identify(), Instant::START);
            }
            Step::Fetch(_) => {
                pages_asked += 1;
                harvest.fetched(list(pages_asked), Instant::START);
            }
            Step::Store(entry) => queued.push_back(entry),
            Step::Idle => {
                let entry = queued.pop_front().expect("idle only while a receipt is outstanding");
                let is_page = matches!(*entry, Entry::Page(_));
                if is_page {
                    waits.push((pages_durable, queued.len() + 1));
                    pages_durable += 1;
                }
                harvest.committed(&store.commit(&key(), &[entry]).unwrap()[0]);
            }
            Step::Wait { .. } => panic!("nothing is waited for on loopback"),
            Step::Finish(outcome) => return (*outcome, waits),
        }
    }
}

#[test]
fn a_list_that_proves_long_earns_more_pages_ahead_up_to_a_bound() {
    const PAGES: u64 = 400;
    let token = |number| if number < PAGES { format!("t{number}") } else { String::new() };
    let (outcome, waits) =
        run(Plan::new(key()), false, |number| page(number, &token(number), None));
    assert_eq!(outcome.end, End::Complete);
    // Near its end the list has no more pages to be ahead with.
    for (durable, outstanding) in &waits[..waits.len() - OUTSTANDING_MAX] {
        assert_eq!(*outstanding, (2 + durable / 16).min(OUTSTANDING_MAX), "after {durable} pages");
    }
    assert!(waits.iter().any(|(_, outstanding)| *outstanding == OUTSTANDING_MAX));
}

#[test]
fn pages_too_large_to_be_held_in_number_are_outstanding_two_at_a_time() {
    let mut plan = Plan::new(key());
    plan.limits.bytes_ahead_max = 7;
    let token = |number| if number < 100 { format!("t{number}") } else { String::new() };
    // Two payloads are eight bytes.
    let (outcome, waits) = run(plan, false, |number| page(number, &token(number), None));
    assert_eq!(outcome.end, End::Complete);
    assert!(waits.iter().all(|(_, outstanding)| *outstanding <= 2), "{waits:?}");
}

#[test]
fn a_page_is_judged_by_the_size_it_announced_and_not_by_that_of_the_page_after_it() {
    // Page 2 brings nothing new; what page 3 announces would make that the end of a list that goes round.
    let list = |number| match number {
        1 => page(1, "a", Some(9)),
        2 => page(1, "b", Some(9)),
        3 => page(2, "c", Some(1)),
        _ => page(3, "", None),
    };
    let [early, late] = [true, false].map(|early| run(Plan::new(key()), early, list).0);
    assert_eq!(early, late);
    assert_eq!(early.tally.distinct, 3);
}
