//! Lists by hand: typed answers in, outcome and store out. No XML, no HTTP, no time.

use std::ops::Range;

use pmh_harvest::{
    End, Entry, Fetched, Harvest, Instant, Key, MemoryStore, Outcome, Plan, Refusal, RepeatedToken,
    RetryAfter, Step, Stop, Store as _, StoreFault, Trip,
};
use pmh_protocol::{
    Body, Datestamp, ErrorCode, Granularity, Header, Identify, Item, Lost, OaiError, Phase, Record,
    Set, Tombstone, decode_arguments,
};

use crate::support::*;

/// Answers what a run asks before its list.
fn greet(harvest: &mut Harvest) {
    for _ in 0..2 {
        let Step::Fetch(request) = harvest.step(Instant::START) else { panic!("asks nothing") };
        harvest.fetched(greeting(&request).expect("a greeting"), Instant::START);
    }
}

/// A script, the tokens it must be asked with, and what must come of it.
#[track_caller]
fn check(script: impl Fn(&str, u32) -> Fetched, asked: &[&str], guard: Option<&str>, rows: usize) {
    let (ran, store) = both(&Plan::new(key()), script);
    assert_eq!(ran.asked, asked);
    assert_eq!(ran.outcome.guard(), guard, "{}", ran.outcome.end);
    assert_eq!(ran.outcome.end == End::Complete, guard.is_none(), "{}", ran.outcome.end);
    assert_eq!(held(&store), rows);
}

#[test]
fn a_list_ends_with_an_empty_token_or_none() {
    for end in [Some(""), None] {
        check(
            |token, _| match token {
                "-" => page(0..3, "a"),
                "a" => page(3..6, "b"),
                _ => list((6..8).map(record).collect(), end, None),
            },
            &["-", "a", "b"],
            None,
            8,
        );
    }
}

#[test]
fn a_page_without_records_is_not_the_end() {
    check(
        |token, _| match token {
            "-" => page(0..3, "a"),
            "a" => page(0..0, "b"),
            _ => page(3..6, ""),
        },
        &["-", "a", "b"],
        None,
        6,
    );
}

#[test]
fn a_constant_token_is_healthy_while_pages_bring_something_new() {
    check(
        |_, n| page(n * 3..n * 3 + 3, if n < 6 { "session" } else { "" }),
        &["-", "session", "session", "session", "session", "session"],
        None,
        18,
    );
}

#[test]
fn a_token_that_returns_itself_costs_three_requests() {
    check(
        |token, _| match token {
            "-" => sized(0..3, "a", 9),
            _ => sized(3..6, "a", 9),
        },
        &["-", "a", "a", "a", "a"],
        Some("repeated-token"),
        6,
    );
}

#[test]
fn a_ring_of_tokens_is_seen_however_long_it_is() {
    check(
        |token, _| match token {
            "-" => page(0..3, "a"),
            "a" => page(3..6, "b"),
            "b" => page(6..9, "c"),
            _ => page(9..12, "a"),
        },
        &["-", "a", "b", "c", "a", "b", "c"],
        Some("repeated-token"),
        12,
    );
}

#[test]
fn a_strict_plan_ends_at_the_first_repetition() {
    let plan = Plan { repeated_token: RepeatedToken::Strict, ..Plan::new(key()) };
    let (ran, _) = both(&plan, |_, n| page(n * 3..n * 3 + 3, "same"));
    assert_eq!(
        ran.outcome.end,
        End::Incomplete(Stop::Guard(Trip::RepeatedToken { page: 2, first_page: 1 }))
    );
}

#[test]
fn fresh_tokens_over_the_same_page_end_after_ten() {
    let asked: Vec<String> =
        std::iter::once("-".into()).chain((1..=10).map(|n| format!("t{n}"))).collect();
    check(
        |_, n| page(0..3, &format!("t{n}")),
        &asked.iter().map(String::as_str).collect::<Vec<_>>(),
        Some("no-progress"),
        3,
    );
}

#[test]
fn a_list_that_begins_again_after_all_was_delivered_ends_at_once() {
    check(
        |_, n| sized((n - 1) % 3 * 3..(n - 1) % 3 * 3 + 3, &format!("t{n}"), 9),
        &["-", "t1", "t2", "t3"],
        Some("no-progress"),
        9,
    );
}

#[test]
fn pages_without_records_end_somewhere() {
    let (ran, _) = both(&Plan::new(key()), |_, n| page(0..0, &format!("t{n}")));
    assert_eq!(ran.outcome.guard(), Some("no-progress"));
    assert_eq!(ran.asked.len(), 200);
    let (ran, _) = both(&Plan::new(key()), |_, _| page(0..0, "same"));
    assert_eq!(ran.outcome.guard(), Some("no-progress"));
    assert_eq!(ran.asked.len(), 11, "the first page gave the token, ten more carried it again");
}

#[test]
fn a_page_ceiling_ends_a_list_without_end() {
    let mut plan = Plan::new(key());
    plan.limits.pages_max = Some(5);
    let (ran, store) = both(&plan, |_, n| page(n * 3..n * 3 + 3, &format!("t{n}")));
    assert_eq!(ran.outcome.guard(), Some("page-ceiling"));
    assert_eq!((ran.asked.len(), held(&store)), (6, 15));
}

