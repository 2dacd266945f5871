//! What entries mean. Every sequence runs in memory and on disk, and [`Stores`] insists that both agree.

use pmh_harvest::{
    Closing, CompleteList, Completion, Counts, Cursor, Ending, Entry, Key, Known, Progress, Sizes,
    SourceMemory, Tally, Traversal, Window,
};
use pmh_protocol::{Datestamp, Item};

use crate::support::{
    COMPLETION, FACTS, Stores, at, batch, close, complete, dated, gone, incomplete, key, live,
    open, opening, page, reopen, set_key, with_header,
};

const NOTHING: Counts = Counts { new: 0, changed: 0, unchanged: 0, withdrawn: 0, revived: 0 };
const NEW: Counts = Counts { new: 1, ..NOTHING };
const CHANGED: Counts = Counts { changed: 1, ..NOTHING };
const UNCHANGED: Counts = Counts { unchanged: 1, ..NOTHING };
const WITHDRAWN: Counts = Counts { withdrawn: 1, ..NOTHING };
const REVIVED: Counts = Counts { revived: 1, ..NOTHING };

// ---- rows ----

/// Delivers the items in a traversal each, closed as complete, and expects these counts of the pages.
fn check_rows<const N: usize>(deliveries: [(Item, Counts); N]) -> Stores {
    let mut stores = Stores::new("a traversal each");
    for (number, (item, expected)) in (1..).zip(deliveries) {
        let [_, page, _] =
            stores.commit(&key(), [open(number), page(number, [item]), complete(number)]);
        assert_eq!(page.counts, expected, "of delivery {number}");
    }
    stores
}

#[test]
fn a_record_that_is_not_held_is_new() {
    let row = check_rows([(live("a", "<x/>"), NEW)]).row("a");
    assert_eq!((row.payload.as_deref(), row.deleted), (Some("<x/>"), false));
    assert_eq!([row.first_seen, row.harvested_at, row.changed_at], [at(1); 3]);
}

#[test]
fn the_same_content_again_changes_nothing_but_the_datestamp() {
    let again = dated(live("a", "<x/>"), "2026-06-20T10:00:00Z");
    let row = check_rows([(live("a", "<x/>"), NEW), (again, UNCHANGED)]).row("a");
    assert_eq!(row.datestamp, Datestamp::parse("2026-06-20T10:00:00Z").ok());
    assert_eq!([row.first_seen, row.harvested_at, row.changed_at], [at(1); 3]);
}

#[test]
fn content_decides_what_changed_and_not_the_datestamp() {
    let row = check_rows([(live("a", "<x/>"), NEW), (live("a", "<y/>"), CHANGED)]).row("a");
    assert_eq!(row.payload.as_deref(), Some("<y/>"));
    assert_eq!([row.first_seen, row.harvested_at, row.changed_at], [at(1), at(2), at(2)]);
}

#[test]
fn other_sets_are_a_change() {
    let moved = with_header(live("a", "<x/>"), |header| {
        header.sets = vec!["s:1".to_owned(), "t".to_owned()]
    });
    let row = check_rows([(live("a", "<x/>"), NEW), (moved, CHANGED)]).row("a");
    assert_eq!(row.sets, ["s:1", "t"]);
}

#[test]
fn other_abouts_are_a_change() {
    let row =
        check_rows([(live("a", "<x/>"), NEW), (with_abouts("a", &["<p/>", "<q/>"]), CHANGED)])
            .row("a");
    assert_eq!(row.abouts, ["<p/>", "<q/>"]);
}

#[test]
fn the_same_text_in_other_abouts_is_a_change() {
    check_rows([
        (with_abouts("a", &["<p/><q/>"]), NEW),
        (with_abouts("a", &["<p/>", "<q/>"]), CHANGED),
    ]);
}

fn with_abouts(identifier: &str, abouts: &[&str]) -> Item {
    match live(identifier, "<x/>") {
        Item::Record(mut record) => {
            record.abouts = abouts.iter().map(|&about| about.to_owned()).collect();
            Item::Record(record)
        }
        tombstone => tombstone,
    }
}

