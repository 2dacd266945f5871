//! Which scenarios are played.

use std::path::PathBuf;
use std::sync::Arc;

use pmh_scenario::Script;

use crate::args::ProveArguments;
use crate::commands::scenario;
use crate::exit::Ended;
use crate::{output, shipped};

/// A case of a scenario, and the file that it came from as people call it.
pub(crate) struct Selected {
    pub(crate) script: Arc<Script>,
    pub(crate) file: String,
}

/// Every case of these files and folders, or every mistake in them.
pub(crate) fn all_of(paths: &[PathBuf]) -> anyhow::Result<Vec<Selected>> {
    let files = shipped::files(paths)?;
    let mut selected = Vec::new();
    let mut wrong = 0;
    for file in &files {
        match scenario::load(file) {
            Ok(cases) => {
                selected.extend(cases.iter().map(|case| Selected {
                    script: Arc::new(case.script()),
                    file: file.name.clone(),
                }))
            }
            Err(text) => {
                output::note(text);
                wrong += 1;
            }
        }
    }
    if wrong > 0 {
        return Err(Ended::usage(format!(
            "wrong: {wrong} of {}; nothing was played",
            output::counted(files.len() as u64, "scenario")
        )));
    }
    Ok(selected)
}

/// Those of these cases that were asked for.
pub(crate) fn wanted(
    mut selected: Vec<Selected>,
    arguments: &ProveArguments,
) -> anyhow::Result<Vec<Selected>> {
    if let Some(missing) =
        arguments.case.iter().find(|id| !selected.iter().any(|one| is_called(&one.script, id)))
    {
        let near = selected
            .iter()
            .map(|one| (strsim::damerau_levenshtein(missing, &one.script.id), &one.script.id))
            .min();
        let hint = near.map(|(_, id)| format!("; the nearest is `{id}`")).unwrap_or_default();
        return Err(Ended::usage(format!(
            "no case is called `{missing}`{hint}; `--list` names them"
        )));
    }
    selected.retain(|one| is_wanted(&one.script, arguments));
    if selected.is_empty() {
        return Err(Ended::usage("no scenario has that in its name or kind; `--list` names them"));
    }
    Ok(selected)
}

/// Whether this is its name, or that of its scenario with all cases of the matrix.
fn is_called(script: &Script, id: &str) -> bool {
    script.id.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
}

fn is_wanted(script: &Script, arguments: &ProveArguments) -> bool {
    let is_case =
        arguments.case.is_empty() || arguments.case.iter().any(|id| is_called(script, id));
    let is_found = arguments.filter.as_ref().is_none_or(|text| {
        script.id.contains(text) || script.kind.as_ref().is_some_and(|kind| kind.contains(text))
    });
    is_case && is_found
}