#[test]
fn a_record_ceiling_ends_a_list_that_grows_beyond_its_size() {
    let mut plan = Plan::new(key());
    plan.limits.repeats_slack = 4;
    let (ran, _) = both(&plan, |_, n| sized(n * 3..n * 3 + 3, &format!("t{n}"), 3));
    assert_eq!(ran.outcome.guard(), Some("record-ceiling"));
    assert_eq!(ran.asked.len(), 4, "12 distinct of 3 announced is over 2 × 3 + 4");
}

#[test]
fn a_short_list_is_asked_once_more_and_never_complete() {
    check(
        |token, _| match token {
            "-" => sized(0..3, "a", 9),
            _ => list((3..6).map(record).collect(), None, None),
        },
        &["-", "a", "a"],
        Some("short-list"),
        6,
    );
}

#[test]
fn a_token_that_was_lost_once_is_found_by_asking_again() {
    check(
        |token, n| match (token, n) {
            ("-", _) => sized(0..3, "a", 9),
            ("a", 2) => list((3..6).map(record).collect(), None, None),
            ("a", _) => sized(3..6, "b", 9),
            _ => sized(6..9, "", 9),
        },
        &["-", "a", "a", "b"],
        None,
        9,
    );
}

#[test]
fn a_refused_token_reopens_the_window() {
    check(
        |token, n| match (token, n) {
            ("-", 1) => sized(0..3, "a", 6),
            ("a", _) => error(ErrorCode::BadResumptionToken),
            ("-", _) => sized(0..3, "b", 6),
            _ => sized(3..6, "", 6),
        },
        &["-", "a", "-", "b"],
        None,
        6,
    );
}

#[test]
fn a_token_refused_for_ever_ends_after_three_restarts() {
    check(
        |token, _| match token {
            "-" => sized(0..3, "a", 6),
            _ => error(ErrorCode::BadResumptionToken),
        },
        // The last request asks for identifiers, which this repository does not list either.
        &["-", "a", "-", "a", "-", "a", "-", "a", "-"],
        Some("restart-ceiling"),
        3,
    );
}

#[test]
fn restarts_that_bring_something_new_go_on_to_twenty() {
    // Every list reaches one page further than the last before its token dies.
    let (ran, store) = {
        let mut store = MemoryStore::default();
        let mut list = 0;
        let ran = drive(Plan::new(key()), &mut store, Receipts::AtOnce, now(), &mut |token, _| {
            let at = if token == "-" {
                list += 1;
                0
            } else {
                token.parse::<u32>().unwrap()
            };
            if at >= list {
                error(ErrorCode::BadResumptionToken)
            } else {
                page(at * 3..at * 3 + 3, &(at + 1).to_string())
            }
        });
        (ran, store)
    };
    assert_eq!(ran.outcome.guard(), Some("restart-ceiling"));
    assert_eq!((ran.outcome.restarts, held(&store)), (20, 63));
}

#[test]
fn a_refusal_after_all_that_was_announced_is_the_end() {
    check(
        |token, _| match token {
            "-" => sized(0..3, "a", 6),
            "a" => sized(3..6, "b", 6),
            _ => error(ErrorCode::BadResumptionToken),
        },
        &["-", "a", "b"],
        None,
        6,
    );
}

#[test]
fn a_lost_answer_is_asked_again() {
    check(
        |token, n| match (token, n) {
            ("-", _) => sized(0..3, "a", 6),
            (_, 2 | 3) => lost(),
            _ => sized(3..6, "", 6),
        },
        &["-", "a", "a", "a"],
        None,
        6,
    );
}

#[test]
fn a_page_that_is_lost_five_times_ends_the_run_and_keeps_the_cursor() {
    let mut store = MemoryStore::default();
    let mut answer = |token: &str, _| {
        if token == "-" { page(0..3, "a") } else { lost() }
    };
    let ran = drive(Plan::new(key()), &mut store, Receipts::AtOnce, now(), &mut answer);
    assert!(matches!(ran.outcome.end, End::Incomplete(Stop::RetryExhausted { page: 2, .. })));
    assert_eq!(ran.asked.len(), 6);
    let known = store.known(&key()).unwrap();
    assert_eq!(known.open.unwrap().cursor.unwrap().token, "a");
    assert_eq!((known.errors, known.watermark), (1, None));
}

#[test]
fn a_session_is_never_asked_twice_but_opened_again() {
    let mut store = MemoryStore::default();
    let mut position = 0;
    let mut answer = |token: &str, n| {
        position = if token == "-" { 0 } else { position + 1 };
        if n == 4 {
            lost()
        } else {
            page(position * 3..position * 3 + 3, if position < 4 { "s" } else { "" })
        }
    };
    let ran = drive(Plan::new(key()), &mut store, Receipts::AtOnce, now(), &mut answer);
    assert_eq!(ran.outcome.end, End::Complete);
    assert_eq!(ran.asked, ["-", "s", "s", "s", "-", "s", "s", "s", "s"]);
    assert_eq!(held(&store), 15);
}

#[test]
fn an_opening_request_that_is_refused_is_a_refusal() {
    for code in
        [ErrorCode::CannotDisseminateFormat, ErrorCode::BadArgument, ErrorCode::BadResumptionToken]
    {
        let (ran, _) = both(&Plan::new(key()), |_, _| error(code.clone()));
        assert_eq!(ran.outcome.end, End::Refused(Refusal::Oai(OaiError::new(code, "no"))));
    }
    let (ran, _) = both(&Plan::new(key()), |_, _| Fetched::Status { status: 404 });
    assert!(
        matches!(ran.outcome.end, End::Refused(Refusal::Unreachable(_))),
        "{}",
        ran.outcome.end
    );
    assert_eq!(ran.asked.len(), 1, "404 to the opening is not asked again");
}

