//! What is remembered beside records and cursors: of sources, of what is due, of spans and of datestamps. Every sequence
//! runs in memory and on disk, and [`Stores`] insists that both agree.

use pmh_harvest::{
    Closing, Comparison, CompleteList, Completion, Ending, Entry, Hole, Key, Known, Lacking,
    Mending, Opening, Refresh, SourceFacts, SourceMemory, Span, Traversal,
};
use pmh_protocol::{Datestamp, DeletedRecords, Granularity};

use crate::support::{
    COMPLETION, Stores, at, close, complete, dated, gone, key, live, open, page, reopen, set_key,
};

#[test]
fn what_a_source_says_and_how_it_behaves_is_known_to_every_key() {
    let facts = SourceFacts {
        granularity: Granularity::Day,
        deleted_records: DeletedRecords::Transient,
        name: Some("A repository".to_owned()),
        host: Some("repository.example".to_owned()),
        namespace: Some("repository.example".to_owned()),
        earliest: Some(at(-9)),
    };
    let memory = SourceMemory { not_before: Some(at(77)), single_use: true, pause_millis: 250 };
    let mut stores = Stores::new("source");
    let Entry::Open(opening) = open(1) else { unreachable!("an opening opens") };
    let opening =
        Opening { source: facts.clone(), schema: Some("http://x/1.xsd".to_owned()), ..opening };
    let ending = Ending::Incomplete { keep_cursor: true, reason: "busy-ceiling".to_owned() };
    let closing = Closing { traversal: Some(1), closed_at: at(2), ending, memory };
    stores.commit(&key(), [Entry::Open(opening.clone()), Entry::Close(closing)]);
    stores.reopen();
    let expected = Known {
        source: Some(facts),
        memory,
        schema: opening.schema.clone(),
        last_traversal: 1,
        ..Known::default()
    };
    assert_eq!(stores.known(&set_key("one")), expected);
    let other_format = Key { prefix: "marc21".to_owned(), ..key() };
    assert_eq!(stores.known(&other_format), Known { schema: None, ..expected });

    let traversal = Traversal { number: 2, window_number: 2, ..opening.traversal };
    let silent = Opening { traversal, schema: None, ..opening };
    stores.commit(&key(), [Entry::Open(silent), complete(2)]);
    let known = stores.known(&key());
    assert_eq!(known.schema.as_deref(), Some("http://x/1.xsd"), "what is not said stays");
    assert_eq!(known.memory, SourceMemory::default(), "a closing replaces it");
}

#[test]
fn a_refresh_is_due_for_the_keys_it_concerns_until_everything_was_read() {
    let marc = Key { prefix: "marc21".to_owned(), ..key() };
    let elsewhere = Key { source: "https://other.example/oai".to_owned(), ..key() };
    let keys = [key(), set_key("one"), marc, elsewhere];
    let opened = |number, refresh| {
        let Entry::Open(opening) = open(number) else { unreachable!("an opening opens") };
        Entry::Open(Opening { refresh, ..opening })
    };
    let mut stores = Stores::new("refresh");
    for (number, key) in (1..).zip(&keys) {
        stores.commit(key, [open(number), complete(number)]);
    }
    let mut due = |refresh: Refresh, number| {
        stores.commit(&keys[1], [opened(number, Some(refresh))]);
        stores.reopen();
        let due = keys.each_ref().map(|key| stores.known(key).refresh_due);
        let window = CompleteList { everything: false, ..COMPLETION.list.unwrap() };
        let window = Completion { list: Some(window), ..COMPLETION };
        stores.commit(&keys[0], [open(number + 1), close(number + 1, Ending::Complete(window))]);
        assert!(stores.known(&keys[0]).refresh_due.is_some(), "a window is not everything");
        for (number, key) in (number + 2..).zip(&keys) {
            stores.commit(key, [open(number), complete(number)]);
            assert_eq!(stores.known(key).refresh_due, None);
        }
        due.map(|due| due.is_some())
    };
    assert_eq!(due(Refresh::SchemaChanged, 10), [true, true, false, false]);
    assert_eq!(due(Refresh::EarliestMovedBack, 20), [true, true, true, false]);
}

