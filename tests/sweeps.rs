//! Sweeps, as far as a normal test run has time for them: the rest is `pmh sweep` with larger numbers.

use std::sync::Arc;
use std::time::Duration;

use pmh_runner::{
    Accused, Specimen, differs_at_once, shrink, simulate, sweep_crashes, sweep_faults, sweep_pairs,
    try_seed,
};
use pmh_scenario::{Script, WorldSize};

use crate::support::{root, scripts};

/// Worlds that the shipped harvester is played in.
const WORLDS: u64 = 300;
/// One in so many pairs of faults.
const PAIRS_EVERY: usize = 97;
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
        if let Some(failure) = try_seed(Accused::Shipped, seed, &WorldSize::default()) {
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

/// What `pmh sweep specimens` prints: a specimen, the world that finds it, lines of the shrunk file, what fails.
const TABLE: &str = "tests/specimens.txt";
/// Rows whose worlds are few enough to be played again here; `pmh sweep specimens` plays them all.
const WORLDS_AGAIN_MAX: u64 = 12;
/// Rows whose failure is shrunk again here: one of each way of being wrong.
const SHRUNK_AGAIN: [&str; 4] =
    ["next-token-first", "needs-last-token", "ends-at-empty-page", "ends-at-seen-token"];
/// Whose story is longer, in lines: two faults, one of which says two things.
const LONG: [(&str, usize); 1] = [("status-before-document", 16)];
/// Specimens that random worlds find at the least. What is left has a defect that none of them shows: they have one format,
/// one selection and one path, no record that comes late and no text of ten million bytes.
const FOUND_MIN: usize = 60;

#[test]
fn the_table_of_specimens_is_what_random_worlds_find() {
    let table = std::fs::read_to_string(root().join(TABLE)).expect("the table");
    let rows: Vec<Vec<&str>> =
        table.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    let names: Vec<&str> = rows.iter().filter_map(|row| row.first().copied()).collect();
    let wrong = Specimen::ALL.into_iter().filter(|specimen| *specimen != Specimen::SOUND);
    assert_eq!(names, wrong.map(|specimen| specimen.name()).collect::<Vec<_>>());
    let mut found_count = 0;
    for row in &rows {
        let [name, worlds, lines, property] = row[..] else {
            assert_eq!(row[1..], ["-", "-", "not", "found"], "{}", row[0]);
            continue;
        };
        found_count += 1;
        let (worlds, lines): (u64, usize) =
            (worlds.parse().expect("a number"), lines.parse().expect("a number"));
        let long = LONG.iter().find(|(long, _)| *long == name);
        let lines_max = long.map_or(LINES_MAX, |(_, lines)| *lines);
        assert!(lines <= lines_max, "{name}: {lines} lines");
        let is_shrunk = SHRUNK_AGAIN.contains(&name);
        if worlds > WORLDS_AGAIN_MAX && !is_shrunk {
            continue;
        }
        let accused = Accused::Specimen(Specimen::named(name).expect("a specimen"));
        let found = (1..=worlds)
            .find_map(|seed| try_seed(accused, seed, &WorldSize::default()))
            .unwrap_or_else(|| panic!("`{name}` got through {worlds} worlds"));
        assert_eq!((found.seed, found.wrong.property.name()), (worlds, property), "{name}");
        if is_shrunk {
            let shrunk =
                shrink(accused, &found.file, PATIENCE, &mut |_, _, _| {}).expect("it fails");
            assert_eq!(shrunk.lines(), lines, "{name}:\n{}", shrunk.file);
            let (wrong, _) = accused.wrong_in("again", &shrunk.file).expect("the file fails too");
            assert!(wrong.is_like(&found.wrong), "{name}: {wrong}, not {}", found.wrong);
        }
    }
    assert!(found_count >= FOUND_MIN, "{found_count} found");
}
