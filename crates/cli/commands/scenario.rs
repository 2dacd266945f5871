//! `pmh scenario`: looking at scenario files.

use pmh_runner::vocabulary;
use pmh_scenario::{Finding, Loaded, Severity, json_schema, render_findings};

use crate::args::{ScenarioArguments, ScenarioCommand};
use crate::commands::coverage::Coverage;
use crate::exit::{Ended, Exit};
use crate::output;
use crate::shipped::{self, ScenarioFile};

pub(crate) fn run(arguments: &ScenarioArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        ScenarioCommand::List => {
            for file in shipped::files(&[])? {
                for loaded in load(&file).map_err(wrong)? {
                    output::line(format!("{:32}  {}", loaded.id(), loaded.script().title));
                }
            }
            Ok(Exit::Done)
        }
        ScenarioCommand::Schema => {
            output::line(json_schema());
            Ok(Exit::Done)
        }
        ScenarioCommand::Show { file, source: true } => {
            for (index, line) in shipped::one(file)?.text.lines().enumerate() {
                output::line(format!("{:4}  {line}", index + 1));
            }
            Ok(Exit::Done)
        }
        ScenarioCommand::Show { file, source: false } => {
            for (index, loaded) in load(&shipped::one(file)?).map_err(wrong)?.iter().enumerate() {
                if index > 0 {
                    output::line("");
                }
                output::text(loaded.show());
            }
            Ok(Exit::Done)
        }
        ScenarioCommand::Coverage { paths, json } => {
            let mut scripts = Vec::new();
            for file in shipped::files(paths)? {
                let cases = load(&file).map_err(wrong)?;
                // The cases of one file speak of the same.
                scripts.extend(cases.first().map(Loaded::script));
            }
            let coverage = Coverage::of(&scripts);
            if *json {
                output::line(coverage.to_json().to_string());
            } else {
                output::text(coverage.to_text());
            }
            Ok(Exit::Done)
        }
        ScenarioCommand::Lint { paths } => {
            let files = shipped::files(paths)?;
            let mut errors = 0_u64;
            let mut warnings = 0;
            for file in &files {
                let (findings, is_wrong) = match cases(file) {
                    Ok(cases) => (doubts(&cases), false),
                    Err(findings) => (findings, true),
                };
                let is_warning = |finding: &&Finding| finding.severity == Severity::Warning;
                warnings += findings.iter().filter(is_warning).count() as u64;
                errors += u64::from(is_wrong);
                if !findings.is_empty() {
                    output::note(rendered(file, &findings));
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
pub(crate) fn load(file: &ScenarioFile) -> Result<Vec<Loaded>, String> {
    let cases = cases(file).map_err(|findings| rendered(file, &findings))?;
    let warnings = doubts(&cases);
    if !warnings.is_empty() {
        output::note(rendered(file, &warnings));
    }
    Ok(cases)
}

fn cases(file: &ScenarioFile) -> Result<Vec<Loaded>, Vec<Finding>> {
    let read = |path: &str| file.read_beside(path);
    pmh_scenario::load_all(&file.id, &file.text, &vocabulary(), &read)
}

/// What is doubtful in every case of a matrix is doubtful once.
fn doubts(cases: &[Loaded]) -> Vec<Finding> {
    let mut warnings: Vec<Finding> =
        cases.iter().flat_map(|loaded| &loaded.warnings).cloned().collect();
    warnings.dedup();
    warnings
}

fn rendered(file: &ScenarioFile, findings: &[Finding]) -> String {
    render_findings(&file.name, &file.text, findings, output::is_coloured())
}

/// The mistakes of one file as an error of usage.
pub(crate) fn wrong(text: String) -> anyhow::Error {
    output::note(text);
    Ended::usage("the scenario is wrong")
}
