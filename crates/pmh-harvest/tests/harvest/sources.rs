//! What is remembered of a source, and what comes of it in later runs.

use std::time::Duration;

use pmh_harvest::{
    Closing, End, Ending, Entry, Fetched, Harvest, Instant, Key, MemoryStore, Outcome, Plan,
    Receipt, Refusal, RetryAfter, Span, Step, Stop, Store as _, Trip,
};
use pmh_protocol::{
    Body, Complaint, ComplaintKind, Datestamp, ErrorCode, Granularity, Identify, Item, Page,
    ResumptionToken, Verb,
};

use crate::support::*;

/// A run whose Identify says this; `answer` is asked for what comes after it, by verb and number from 1.
fn run(
    plan: Plan,
    store: &mut MemoryStore,
    identify: &Identify,
    mut answer: impl FnMut(&str, u32) -> Fetched,
) -> (Outcome, Vec<String>) {
    let key = plan.key.clone();
    let mut harvest = Harvest::resume(plan, store.known(&key).unwrap(), now());
    let (mut now, mut urls, mut asked) = (Instant::START, Vec::new(), 0);
    for _ in 0..10_000 {
        match harvest.step(now) {
            Step::Fetch(request) => {
                urls.push(request.url.clone());
                let fetched = if request.url.contains("verb=Identify") {
                    document(Body::Identify(Box::new(identify.clone())))
                } else {
                    let verb = request.url.split("verb=").nth(1).unwrap();
                    let verb = verb.split('&').next().unwrap();
                    asked += u32::from(verb == "ListRecords");
                    answer(verb, asked)
                };
                harvest.fetched(fetched, now);
            }
            Step::Wait { until } => now = until,
            Step::Store(entry) => {
                harvest.committed(&store.commit(&key, &[entry]).unwrap()[0]);
            }
            Step::Idle => panic!("idle without anything outstanding"),
            Step::Finish(outcome) => return (*outcome, urls),
        }
    }
    panic!("the harvest does not end");
}

fn said() -> Identify {
    Identify {
        repository_name: "A".into(),
        base_url: "https://a.example/oai".into(),
        protocol_version: "2.0".into(),
        granularity: Some(Granularity::Second),
        earliest_datestamp: Datestamp::parse("2020-01-01T00:00:00Z").ok(),
        ..Identify::default()
    }
}

/// The answers of a sound repository with three records.
fn sound(verb: &str, _: u32) -> Fetched {
    match verb {
        "ListMetadataFormats" => formats(&[("oai_dc", "http://x/1.xsd")]),
        _ => page(0..3, ""),
    }
}

#[test]
fn a_source_that_says_something_else_than_before_is_complained_of() {
    let mut store = MemoryStore::default();
    let (first, _) = run(Plan::new(key()), &mut store, &said(), sound);
    assert_eq!((first.end, first.complaints.len()), (End::Complete, 0));
    let moved = Identify {
        repository_name: "B".into(),
        base_url: "https://b.example/oai".into(),
        granularity: Some(Granularity::Day),
        ..said()
    };
    let (second, _) = run(Plan::new(key()), &mut store, &moved, sound);
    assert_eq!((second.end, second.refresh_due), (End::Complete, None));
    assert_eq!(second.complaints["drift"].count, 3);
    assert!(second.complaints["drift"].example.contains("`A` and is `B`"));
    let (third, _) = run(Plan::new(key()), &mut store, &moved, sound);
    assert!(third.complaints.is_empty(), "told once: {:?}", third.complaints);
}

