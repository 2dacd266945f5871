//! `pmh scenario`: looking at scenario files.

use pmh_runner::vocabulary;
use pmh_scenario::{Loaded, json_schema, render_findings};

use crate::args::{ScenarioArguments, ScenarioCommand};
use crate::exit::{Ended, Exit};
use crate::output;
use crate::shipped::{self, ScenarioFile};

pub(crate) fn run(arguments: &ScenarioArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        ScenarioCommand::List => {
            for file in shipped::files(&[])? {
                let loaded = load(&file).map_err(wrong)?;
                output::line(format!("{:32}  {}", file.id, loaded.script().title));
            }
            Ok(Exit::Done)
        }
        ScenarioCommand::Schema => {
            output::line(json_schema());
            Ok(Exit::Done)
        }
        ScenarioCommand::Show { file } => {
            let loaded = load(&shipped::one(file)?).map_err(wrong)?;
            output::text(loaded.show());
            Ok(Exit::Done)
        }
        ScenarioCommand::Lint { paths } => {
            let files = shipped::files(paths)?;
            let mut errors = 0;
            let mut warnings = 0;
            for file in &files {
                match load(file) {
                    Ok(loaded) => warnings += loaded.warnings.len() as u64,
                    Err(text) => {
                        output::note(text);
                        errors += 1;
                    }
                }
            }
            let scenarios = output::counted(files.len() as u64, "scenario");
            output::line(format!(
                "{scenarios}: {errors} wrong, {}",
                output::counted(warnings, "warning")
            ));
            Ok(if errors > 0 { Exit::Usage } else { Exit::Done })
        }
    }
}

/// A scenario, or all its mistakes as text. Warnings are printed and nothing more.
pub(crate) fn load(file: &ScenarioFile) -> Result<Loaded, String> {
    let render =
        |findings: &[_]| render_findings(&file.name, &file.text, findings, output::is_coloured());
    let loaded = pmh_scenario::load(&file.id, &file.text, &vocabulary())
        .map_err(|findings| render(&findings))?;
    if !loaded.warnings.is_empty() {
        output::note(render(&loaded.warnings));
    }
    Ok(loaded)
}

/// The mistakes of one file as an error of usage.
pub(crate) fn wrong(text: String) -> anyhow::Error {
    output::note(text);
    Ended::usage("the scenario is wrong")
}
