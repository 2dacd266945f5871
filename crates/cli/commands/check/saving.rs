//! A repository as a scenario: what an endpoint does wrong, for a harvester to meet.
//!
//! The scenario answers word for word, by the arguments of each request. It holds what a harvest asks for, and what the
//! failures show; where one request had several answers, the first counts.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use pmh_check::{Examined, Exchange, Level, Part, Verdict};
use pmh_protocol::Method;

use crate::exit::Ended;
use crate::output;

pub(super) fn save(folder: &Path, examined: &Examined) -> anyhow::Result<()> {
    let failures: Vec<_> = examined.failures(Level::Info).collect();
    if failures.is_empty() {
        output::note("nothing failed: no scenario is written");
        return Ok(());
    }
    let shown = folder.display();
    let name =
        folder.file_name().map(|name| name.to_string_lossy().into_owned()).ok_or_else(|| {
            Ended::usage(format!("`--save-scenario`: `{shown}` is no name of a folder"))
        })?;
    let bodies = folder.join(&name);
    fs::create_dir_all(&bodies)
        .with_context(|| format!("failed to make `{}`", bodies.display()))?;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "# Recorded from {} by `pmh check`. What failed there:",
        examined.options.base_url
    );
    for failure in &failures {
        let _ = writeln!(text, "#   {}: {}", failure.check.id, failure.check.title);
    }
    let rules: BTreeSet<u16> =
        failures.iter().flat_map(|failure| failure.check.rules.iter().copied()).collect();
    let rules: Vec<String> = rules.iter().map(u16::to_string).collect();
    let _ = writeln!(text, "format = 1");
    let _ = writeln!(
        text,
        "title  = {}",
        quoted(&format!("A harvester meets what {} answers", examined.options.base_url))
    );
    let _ = writeln!(text, "rules  = [{}]", rules.join(", "));
    let _ = writeln!(text, "tags   = [\"recorded\"]");
    let mut written = BTreeSet::new();
    for exchange in &examined.exchanges {
        let is_kept = exchange.part == Part::Answer
            && exchange.request.method == Method::Get
            && exchange.ask.nth == 0
            && exchange.ask.accept_encoding.is_none()
            && (is_harvested(exchange) || is_evidence(examined, exchange.number));
        if !is_kept || !written.insert(exchange.ask.query.clone()) {
            continue;
        }
        let Some(page) = exchange.page() else { continue };
        let file = format!("{:04}.xml", exchange.number);
        fs::write(bodies.join(&file), &page.body)
            .with_context(|| format!("failed to write `{}`", bodies.join(&file).display()))?;
        let _ = writeln!(text, "\n[[reply]]");
        let arguments: Vec<String> = exchange
            .ask
            .arguments()
            .iter()
            .filter(|(argument, _)| argument != "verb")
            .map(|(argument, value)| format!("{} = {}", quoted(argument), quoted(value)))
            .collect();
        if let Some(verb) = exchange.ask.verb_asked() {
            let arguments = if arguments.is_empty() {
                String::new()
            } else {
                format!(", args = {{ {} }}", arguments.join(", "))
            };
            let _ = writeln!(text, "when = {{ verb = \"{verb}\"{arguments} }}");
        } else {
            // Without a verb no condition can name it: it would answer everything.
            text.truncate(text.len() - "\n[[reply]]\n".len());
            continue;
        }
        let _ = writeln!(text, "file = {}", quoted(&format!("{name}/{file}")));
        if page.status != 200 {
            let _ = writeln!(text, "status = {}", page.status);
        }
        if let Some(kind) = page.headers.get("content-type") {
            let _ = writeln!(text, "headers = {{ \"Content-Type\" = {} }}", quoted(kind));
        }
    }
    let _ = writeln!(text, "\n[[run]]\naction = \"harvest\"");
    let path = folder.join(format!("{name}.toml"));
    fs::write(&path, text).with_context(|| format!("failed to write `{}`", path.display()))?;
    output::note(format!("the scenario is `{}`", path.display()));
    Ok(())
}

/// Whether a harvest asks for it.
fn is_harvested(exchange: &Exchange) -> bool {
    let arguments = exchange.ask.arguments();
    let has = |name: &str| arguments.iter().any(|(each, _)| each == name);
    match arguments.first().map(|(_, verb)| verb.as_str()) {
        Some("Identify" | "ListMetadataFormats") => arguments.len() == 1,
        Some("ListRecords") => {
            arguments.len() == 2 && (has("metadataPrefix") || has("resumptionToken"))
        }
        _ => false,
    }
}

fn is_evidence(examined: &Examined, number: usize) -> bool {
    examined
        .outcomes
        .iter()
        .filter(|outcome| outcome.verdict == Verdict::Fail)
        .any(|outcome| outcome.findings.iter().any(|finding| finding.exchange == Some(number)))
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
