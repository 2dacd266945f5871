//! Keys forgotten, sources moved: what goes, and what stays for others.

use std::sync::Arc;

use pmh_harvest::{Key, Store as _};
use pmh_protocol::Stamp;
use pmh_store::{Forgetting, Forgotten, Rekeyed};

use crate::support::{
    PREFIX, SOURCE, Stores, at, complete, gone, header, key, live, open, page, set_key,
};

const NOW: Forgetting = Forgetting::Done(Stamp::from_seconds(1_800_000_000));

/// A whole key that holds a and b and knows c as a tombstone, and a set that holds b and d.
fn two_keys() -> Stores {
    let mut stores = Stores::new("two keys");
    let whole = [live("a", "<x/>"), live("b", "<x/>"), gone("c")];
    stores.commit(&key(), [open(1), page(1, whole), complete(1)]);
    let maps = set_key("maps");
    stores.commit(&maps, [open(2), page(2, [live("b", "<x/>"), live("d", "<x/>")])]);
    stores
}

#[track_caller]
fn check(stores: &mut Stores, keys: &[Key], expected: Forgotten, left: &[(&str, bool)]) {
    let tried = stores.sqlite.forget(keys, Forgetting::Tried).unwrap();
    assert_eq!(tried, expected, "what is tried is what is done");
    assert!(stores.sqlite.keys().unwrap().len() >= keys.len(), "trying removes nothing");
    assert_eq!(stores.sqlite.forget(keys, NOW).unwrap(), expected);
    let rows = stores.sqlite.rows(SOURCE, PREFIX).unwrap();
    let found: Vec<_> = rows.iter().map(|row| (row.identifier.as_str(), row.deleted)).collect();
    assert_eq!(found, left);
    assert_eq!(stores.sqlite.check_integrity().unwrap(), []);
}

#[test]
fn rows_that_another_key_holds_are_kept() {
    let expected = Forgotten { keys: 1, live: 1, tombstones: 1, ..Forgotten::default() };
    let mut stores = two_keys();
    check(&mut stores, &[key()], expected, &[("b", false), ("d", false)]);
    let known = stores.sqlite.known(&key()).unwrap();
    assert_eq!((known.watermark, known.held_live, known.last_complete), (None, 0, None));
    assert_eq!(stores.sqlite.known(&set_key("maps")).unwrap().held_live, 2);
}

#[test]
fn an_unfinished_traversal_goes_with_its_key() {
    let expected = Forgotten { keys: 1, open: 1, live: 1, ..Forgotten::default() };
    let mut stores = two_keys();
    check(&mut stores, &[set_key("maps")], expected, &[("a", false), ("b", false), ("c", true)]);
    assert_eq!(stores.sqlite.known(&set_key("maps")).unwrap().open, None);
}

#[test]
fn what_a_forgotten_key_has_changed_is_noticed_by_the_one_that_is_left() {
    let mut stores = two_keys();
    let maps = set_key("maps");
    stores.commit(&maps, [page(2, [live("b", "<other/>")])]);
    stores.sqlite.forget(&[maps], NOW).unwrap();
    // What comes before it is unchanged, so that the same is expected of it.
    let again = page(3, [live("a", "<x/>"), live("b", "<x/>")]);
    let entries = [open(3), again].map(Arc::new);
    let receipts = stores.sqlite.commit(&key(), &entries).unwrap();
    assert_eq!((receipts[1].counts.unchanged, receipts[1].counts.changed), (1, 1));
    let rows = stores.sqlite.rows(SOURCE, PREFIX).unwrap();
    assert_eq!(rows[1].payload.as_deref(), Some("<x/>"));
}

#[test]
fn with_the_last_key_everything_is_gone() {
    let expected = Forgotten { keys: 2, open: 1, live: 3, tombstones: 1, withdrawn: 0 };
    let mut stores = two_keys();
    check(&mut stores, &[key(), set_key("maps")], expected, &[]);
    assert_eq!(stores.sqlite.keys().unwrap(), []);
    assert_eq!(stores.sqlite.known(&key()).unwrap().source, None, "its Identify is forgotten too");
}