#[test]
fn a_refresh_stays_due_for_every_key_it_concerns_until_everything_was_read() {
    let other = Key { prefix: "marc21".into(), ..key() };
    let full = |key| Plan { full: true, ..Plan::new(key) };
    let earlier =
        Identify { earliest_datestamp: Datestamp::parse("2010-01-01T00:00:00Z").ok(), ..said() };
    let other_schema = |verb: &str, n| match verb {
        "ListMetadataFormats" => formats(&[("oai_dc", "http://x/2.xsd")]),
        _ => sound(verb, n),
    };
    let mut store = MemoryStore::default();
    run(Plan::new(key()), &mut store, &said(), sound);
    run(Plan::new(other.clone()), &mut store, &said(), sound);

    let (outcome, _) = run(Plan::new(key()), &mut store, &said(), other_schema);
    assert_eq!(outcome.refresh_due.as_deref(), Some("the schema of the format changed"));
    assert_eq!(store.known(&other).unwrap().refresh_due, None, "another format");
    run(Plan::new(key()), &mut store, &said(), other_schema);
    let due = |store: &mut MemoryStore, key: &Key| store.known(key).unwrap().refresh_due;
    assert!(due(&mut store, &key()).is_some(), "a window is not everything");
    let (outcome, _) = run(full(key()), &mut store, &said(), other_schema);
    assert_eq!((outcome.refresh_due, due(&mut store, &key())), (None, None));

    run(Plan::new(key()), &mut store, &earlier, other_schema);
    for key in [&key(), &other] {
        let text = due(&mut store, key);
        assert_eq!(text.as_deref(), Some("the earliest datestamp moved back"), "{key}");
    }
    run(full(key()), &mut store, &earlier, other_schema);
    assert_eq!((due(&mut store, &key()), due(&mut store, &other).is_some()), (None, true));
}

#[test]
fn a_format_that_is_not_in_the_list_is_tried_with_a_warning() {
    let unlisted = |verb: &str, n| match verb {
        "ListMetadataFormats" => formats(&[("mods", "")]),
        _ => sound(verb, n),
    };
    let (outcome, _) = run(Plan::new(key()), &mut MemoryStore::default(), &said(), unlisted);
    assert_eq!(outcome.end, End::Complete);
    assert_eq!(outcome.complaints["prefix-not-offered"].count, 1);
    for formats in [error(ErrorCode::NoMetadataFormats), lost(), Fetched::Status { status: 500 }] {
        let no_list = |verb: &str, n| match verb {
            "ListMetadataFormats" => formats.clone(),
            _ => sound(verb, n),
        };
        let (outcome, urls) = run(Plan::new(key()), &mut MemoryStore::default(), &said(), no_list);
        assert_eq!((outcome.end, urls.len()), (End::Complete, 3), "asked once, and goes on");
        assert_eq!(outcome.complaints["formats"].count, 1);
    }
}

fn busy(seconds: u64) -> Fetched {
    Fetched::Busy { status: 429, retry_after: Some(RetryAfter::Seconds(seconds)) }
}

#[test]
fn a_source_that_wants_a_long_rest_gets_it_over_runs() {
    let mut store = MemoryStore::default();
    let tired = |verb: &str, n| match (verb, n) {
        ("ListRecords", 2) => busy(7_200),
        ("ListRecords", _) => page(0..3, "a"),
        _ => sound(verb, n),
    };
    let (outcome, _) = run(Plan::new(key()), &mut store, &said(), tired);
    assert_eq!((outcome.reason(), outcome.cursor_kept), (Some("busy-ceiling"), true));
    let until = now().plus_seconds(7_200);
    assert_eq!(store.known(&key()).unwrap().memory.not_before, Some(until));

    let other = Key { set: Some("art".into()), ..key() };
    let (outcome, urls) = run(Plan::new(other), &mut store, &said(), sound);
    assert_eq!(outcome.end, End::Refused(Refusal::NotBefore { until }));
    assert!(urls.is_empty(), "nothing was asked of any of its keys");
    assert_eq!(outcome.exit_code(), 3);

    let plan = Plan { ignore_not_before: true, ..Plan::new(key()) };
    let rested = |_: &str, _| sized(3..6, "", 6);
    let (outcome, urls) = run(plan, &mut store, &said(), rested);
    assert_eq!((outcome.end, urls.len()), (End::Complete, 3));
    assert_eq!(store.known(&key()).unwrap().memory.not_before, None);
}

#[test]
fn nonsense_in_retry_after_does_not_lock_a_source_away() {
    let mut store = MemoryStore::default();
    run(Plan::new(key()), &mut store, &said(), |_, _| busy(u64::MAX));
    let until = store.known(&key()).unwrap().memory.not_before;
    assert_eq!(until, Some(now().plus_seconds(86_400)));
}