/// Runs `script` to its end over `store`.
fn again(store: &mut MemoryStore, script: impl Fn(&str, u32) -> Fetched) -> Ran {
    drive(Plan::new(key()), store, Receipts::AsLateAsPossible, now(), &mut |token, n| {
        script(token, n)
    })
}

#[test]
fn a_watermark_is_the_opening_answers_date_and_the_next_window_reaches_back() {
    let mut store = MemoryStore::default();
    again(&mut store, |_, _| page(0..3, ""));
    let known = store.known(&key()).unwrap();
    assert_eq!(known.watermark, Some(stamp("2024-06-01T10:00:00Z")));
    let ran = again(&mut store, |_, _| error(ErrorCode::NoRecordsMatch));
    assert_eq!(ran.outcome.end, End::Complete);
    assert_eq!(ran.outcome.window.unwrap().to_string(), "from 2024-05-31T10:00:00Z");
}

#[test]
fn nothing_at_all_where_records_are_held_raises() {
    let mut store = MemoryStore::default();
    // The key holds records but has no watermark: its first list never ended.
    again(&mut store, |token, _| if token == "-" { sized(0..3, "a", 9) } else { page(3..6, "") });
    let ran = again(&mut store, |_, _| error(ErrorCode::NoRecordsMatch));
    assert_eq!(ran.outcome.guard(), Some("shrink"));
    assert_eq!(held(&store), 6);
}

#[test]
fn replaying_a_list_changes_nothing() {
    let mut store = MemoryStore::default();
    let script = |token: &str, _| {
        if token == "-" { page(0..3, "a") } else { page(3..6, "") }
    };
    again(&mut store, script);
    let rows = store.rows(&key().source, "oai_dc");
    let ran = again(&mut store, script);
    assert_eq!((ran.outcome.counts.noticed(), ran.outcome.counts.unchanged), (0, 6));
    assert_eq!(store.rows(&key().source, "oai_dc"), rows);
}

/// A run that dies after `pages` pages were committed.
fn die_after(store: &mut MemoryStore, pages: u64, script: impl Fn(&str, u32) -> Fetched) {
    let known = store.known(&key()).unwrap();
    let mut harvest = Harvest::resume(Plan::new(key()), known, now());
    let mut asked = 0;
    let mut committed = 0;
    for _ in 0..1_000 {
        match harvest.step(Instant::START) {
            Step::Fetch(request) => {
                let query = request.url.split_once('?').unwrap().1.to_owned();
                let token = decode_arguments(&query)
                    .into_iter()
                    .find(|(name, _)| name == "resumptionToken");
                let fetched = if let Some(greeting) = greeting(&request) {
                    greeting
                } else {
                    asked += 1;
                    script(&token.map_or_else(|| "-".into(), |(_, token)| token), asked)
                };
                harvest.fetched(fetched, Instant::START);
            }
            Step::Store(entry) => {
                if matches!(*entry, Entry::Page(_)) {
                    if committed == pages {
                        return;
                    }
                    committed += 1;
                }
                harvest.committed(&store.commit(&key(), &[entry]).unwrap()[0]);
            }
            step => panic!("{step:?} before the crash"),
        }
    }
}

fn three_pages(token: &str, _: u32) -> Fetched {
    match token {
        "-" => sized(0..3, "a", 9),
        "a" => sized(3..6, "b", 9),
        _ => sized(6..9, "", 9),
    }
}

#[test]
fn a_crash_costs_no_page_and_repeats_none_that_was_committed() {
    for (pages, asked) in [(0, &["-", "a", "b"][..]), (1, &["a", "b"][..]), (2, &["b"][..])] {
        let mut store = MemoryStore::default();
        die_after(&mut store, pages, three_pages);
        let ran = again(&mut store, three_pages);
        assert_eq!(
            (ran.asked, ran.outcome.end),
            (asked.iter().map(|&token| token.to_owned()).collect(), End::Complete)
        );
        assert_eq!(held(&store), 9);
    }
}

#[test]
fn a_resumed_list_that_gives_an_old_page_is_opened_again() {
    let mut store = MemoryStore::default();
    die_after(&mut store, 2, three_pages);
    // The repository has forgotten where the list was and begins it anew under the old token.
    let ran = again(&mut store, |token, n| match (token, n) {
        (_, 1) => sized(0..3, "x", 9),
        _ => three_pages(token, n),
    });
    assert_eq!((ran.asked.len(), ran.outcome.end), (4, End::Complete));
}

#[test]
fn the_end_of_a_list_without_size_is_not_believed_after_a_resume() {
    let unsized_pages = |token: &str, _: u32| match token {
        "-" => page(0..3, "a"),
        "a" => page(3..6, "b"),
        _ => page(6..9, ""),
    };
    let mut store = MemoryStore::default();
    die_after(&mut store, 2, unsized_pages);
    let ran = again(&mut store, unsized_pages);
    assert_eq!(
        (ran.asked, ran.outcome.end),
        (["b", "-", "a", "b"].map(str::to_owned).into(), End::Complete)
    );
}

#[test]
fn a_token_that_lay_too_long_is_not_used() {
    let mut store = MemoryStore::default();
    die_after(&mut store, 2, three_pages);
    let later = now().plus_seconds(3_600);
    let ran = drive(Plan::new(key()), &mut store, Receipts::AtOnce, later, &mut three_pages);
    assert_eq!(ran.asked, ["-", "a", "b"]);
}

