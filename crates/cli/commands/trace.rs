//! `pmh trace`: requests that somebody else has written down, judged by the rules on requests.

use owo_colors::OwoColorize as _;
use pmh_oracle::Finding;
use pmh_runner::Traffic;
use serde_json::json;

use crate::args::TraceArguments;
use crate::exit::{Ended, Exit};
use crate::{output, shipped};

/// The largest file that is read.
const BYTES_MAX: u64 = 1 << 30;

pub(crate) fn run(arguments: &TraceArguments) -> anyhow::Result<Exit> {
    let name = arguments.file.display();
    let wrong =
        |why: String| Ended::usage(format!("failed to read the requests of `{name}`: {why}"));
    let metadata = std::fs::metadata(&arguments.file).map_err(|error| wrong(error.to_string()))?;
    shipped::check_file(&metadata, BYTES_MAX).map_err(wrong)?;
    let bytes = std::fs::read(&arguments.file).map_err(|error| wrong(error.to_string()))?;
    let traffic = Traffic::read(&String::from_utf8_lossy(&bytes)).map_err(wrong)?;
    let rules = traffic.judge();
    // What held nowhere and failed nowhere was not looked at.
    let is_vacuous = !rules.iter().any(|rule| {
        matches!(rule.finding, Finding::Held { checked: 1.. } | Finding::Failed { .. })
    });
    let failed = rules.iter().any(|rule| matches!(rule.finding, Finding::Failed { .. }));
    if arguments.json {
        let rules: Vec<_> = rules
            .iter()
            .map(|rule| {
                let (word, checked, told) = match &rule.finding {
                    Finding::Held { checked } => ("held", *checked, Vec::new()),
                    Finding::Failed { evidence } => ("failed", 0, evidence.clone()),
                    Finding::NotApplicable { why } | Finding::Vacuous { why } => {
                        ("not-judged", 0, vec![why.clone()])
                    }
                };
                json!({"rule": rule.name, "finding": word, "checked": checked, "told": told})
            })
            .collect();
        let whole = json!({
            "requests": traffic.requests(),
            "clients": traffic.clients,
            "passed_over": traffic.passed_over,
            "unread": traffic.unread,
            "rules": rules,
        });
        output::line(whole.to_string());
        return Ok(exit(failed, is_vacuous));
    }
    output::line(format!(
        "{} of {}, {} passed over",
        output::counted(traffic.requests() as u64, "request"),
        output::counted(traffic.clients.len() as u64, "client"),
        traffic.passed_over
    ));
    if let Some(unread) = &traffic.unread {
        output::note(format!("not read, though it names a verb: {}", output::plain(unread)));
    }
    for client in &traffic.clients {
        output::line(format!("  {}", output::plain(client)));
    }
    for rule in &rules {
        match &rule.finding {
            Finding::Held { checked } => {
                let places = output::counted(*checked, "place");
                output::line(format!("{} {:24}{places}", "●".green(), rule.name));
            }
            Finding::Failed { evidence } => {
                output::line(format!("{} {}", "✖".red(), rule.name));
                for sentence in evidence {
                    output::line(format!("    {}", output::plain(sentence)));
                }
            }
            Finding::NotApplicable { why } | Finding::Vacuous { why } => {
                output::line(format!("{} {:24}not judged: {why}", "–".dimmed(), rule.name));
            }
        }
    }
    Ok(exit(failed, is_vacuous))
}

const fn exit(failed: bool, is_vacuous: bool) -> Exit {
    match (failed, is_vacuous) {
        (true, _) => Exit::No,
        (false, true) => Exit::Vacuous,
        (false, false) => Exit::Done,
    }
}
