//! Every scenario in the pure arm: no sleep, no port. Adding a file adds a test; its verdict is a snapshot.

use std::fs;

use pmh_oracle::{Property, judge};
use pmh_runner::{play_specimen, simulate};
use pmh_specimens::Specimen;

use crate::support::{cases, is_scenario, root, scripts};

#[test]
fn every_scenario_ends_with_the_verdict_of_its_snapshot() {
    insta::with_settings!({
        snapshot_path => "../snapshots",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::glob!("../scenarios", "**/*.toml", |path| {
            if !is_scenario(path) {
                return;
            }
            let verdicts: Vec<_> =
                cases(path).iter().map(|script| judge(script, &simulate(script))).collect();
            let texts: Vec<String> = verdicts.iter().map(|verdict| verdict.to_text()).collect();
            insta::assert_snapshot!("verdict", texts.join("\n"));
            for verdict in &verdicts {
                assert!(verdict.held(), "{}", verdict.to_text());
            }
        });
    });
}

#[test]
fn the_same_scenario_gives_the_same_journal() {
    for script in scripts() {
        let journal = || simulate(&script).journal.to_ndjson();
        assert_eq!(journal(), journal(), "{}", script.id);
    }
}

#[test]
fn every_scenario_catches_the_wrong_harvesters_it_names_and_names_one() {
    for script in scripts() {
        assert!(!script.catches.is_empty(), "{} bites nothing", script.id);
        for name in &script.catches {
            let specimen = Specimen::named(name).expect("the loader knows every specimen");
            let verdict = judge(&script, &play_specimen(&script, specimen));
            assert!(
                verdict.failed().next().is_some(),
                "`{name}` got through:\n{}",
                verdict.to_text()
            );
        }
    }
}

#[test]
fn every_wrong_harvester_is_caught_by_a_scenario_that_names_it() {
    let scripts = scripts();
    for specimen in Specimen::ALL.into_iter().filter(|specimen| *specimen != Specimen::SOUND) {
        let name = specimen.name();
        assert!(
            scripts.iter().any(|script| script.catches.iter().any(|caught| caught == name)),
            "no scenario names `{name}`"
        );
    }
}

#[test]
fn a_harvester_with_nothing_wrong_holds_every_scenario() {
    // A specimen's guards have thresholds of their own, and cannot be set.
    for script in scripts().into_iter().filter(|script| script.thresholds.is_empty()) {
        let verdict = judge(&script, &play_specimen(&script, Specimen::SOUND));
        let tags = tags_of(&script.id);
        // It asks for everything, whatever the span or the set; it infers nothing and is never strict; and it has no
        // notion of a session that moves on without it.
        if tags.iter().any(|tag| tag == "beyond-control") {
            continue;
        }
        // It gives up where the shipped one recovers, and must say so: only what is expected of the run may fail.
        let gives_up = tags.iter().any(|tag| tag == "recovery");
        let failed: Vec<_> = verdict
            .failed()
            .filter(|property| !gives_up || *property != Property::AsExpected)
            .collect();
        assert!(failed.is_empty(), "{}", verdict.to_text());
    }
}

fn tags_of(id: &str) -> Vec<String> {
    // One file may be several cases.
    let file = id.split('[').next().unwrap_or(id);
    let path = root().join("scenarios").join(file).with_extension("toml");
    let text = fs::read_to_string(&path).expect("a scenario can be read");
    let file: toml::Table = text.parse().expect("a scenario is TOML");
    let tags = file.get("tags").and_then(toml::Value::as_array);
    tags.into_iter().flatten().filter_map(|tag| tag.as_str().map(str::to_owned)).collect()
}
