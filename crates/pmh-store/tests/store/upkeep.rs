//! Flaws that the integrity check finds: each is made by hand.

use pmh_store::Flaw;
use rusqlite::Connection;

use crate::support::{Stores, gone, key, live, open, page};

/// Damages a sound store with SQL and expects the flaws, as text, in order.
fn check_found<const N: usize>(damage: &str, expected: [&str; N]) {
    let mut stores = Stores::new("sound");
    stores.commit(&key(), [open(1), page(1, [live("a", "<x/>"), gone("b")])]);
    Connection::open(stores.path()).unwrap().execute_batch(damage).unwrap();
    let flaws = stores.sqlite.check_integrity().unwrap();
    let flaws: Vec<String> = flaws.iter().map(Flaw::to_string).collect();
    assert_eq!(flaws, expected, "{damage}");
}

const KEY: &str = "`https://repository.example/oai oai_dc`";

#[test]
fn a_sound_store_has_no_flaws() {
    check_found("", []);
}

#[test]
fn a_live_record_that_nobody_holds_is_found() {
    let count = format!("records held live of {KEY}: the store says `1`, its rows say `0`");
    check_found("UPDATE sighting SET alive = 0", ["live record `a` is held by no key", &count]);
}

#[test]
fn a_tombstone_that_is_held_is_found() {
    let alive = format!("records held live of {KEY}: the store says `1`, its rows say `2`");
    let staged = format!("staged tombstones of {KEY}: the store says `0`, its rows say `2`");
    check_found(
        "UPDATE sighting SET alive = 1, staged = 1",
        ["tombstone `b` is held by a key", &alive, &staged],
    );
}

#[test]
fn a_count_that_does_not_fit_its_rows_is_found() {
    let count = format!(
        "distinct identifiers of the open traversal of {KEY}: the store says `7`, its rows say `2`"
    );
    check_found("UPDATE traversal SET distinct_identifiers = 7", [&count]);
}

#[test]
fn a_tombstone_with_payload_is_found() {
    check_found(
        "PRAGMA ignore_check_constraints = ON; UPDATE record SET payload = '<x/>' WHERE deleted",
        ["damaged: CHECK constraint failed in record"],
    );
}