fn without_payload(identifier: &str, sets: &[&str]) -> Item {
    match live(identifier, "") {
        Item::Record(mut record) => {
            record.payload = None;
            record.header.sets = sets.iter().map(|&set| set.to_owned()).collect();
            Item::Record(record)
        }
        tombstone => tombstone,
    }
}

#[test]
fn a_record_without_payload_keeps_the_payload_held_before() {
    let deliveries = [
        (live("a", "<x/>"), NEW),
        (without_payload("a", &[]), UNCHANGED),
        (without_payload("a", &["s"]), CHANGED),
        (with_header(live("a", "<x/>"), |header| header.sets = vec!["s".to_owned()]), UNCHANGED),
    ];
    assert_eq!(check_rows(deliveries).row("a").payload.as_deref(), Some("<x/>"));
}

#[test]
fn no_payload_is_not_an_empty_one() {
    check_rows([(without_payload("a", &[]), NEW), (live("a", ""), CHANGED)]);
}

#[test]
fn a_tombstone_never_seen_before_is_kept() {
    let row = check_rows([(gone("a"), NEW)]).row("a");
    assert!(row.deleted);
    assert_eq!(row.payload, None);
}

#[test]
fn a_tombstone_again_changes_nothing_but_the_datestamp() {
    let row = check_rows([(gone("a"), NEW), (dated(gone("a"), "2026-06-20"), UNCHANGED)]).row("a");
    assert_eq!(row.datestamp, Datestamp::parse("2026-06-20").ok());
    assert_eq!(row.harvested_at, at(1));
}

#[test]
fn a_live_record_after_a_tombstone_is_revived() {
    let row = check_rows([(gone("a"), NEW), (live("a", "<x/>"), REVIVED)]).row("a");
    assert_eq!((row.deleted, row.payload.as_deref()), (false, Some("<x/>")));
    assert_eq!([row.first_seen, row.harvested_at, row.changed_at], [at(1), at(2), at(2)]);
}

#[test]
fn a_withdrawn_record_delivered_again_is_revived() {
    check_rows([(live("a", "<x/>"), NEW), (gone("a"), NOTHING), (live("a", "<x/>"), REVIVED)]);
}

#[test]
fn another_prefix_or_source_holds_another_record() {
    let mut stores = Stores::new("three catalogs");
    let other_prefix = Key { prefix: "marc".to_owned(), ..key() };
    let other_source = Key { source: "https://other.example/oai".to_owned(), ..key() };
    for (number, key) in (1..).zip([key(), other_prefix, other_source]) {
        let [_, page, _] = stores
            .commit(&key, [open(number), page(number, [live("a", "<x/>")]), complete(number)]);
        assert_eq!(page.counts, NEW);
        assert_eq!(stores.known(&key).held_live, 1);
    }
}

#[test]
fn rows_come_in_the_order_of_their_identifiers() {
    let mut stores = Stores::new("order");
    stores.commit(
        &key(),
        [open(1), page(1, [live("b", "1"), live("ä", "2"), live("B", "3"), live("a", "4")])],
    );
    let identifiers: Vec<String> = stores.rows().into_iter().map(|row| row.identifier).collect();
    assert_eq!(identifiers, ["B", "a", "b", "ä"]);
}

// ---- staged tombstones ----

/// Both stores after a complete harvest of `a` and `b`.
fn harvested() -> Stores {
    let mut stores = Stores::new("after a complete harvest");
    stores.commit(&key(), [open(1), page(1, [live("a", "<x/>"), live("b", "<y/>")]), complete(1)]);
    stores
}

#[test]
fn a_tombstone_waits_until_its_traversal_is_complete() {
    let mut stores = harvested();
    let [_, page] = stores.commit(&key(), [open(2), page(2, [dated(gone("a"), "2026-06-20")])]);
    assert_eq!((page.counts, page.staged), (NOTHING, 1));
    assert!(!stores.row("a").deleted);
    assert_eq!(stores.known(&key()).held_live, 2);

    let [closing] = stores.commit(&key(), [complete(2)]);
    assert_eq!((closing.counts, closing.staged), (WITHDRAWN, 0));
    assert_eq!(stores.known(&key()).held_live, 1);
    let row = stores.row("a");
    assert_eq!((row.deleted, row.payload), (true, None));
    assert_eq!(row.datestamp, Datestamp::parse("2026-06-20").ok());
    assert_eq!([row.first_seen, row.harvested_at, row.changed_at], [at(1), at(102), at(1)]);
}