#[test]
fn a_tombstone_takes_effect_when_the_run_is_complete() {
    let mut store = MemoryStore::default();
    again(&mut store, |_, _| page(0..3, ""));
    let buried = |token: &str, n| match (token, n) {
        ("-", _) => {
            list(vec![Item::Tombstone(Tombstone { header: header(1) })], Some("a"), Some(2))
        }
        (_, 2..=6) => lost(),
        _ => page(7..8, ""),
    };
    let ran = again(&mut store, buried);
    assert_eq!((ran.outcome.word(), ran.outcome.counts.withdrawn), ("incomplete", 0));
    let ran = again(&mut store, |token, _| buried(token, 99));
    assert_eq!((ran.outcome.word(), ran.outcome.counts.withdrawn), ("complete", 1));
}

#[test]
fn a_failing_store_ends_the_run_as_our_fault() {
    let mut harvest = Harvest::resume(Plan::new(key()), pmh_harvest::Known::default(), now());
    greet(&mut harvest);
    assert!(matches!(harvest.step(Instant::START), Step::Store(_)));
    harvest.commit_failed(StoreFault("disk full".into()));
    let Step::Finish(outcome) = harvest.step(Instant::START) else { panic!("not over") };
    assert_eq!(outcome.word(), "failed");
}

#[test]
fn a_stop_keeps_the_page_in_hand_and_the_cursor() {
    let mut store = MemoryStore::default();
    let mut harvest = Harvest::resume(Plan::new(key()), store.known(&key()).unwrap(), now());
    for _ in 0..100 {
        match harvest.step(Instant::START) {
            Step::Fetch(request) if greeting(&request).is_some() => {
                harvest.fetched(greeting(&request).unwrap(), Instant::START)
            }
            Step::Fetch(_) => {
                harvest.fetched(sized(0..3, "a", 9), Instant::START);
                harvest.stop();
            }
            Step::Store(entry) => harvest.committed(&store.commit(&key(), &[entry]).unwrap()[0]),
            Step::Finish(outcome) => {
                assert_eq!(outcome.end, End::Incomplete(Stop::Operator));
                assert_eq!(store.known(&key()).unwrap().open.unwrap().cursor.unwrap().token, "a");
                return;
            }
            step => panic!("{step:?}"),
        }
    }
    panic!("the harvest does not stop");
}

#[test]
fn the_next_page_is_asked_for_before_the_last_one_is_stored() {
    let mut harvest = Harvest::resume(Plan::new(key()), pmh_harvest::Known::default(), now());
    let mut store = MemoryStore::default();
    greet(&mut harvest);
    let Step::Store(open) = harvest.step(Instant::START) else { panic!("no opening") };
    assert_eq!(
        harvest.step(Instant::START),
        Step::Idle,
        "the opening request waits for its traversal"
    );
    harvest.committed(&store.commit(&key(), &[open]).unwrap()[0]);
    assert!(matches!(harvest.step(Instant::START), Step::Fetch(_)));
    harvest.fetched(sized(0..3, "a", 9), Instant::START);
    assert!(matches!(harvest.step(Instant::START), Step::Store(_)));
    assert!(
        matches!(harvest.step(Instant::START), Step::Fetch(_)),
        "page 2 while page 1 is outstanding"
    );
    harvest.fetched(sized(3..6, "b", 9), Instant::START);
    assert!(matches!(harvest.step(Instant::START), Step::Store(_)));
    assert_eq!(harvest.step(Instant::START), Step::Idle, "two pages are outstanding");
}

// ---- what looked complete and was not

#[test]
fn a_window_that_delivered_something_cannot_be_empty_when_it_is_opened_again() {
    check(
        |token, n| match (token, n) {
            ("-", 1) => sized(0..3, "a", 100),
            ("a", _) => error(ErrorCode::BadResumptionToken),
            _ => error(ErrorCode::NoRecordsMatch),
        },
        &["-", "a", "-"],
        Some("shrink"),
        3,
    );
}

fn with_unreadable(fetched: Fetched, unreadable: u32) -> Fetched {
    let Fetched::Document(mut answered) = fetched else { panic!("not a document") };
    answered.parsed.unreadable = unreadable;
    Fetched::Document(answered)
}

#[test]
fn an_entry_that_names_no_record_makes_a_list_incomplete() {
    check(
        |_, _| with_unreadable(list((0..9).map(record).collect(), None, Some(10)), 1),
        &["-"],
        Some("unreadable-records"),
        9,
    );
}

#[test]
fn an_unreadable_entry_counts_once_however_often_its_page_is_asked_for() {
    check(
        |token, _| match token {
            "-" => sized(0..10, "a", 20),
            _ => with_unreadable(list((10..18).map(record).collect(), None, None), 1),
        },
        &["-", "a", "a"],
        Some("short-list"),
        18,
    );
}

#[test]
fn an_empty_end_of_a_list_without_size_is_asked_once_more() {
    // A slip: the list goes on.
    check(
        |token, n| match (token, n) {
            ("-", _) => page(0..3, "a"),
            ("a", 2) => list(Vec::new(), None, None),
            ("a", _) => page(3..6, "b"),
            _ => page(6..9, ""),
        },
        &["-", "a", "a", "b"],
        None,
        9,
    );
    // The end, in either form.
    for end in [list(Vec::new(), None, None), error(ErrorCode::NoRecordsMatch)] {
        check(
            |token, _| if token == "-" { page(0..3, "a") } else { end.clone() },
            &["-", "a", "a"],
            None,
            3,
        );
    }
}