#[test]
fn a_key_never_seen_is_nothing_to_forget() {
    let left = [("a", false), ("b", false), ("c", true), ("d", false)];
    check(&mut two_keys(), &[set_key("atlases")], Forgotten::default(), &left);
}

#[test]
fn a_row_that_others_only_saw_withdrawn_becomes_their_tombstone() {
    let mut stores = Stores::new("withdrawn elsewhere");
    let maps = set_key("maps");
    stores.commit(&maps, [open(1), page(1, [live("a", "<x/>"), live("b", "<x/>")])]);
    // Staged under the whole key, which has never held them alive; its list goes on.
    stores.commit(&key(), [open(2), page(2, [gone("a"), gone("b")])]);
    assert_eq!(stores.sqlite.keys().unwrap()[0].staged, 2);
    let expected = Forgotten { keys: 1, open: 1, withdrawn: 2, ..Forgotten::default() };
    check(&mut stores, &[maps], expected, &[("a", true), ("b", true)]);
    assert_eq!(stores.sqlite.keys().unwrap()[0].staged, 0);
}

#[test]
fn a_source_that_moved_takes_everything_along() {
    let mut stores = two_keys();
    let before = stores.sqlite.rows(SOURCE, PREFIX).unwrap();
    let known = stores.sqlite.known(&set_key("maps")).unwrap();
    let new = "https://new.example/oai";
    assert_eq!(stores.sqlite.rekey(SOURCE, new).unwrap(), Rekeyed::Moved { keys: 2, rows: 4 });
    assert_eq!(stores.sqlite.rows(new, PREFIX).unwrap(), before);
    assert_eq!(stores.sqlite.rows(SOURCE, PREFIX).unwrap(), []);
    let moved = Key { source: new.to_owned(), ..set_key("maps") };
    assert_eq!(stores.sqlite.known(&moved).unwrap(), known, "the open traversal too");
    assert_eq!(stores.sqlite.check_integrity().unwrap(), []);
    assert_eq!(stores.sqlite.rekey(SOURCE, new).unwrap(), Rekeyed::Occupied { keys: 2 });
    assert_eq!(stores.sqlite.rekey(SOURCE, "https://third.example/oai").unwrap(), Rekeyed::Unknown);
}

#[test]
fn a_copy_tells_what_a_further_harvest_changed() {
    let stores = two_keys();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.sqlite");
    pmh_store::SqliteStore::copy(stores.path(), &path).unwrap();
    let mut copy = pmh_store::SqliteStore::open(&path).unwrap();
    assert_eq!(copy.changed_since(stores.path(), SOURCE, PREFIX).unwrap(), []);
    let items =
        [live("a", "<other/>"), gone("b"), live("c", "<x/>"), live("d", "<x/>"), live("e", "<x/>")];
    let entries = [open(3), page(3, items), complete(3)].map(Arc::new);
    copy.commit(&key(), &entries).unwrap();
    let changed = copy.changed_since(stores.path(), SOURCE, PREFIX).unwrap();
    let found: Vec<_> =
        changed.iter().map(|row| (row.identifier.as_str(), row.change.as_str())).collect();
    assert_eq!(
        found,
        [("a", "changed"), ("b", "withdrawn"), ("c", "revived"), ("e", "new")],
        "d is the same"
    );
    assert_eq!(changed[0].datestamp, header("a").datestamp);
    let held = |floor| {
        let held = copy.held(&key(), floor).unwrap();
        (held.live, held.tombstones)
    };
    assert_eq!(held(None), (4, 1));
    let first = header("a").datestamp.unwrap().stamp;
    assert_eq!(held(Some(first.plus_seconds(3_600))), (4, 1), "a day is not before its own noon");
    assert_eq!(held(Some(at(0))), (0, 0));
    stores.rows();
}