#[test]
fn a_tombstone_delivered_twice_is_staged_once() {
    let mut stores = harvested();
    let [_, first, second] =
        stores.commit(&key(), [open(2), page(2, [gone("a")]), page(2, [gone("a")])]);
    assert_eq!((first.staged, second.staged), (1, 1));
    assert_eq!(second.counts, NOTHING);
}

#[test]
fn a_live_delivery_cancels_a_staged_tombstone() {
    let mut stores = harvested();
    let [_, _, page, closing] = stores
        .commit(&key(), [open(2), page(2, [gone("a")]), page(2, [live("a", "<x/>")]), complete(2)]);
    assert_eq!((page.staged, page.counts), (0, UNCHANGED));
    assert_eq!(closing.counts, NOTHING);
    assert!(!stores.row("a").deleted);
}

#[test]
fn what_is_staged_outlives_an_incomplete_end_a_crash_and_a_new_traversal() {
    let mut stores = harvested();
    let [_, _, closing] =
        stores.commit(&key(), [open(2), page(2, [gone("a")]), incomplete(2, false)]);
    assert_eq!((closing.counts, closing.staged), (NOTHING, 1));
    stores.reopen();
    let [opening, closing] = stores.commit(&key(), [reopen(3, 2), complete(3)]);
    assert_eq!((opening.staged, closing.counts), (1, WITHDRAWN));
}

#[test]
fn a_withdrawn_record_keeps_its_sets_and_nothing_else_of_its_content() {
    let mut stores = Stores::new("a rich record");
    let rich =
        with_header(with_abouts("a", &["<p/>"]), |header| header.sets = vec!["s".to_owned()]);
    stores.commit(&key(), [open(1), page(1, [rich]), complete(1)]);
    stores.commit(&key(), [open(2), page(2, [gone("a")]), complete(2)]);
    let row = stores.row("a");
    assert_eq!((row.sets, row.abouts, row.payload), (vec!["s".to_owned()], Vec::new(), None));
}

#[test]
fn more_tombstones_than_are_listed_at_a_time_all_take_effect() {
    let identifiers = || (0..2500).map(|number| format!("r{number}"));
    let mut stores = Stores::new("many tombstones");
    let records = batch(1, identifiers().map(|identifier| live(&identifier, "<x/>")).collect());
    let tombstones = batch(2, identifiers().map(|identifier| gone(&identifier)).collect());
    stores.commit(&key(), [open(1), Entry::Page(records), complete(1)]);
    let [_, page, closing] = stores.commit(&key(), [open(2), Entry::Page(tombstones), complete(2)]);
    assert_eq!((page.staged, closing.counts.withdrawn), (2500, 2500));
}

// ---- sets: several keys over one record ----

/// Both stores after each of the keys has completely harvested `a`.
fn held_by(keys: &[Key]) -> Stores {
    let mut stores = Stores::new(format!("held by {keys:?}"));
    for (number, key) in (1..).zip(keys) {
        stores.commit(key, [open(number), page(number, [live("a", "<x/>")]), complete(number)]);
    }
    stores
}

#[test]
fn a_record_dies_with_the_last_set_that_holds_it() {
    let (one, other) = (set_key("one"), set_key("other"));
    let mut stores = held_by(&[one.clone(), other.clone()]);
    let [_, first, closing] = stores.commit(&one, [open(11), page(11, [gone("a")]), complete(11)]);
    assert_eq!((first.staged, closing.counts), (1, NOTHING));
    assert_eq!((stores.known(&one).held_live, stores.known(&other).held_live), (0, 1));
    assert!(!stores.row("a").deleted);

    let [_, _, closing] = stores.commit(&other, [open(12), page(12, [gone("a")]), complete(12)]);
    assert_eq!(closing.counts, WITHDRAWN);
    assert!(stores.row("a").deleted);
}

