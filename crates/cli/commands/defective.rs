//! The repository that is wrong in ways that have names.

use std::sync::Arc;

use anyhow::anyhow;
use pmh_repository::{DEFECTIVE_REPOSITORY, Defect, Repository, all_defects};
use pmh_scenario::{Vocabulary, load};

use crate::exit::Ended;

/// Nothing is wrong; as a defect it is met by every answer like the others.
pub(super) const NONE: Defect = Defect::new("none", |_| {});

/// The defects of these names.
pub(super) fn named(names: &[String]) -> anyhow::Result<Vec<Defect>> {
    names.iter().map(|name| find(name)).collect()
}

fn find(name: &str) -> anyhow::Result<Defect> {
    let all = || all_defects().chain([&NONE]);
    if let Some(defect) = all().find(|defect| defect.name == name) {
        return Ok(*defect);
    }
    let near = all().map(|each| (strsim::damerau_levenshtein(name, each.name), each.name)).min();
    let hint = match near {
        Some((distance, near)) if distance <= 4 => format!("did you mean `{near}`?"),
        _ => "`pmh mock --defect list` names them".to_owned(),
    };
    Err(Ended::usage(format!("there is no defect `{name}`; {hint}")))
}

/// The repository with these defects, before its first run.
pub(super) fn repository(defects: Vec<Defect>) -> anyhow::Result<Repository> {
    let known = Vocabulary { specimens: &[], guards: &[], outcomes: &[] };
    let loaded = load("defective", DEFECTIVE_REPOSITORY, &known)
        .map_err(|findings| anyhow!("the repository of the defects is wrong: {findings:?}"))?;
    let mut script = loaded.script();
    // A budget ends a proof; a mock serves until it is stopped.
    script.budget.requests = u32::MAX;
    Ok(Repository::new(Arc::new(script)).with_defects(defects))
}
