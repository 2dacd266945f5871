//! A repository as a scenario: what an endpoint does wrong, for a harvester to meet.
//!
//! The scenario answers word for word, by the arguments of each request. It holds what a harvest asks for, and what the
//! failures show; where one request had several answers, the first counts.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use pmh_check::{Examined, Exchange, Level, Outcome, Part, Verdict};
use pmh_protocol::{Method, Verb};

use crate::exit::Ended;
use crate::output;

/// The name of the scenario, which is that of its folder.
pub(super) fn name(folder: &Path) -> anyhow::Result<String> {
    let wrong =
        |what: &str| Ended::usage(format!("`--save-scenario`: `{}` {what}", folder.display()));
    let name = folder.file_name().ok_or_else(|| wrong("does not end in the name of a folder"))?;
    let parent = folder.ancestors().skip(1).find(|parent| parent.exists());
    if folder.is_file() || parent.is_some_and(|parent| !parent.is_dir()) {
        return Err(wrong("is, or lies below, what is no folder"));
    }
    Ok(name.to_string_lossy().into_owned())
}

pub(super) fn save(folder: &Path, examined: &Examined) -> anyhow::Result<()> {
    let failures: Vec<&Outcome> = examined.failures(Level::Info).collect();
    if failures.is_empty() {
        output::note("nothing failed: no scenario is written");
        return Ok(());
    }
    let name = name(folder)?;
    let bodies = folder.join(&name);
    fs::create_dir_all(&bodies)
        .with_context(|| format!("failed to make `{}`", bodies.display()))?;
    let mut text = head(examined, &failures);
    let mut written = BTreeSet::new();
    for exchange in examined.exchanges.iter().filter(|exchange| is_plain(exchange)) {
        let is_asked = is_harvested(exchange);
        let is_wanted = is_asked || is_evidence(examined, exchange.number);
        let (Some(verb), Some(page)) = (exchange.ask.verb_asked(), exchange.page()) else {
            continue;
        };
        if !is_wanted || !written.insert(&exchange.ask.query) {
            continue;
        }
        let file = format!("{:04}.xml", exchange.number);
        let path = bodies.join(&file);
        fs::write(&path, &page.body)
            .with_context(|| format!("failed to write `{}`", path.display()))?;
        text += &reply(exchange, verb, &format!("{name}/{file}"), is_asked);
    }
    text += &tail(examined);
    let path = folder.join(format!("{name}.toml"));
    fs::write(&path, text).with_context(|| format!("failed to write `{}`", path.display()))?;
    output::note(format!("the scenario is `{}`", path.display()));
    Ok(())
}

fn head(examined: &Examined, failures: &[&Outcome]) -> String {
    let base_url = &examined.options.base_url;
    let mut text = format!("# Recorded from {base_url} by `pmh check`. What failed there:\n");
    for failure in failures {
        let _ = writeln!(text, "#   {}: {}", failure.check.id, failure.check.title);
    }
    let rules: BTreeSet<u16> =
        failures.iter().flat_map(|failure| failure.check.rules.iter().copied()).collect();
    let rules: Vec<String> = rules.iter().map(u16::to_string).collect();
    let title = quoted(&format!("A harvester meets what {base_url} answers"));
    let _ = writeln!(
        text,
        "format = 1\ntitle  = {title}\nrules  = [{}]\ntags   = [\"recorded\"]",
        rules.join(", ")
    );
    text
}

/// One answer; what a harvest does not ask for may stay ungiven.
fn reply(exchange: &Exchange, verb: Verb, file: &str, is_asked: bool) -> String {
    let arguments: Vec<String> = exchange
        .ask
        .arguments()
        .iter()
        .filter(|(name, _)| name != "verb")
        .map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)))
        .collect();
    let arguments = match arguments.is_empty() {
        true => String::new(),
        false => format!(", args = {{ {} }}", arguments.join(", ")),
    };
    let mut text = format!("\n[[reply]]\nwhen = {{ verb = \"{verb}\"{arguments} }}\n");
    let _ = writeln!(text, "file = {}", quoted(file));
    if !is_asked {
        text.push_str("optional = true\n");
    }
    if let Some(status) = exchange.status().filter(|status| *status != 200) {
        let _ = writeln!(text, "status = {status}");
    }
    if let Some(kind) = exchange.page().and_then(|page| page.headers.get("content-type")) {
        let _ = writeln!(text, "headers = {{ \"Content-Type\" = {} }}", quoted(kind));
    }
    text
}

/// The run, and what it must bring: the live records, as far as the lists were read.
fn tail(examined: &Examined) -> String {
    let lists = examined.exchanges.iter().filter(|exchange| {
        is_plain(exchange)
            && is_harvested(exchange)
            && exchange.ask.verb_asked() == Some(Verb::ListRecords)
    });
    let present: BTreeSet<&str> = lists.flat_map(Exchange::live_identifiers).collect();
    let mut text = String::from("\n[[run]]\naction = \"harvest\"\n\n[truth]\npresent = [\n");
    for identifier in present {
        let _ = writeln!(text, "    {},", quoted(identifier));
    }
    text.push_str("]\n");
    text
}

/// Whether a reply can stand for it: the answer to a GET without more.
fn is_plain(exchange: &Exchange) -> bool {
    exchange.part == Part::Answer
        && exchange.request.method == Method::Get
        && exchange.ask.nth == 0
        && exchange.ask.accept_encoding.is_none()
}

/// Whether a harvest asks for it, and gets it.
fn is_harvested(exchange: &Exchange) -> bool {
    if exchange.text().is_none_or(|text| text.contains("<error")) {
        return false;
    }
    let arguments = exchange.ask.arguments();
    let has = |name: &str| arguments.iter().any(|(each, _)| each == name);
    match exchange.ask.verb_asked() {
        Some(Verb::Identify | Verb::ListMetadataFormats) => arguments.len() == 1,
        Some(Verb::ListRecords) => {
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