#[test]
fn a_tombstone_of_the_whole_repository_ends_every_hold() {
    let set = set_key("one");
    let mut stores = held_by(&[key(), set.clone()]);
    let [_, _, closing] = stores.commit(&key(), [open(11), page(11, [gone("a")]), complete(11)]);
    assert_eq!(closing.counts, WITHDRAWN);
    assert_eq!((stores.known(&key()).held_live, stores.known(&set).held_live), (0, 0));
}

#[test]
fn the_whole_repository_ends_holds_that_it_never_had_itself() {
    let set = set_key("one");
    let mut stores = held_by(std::slice::from_ref(&set));
    let [_, page, closing] = stores.commit(&key(), [open(11), page(11, [gone("a")]), complete(11)]);
    assert_eq!((page.staged, closing.counts), (1, WITHDRAWN));
    assert_eq!(stores.known(&set).held_live, 0);
}

#[test]
fn a_set_has_nothing_to_stage_for_a_record_it_never_held() {
    let mut stores = held_by(&[key()]);
    let [_, page, closing] =
        stores.commit(&set_key("one"), [open(11), page(11, [gone("a")]), complete(11)]);
    assert_eq!((page.counts, page.staged, closing.counts), (UNCHANGED, 0, NOTHING));
    assert!(!stores.row("a").deleted);
}

#[test]
fn a_live_delivery_in_a_set_cancels_the_tombstone_staged_for_the_whole_repository() {
    let set = set_key("one");
    let mut stores = held_by(&[key(), set.clone()]);
    stores.commit(&key(), [open(11), page(11, [gone("a")])]);
    stores.commit(&set, [open(12), page(12, [live("a", "<x/>")])]);
    let [closing] = stores.commit(&key(), [complete(11)]);
    assert_eq!(closing.counts, NOTHING);
    assert!(!stores.row("a").deleted);
}

#[test]
fn a_live_delivery_elsewhere_does_not_bring_a_record_back_into_a_set() {
    let set = set_key("one");
    let mut stores = held_by(&[key(), set.clone()]);
    stores.commit(&set, [open(11), page(11, [gone("a")])]);
    stores.commit(&key(), [open(12), page(12, [live("a", "<x/>")])]);
    stores.commit(&set, [complete(11)]);
    assert_eq!((stores.known(&set).held_live, stores.known(&key()).held_live), (0, 1));
}

#[test]
fn a_record_that_dies_leaves_nothing_staged_anywhere() {
    let set = set_key("one");
    let mut stores = held_by(&[key(), set.clone()]);
    stores.commit(&set, [open(11), page(11, [gone("a")])]);
    stores.commit(&key(), [open(12), page(12, [gone("a")]), complete(12)]);
    let [closing] = stores.commit(&set, [incomplete(11, true)]);
    assert_eq!(closing.staged, 0);
}

#[test]
fn a_record_that_dies_with_its_set_leaves_nothing_staged_for_the_whole_repository() {
    let set = set_key("one");
    let mut stores = held_by(std::slice::from_ref(&set));
    stores.commit(&key(), [open(11), page(11, [gone("a")])]);
    let [_, _, closing] = stores.commit(&set, [open(12), page(12, [gone("a")]), complete(12)]);
    assert_eq!(closing.counts, WITHDRAWN);
    let [closing] = stores.commit(&key(), [complete(11)]);
    assert_eq!((closing.counts, closing.staged), (NOTHING, 0));
}

// ---- one traversal, its window, the next one ----

#[test]
fn an_identifier_is_fresh_once_in_a_traversal() {
    let mut stores = Stores::new("fresh");
    let [_, first, second] = stores.commit(
        &key(),
        [
            open(1),
            page(1, [live("a", "1"), live("b", "1"), live("a", "1")]),
            page(1, [live("b", "1"), live("c", "1")]),
        ],
    );
    assert_eq!((first.fresh, second.fresh), (2, 1));
    assert_eq!((second.tally.delivered, second.tally.distinct), (5, 3));
}

