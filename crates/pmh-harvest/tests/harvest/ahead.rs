//! How far a run gets ahead of the store: by hand, with receipts as late as the core can go on without them.

use std::collections::VecDeque;
use std::sync::Arc;

use pmh_harvest::{
    End, Entry, Fetched, Harvest, Instant, Known, MemoryStore, Outcome, Plan, Step, Store as _,
};

use crate::support::*;

/// Pages that may be outstanding once a list has proven long enough: the receipts of so many could bring the tenth
/// page without anything new, which ends a run.
const OUTSTANDING_MAX: usize = 10;

/// A page of one record. An empty token ends the list.
fn single(id: u32, token: &str, announced_size: Option<u64>) -> Fetched {
    list(vec![record(id)], Some(token), announced_size)
}

/// The outcome of a list, and how many pages were outstanding after so many were durable, whenever the core could
/// not go on. `pages` gives the page of a number from 1. `early` hands every receipt in at once.
fn run(plan: Plan, early: bool, pages: impl Fn(u32) -> Fetched) -> (Outcome, Vec<(usize, usize)>) {
    let mut store = MemoryStore::default();
    let mut harvest = Harvest::resume(plan, Known::default(), now());
    let mut queued: VecDeque<Arc<Entry>> = VecDeque::new();
    let (mut pages_asked, mut pages_durable, mut waits) = (0, 0, Vec::new());
    loop {
        let step = match early && !queued.is_empty() {
            true => Step::Idle,
            false => harvest.step(Instant::START),
        };
        match step {
            Step::Fetch(request) if greeting(&request).is_some() => {
                harvest.fetched(greeting(&request).unwrap(), Instant::START);
            }
            Step::Fetch(_) => {
                pages_asked += 1;
                harvest.fetched(pages(pages_asked), Instant::START);
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
    const PAGES: u32 = 400;
    let token = |number| if number < PAGES { format!("t{number}") } else { String::new() };
    let (outcome, waits) =
        run(Plan::new(key()), false, |number| single(number, &token(number), None));
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
    plan.limits.bytes_ahead_max = 15;
    let token = |number| if number < 100 { format!("t{number}") } else { String::new() };
    // Two payloads are sixteen bytes.
    let (outcome, waits) = run(plan, false, |number| single(number, &token(number), None));
    assert_eq!(outcome.end, End::Complete);
    assert!(waits.iter().all(|(_, outstanding)| *outstanding <= 2), "{waits:?}");
}

#[test]
fn a_page_is_judged_by_the_size_it_announced_and_not_by_that_of_the_page_after_it() {
    // Page 2 brings nothing new; what page 3 announces would make that the end of a list that goes round.
    let pages = |number| match number {
        1 => single(1, "a", Some(9)),
        2 => single(1, "b", Some(9)),
        3 => single(2, "c", Some(1)),
        _ => single(3, "", None),
    };
    let [early, late] = [true, false].map(|early| run(Plan::new(key()), early, pages).0);
    assert_eq!(early, late);
    assert_eq!(early.tally.distinct, 3);
}