#[test]
fn a_run_that_finds_nothing_keeps_what_is_known_of_the_list() {
    let mut store = MemoryStore::default();
    again(&mut store, |token, _| if token == "-" { page(0..3, "a") } else { page(3..6, "") });
    again(&mut store, |_, _| error(ErrorCode::NoRecordsMatch));
    let list = store.known(&key()).unwrap().last_complete.unwrap();
    assert_eq!((list.pages, list.ended_empty, list.everything), (2, true, true));
    // The list used to end with an empty token; now it breaks off without one.
    let ran =
        again(
            &mut store,
            |token, _| {
                if token == "-" { page(0..3, "a") } else { list_without_token(3..4) }
            },
        );
    assert_eq!(ran.outcome.guard(), Some("end-changed"));
}

fn list_without_token(ids: Range<u32>) -> Fetched {
    list(ids.map(record).collect(), None, None)
}

#[test]
fn the_end_of_a_list_without_size_is_not_believed_when_its_first_answer_was_lost() {
    // The list lives in a session that moved on when the answer was lost: asking again skips a page.
    let mut store = MemoryStore::default();
    let mut position = 0;
    let mut lost_once = false;
    let ran = drive(Plan::new(key()), &mut store, Receipts::AtOnce, now(), &mut |token, _| {
        position = if token == "-" { 0 } else { position + 1 };
        if position == 1 && !lost_once {
            lost_once = true;
            return lost();
        }
        page(position * 3..position * 3 + 3, if position < 2 { "s" } else { "" })
    });
    assert_eq!((ran.outcome.end, held(&store)), (End::Complete, 9));
}

fn busy(seconds: u64) -> Fetched {
    Fetched::Busy { status: 503, retry_after: Some(RetryAfter::Seconds(seconds)) }
}

#[test]
fn a_session_that_said_busy_is_opened_again() {
    let mut store = MemoryStore::default();
    let mut position = 0;
    let mut busy_once = false;
    let ran = drive(Plan::new(key()), &mut store, Receipts::AtOnce, now(), &mut |token, _| {
        position = if token == "-" { 0 } else { position + 1 };
        if position == 3 && !busy_once {
            busy_once = true;
            return busy(1);
        }
        page(position * 3..position * 3 + 3, if position < 5 { "s" } else { "" })
    });
    assert_eq!((ran.outcome.end, held(&store)), (End::Complete, 18));
}

#[test]
fn a_source_that_is_always_busy_ends_the_run_somewhere() {
    let (ran, _) =
        both(&Plan::new(key()), |token, _| if token == "-" { page(0..3, "a") } else { busy(0) });
    assert_eq!(ran.outcome.reason(), Some("busy-ceiling"));
    // Five times after a second, and then after 2, 4, 8 … and an hour.
    assert_eq!(ran.asked.len(), 18);
    assert!(ran.outcome.cursor_kept);
    let (ran, _) = both(&Plan::new(key()), |_, _| busy(u64::MAX));
    assert_eq!((ran.outcome.word(), ran.asked.len()), ("refused", 1));
}

#[test]
fn a_page_that_is_too_large_is_not_asked_again() {
    let too_large =
        || Fetched::Lost(Lost { phase: Phase::TooLarge, received: 9, detail: "over".into() });
    let (ran, _) =
        both(
            &Plan::new(key()),
            |token, _| {
                if token == "-" { page(0..3, "a") } else { too_large() }
            },
        );
    // The last request asks for identifiers, which this repository does not list.
    assert_eq!(ran.asked, ["-", "a", "-"]);
    assert_eq!(ran.outcome.blame(), Some(pmh_harvest::Blame::Repository));
    assert!(!ran.outcome.cursor_kept);
}

#[test]
fn an_http_error_after_all_that_was_announced_is_the_end() {
    check(
        |token, _| match token {
            "-" => sized(0..3, "a", 6),
            "a" => sized(3..6, "b", 6),
            _ => Fetched::Status { status: 404 },
        },
        &["-", "a", "b"],
        None,
        6,
    );
}

#[test]
fn trouble_after_a_page_was_read_is_incomplete_and_not_refused() {
    for trouble in [Fetched::Status { status: 404 }, error(ErrorCode::BadArgument)] {
        let (ran, _) = both(&Plan::new(key()), |token, n| match (token, n) {
            ("-", 1) => sized(0..3, "a", 9),
            ("a", _) => error(ErrorCode::BadResumptionToken),
            _ => trouble.clone(),
        });
        assert_eq!((ran.outcome.word(), ran.outcome.exit_code()), ("incomplete", 4));
    }
}

#[test]
fn dates_of_the_operator_take_the_form_of_the_repository() {
    let mut plan = Plan::new(key());
    plan.from = Some(Datestamp::parse("2024-01-01T10:00:00Z").unwrap());
    let mut harvest = Harvest::resume(plan, pmh_harvest::Known::default(), now());
    harvest.step(Instant::START);
    harvest.fetched(
        document(Body::Identify(Box::new(Identify {
            protocol_version: "2.0".into(),
            granularity: Some(Granularity::Day),
            ..Identify::default()
        }))),
        Instant::START,
    );
    harvest.step(Instant::START);
    harvest.fetched(formats(&[]), Instant::START);
    let Step::Store(entry) = harvest.step(Instant::START) else { panic!("no opening") };
    let Entry::Open(opening) = entry.as_ref() else { panic!("no opening") };
    assert_eq!(opening.traversal.window.to_string(), "from 2024-01-01");
}