#[test]
fn a_restart_counts_afresh_but_its_window_does_not() {
    let mut stores = Stores::new("restart");
    stores
        .commit(&key(), [open(1), page(1, [live("a", "1"), live("b", "1")]), incomplete(1, false)]);
    let [opening, page] =
        stores.commit(&key(), [reopen(2, 1), page(2, [live("a", "1"), live("c", "1")])]);
    assert_eq!(opening.tally, Tally::default());
    assert_eq!((page.tally.distinct, page.tally.fresh_in_window), (2, 1));
}

#[test]
fn a_new_window_knows_nothing_of_the_last() {
    let mut stores = harvested();
    let [_, page] = stores.commit(&key(), [open(2), page(2, [live("a", "<x/>")])]);
    assert_eq!((page.fresh, page.tally.fresh_in_window), (1, 1));
}

#[test]
fn an_identifier_is_fresh_to_each_key() {
    let mut stores = harvested();
    let [_, page] = stores.commit(&set_key("one"), [reopen(2, 1), page(2, [live("a", "<x/>")])]);
    assert_eq!((page.fresh, page.tally.fresh_in_window), (1, 1));
}

/// Delivers `a` with these datestamps (empty: none) in one traversal; its payload is the number of the delivery.
fn check_one_traversal(datestamps: &[&str], payload_held: &str) {
    let items = (1..)
        .zip(datestamps)
        .map(|(number, datestamp)| dated(live("a", &format!("{number}")), datestamp));
    let mut stores = Stores::new(format!("{datestamps:?}"));
    stores.commit(&key(), [open(1), Entry::Page(batch(1, items.collect()))]);
    assert_eq!(stores.row("a").payload.as_deref(), Some(payload_held), "{datestamps:?}");
}

#[test]
fn within_one_traversal_the_later_datestamp_wins() {
    check_one_traversal(&["2026-06-02", "2026-06-01"], "1");
    check_one_traversal(&["2026-06-01", "2026-06-02"], "2");
    check_one_traversal(&["2026-06-02", "2026-06-01", "2026-06-01T23:59:59Z"], "1");
}

#[test]
fn within_one_traversal_equal_or_missing_datestamps_let_the_later_delivery_win() {
    check_one_traversal(&["2026-06-02", "2026-06-02"], "2");
    check_one_traversal(&["2026-06-02", ""], "2");
    check_one_traversal(&["", "2026-06-02"], "2");
}

#[test]
fn an_ignored_delivery_counts_as_delivered_and_unchanged() {
    let mut stores = Stores::new("ignored");
    stores.commit(&key(), [open(1), page(1, [dated(live("a", "1"), "2026-06-02")])]);
    let [page] = stores.commit(&key(), [page(1, [dated(gone("a"), "2026-06-01")])]);
    assert_eq!((page.counts, page.staged, page.tally.delivered, page.fresh), (UNCHANGED, 0, 2, 0));
}

#[test]
fn between_traversals_the_later_opened_one_wins() {
    let mut stores = Stores::new("datestamp went back");
    stores.commit(&key(), [open(1), page(1, [dated(live("a", "1"), "2026-06-02")]), complete(1)]);
    stores.commit(&key(), [open(2), page(2, [dated(live("a", "2"), "2026-06-01")]), complete(2)]);
    assert_eq!(stores.row("a").payload.as_deref(), Some("2"));
    stores.commit(&key(), [open(3), page(3, [dated(gone("a"), "2026-05-01")]), complete(3)]);
    assert!(stores.row("a").deleted);
}

#[test]
fn pages_without_anything_fresh_are_counted_in_a_row() {
    let mut stores = Stores::new("runs");
    stores.commit(&key(), [open(1), page(1, [live("a", "1")])]);
    let mut runs = Vec::new();
    for items in [vec![live("a", "1")], vec![], vec![], vec![live("a", "1")], vec![live("b", "1")]]
    {
        let [page] = stores.commit(&key(), [Entry::Page(batch(1, items))]);
        runs.push((page.tally.barren_run, page.tally.empty_run));
    }
    assert_eq!(runs, [(1, 0), (1, 1), (1, 2), (2, 0), (0, 0)]);
}

