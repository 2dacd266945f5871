//! Every scenario in the pure arm: no sleep, no port. Adding a file adds a test; its verdict is a snapshot.

use std::collections::BTreeSet;
use std::fs;

use pmh_oracle::{Property, judge};
use pmh_runner::{play_specimen, simulate};
use pmh_scenario::Run;
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
    let mut free = Vec::new();
    for script in scripts() {
        assert!(!script.catches.is_empty(), "{} bites nothing", script.id);
        for name in &script.catches {
            let specimen = Specimen::named(name).expect("the loader knows every specimen");
            let verdict = judge(&script, &play_specimen(&script, specimen));
            if verdict.failed().next().is_none() {
                free.push(format!("{} {name}", script.id));
            }
        }
    }
    assert!(free.is_empty(), "got through:\n{}", free.join("\n"));
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
    let mut wronged = Vec::new();
    // A specimen's guards have thresholds of their own, and cannot be set.
    for script in scripts().into_iter().filter(|script| script.thresholds.is_empty()) {
        let verdict = judge(&script, &play_specimen(&script, Specimen::SOUND));
        let tags = tags_of(&script.id);
        let has_tag = |name: &str| tags.iter().any(|tag| tag == name);
        // It asks for everything, whatever the operator has said beside the key; it infers nothing and is never strict;
        // and it has no notion of a session that moves on without it, or of a list without size that moves while it is read.
        if has_tag("beyond-control") {
            continue;
        }
        // It gives up where the shipped one recovers, and must say so: only what is expected of the run may fail. And it
        // reads one list and nothing else: what it held before, what sets there are, what an operator has said of the
        // source, or whether an answer is to the question, is context that it does not have.
        let (gives_up, lacks_context) = (has_tag("recovery"), has_tag("context"));
        let failed: Vec<_> = verdict
            .failed()
            .filter(|property| match property {
                Property::AsExpected => !gives_up && !lacks_context,
                Property::NothingInvented => !lacks_context,
                _ => true,
            })
            .collect();
        if !failed.is_empty() {
            wronged.push(format!("{} {failed:?}", script.id));
        }
    }
    assert!(wronged.is_empty(), "a sound harvester fails:\n{}", wronged.join("\n"));
}

#[test]
fn every_healthy_twin_ends_complete_beside_a_sick_one_that_does_not() {
    let mut healthy = BTreeSet::new();
    let mut sick = BTreeSet::new();
    for script in scripts() {
        let tags = tags_of(&script.id);
        let is_complete = |run: &Run| run.expect.outcome.as_deref() == Some("complete");
        if tags.iter().any(|tag| tag == "healthy-twin") {
            assert!(script.runs.iter().all(is_complete), "{} must end complete", script.id);
            healthy.insert(script.id.trim_end_matches("-healthy").to_owned());
        } else if tags.iter().any(|tag| tag == "sick-twin") {
            let last = script.runs.last().expect("a scenario has a run");
            assert!(last.expect.outcome.is_some(), "{} must expect an outcome", script.id);
            assert!(!is_complete(last), "{} must not end complete", script.id);
            sick.insert(script.id.trim_end_matches("-sick").to_owned());
        }
    }
    assert_eq!(healthy, sick);
    assert!(!healthy.is_empty(), "there are no twins");
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