#[test]
fn spans_are_kept_while_they_say_something() {
    let span =
        |from: i64, until| Span { from: Some(from).filter(|&at| at > 0).map(at), until: at(until) };
    let mut stores = Stores::new("coverage");
    let mut number = 0;
    let mut covered = |coverage: Option<Span>, watermark: Option<i64>, floor: Option<i64>| {
        number += 1;
        let completion = Completion {
            coverage,
            watermark: watermark.map(at),
            floor: floor.map(at),
            ..COMPLETION
        };
        stores.commit(&key(), [open(number), close(number, Ending::Complete(completion))]);
        stores.known(&key()).coverage
    };
    assert_eq!(covered(Some(span(20, 30)), Some(90), Some(80)), [span(20, 30)]);
    assert_eq!(covered(Some(span(40, 50)), None, Some(80)), [span(20, 30), span(40, 50)]);
    assert_eq!(covered(Some(span(21, 30)), None, Some(80)), [span(20, 30), span(40, 50)]);
    assert_eq!(covered(Some(span(0, 45)), None, Some(80)), [span(0, 45), span(40, 50)]);
    assert_eq!(covered(Some(span(10, 60)), None, Some(80)), [span(0, 45), span(10, 60)]);
    assert_eq!(covered(None, Some(90), Some(10)), [span(0, 45)]);
    assert_eq!(covered(None, Some(90), None), []);
}

#[test]
fn a_receipt_says_what_went_back_and_the_earliest_of_what_was_noticed() {
    let mut stores = Stores::new("datestamps");
    let [_, first] = stores.commit(
        &key(),
        [
            open(1),
            page(
                1,
                [
                    dated(live("a", "1"), "2026-06-05"),
                    dated(live("b", "1"), "2026-06-04"),
                    dated(gone("c"), "2026-06-01"),
                    dated(live("a", "1"), "2026-06-02"),
                ],
            ),
        ],
    );
    assert_eq!(first.went_back, 0, "within a traversal the later datestamp wins");
    assert_eq!(first.earliest_noticed, Datestamp::parse("2026-06-04").ok());
    let [_, second] = stores.commit(
        &key(),
        [
            open(2),
            page(
                2,
                [
                    dated(live("a", "1"), "2026-06-03"),
                    dated(live("b", "2"), "2026-06-06"),
                    dated(live("c", "1"), "2026-06-07"),
                ],
            ),
        ],
    );
    assert_eq!(second.went_back, 1);
    assert_eq!(second.earliest_noticed, Datestamp::parse("2026-06-06").ok(), "`a` did not change");
    assert_eq!(stores.row("a").datestamp, Datestamp::parse("2026-06-03").ok());
}

#[test]
fn holes_stay_until_they_are_closed_or_delivered() {
    let hole = |identifier: &str, reason: &str| Hole {
        identifier: identifier.to_owned(),
        datestamp: Datestamp::parse("2026-06-01").ok(),
        reason: reason.to_owned(),
    };
    let with = |holes| {
        Ending::Complete(Completion { holes, incomplete: Some("holes".to_owned()), ..COMPLETION })
    };
    let mut stores = Stores::new("holes");
    let named = vec![hole("c", "1"), hole("a", "1"), hole("b", "1"), hole("d", "1")];
    stores.commit(&key(), [open(1), close(1, with(named))]);
    let known = stores.known(&key());
    assert_eq!((known.errors, known.holes.len(), known.open), (1, 4, None));
    stores.commit(&key(), [open(2), close(2, with(vec![hole("d", "2")]))]);
    assert_eq!(stores.known(&key()).holes[3], hole("d", "2"), "the last reason counts");

    let mending = Mending {
        items: vec![live("a", "<x/>")],
        inferred: false,
        closed: vec!["b".to_owned(), "unknown".to_owned()],
        taken_at: at(9),
    };
    stores.commit(&key(), [Entry::Mend(mending)]);
    assert_eq!(stores.known(&key()).holes, [hole("c", "1"), hole("d", "2")]);
    stores.commit(&key(), [open(3), page(3, [live("c", "<x/>"), gone("d")]), complete(3)]);
    let known = stores.known(&key());
    assert_eq!((known.errors, known.holes), (0, vec![]));
}