#[test]
fn grouped_entries_are_as_good_as_single_ones() {
    let entries =
        || [open(1), page(1, [live("a", "1")]), page(1, [live("a", "2"), gone("b")]), complete(1)];
    let (mut grouped, mut single) = (Stores::new("grouped"), Stores::new("single"));
    let receipts = grouped.commit(&key(), entries());
    assert_eq!(receipts, entries().map(|entry| single.commit(&key(), [entry])[0].clone()));
    assert_eq!(grouped.rows(), single.rows());
}

// ---- what is remembered ----

#[test]
fn a_key_never_seen_is_known_by_default() {
    assert_eq!(Stores::new("empty").known(&key()), Known::default());
}

#[test]
fn everything_of_an_open_traversal_is_remembered() {
    let mut stores = Stores::new("open traversal");
    let traversal = Traversal {
        number: 7,
        window_number: 5,
        window: Window {
            from: Datestamp::parse("2026-06-01").ok(),
            until: Datestamp::parse("2026-06-30T12:00:00Z").ok(),
        },
        opened_at: at(1),
        restarts_in_row: 1,
        restarts: 2,
    };
    let mut batch = batch(7, vec![live("a", "1")]);
    batch.progress = Progress {
        opening_response_date: Some(at(2)),
        sizes: Some(Sizes { first: 100, last: 90, least: 80 }),
        unreadable: 3,
        session_bound: true,
        offset_gaps: 4,
    };
    batch.cursor = Some(Cursor {
        token: "a token\u{0}&<".to_owned(),
        given_at: at(3),
        life_seconds: Some(-4),
    });
    let (progress, cursor) = (batch.progress, batch.cursor.clone());
    stores.commit(&key(), [Entry::Open(opening(traversal.clone())), Entry::Page(batch)]);
    stores.reopen();
    let open = stores.known(&key()).open.unwrap();
    assert_eq!((open.traversal, open.progress, open.cursor), (traversal, progress, cursor));
    let expected =
        Tally { pages: 1, delivered: 1, distinct: 1, fresh_in_window: 1, ..Tally::default() };
    assert_eq!(open.tally, expected);
}

#[test]
fn the_last_page_leaves_no_cursor() {
    let mut stores = Stores::new("last page");
    let mut last = batch(1, vec![live("a", "1")]);
    last.cursor = None;
    stores.commit(&key(), [open(1), page(1, []), Entry::Page(last)]);
    assert_eq!(stores.known(&key()).open.unwrap().cursor, None);
}

#[test]
fn a_complete_traversal_leaves_its_facts_and_is_gone() {
    let mut stores = Stores::new("complete");
    let list = CompleteList {
        pages: 9,
        distinct: 800,
        size: Some(801),
        ended_empty: true,
        everything: false,
    };
    let completion = Completion {
        watermark: Some(at(50)),
        floor: Some(at(40)),
        list: Some(list),
        lag_seconds: 7,
        ..COMPLETION
    };
    stores.commit(&key(), [open(1), close(1, Ending::Complete(completion.clone()))]);
    stores.reopen();
    let expected = Known {
        watermark: Some(at(50)),
        floor: Some(at(40)),
        last_complete: Some(list),
        source: Some(FACTS),
        last_traversal: 1,
        lag_seconds: 7,
        ..Known::default()
    };
    assert_eq!(stores.known(&key()), expected);
    let less = Completion { lag_seconds: 3, ..completion };
    stores.commit(&key(), [open(2), close(2, Ending::Complete(less))]);
    assert_eq!(stores.known(&key()).lag_seconds, 7, "the largest ever seen");
}

#[test]
fn a_completion_without_a_list_leaves_alone_what_is_remembered() {
    let mut stores = Stores::new("without list");
    let silent = Completion { list: None, ..COMPLETION };
    stores.commit(&key(), [open(1), complete(1), open(2), close(2, Ending::Complete(silent))]);
    assert_eq!(stores.known(&key()).last_complete, COMPLETION.list);
}

#[test]
fn a_completion_without_watermark_leaves_it_alone_and_one_without_floor_ends_it() {
    let mut stores = Stores::new("without watermark");
    let moved = Completion { watermark: Some(at(50)), floor: Some(at(40)), ..COMPLETION };
    stores.commit(&key(), [open(1), close(1, Ending::Complete(moved)), open(2), complete(2)]);
    let known = stores.known(&key());
    assert_eq!((known.watermark, known.floor), (Some(at(50)), None));
}