#[test]
fn a_day_is_written_out_to_its_last_second_where_seconds_are_taken() {
    let day = |text: &str| Some(Datestamp::parse(text).unwrap());
    let mut plan = Plan::new(key());
    (plan.from, plan.until) = (day("2024-01-01"), day("2024-01-02"));
    let (ran, _) = both(&plan, |_, _| page(0..3, ""));
    let window = ran.outcome.window.unwrap();
    assert_eq!(window.to_string(), "2024-01-01T00:00:00Z to 2024-01-02T23:59:59Z");
    assert_eq!(ran.outcome.watermark, Some(stamp("2024-01-02T23:59:59Z")));
}

#[test]
fn a_stop_while_a_page_is_outstanding_asks_for_nothing_more() {
    let mut store = MemoryStore::default();
    let mut harvest = Harvest::resume(Plan::new(key()), store.known(&key()).unwrap(), now());
    greet(&mut harvest);
    let Step::Store(open) = harvest.step(Instant::START) else { panic!("no opening") };
    harvest.committed(&store.commit(&key(), &[open]).unwrap()[0]);
    assert!(matches!(harvest.step(Instant::START), Step::Fetch(_)));
    harvest.fetched(sized(0..3, "a", 9), Instant::START);
    let Step::Store(page) = harvest.step(Instant::START) else { panic!("no page") };
    harvest.stop();
    assert_eq!(harvest.step(Instant::START), Step::Idle);
    harvest.committed(&store.commit(&key(), &[page]).unwrap()[0]);
    let Step::Store(close) = harvest.step(Instant::START) else { panic!("no closing") };
    harvest.committed(&store.commit(&key(), &[close]).unwrap()[0]);
    assert!(matches!(harvest.step(Instant::START), Step::Finish(_)));
    assert_eq!(store.known(&key()).unwrap().open.unwrap().cursor.unwrap().token, "a");
}

/// A run over a set that is empty or does not exist; `sets` answers ListSets.
fn over_a_set(wanted: &str, sets: Fetched) -> Outcome {
    let mut plan = Plan::new(Key { set: Some(wanted.into()), ..key() });
    plan.seed = 1;
    let mut store = MemoryStore::default();
    let run_key = plan.key.clone();
    let mut harvest = Harvest::resume(plan, store.known(&run_key).unwrap(), now());
    for _ in 0..100 {
        match harvest.step(Instant::START) {
            Step::Fetch(request) if greeting(&request).is_some() => {
                harvest.fetched(greeting(&request).unwrap(), Instant::START);
            }
            Step::Fetch(request) if request.url.contains("ListSets") => {
                harvest.fetched(sets.clone(), Instant::START);
            }
            Step::Fetch(_) => harvest.fetched(error(ErrorCode::NoRecordsMatch), Instant::START),
            Step::Store(entry) => {
                harvest.committed(&store.commit(&run_key, &[entry]).unwrap()[0]);
            }
            Step::Finish(outcome) => return *outcome,
            step => panic!("{step:?}"),
        }
    }
    panic!("the harvest does not end");
}

#[test]
fn an_empty_set_is_complete_and_an_unknown_one_is_refused() {
    let sets = |specs: &[&str]| {
        let sets = specs
            .iter()
            .map(|&spec| Set { spec: spec.into(), name: spec.into(), descriptions: Vec::new() })
            .collect();
        document(Body::Sets { sets, token: None })
    };
    assert_eq!(over_a_set("art", sets(&["maps", "art"])).end, End::Complete);
    assert_eq!(over_a_set("art", sets(&["art:paint"])).end, End::Complete, "its parent exists");
    assert_eq!(over_a_set("art", lost()).end, End::Complete, "nobody can tell");
    let refused = over_a_set("art", sets(&["maps", "arts"]));
    assert_eq!((refused.reason(), refused.exit_code()), (Some("unknown-set"), 3));
    let none = over_a_set("art", error(ErrorCode::NoSetHierarchy));
    assert_eq!(none.reason(), Some("unknown-set"));
}

// ---- closing guards, sets, limits

fn tombstones(ids: Range<u32>) -> Fetched {
    let items = ids.map(|id| Item::Tombstone(Tombstone { header: header(id) })).collect();
    list(items, Some(""), None)
}

fn live(store: &MemoryStore) -> usize {
    store.rows(&key().source, "oai_dc").iter().filter(|row| !row.deleted).count()
}

#[test]
fn more_deletions_than_believable_take_effect_only_when_they_are_allowed() {
    let mut store = MemoryStore::default();
    again(&mut store, |_, _| page(0..40, ""));
    let ran = again(&mut store, |_, _| tombstones(0..30));
    assert_eq!((ran.outcome.guard(), live(&store)), (Some("mass-delete"), 40));
    // They wait; the window is open and lists them again.
    let plan = Plan { allow_mass_delete: true, ..Plan::new(key()) };
    let ran = drive(plan, &mut store, Receipts::AtOnce, now(), &mut |_, _| tombstones(0..30));
    assert_eq!((ran.outcome.end, live(&store)), (End::Complete, 10));
    assert_eq!(ran.outcome.counts.withdrawn, 30);
}

