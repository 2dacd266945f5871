//! Each defect does what its name says, beside the sound one.

use pmh_protocol::ErrorCode;

use super::{check, healthy, with};
use crate::testing::{MemoryShelf, Reply, Script, last, page, refused, run};

/// The query that opens the second list, after one that was complete on the first day of 2025.
fn check_second_opening(name: &str, expected: &str) {
    let (mut wire, mut shelf) = (Script::new(Some(6), &healthy()), MemoryShelf::default());
    run(name, &mut wire, &mut shelf);
    run(name, &mut wire, &mut shelf);
    let opening = wire.queries.iter().rfind(|query| query.contains("metadataPrefix"));
    let expected = format!("verb=ListRecords&metadataPrefix=oai_dc{expected}");
    assert_eq!(opening, Some(&expected), "by `{name}`");
}

#[test]
fn the_sound_one_asks_from_a_day_before_the_first_answer_of_the_last_list() {
    check_second_opening("sound", "&from=2024-12-31");
}

#[test]
fn who_reckons_dates_wrong_asks_from_another() {
    check_second_opening("watermark-from-own-clock", "&from=2025-12-31");
    check_second_opening("watermark-of-newest-record", "&from=2023-11-13");
    check_second_opening("no-overlap", "&from=2025-01-01");
    check_second_opening("seconds-always", "&from=2024-12-31T00%3A00%3A00Z");
    check_second_opening("mixes-granularities", "&from=2024-12-31&until=2026-01-01T00%3A00%3A00Z");
}

#[test]
fn who_takes_something_else_for_the_end_says_it_is_complete_and_is_not() {
    let refusal = |code| with(&[("b", Reply::Error(code))]);
    for (name, replies) in [
        ("ends-at-refused-token", refusal(ErrorCode::BadResumptionToken)),
        ("ends-at-any-error", refusal(ErrorCode::BadArgument)),
        ("ends-at-short-page", with(&[("a", page([3], "b"))])),
    ] {
        let found = run(name, &mut Script::new(Some(6), &replies), &mut MemoryShelf::default());
        assert!(found.starts_with("complete") && !found.contains('6'), "by `{name}`: {found}");
    }
    let mut wire = Script::new(Some(4), &healthy());
    let found = run("ends-at-announced-size", &mut wire, &mut MemoryShelf::default());
    assert_eq!(found, "complete, 0: 2 requests: 1 -2 3 4");
}

#[test]
fn who_counts_wrong_believes_a_list_that_is_short() {
    let doubled = with(&[("b", page([3, 4], ""))]);
    check("sound", &doubled, "incomplete by short-list, 4: 3 requests: 1 -2 3 4");
    check("counts-deliveries", &doubled, "complete, 0: 3 requests: 1 -2 3 4");
    let short = with(&[("a", last([3, 4]))]);
    check("size-of-last-page", &short, "complete, 0: 2 requests: 1 -2 3 4");
}

#[test]
fn who_asks_too_little_or_too_much_is_told_apart() {
    let once = with(&[("a", Reply::Status(500, None)), ("a", page([3, 4], "b"))]);
    check("sound", &once, "complete, 0: 4 requests: 1 -2 3 4 5 6");
    check("retries-nothing", &once, "incomplete, 4: 2 requests: 1 -2");
    let always = with(&[("a", Reply::Status(500, None))]);
    check("retries-for-ever", &always, "over budget: 201 requests: 1 -2");
    let forbidden = with(&[("a", Reply::Status(403, None))]);
    check("sound", &forbidden, "incomplete, 4: 2 requests: 1 -2");
    check("asks-forbidden-again", &forbidden, "incomplete, 4: 6 requests: 1 -2");
    let crowded = with(&[("a", Reply::Status(429, None)), ("a", page([3, 4], "b"))]);
    check("sound", &crowded, "complete, 0: 4 requests: 1 -2 3 4 5 6");
    check("any-4xx-is-fatal", &crowded, "incomplete, 4: 2 requests: 1 -2");
    check("reopens-for-ever", &with(&[("b", refused())]), "over budget: 201 requests: 1 -2 3 4");
    check("never-reopens", &with(&[("b", refused())]), "incomplete, 4: 3 requests: 1 -2 3 4");
}

#[test]
fn who_waits_wrong_waits_another_time() {
    let busy = |text| with(&[("a", Reply::Status(503, Some(text))), ("a", page([3, 4], "b"))]);
    for (name, text, waited) in [
        ("sound", "120", 120),
        ("ignores-retry-after", "120", 1),
        ("sound", "86400", 0),
        ("waits-for-a-year", "86400", 86_400),
        ("sound", "soon", 60),
        ("dies-of-retry-after-date", "soon", 0),
    ] {
        let mut wire = Script::new(Some(6), &busy(text));
        run(name, &mut wire, &mut MemoryShelf::default());
        assert_eq!(wire.waited, waited, "`{name}` when told `{text}`");
    }
}

#[test]
fn tokens_that_are_touched_are_other_tokens() {
    for (name, token, sent) in [
        ("sound", "A%2Bb", "A%252Bb"),
        ("raw-token", "A%2Bb", "A%2Bb"),
        ("decodes-token", "A%2Bb", "A%2Bb"),
        ("lowercases-token", "AbC", "abc"),
    ] {
        let mut wire = Script::new(None, &[("", page([1], token))]);
        run(name, &mut wire, &mut MemoryShelf::default());
        assert_eq!(wire.queries[1], format!("verb=ListRecords&resumptionToken={sent}"), "{name}");
    }
}

#[test]
fn who_misreads_what_a_record_is_holds_it_wrongly() {
    check("drops-tombstones", &healthy(), "complete, 0: 3 requests: 1 3 4 5 6");
    let mut shelf = MemoryShelf::default();
    shelf.rows.push(("3".to_owned(), "old".to_owned()));
    let found = run("first-version-stays", &mut Script::new(Some(6), &healthy()), &mut shelf);
    assert_eq!(found, "complete, 0: 3 requests: old 1 -2 4 5 6");
}

#[test]
fn who_asks_more_of_an_end_than_everything_gives_up_at_the_end() {
    let beyond = with(&[("b", page([5, 6], "c")), ("c", Reply::Error(ErrorCode::NoRecordsMatch))]);
    check("sound", &beyond, "complete, 0: 4 requests: 1 -2 3 4 5 6");
    check("error-after-all", &beyond, "incomplete, 4: 4 requests: 1 -2 3 4 5 6");
    let bare = with(&[("b", last([5, 6]))]);
    check("sound", &bare, "complete, 0: 3 requests: 1 -2 3 4 5 6");
    check("needs-last-token", &bare, "incomplete by short-list, 4: 3 requests: 1 -2 3 4 5 6");
}