#[test]
fn an_incomplete_end_keeps_or_voids_the_cursor_and_counts() {
    let mut stores = Stores::new("incomplete");
    stores.commit(&key(), [open(1), page(1, [live("a", "1")]), incomplete(1, true)]);
    let known = stores.known(&key());
    assert_eq!((known.errors, known.open.unwrap().cursor.is_some()), (1, true));
    stores.commit(&key(), [incomplete(1, false)]);
    let known = stores.known(&key());
    assert_eq!((known.errors, known.open.unwrap().cursor), (2, None));
    stores.commit(&key(), [complete(1)]);
    assert_eq!(stores.known(&key()).errors, 0);
}

#[test]
fn a_run_that_ends_before_its_traversal_is_counted_and_nothing_else() {
    let early = || {
        let ending = Ending::Incomplete { keep_cursor: false, reason: "unreachable".to_owned() };
        let memory = SourceMemory::default();
        Entry::Close(Closing { traversal: None, closed_at: at(9), ending, memory })
    };
    let mut stores = Stores::new("early end");
    stores.commit(&key(), [early()]);
    assert_eq!(stores.known(&key()), Known { errors: 1, ..Known::default() });
    stores.commit(&key(), [open(1), page(1, [live("a", "1")])]);
    let before = stores.known(&key());
    stores.commit(&key(), [early()]);
    assert_eq!(stores.known(&key()), Known { errors: 2, ..before });
}

#[test]
fn traversal_numbers_and_source_facts_are_known_to_every_key() {
    let mut stores = Stores::new("other keys");
    stores.commit(&key(), [open(4)]);
    let expected = Known { source: Some(FACTS), last_traversal: 4, ..Known::default() };
    assert_eq!(stores.known(&set_key("one")), expected);
    let elsewhere = Key { source: "https://other.example/oai".to_owned(), ..key() };
    assert_eq!(stores.known(&elsewhere), Known { source: None, ..expected });
}

#[test]
fn a_page_of_unchanged_records_is_counted_record_by_record() {
    let mut stores = Stores::new("a page of unchanged records");
    let all = ["a", "b", "c", "d", "e"].map(|identifier| live(identifier, "<x/>"));
    let left_out = live("left out", "<x/>");
    let others = page(1, [gone("t"), left_out.clone()]);
    stores.commit(&key(), [open(1), page(1, all.clone()), others, complete(1)]);
    let [a, b, c, d, _] = all.clone();
    let redated = dated(d, "2026-06-02");
    let items = [a.clone(), b, gone("t"), c.clone(), c, redated, live("e", "<other/>"), a];
    let [_, second] = stores.commit(&key(), [open(2), page(2, items)]);
    assert_eq!((second.fresh, second.counts.unchanged, second.counts.changed), (6, 7, 1));
    // A further traversal of the window: everything is fresh to it, and only the first to the window.
    let [a, b, c, d, e] = all;
    let [_, third] = stores.commit(&key(), [reopen(3, 2), page(3, [left_out, a, b, c, d, e])]);
    assert_eq!((third.fresh, third.tally.fresh_in_window), (6, 1));
}

#[test]
fn an_unchanged_record_cancels_what_is_staged_for_it_in_the_midst_of_a_page() {
    let mut stores = Stores::new("staged in the midst");
    let all = ["a", "b", "c"].map(|identifier| live(identifier, "<x/>"));
    stores.commit(&set_key("one"), [open(1), page(1, all.clone()), complete(1)]);
    stores.commit(&key(), [open(2), page(2, all.clone()), complete(2)]);
    let [_, staged] = stores.commit(&key(), [open(3), page(3, [gone("b")])]);
    assert_eq!(staged.staged, 1);
    stores.commit(&set_key("one"), [open(4), page(4, all.clone()), complete(4)]);
    assert_eq!(stores.commit(&key(), [open(5), page(5, [gone("b")])])[1].staged, 1);
    assert_eq!(stores.commit(&key(), [open(6), page(6, all)])[1].staged, 0);
}