#[test]
fn a_busy_source_is_asked_more_slowly_in_the_next_run_too() {
    let mut store = MemoryStore::default();
    let busy_once = |verb: &str, n| match (verb, n) {
        ("ListRecords", 1) => busy(1),
        _ => sound(verb, n),
    };
    run(Plan::new(key()), &mut store, &said(), busy_once);
    assert_eq!(store.known(&key()).unwrap().memory.pause_millis, 250);
    let mut harvest = Harvest::resume(Plan::new(key()), store.known(&key()).unwrap(), now());
    assert!(matches!(harvest.step(Instant::START), Step::Fetch(_)));
    harvest.fetched(identify(), Instant::START);
    let step = harvest.step(Instant::START);
    assert_eq!(step, Step::Wait { until: Instant::START.plus(Duration::from_millis(250)) });
    run(Plan::new(key()), &mut store, &said(), sound);
    assert_eq!(store.known(&key()).unwrap().memory.pause_millis, 0, "a quiet run forgets it");
}

#[test]
fn a_token_that_a_lost_answer_spent_makes_the_source_single_use() {
    let mut store = MemoryStore::default();
    let spent = |verb: &str, n| match (verb, n) {
        ("ListRecords", 1 | 4) => sized(0..3, "a", 6),
        ("ListRecords", 2) => lost(),
        ("ListRecords", 3) => error(ErrorCode::BadResumptionToken),
        ("ListRecords", _) => sized(3..6, "", 6),
        _ => sound(verb, n),
    };
    let (outcome, _) = run(Plan::new(key()), &mut store, &said(), spent);
    assert_eq!(outcome.end, End::Complete);
    assert_eq!(outcome.complaints["single-use"].count, 1);
    assert!(store.known(&key()).unwrap().memory.single_use);

    // The next run asks for no page before the last one is stored.
    let mut harvest = Harvest::resume(
        Plan { full: true, ..Plan::new(key()) },
        store.known(&key()).unwrap(),
        now(),
    );
    for _ in 0..2 {
        let Step::Fetch(request) = harvest.step(Instant::START) else { panic!("no greeting") };
        harvest.fetched(greeting(&request).unwrap(), Instant::START);
    }
    let Step::Store(open) = harvest.step(Instant::START) else { panic!("no opening") };
    harvest.committed(&store.commit(&key(), &[open]).unwrap()[0]);
    assert!(matches!(harvest.step(Instant::START), Step::Fetch(_)));
    harvest.fetched(sized(0..3, "a", 9), Instant::START);
    assert!(matches!(harvest.step(Instant::START), Step::Store(_)));
    assert_eq!(harvest.step(Instant::START), Step::Idle);
}

#[test]
fn a_token_that_is_refused_at_once_is_no_sign_of_single_use() {
    let mut store = MemoryStore::default();
    let expired = |verb: &str, n| match (verb, n) {
        ("ListRecords", 2) => error(ErrorCode::BadResumptionToken),
        ("ListRecords", 1 | 3) => sized(0..3, "a", 6),
        ("ListRecords", _) => sized(3..6, "", 6),
        _ => sound(verb, n),
    };
    let (outcome, _) = run(Plan::new(key()), &mut store, &said(), expired);
    assert_eq!(outcome.end, End::Complete);
    assert!(!store.known(&key()).unwrap().memory.single_use);
}

/// A page of a list of nine, without a size, whose pages begin at offsets; an empty token ends it.
fn at(offset: u32, token: &str) -> Fetched {
    let items = (offset..offset + 3).map(record).collect();
    let token =
        ResumptionToken { announced_offset: Some(offset.into()), ..ResumptionToken::new(token) };
    document(Body::List(Page { verb: Verb::ListRecords, items, token: Some(token) }))
}

