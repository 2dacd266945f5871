//! What there is to check, and what each check stands for.

use pmh_check::{Check, Options, all_checks, rule};
use serde_json::json;

use crate::exit::{Ended, Exit};
use crate::output;

pub(super) fn list(as_json: bool) -> Exit {
    for check in all_checks() {
        if as_json {
            let profiles: Vec<&str> = check.profiles.iter().map(|each| each.as_str()).collect();
            let line = json!({
                "id": check.id, "title": check.title, "level": check.level.as_str(),
                "rules": check.rules, "needs": check.needs, "profiles": profiles,
            });
            output::line(line.to_string());
        } else {
            output::line(format!("{:36}  {:9}  {}", check.id, check.level.as_str(), check.title));
        }
    }
    Exit::Done
}

pub(super) fn explain(id: &str) -> anyhow::Result<Exit> {
    for check in known(id)? {
        describe(check);
    }
    Ok(Exit::Done)
}

fn describe(check: &Check) {
    output::line(format!("{} ({})", check.id, check.level.as_str()));
    output::line(format!("  {}", check.title));
    for rule in check.rules.iter().filter_map(|number| rule(*number)) {
        output::line(format!("  rule {} ({}): {}", rule.number, rule.level, rule.sentence));
        output::line(format!("    {}", rule.url()));
    }
    if !check.needs.is_empty() {
        output::line(format!("  skipped where one of these fails: {}", check.needs.join(", ")));
    }
    if !check.profiles.is_empty() {
        let names: Vec<&str> = check.profiles.iter().map(|profile| profile.as_str()).collect();
        output::line(format!("  only with `--profile` {}", names.join(", ")));
    }
}

/// The checks that a glob names; it must name one.
pub(super) fn known(glob: &str) -> anyhow::Result<Vec<&'static Check>> {
    let mut options = Options::new("");
    options.select = vec![glob.to_owned()];
    let found: Vec<&Check> = all_checks().filter(|check| options.selects(check.id)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let near = all_checks()
        .flat_map(|check| [check.id, check.group()])
        .map(|name| (strsim::damerau_levenshtein(glob, name), name))
        .min();
    let hint = match near {
        Some((distance, name)) if distance <= 4 => format!("did you mean `{name}`?"),
        _ => "`pmh check list` names them".to_owned(),
    };
    Err(Ended::usage(format!("there is no check `{glob}`; {hint}")))
}
