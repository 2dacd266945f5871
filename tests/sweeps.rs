//! Sweeps, as far as a normal test run has time for them: the rest is `pmh sweep` with larger numbers.

use std::sync::Arc;
use std::time::Duration;

use pmh_runner::{
    Accused, Specimen, differs_at_once, shrink, simulate, sweep_crashes, sweep_faults, sweep_pairs,
    try_seed,
};
use pmh_scenario::Script;

use crate::support::scripts;

/// Worlds that the shipped harvester is played in.
const WORLDS: u64 = 300;
/// One in so many pairs of faults.
const PAIRS_EVERY: usize = 97;
/// Worlds in which a wrong harvester must have been found.
const WORLDS_MAX: u64 = 200;
/// A story is no longer than this.
const LINES_MAX: usize = 15;
/// Far longer than shrinking takes: what is cut short is not deterministic.
const PATIENCE: Duration = Duration::from_secs(300);
/// Scenarios that every place of is died at: one of each kind of recovery, and those whose deaths are hard to judge, because
/// pages overlap, a full harvest asks for what was never asked for, or a brake stops what comes after.
const CRASHED: [&str; 7] = [
    "crash/orderly-stop",
    "token/one-use",
    "token/session",
    "wire/reset",
    "paging/overlap",
    "set/moves-partly",
    "ten/brake-crash-undo",
];

#[test]
fn dying_at_any_place_loses_nothing() {
    for id in CRASHED {
        let script = scripts().into_iter().find(|script| script.id == id);
        let script = script.unwrap_or_else(|| panic!("there is no scenario `{id}`"));
        let sweep =
            sweep_crashes(&script, None).unwrap_or_else(|| panic!("`{id}` must end complete"));
        assert!(sweep.places > 40, "{id}: {} places", sweep.places);
        if let Some((place, wrong, verdict)) = sweep.failures.first() {
            panic!("{id}: {place}: {wrong}\n{verdict}");
        }
    }
}

#[test]
fn a_scenario_that_does_not_end_complete_is_not_swept() {
    let mut script = Script::plain(6, 2, 1);
    script.thresholds = vec![("pages".to_owned(), 2)];
    assert!(sweep_crashes(&Arc::new(script), None).is_none());
}

#[test]
fn how_fast_the_store_is_is_not_seen_in_what_is_asked() {
    let differing: Vec<_> = scripts()
        .into_iter()
        .filter(|script| differs_at_once(script, &simulate(script)).is_some())
        .map(|script| script.id.clone())
        .collect();
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn every_random_world_is_survived() {
    for seed in 1..=WORLDS {
        if let Some(failure) = try_seed(Accused::Shipped, seed) {
            let (wrong, verdict) = (failure.wrong, failure.verdict);
            panic!("pmh sweep seeds --seed {seed} --runs 1\n{wrong}\n{verdict}");
        }
    }
}

#[test]
fn every_fault_at_every_exchange_is_survived_and_pairs_of_them() {
    for sweep in [sweep_faults(), sweep_pairs(PAIRS_EVERY, &mut |_| {})] {
        assert!(sweep.worlds > 300, "{} worlds", sweep.worlds);
        if let Some(failure) = sweep.failures.first() {
            panic!("{}: {}\n{}", failure.place, failure.wrong, failure.verdict);
        }
    }
}

/// Wrong harvesters that are found from scratch, one of each way of being wrong; `pmh sweep specimens` plays them all.
#[test]
fn random_worlds_find_wrong_harvesters_and_tell_it_in_a_few_lines() {
    let mut table = String::new();
    for name in ["next-token-first", "never-counts", "ends-at-empty-page", "ends-at-seen-token"] {
        let accused = Accused::Specimen(Specimen::named(name).expect("a specimen"));
        let found = (1..=WORLDS_MAX)
            .find_map(|seed| try_seed(accused, seed))
            .unwrap_or_else(|| panic!("`{name}` got through {WORLDS_MAX} worlds"));
        let shrunk = shrink(accused, &found.file, PATIENCE, &mut |_, _, _| {}).expect("it fails");
        assert!(shrunk.lines() <= LINES_MAX, "{name}:\n{}", shrunk.file);
        assert_eq!(shrunk.wrong.property, found.wrong.property);
        let (wrong, _) = accused.wrong_in("again", &shrunk.file).expect("the file fails too");
        assert!(wrong.is_like(&found.wrong));
        let (seed, lines) = (found.seed, shrunk.lines());
        table
            .push_str(&format!("{name}: world {seed}, {lines} lines, {}\n", wrong.property.name()));
    }
    insta::assert_snapshot!("specimens", table);
}