#[test]
fn a_page_left_out_is_asked_for_again_and_then_makes_a_list_without_size_incomplete() {
    let play = |again: u32| {
        run(Plan::new(key()), &mut MemoryStore::default(), &said(), |verb, n| match (verb, n) {
            ("ListRecords", 1) => at(0, "a"),
            ("ListRecords", 2) => at(3, "b"),
            ("ListRecords", 3) => at(9, "c"),
            ("ListRecords", 4) => at(again, if again == 6 { "c" } else { "d" }),
            ("ListRecords", _) => at(again + 3, ""),
            _ => sound(verb, n),
        })
    };
    let (outcome, _) = play(6);
    assert_eq!((outcome.end, outcome.complaints["offset-gap"].count), (End::Complete, 1));
    assert_eq!(outcome.tally.distinct, 12);
    let (outcome, _) = play(9);
    assert_eq!(outcome.end, End::Incomplete(Stop::Guard(Trip::OffsetGap { pages: 1 })));
    assert_eq!(outcome.complaints["offset-gap"].count, 1, "asked once more, not for ever");
}

#[test]
fn a_selection_as_large_as_everything_has_no_size() {
    let mut store = MemoryStore::default();
    run(Plan::new(key()), &mut store, &said(), |verb, n| match verb {
        "ListRecords" => sized(0..9, "", 9),
        _ => sound(verb, n),
    });
    let some = |announced| {
        move |verb: &str, n| match verb {
            "ListRecords" => sized(0..3, "", announced),
            _ => sound(verb, n),
        }
    };
    let (outcome, _) = run(Plan::new(key()), &mut store.clone(), &said(), some(9));
    assert_eq!(outcome.end, End::Complete);
    assert_eq!(outcome.complaints["size-of-everything"].count, 1);
    let set = Plan::new(Key { set: Some("art".into()), ..key() });
    let (outcome, _) = run(set, &mut store.clone(), &said(), some(9));
    assert_eq!(outcome.end, End::Complete);
    let (outcome, _) = run(Plan::new(key()), &mut store.clone(), &said(), some(8));
    assert_eq!(outcome.guard(), Some("short-list"), "any other size is believed");
    let full = Plan { full: true, ..Plan::new(key()) };
    let (outcome, _) = run(full, &mut store.clone(), &said(), some(9));
    assert_eq!(outcome.guard(), Some("short-list"), "everything has the size of everything");
}

fn dated(id: u32, datestamp: &str) -> Item {
    let mut item = record(id);
    if let Item::Record(record) = &mut item {
        record.header.datestamp = Datestamp::parse(datestamp).ok();
    }
    item
}

#[test]
fn a_datestamp_that_goes_back_is_complained_of_and_the_later_run_wins() {
    let mut store = MemoryStore::default();
    run(Plan::new(key()), &mut store, &said(), sound);
    let back = |verb: &str, n| match verb {
        "ListRecords" => list(vec![dated(1, "2024-04-30T00:00:00Z")], Some(""), None),
        _ => sound(verb, n),
    };
    let (outcome, _) = run(Plan::new(key()), &mut store, &said(), back);
    assert_eq!((outcome.end, outcome.complaints["datestamp-went-back"].count), (End::Complete, 1));
    let row = &store.rows(&key().source, "oai_dc")[1];
    assert_eq!(row.datestamp.unwrap().to_string(), "2024-04-30T00:00:00Z");
}

#[test]
fn what_came_late_makes_the_next_window_reach_further_back() {
    let mut store = MemoryStore::default();
    run(Plan::new(key()), &mut store, &said(), sound);
    // The watermark is 2024-06-01T10:00:00Z; the index was 18 hours late with this one.
    let late = |verb: &str, n| match verb {
        "ListRecords" => list(vec![dated(7, "2024-05-31T16:00:00Z")], Some(""), None),
        _ => sound(verb, n),
    };
    let from = |urls: &[String]| urls.last().unwrap().split("from=").nth(1).unwrap().to_owned();
    let (outcome, urls) = run(Plan::new(key()), &mut store, &said(), late);
    assert_eq!(from(&urls), "2024-05-31T10%3A00%3A00Z", "a day");
    assert_eq!(outcome.complaints["came-late"].count, 1);
    assert_eq!(store.known(&key()).unwrap().lag_seconds, 18 * 3_600);
    let (_, urls) = run(Plan::new(key()), &mut store, &said(), sound);
    assert_eq!(from(&urls), "2024-05-30T22%3A00%3A00Z", "twice as much as it was late");
}