/// A whole list is asked for again: a plan that names the beginning of time.
fn whole_again(store: &mut MemoryStore, script: impl Fn(&str, u32) -> Fetched) -> Ran {
    let mut known = store.known(&key()).unwrap();
    known.watermark = None;
    let mut harvest = Harvest::resume(Plan::new(key()), known, now());
    let mut asked = Vec::new();
    for _ in 0..1_000 {
        match harvest.step(Instant::START) {
            Step::Fetch(request) if greeting(&request).is_some() => {
                harvest.fetched(greeting(&request).unwrap(), Instant::START);
            }
            Step::Fetch(_) => {
                asked.push(String::new());
                let n = u32::try_from(asked.len()).unwrap();
                harvest.fetched(script(if n == 1 { "-" } else { "t" }, n), Instant::START);
            }
            Step::Store(entry) => {
                harvest.committed(&store.commit(&key(), &[entry]).unwrap()[0]);
            }
            Step::Finish(outcome) => return Ran { outcome: *outcome, asked },
            step => panic!("{step:?}"),
        }
    }
    panic!("the harvest does not end");
}

#[test]
fn a_whole_list_that_lost_much_or_everything_is_not_believed() {
    let mut store = MemoryStore::default();
    again(&mut store, |_, _| page(0..40, ""));
    let ran = whole_again(&mut store, |_, _| page(0..20, ""));
    assert_eq!(ran.outcome.guard(), Some("shrink"));
    let ran = whole_again(&mut store, |_, _| page(1_000..1_040, ""));
    assert_eq!(ran.outcome.guard(), Some("identity-shift"));
    let ran = whole_again(&mut store, |_, _| page(0..40, ""));
    assert_eq!(ran.outcome.end, End::Complete);
}

#[test]
fn a_size_that_rises_beyond_what_came_while_records_came_twice_is_a_changed_list() {
    check(
        |token, _| match token {
            "-" => sized(0..3, "a", 6),
            // Record 2 moved to the end, and record 3 slipped over the edge of a page.
            "a" => sized(4..7, "b", 7),
            _ => sized(2..3, "", 7),
        },
        // The last request asks for identifiers, which this repository does not list.
        &["-", "a", "b", "b", "-"],
        Some("list-changed"),
        6,
    );
    // Nothing came twice: what is lacking is new, and comes with the next window.
    check(
        |token, _| match token {
            "-" => sized(0..3, "a", 6),
            _ => sized(3..6, "", 7),
        },
        &["-", "a"],
        None,
        6,
    );
}

#[test]
fn a_size_that_falls_while_records_are_missing_is_a_changed_list() {
    check(
        |token, _| match token {
            "-" => sized(0..3, "a", 9),
            "a" => sized(3..6, "b", 8),
            _ => sized(6..8, "", 8),
        },
        // The last request asks for identifiers, which this repository does not list.
        &["-", "a", "b", "b", "-"],
        Some("list-changed"),
        8,
    );
}

#[test]
fn a_size_that_counts_what_is_left_is_no_change() {
    check(
        |token, _| match token {
            "-" => sized(0..3, "a", 9),
            "a" => sized(3..6, "b", 6),
            _ => sized(6..9, "", 3),
        },
        &["-", "a", "b"],
        None,
        9,
    );
}

fn of_sets(specs: &[&str]) -> Fetched {
    let items = specs.iter().zip(0..).map(|(&spec, id)| {
        let sets = spec.split_whitespace().map(str::to_owned).collect();
        let header = Header { sets, ..header(id) };
        Item::Record(Record { header, payload: None, abouts: Vec::new() })
    });
    list(items.collect(), Some(""), None)
}

#[test]
fn records_of_other_sets_are_left_out_and_many_of_them_stop_the_run() {
    let harvest = |specs: &[&str]| {
        let set_key = Key { set: Some("art".into()), ..key() };
        let (ran, store) = both(&Plan::new(set_key), |_, _| of_sets(specs));
        (ran.outcome.guard(), held(&store))
    };
    assert_eq!(harvest(&["art", "art:paint", "maps art", ""]), (None, 4));
    let mut few = vec!["art"; 39];
    few.push("maps");
    assert_eq!(harvest(&few), (None, 39));
    assert_eq!(harvest(&["art", "maps"]), (Some("filter-ignored"), 0));
    assert_eq!(harvest(&["artists"]), (Some("filter-ignored"), 0));
}

#[test]
fn a_limit_on_time_ends_a_run_in_order() {
    let mut plan = Plan::new(key());
    plan.max_duration = Some(std::time::Duration::from_millis(65));
    // Each answer takes ten milliseconds; the list begins with the third.
    let (ran, store) = both(&plan, |_, n| page(n * 3..n * 3 + 3, &format!("t{n}")));
    assert_eq!(ran.outcome.end, End::Incomplete(Stop::Operator));
    assert_eq!((ran.asked.len(), held(&store)), (5, 15));
    assert!(ran.outcome.cursor_kept);
}

// ---- switches, other forms

#[test]
fn a_list_whose_last_token_starts_it_again_ends_by_count_when_that_is_asked_for() {
    // Announced are nine, and the ninth comes with a token that leads to the first.
    let script = |_: &str, n: u32| sized((n - 1) % 3 * 3..(n - 1) % 3 * 3 + 3, &format!("t{n}"), 9);
    let (ran, _) = both(&Plan::new(key()), script);
    assert_eq!(ran.outcome.guard(), Some("no-progress"));
    assert!(ran.outcome.hint().unwrap().contains("`--compat end-by-count`"));
    let mut plan = Plan::new(key());
    plan.compat.end_by_count = true;
    let (ran, store) = both(&plan, script);
    assert_eq!((ran.outcome.end, ran.asked.len(), held(&store)), (End::Complete, 3, 9));
}

