//! A list beside a store: which of the identifiers differ, and how.

use pmh_protocol::Item;
use pmh_store::{Kind, Listing};

use crate::support::{Stores, at, complete, dated, gone, key, live, open, page};

/// Lays `listed` beside a key that holds `a`, `b` and `c` alive and `t` as a tombstone, complete up to `watermark`.
#[track_caller]
fn check<const N: usize>(listed: [Item; N], expected: &[(Kind, &[&str])]) {
    let mut stores = Stores::new("listing");
    let items = [live("a", "<a/>"), live("b", "<b/>"), live("c", "<c/>"), gone("t")];
    stores.commit(&key(), [open(1), page(1, items), complete(1)]);
    let folder = tempfile::tempdir().unwrap();
    let mut listing = Listing::create(folder.path().join("list.sqlite")).unwrap();
    assert_eq!(listing.add(&listed).unwrap(), N as u64);
    assert_eq!(listing.add(&listed).unwrap(), 0, "a page again brings nothing new");
    let sum = listing.compare(&stores.sqlite, &key(), None, Some(at(0))).unwrap();
    assert_eq!((sum.listed, sum.held), (N as u64, 3));
    for kind in Kind::ALL {
        let found = listing.differences(kind, None, 100).unwrap();
        let found: Vec<&str> = found.iter().map(|found| found.identifier.as_str()).collect();
        let wanted =
            expected.iter().find(|(of, _)| *of == kind).map_or(&[][..], |(_, names)| names);
        assert_eq!(found, wanted, "{kind:?}");
        assert_eq!(listing.count(kind).unwrap(), wanted.len() as u64);
    }
}

#[test]
fn what_is_the_same_is_no_difference() {
    check([live("a", ""), live("b", ""), live("c", ""), gone("t")], &[]);
    // A source that does not keep its tombstones may have dropped this one.
    check([live("a", ""), live("b", ""), live("c", "")], &[]);
}

#[test]
fn each_kind_is_told_from_the_others() {
    check(
        [
            dated(live("a", ""), "2026-06-02"),
            gone("b"),
            live("t", ""),
            live("new", ""),
            gone("new tombstone"),
            dated(live("later", ""), "2026-07-01"),
        ],
        &[
            (Kind::Missing, &["new", "new tombstone", "t"]),
            (Kind::Stale, &["a"]),
            (Kind::Deleted, &["b"]),
            (Kind::Extra, &["c"]),
            (Kind::Since, &["later"]),
        ],
    );
}

#[test]
fn a_finer_datestamp_of_the_same_day_is_not_later() {
    check(
        [dated(live("a", ""), "2026-06-01T08:00:00Z"), dated(live("b", ""), ""), live("c", "")],
        &[],
    );
    check(
        [dated(live("a", ""), "2026-06-02T00:00:00Z"), live("b", ""), live("c", "")],
        &[(Kind::Stale, &["a"])],
    );
}

#[test]
fn differences_are_read_some_at_a_time() {
    let stores = Stores::new("listing");
    let folder = tempfile::tempdir().unwrap();
    let mut listing = Listing::create(folder.path().join("list.sqlite")).unwrap();
    listing.add(&[live("1", ""), live("2", ""), live("3", "")]).unwrap();
    listing.compare(&stores.sqlite, &key(), None, None).unwrap();
    let first = listing.differences(Kind::Missing, None, 2).unwrap();
    let rest = listing.differences(Kind::Missing, Some(&first[1].identifier), 2).unwrap();
    assert_eq!((first.len(), rest.len(), rest[0].identifier.as_str()), (2, 1, "3"));
}
