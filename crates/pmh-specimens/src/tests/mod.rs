//! The sound specimen does right, and every defect shows.

mod defects; // each of them beside the sound one

use pmh_protocol::ErrorCode;

use crate::testing::{MemoryShelf, Reply, Script, last, page, refused, run};

/// Three pages of two; the second record is deleted.
fn healthy() -> Vec<(&'static str, Reply)> {
    vec![("", page([1, -2], "a")), ("a", page([3, 4], "b")), ("b", page([5, 6], ""))]
}

fn with(changed: &[(&'static str, Reply)]) -> Vec<(&'static str, Reply)> {
    let mut replies = healthy();
    replies.retain(|(token, _)| changed.iter().all(|(other, _)| other != token));
    replies.extend(changed.iter().cloned());
    replies
}

/// One run on an empty shelf, of a list that announces six records.
fn check(name: &str, replies: &[(&'static str, Reply)], expected: &str) {
    let found = run(name, &mut Script::new(Some(6), replies), &mut MemoryShelf::default());
    assert_eq!(found, expected, "by `{name}`");
}

#[test]
fn the_sound_one_reads_a_list_to_each_kind_of_end() {
    for end in [page([5, 6], ""), page([5, 6], " \n "), last([5, 6])] {
        check("sound", &with(&[("b", end)]), "complete, 0: 3 requests: 1 -2 3 4 5 6");
    }
}

#[test]
fn the_sound_one_reads_on_after_an_empty_page() {
    let replies = with(&[("a", page([], "a2")), ("a2", page([3, 4], "b"))]);
    check("sound", &replies, "complete, 0: 4 requests: 1 -2 3 4 5 6");
}

#[test]
fn the_sound_one_takes_a_constant_token_for_a_session() {
    let replies = [("", page([1, 2], "s")), ("s", page([3, 4], "s")), ("s", page([5, 6], ""))];
    check("sound", &replies, "complete, 0: 3 requests: 1 2 3 4 5 6");
}

#[test]
fn the_sound_one_opens_the_list_again_when_a_token_is_refused() {
    let replies = with(&[("b", refused()), ("b", page([5, 6], ""))]);
    check("sound", &replies, "complete, 0: 6 requests: 1 -2 3 4 5 6");
}

#[test]
fn the_sound_one_gives_up_when_restarts_bring_nothing() {
    // Four lists of three requests: the first, and three restarts.
    let replies = with(&[("b", refused())]);
    check("sound", &replies, "incomplete by restart-ceiling, 4: 12 requests: 1 -2 3 4");
}

#[test]
fn the_sound_one_keeps_opening_the_list_while_that_brings_something() {
    let mut replies = vec![("", page([1], "a"))];
    for record in 2..=6 {
        replies.push(("a", page([record], "b")));
    }
    replies.extend([("b", refused()), ("b", refused()), ("b", refused()), ("b", refused())]);
    replies.push(("b", last([1, 2, 3, 4, 5, 6])));
    check("sound", &replies, "complete, 0: 15 requests: 1 2 3 4 5 6");
}

#[test]
fn the_sound_one_leaves_no_cursor_where_going_on_would_lead_into_the_same_trap() {
    for trap in [refused(), page([1, -2], "b"), last([5])] {
        let mut shelf = MemoryShelf::default();
        let found = run("sound", &mut Script::new(Some(6), &with(&[("b", trap)])), &mut shelf);
        assert!(found.starts_with("incomplete by"), "{found}");
        assert_eq!(shelf.cursor, None, "after {found}");
    }
}

#[test]
fn pages_that_bring_nothing_new_count_only_in_a_row() {
    let replies = [
        ("", page([1], "s")),
        ("s", page([1], "s")),
        ("s", page([1], "s")),
        ("s", page([2], "s")),
        ("s", page([1], "s")),
        ("s", page([1], "s")),
        ("s", page([3, 4, 5, 6], "")),
    ];
    check("sound", &replies, "complete, 0: 7 requests: 1 2 3 4 5 6");
}

#[test]
fn pages_without_records_count_only_in_a_row() {
    let mut replies = vec![("", page([1], "s"))];
    for record in 2..=5 {
        replies.extend([("s", page([], "s")), ("s", page([], "s")), ("s", page([], "s"))]);
        replies.push(("s", page([record], "s")));
    }
    replies.push(("s", page([6], "")));
    check("sound", &replies, "complete, 0: 18 requests: 1 2 3 4 5 6");
}

#[test]
fn the_sound_one_counts_what_was_announced_before_the_page_it_goes_on_at() {
    for (announced, expected) in
        [(6, "complete, 0: 1 requests: 5 6"), (7, "incomplete by short-list, 4: 1 requests: 5 6")]
    {
        let mut wire = Script::new(Some(announced), &healthy());
        let mut shelf = MemoryShelf { cursor: Some("b".to_owned()), ..MemoryShelf::default() };
        assert_eq!(run("sound", &mut wire, &mut shelf), expected);
    }
}

#[test]
fn the_sound_one_stops_at_a_token_that_returns_itself() {
    let replies = with(&[("a", page([3, 4], "a"))]);
    check("sound", &replies, "incomplete by repeated-token, 4: 5 requests: 1 -2 3 4");
}

#[test]
fn the_sound_one_stops_in_a_ring() {
    let replies = [("", page([1], "a")), ("a", page([2], "b")), ("b", page([3], "a"))];
    check("sound", &replies, "incomplete by repeated-token, 4: 6 requests: 1 2 3");
}

#[test]
fn the_sound_one_stops_when_fresh_tokens_bring_nothing() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let mut replies = vec![("", page([1], "a"))];
    for pair in names.windows(2) {
        replies.push((pair[0], page([1], pair[1])));
    }
    check("sound", &replies, "incomplete by no-progress, 4: 11 requests: 1");
}

#[test]
fn the_sound_one_stops_at_once_when_it_has_all_that_was_announced() {
    let replies = with(&[("b", page([5, 6], "c")), ("c", page([1, -2], "d"))]);
    check("sound", &replies, "incomplete by no-progress, 4: 4 requests: 1 -2 3 4 5 6");
}

#[test]
fn the_sound_one_stops_when_pages_stay_empty() {
    let replies = with(&[("a", page([], "a"))]);
    check("sound", &replies, "incomplete by no-progress, 4: 11 requests: 1 -2");
}

#[test]
fn the_sound_one_notices_a_short_list() {
    let replies = with(&[("a", last([3, 4]))]);
    check("sound", &replies, "incomplete by short-list, 4: 2 requests: 1 -2 3 4");
}

#[test]
fn the_sound_one_takes_an_empty_selection_for_success_and_a_refusal_for_none() {
    check("sound", &[("", Reply::Error(ErrorCode::NoRecordsMatch))], "complete, 0: 1 requests: ");
    check(
        "sound",
        &[("", Reply::Error(ErrorCode::CannotDisseminateFormat))],
        "refused, 3: 1 requests: ",
    );
}

#[test]
fn the_sound_one_waits_as_long_as_it_is_asked_to() {
    let busy = Reply::Status(503, Some("120"));
    let mut wire = Script::new(Some(6), &with(&[("a", busy), ("a", page([3, 4], "b"))]));
    let found = run("sound", &mut wire, &mut MemoryShelf::default());
    assert_eq!(found, "complete, 0: 4 requests: 1 -2 3 4 5 6");
    assert_eq!(wire.waited, 120);
}

#[test]
fn the_sound_one_ends_rather_than_wait_too_long_or_for_ever() {
    let for_hours = with(&[("a", Reply::Status(503, Some("86400")))]);
    check("sound", &for_hours, "incomplete, 4: 2 requests: 1 -2");
    let for_ever = with(&[("a", Reply::Status(500, None))]);
    check("sound", &for_ever, "incomplete, 4: 6 requests: 1 -2");
    check("sound", &[("", Reply::Status(404, None))], "refused, 3: 5 requests: ");
}

/// Two runs of a list whose second page is not stored before the specimen dies.
fn check_death(name: &str, expected: &str) {
    let mut wire = Script::new(None, &healthy());
    let mut shelf = MemoryShelf { dies_at_rows: Some(2), ..MemoryShelf::default() };
    assert_eq!(run(name, &mut wire, &mut shelf), "killed: 2 requests: 1 -2", "by `{name}`");
    assert_eq!(run(name, &mut wire, &mut shelf), expected, "by `{name}`");
    assert_eq!(shelf.cursor, None);
}

#[test]
fn the_sound_one_goes_on_where_it_died() {
    check_death("sound", "complete, 0: 2 requests: 1 -2 3 4 5 6");
}

#[test]
fn the_sound_one_opens_the_list_again_when_its_cursor_is_refused() {
    let mut wire = Script::new(Some(6), &healthy());
    let mut shelf = MemoryShelf { cursor: Some("old".to_owned()), ..MemoryShelf::default() };
    assert_eq!(run("sound", &mut wire, &mut shelf), "complete, 0: 4 requests: 1 -2 3 4 5 6");
}

#[test]
fn the_sound_one_changes_nothing_the_second_time() {
    let (mut wire, mut shelf) = (Script::new(Some(6), &healthy()), MemoryShelf::default());
    // Identify comes before the list once there is a date to ask from.
    for requests in [3, 4] {
        let expected = format!("complete, 0: {requests} requests: 1 -2 3 4 5 6");
        assert_eq!(run("sound", &mut wire, &mut shelf), expected);
    }
}

#[test]
fn the_sound_one_leaves_its_watermark_where_a_guard_raised() {
    let short = with(&[("a", last([3, 4]))]);
    for (name, moves) in [("sound", false), ("watermark-without-end", true)] {
        let mut shelf = MemoryShelf::default();
        run(name, &mut Script::new(Some(6), &short), &mut shelf);
        assert_eq!(shelf.watermark.is_some(), moves, "by `{name}`");
    }
}

#[test]
fn a_list_that_was_resumed_moves_no_watermark() {
    let mut shelf = MemoryShelf { cursor: Some("b".to_owned()), ..MemoryShelf::default() };
    run("sound", &mut Script::new(Some(6), &healthy()), &mut shelf);
    assert_eq!(shelf.watermark, None);
}

#[test]
fn empty_token_as_token_asks_beyond_the_end() {
    check(
        "empty-token-as-token",
        &healthy(),
        "incomplete by restart-ceiling, 4: 16 requests: 1 -2 3 4 5 6",
    );
}

#[test]
fn token_beside_arguments_is_refused_at_page_two() {
    check("token-beside-arguments", &healthy(), "incomplete, 4: 2 requests: 1 -2");
}

#[test]
fn next_token_first_loses_the_page_it_dies_at() {
    check_death("next-token-first", "complete, 0: 1 requests: 1 -2 5 6");
}

#[test]
fn insert_not_upsert_holds_everything_twice() {
    let replies = with(&[("b", refused()), ("b", page([5, 6], ""))]);
    check("insert-not-upsert", &replies, "complete, 0: 6 requests: 1 -2 3 4 1 3 4 5 6");
}

#[test]
fn inserts_tombstones_holds_the_withdrawn_alive() {
    check("inserts-tombstones", &healthy(), "complete, 0: 3 requests: 1 ~2 3 4 5 6");
}

#[test]
fn never_counts_goes_round_for_ever_and_believes_every_end() {
    let replies = with(&[("a", page([3, 4], "a"))]);
    check("never-counts", &replies, "over budget: 201 requests: 1 -2 3 4");
    check("never-counts", &with(&[("a", last([3, 4]))]), "complete, 0: 2 requests: 1 -2 3 4");
}

#[test]
fn ends_at_empty_page_loses_what_follows() {
    let replies = with(&[("a", page([], "a2")), ("a2", page([3, 4], "b"))]);
    check("ends-at-empty-page", &replies, "complete, 0: 2 requests: 1 -2");
}

#[test]
fn ends_at_seen_token_cannot_read_a_session() {
    let replies = [("", page([1, 2], "s")), ("s", page([3, 4], "s")), ("s", page([5, 6], ""))];
    check("ends-at-seen-token", &replies, "incomplete by repeated-token, 4: 2 requests: 1 2 3 4");
}