#[test]
fn what_is_mended_leaves_an_open_traversal_as_it_is() {
    let mut stores = Stores::new("mending");
    stores.commit(&key(), [open(1), page(1, [live("a", "1"), live("b", "1")]), complete(1)]);
    stores.commit(&key(), [open(2), page(2, [live("a", "1")])]);
    let before = stores.known(&key()).open;
    let items = vec![live("a", "2"), live("c", "1"), gone("b")];
    let mending = Mending { items, inferred: false, closed: Vec::new(), taken_at: at(9) };
    let [receipt] = stores.commit(&key(), [Entry::Mend(mending)]);
    assert_eq!((receipt.counts.new, receipt.counts.changed, receipt.staged), (1, 1, 1));
    assert_eq!(stores.known(&key()).open, before);
    assert_eq!(stores.row("a").payload.as_deref(), Some("2"));
    assert!(!stores.row("b").deleted, "a tombstone waits for a complete list");
    let [receipt] = stores.commit(&key(), [complete(2)]);
    assert_eq!(receipt.counts.withdrawn, 1);
}

#[test]
fn a_comparison_names_what_a_window_lacks() {
    let mut stores = Stores::new("comparison");
    let headers =
        |names: &[&str]| names.iter().map(|name| live(name, "").header().clone()).collect();
    stores.commit(&key(), [open(1), page(1, [live("old", "1")]), complete(1)]);
    stores
        .commit(&key(), [open(2), page(2, [live("a", "1"), dated(live("b", "1"), "2026-05-01")])]);
    let ask = |traversal, of| Entry::Compare(Comparison { traversal, of });
    let of = Lacking::Headers(headers(&["a", "b", "new", "old"]));
    let [receipt] = stores.commit(&key(), [ask(2, of)]);
    assert_eq!(receipt.lacking, ["b", "new", "old"], "`b` has a later datestamp by now");
    stores.commit(&key(), [reopen(3, 2), page(3, [live("b", "1")])]);
    let since = |since, most| Lacking::SinceSliced { since, most };
    let [receipt] = stores.commit(&key(), [ask(3, since(3, 9))]);
    assert_eq!(receipt.lacking, ["a"]);
    let [receipt] = stores.commit(&key(), [ask(3, since(4, 1))]);
    assert_eq!(receipt.lacking, ["a"], "no more than were asked for");
    assert_eq!(stores.known(&key()).open.unwrap().tally.pages, 1, "a question changes nothing");
}

#[test]
fn an_inferred_tombstone_is_marked_until_its_record_is_delivered_again() {
    let mut stores = Stores::new("inferred");
    stores.commit(&key(), [open(1), page(1, [live("a", "1"), live("b", "1")]), complete(1)]);
    let infer = |identifier| {
        let (items, closed) = (vec![gone(identifier)], Vec::new());
        Entry::Mend(Mending { items, inferred: true, closed, taken_at: at(9) })
    };
    let unseen = Comparison { traversal: 2, of: Lacking::Unseen { most: 9 } };
    let [_, _, receipt, _, _] = stores.commit(
        &key(),
        [open(2), page(2, [live("b", "1")]), Entry::Compare(unseen), infer("a"), complete(2)],
    );
    assert_eq!(receipt.lacking, ["a"]);
    let row = stores.row("a");
    assert!(row.deleted && row.inferred);
    assert!(!stores.row("b").inferred);
    stores.commit(&key(), [open(3), page(3, [gone("a")]), complete(3)]);
    let row = stores.row("a");
    assert!(row.deleted && !row.inferred, "now the repository says so itself");
    stores.commit(&key(), [infer("a"), open(4), page(4, [live("a", "1")]), complete(4)]);
    let row = stores.row("a");
    assert!(!row.deleted && !row.inferred);
}