#[test]
fn a_span_beside_what_is_known_is_kept_as_coverage() {
    let day = |text: &str| Datestamp::parse(text).ok();
    let beside = |until| Plan { until: day(until), ..Plan::new(key()) };
    let mut store = MemoryStore::default();
    let first = Plan { from: day("2024-05-01T00:00:00Z"), ..Plan::new(key()) };
    run(first, &mut store, &said(), sound);
    for until in ["2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z", "2024-01-15T00:00:00Z"] {
        let (outcome, _) = run(beside(until), &mut store, &said(), sound);
        assert_eq!(outcome.floor, Some(stamp("2024-05-01T00:00:00Z")));
    }
    let span = Span { from: None, until: stamp("2024-02-01T00:00:00Z") };
    assert_eq!(
        store.known(&key()).unwrap().coverage,
        [span],
        "the largest of those that lie in one another"
    );
    run(Plan { full: true, ..Plan::new(key()) }, &mut store, &said(), sound);
    assert!(store.known(&key()).unwrap().coverage.is_empty(), "the watermark says it all");
}

#[test]
fn under_strict_what_would_be_survived_ends_the_run() {
    let strict = Plan { strict: true, ..Plan::new(key()) };
    let repaired = |mut fetched: Fetched| {
        let Fetched::Document(answered) = &mut fetched else { panic!("not a document") };
        answered.parsed.complaints.push(Complaint {
            offset: 0,
            kind: ComplaintKind::ByteOrderMark,
            found: String::new(),
        });
        fetched
    };
    let (outcome, _) =
        run(strict.clone(), &mut MemoryStore::default(), &said(), |verb, n| match (verb, n) {
            ("ListRecords", 1) => sized(0..3, "a", 6),
            ("ListRecords", _) => repaired(sized(3..6, "", 6)),
            _ => sound(verb, n),
        });
    assert_eq!((outcome.reason(), outcome.exit_code()), (Some("strict"), 4));
    let (outcome, _) = run(strict, &mut MemoryStore::default(), &said(), |verb, n| match verb {
        "ListRecords" => repaired(sized(0..3, "", 3)),
        _ => sound(verb, n),
    });
    assert_eq!((outcome.reason(), outcome.exit_code()), (Some("strict"), 3));
}

#[test]
fn a_limit_ends_the_run_after_the_page_that_reaches_it() {
    let mut store = MemoryStore::default();
    let plan = Plan { limit: Some(4), ..Plan::new(key()) };
    let endless = |verb: &str, n: u32| match verb {
        "ListRecords" => page(n * 3..n * 3 + 3, &format!("t{n}")),
        _ => sound(verb, n),
    };
    let (outcome, _) = run(plan, &mut store, &said(), endless);
    assert_eq!(outcome.end, End::Incomplete(Stop::Operator));
    assert_eq!((held(&store), outcome.cursor_kept), (6, true));
}

#[test]
fn a_nearly_full_disk_stops_a_list_that_goes_on_and_keeps_its_cursor() {
    let mut store = MemoryStore::default();
    let mut harvest = Harvest::resume(Plan::new(key()), store.known(&key()).unwrap(), now());
    let mut ending = None;
    for n in 1..100 {
        match harvest.step(Instant::START) {
            Step::Fetch(request) => {
                let next = page(n * 3..n * 3 + 3, &format!("t{n}"));
                harvest.fetched(greeting(&request).unwrap_or(next), Instant::START);
            }
            Step::Store(entry) => {
                if let Entry::Close(Closing {
                    ending: Ending::Incomplete { keep_cursor, .. },
                    ..
                }) = entry.as_ref()
                {
                    ending = Some(*keep_cursor);
                }
                let receipt = store.commit(&key(), &[entry]).unwrap().remove(0);
                harvest.committed(&Receipt { free_bytes: Some(150 << 20), ..receipt });
            }
            Step::Finish(outcome) => {
                assert_eq!((outcome.guard(), ending), (Some("disk-floor"), Some(true)));
                assert_eq!(
                    outcome.end.to_string(),
                    "150 MiB are free where the store lies, and 200 MiB must stay free"
                );
                assert_eq!(held(&store), 3, "the page in hand is stored");
                return;
            }
            step => panic!("{step:?}"),
        }
    }
    panic!("the harvest does not end");
}
