//! What a run asks of the shipped harvester: as a plan for its core, and as words on its command line.

use pmh_harvest::{Key, Plan};
use pmh_scenario::Script;

/// The plan of the run of this index; the run that the harness adds asks like the last one of the script.
pub(crate) fn plan_of(script: &Script, run_index: usize, source: &str) -> Plan {
    let Some(run) = script.runs.get(run_index).or(script.runs.last()) else {
        return Plan::new(key("oai_dc", None, source));
    };
    let mut plan = Plan::new(key(run.prefix(), run.set.clone(), source));
    (plan.from, plan.until, plan.full) = (run.from, run.until, run.full);
    plan.allow_mass_delete = run.allow_mass_delete;
    (plan.infer_deletions, plan.strict) = (run.infer_deletions, run.strict);
    for switch in &run.switches {
        plan.compat.turn_on(switch);
    }
    for (name, value) in &script.thresholds {
        plan.limits.set(name, *value);
    }
    plan
}

fn key(prefix: &str, set: Option<String>, source: &str) -> Key {
    Key { source: source.to_owned(), prefix: prefix.to_owned(), set }
}

/// The same on the command line.
pub(crate) fn arguments_of(script: &Script, run_index: usize) -> Vec<String> {
    let mut arguments = Vec::new();
    let Some(run) = script.runs.get(run_index).or(script.runs.last()) else { return arguments };
    let mut flag = |name: &str, value: String| arguments.push(format!("--{name}={value}"));
    if let Some(prefix) = &run.prefix {
        flag("prefix", prefix.clone());
    }
    if let Some(set) = &run.set {
        flag("set", set.clone());
    }
    if let Some(from) = run.from {
        flag("from", from.to_string());
    }
    if let Some(until) = run.until {
        flag("until", until.to_string());
    }
    for switch in &run.switches {
        match switch.as_str() {
            "ignore-size" => flag("size", "ignore".to_owned()),
            switch => flag("compat", switch.to_owned()),
        }
    }
    for (name, value) in &script.thresholds {
        flag("bound", format!("{name}={value}"));
    }
    for (is_asked, name) in [
        (run.full, "--full"),
        (run.allow_mass_delete, "--allow-mass-delete"),
        (run.infer_deletions, "--infer-deletions"),
        (run.strict, "--strict"),
    ] {
        if is_asked {
            arguments.push(name.to_owned());
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use pmh_harvest::Compat;
    use pmh_scenario::load;

    use super::*;
    use crate::vocabulary;

    #[test]
    fn every_switch_and_threshold_of_a_file_is_one_of_the_harvester() {
        let switches: Vec<String> = Compat::NAMES.iter().map(|name| format!("{name:?}")).collect();
        let thresholds: Vec<String> =
            pmh_harvest::Limits::NAMES.iter().map(|name| format!("{name} = 7")).collect();
        let text = format!(
            "format = 1\n[client.guards-at]\n{}\n[[run]]\naction = \"harvest\"\nset = \"a\"\n\
             from = 2024-01-01\nswitches = [{}]\nallow-mass-delete = true\n\
             strict = true\n[[run]]\naction = \"incremental\"\nfull = true\ninfer-deletions = true\n",
            thresholds.join("\n"),
            switches.join(", "),
        );
        let script = load("x", &text, &vocabulary()).expect("the file is sound").script();
        let plan = plan_of(&script, 0, "http://127.0.0.1/oai");
        assert_eq!(plan.compat.names(), Compat::NAMES);
        assert_eq!(plan.limits.tries_max, 7);
        assert_eq!(script.thresholds.len(), pmh_harvest::Limits::NAMES.len());
        assert!(plan.allow_mass_delete && plan.strict);
        let arguments = arguments_of(&script, 0);
        for argument in [
            "--set=a",
            "--from=2024-01-01",
            "--compat=post",
            "--size=ignore",
            "--bound=tries=7",
            "--allow-mass-delete",
            "--strict",
        ] {
            assert!(arguments.iter().any(|found| found == argument), "{argument}: {arguments:?}");
        }
        let plan = plan_of(&script, 1, "http://127.0.0.1/oai");
        assert!(plan.full && plan.infer_deletions && !plan.strict && !plan.allow_mass_delete);
        let asked = ["--full".to_owned(), "--infer-deletions".to_owned()];
        assert!(arguments_of(&script, 1).ends_with(&asked), "{:?}", arguments_of(&script, 1));
    }
}