#[test]
fn an_empty_page_with_a_token_ends_a_list_by_count_only_when_that_is_asked_for() {
    let script = |_: &str, n: u32| page(0..0, &format!("t{n}"));
    let mut plan = Plan::new(key());
    plan.compat.end_by_count = true;
    let (ran, _) = both(&plan, script);
    assert_eq!((ran.outcome.end, ran.asked.len()), (End::Complete, 1));
    let (ran, _) = both(&Plan::new(key()), script);
    assert_eq!(ran.outcome.guard(), Some("no-progress"));
}

#[test]
fn a_repository_that_wants_the_prefix_beside_the_token_is_named_with_its_switch() {
    let (ran, _) = both(&Plan::new(key()), |token, _| {
        if token == "-" { sized(0..3, "a", 6) } else { error(ErrorCode::BadArgument) }
    });
    assert_eq!(ran.outcome.reason(), Some("retry-exhausted"));
    assert!(ran.outcome.hint().unwrap().contains("`--compat prefix-with-token`"));
}

#[test]
fn a_size_that_counts_something_else_can_be_ignored() {
    let script =
        |token: &str, _: u32| if token == "-" { sized(0..3, "a", 99) } else { sized(3..6, "", 99) };
    let (ran, _) = both(&Plan::new(key()), script);
    assert_eq!(ran.outcome.guard(), Some("short-list"));
    let mut plan = Plan::new(key());
    plan.compat.ignore_size = true;
    let (ran, _) = both(&plan, script);
    assert_eq!(ran.outcome.end, End::Complete);
}

#[test]
fn dates_that_are_refused_are_sent_once_more_in_the_other_form() {
    let mut plan = Plan::new(key());
    plan.from = Some(Datestamp::parse("2024-01-01T10:00:00Z").unwrap());
    let (ran, _) =
        both(&plan, |_, n| if n == 1 { error(ErrorCode::BadArgument) } else { page(0..3, "") });
    assert_eq!(ran.outcome.end, End::Complete);
    assert_eq!(ran.outcome.window.unwrap().to_string(), "from 2024-01-01");
    let (ran, _) = both(&plan, |_, _| error(ErrorCode::BadArgument));
    assert_eq!((ran.outcome.reason(), ran.asked.len()), (Some("oai-error"), 2));
}

/// The requests of a run over two pages, of which `first` is the opening answer's cookies.
fn cookies_sent(cookies: &[(&str, &str)]) -> Vec<Option<String>> {
    let mut store = MemoryStore::default();
    let mut harvest = Harvest::resume(Plan::new(key()), pmh_harvest::Known::default(), now());
    let mut sent = Vec::new();
    for _ in 0..100 {
        match harvest.step(Instant::START) {
            Step::Fetch(request) => {
                sent.push(request.headers.get("Cookie").map(str::to_owned));
                let fetched = match sent.len() {
                    1 | 2 => greeting(&request).unwrap(),
                    3 => {
                        let Fetched::Document(mut answered) = sized(0..3, "a", 6) else {
                            panic!("not a document")
                        };
                        answered.cookies = cookies
                            .iter()
                            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                            .collect();
                        Fetched::Document(answered)
                    }
                    _ => sized(3..6, "", 6),
                };
                harvest.fetched(fetched, Instant::START);
            }
            Step::Store(entry) => {
                harvest.committed(&store.commit(&key(), &[entry]).unwrap()[0]);
            }
            Step::Finish(_) => return sent,
            step => panic!("{step:?}"),
        }
    }
    panic!("the harvest does not end");
}

#[test]
fn cookies_of_a_list_come_back_with_its_next_pages() {
    assert_eq!(cookies_sent(&[]), [None, None, None, None]);
    let sent = cookies_sent(&[("b", "2"), ("a", "1")]);
    assert_eq!(sent, [None, None, None, Some("a=1; b=2".to_owned())]);
}

#[test]
fn a_format_that_is_refused_is_answered_with_those_there_are() {
    let mut harvest = Harvest::resume(Plan::new(key()), pmh_harvest::Known::default(), now());
    let mut store = MemoryStore::default();
    for _ in 0..100 {
        match harvest.step(Instant::START) {
            Step::Fetch(request) if request.url.contains("ListMetadataFormats") => {
                harvest.fetched(formats(&[("marc21", ""), ("mods", "")]), Instant::START);
            }
            Step::Fetch(request) if greeting(&request).is_some() => {
                harvest.fetched(greeting(&request).unwrap(), Instant::START);
            }
            Step::Fetch(_) => {
                harvest.fetched(error(ErrorCode::CannotDisseminateFormat), Instant::START);
            }
            Step::Store(entry) => {
                harvest.committed(&store.commit(&key(), &[entry]).unwrap()[0]);
            }
            Step::Finish(outcome) => {
                assert_eq!(outcome.exit_code(), 3);
                assert!(
                    outcome.end.to_string().contains("it offers `marc21`, `mods`"),
                    "{}",
                    outcome.end
                );
                return;
            }
            step => panic!("{step:?}"),
        }
    }
    panic!("the harvest does not end");
}
