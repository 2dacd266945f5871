//! Harvesters that are proved: commands, names of pmh.toml, the shipped one, and those that are wrong on purpose.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use pmh_runner::{GuardSign, Harvester, StoreReader};
use pmh_specimens::Specimen;
use serde::Deserialize;

use crate::args::HarvesterArguments;
use crate::exit::Ended;

/// Where harvesters are named unless another file is.
const CONFIG: &str = "pmh.toml";

/// One harvester of a proof.
pub(crate) enum Subject {
    /// The shipped one.
    Shipped,
    /// One that is wrong on purpose.
    Specimen(Specimen),
    /// Somebody's command.
    Command(Box<Harvester>),
}

impl Subject {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Shipped => "pmh",
            Self::Specimen(specimen) => specimen.name(),
            Self::Command(harvester) => &harvester.name,
        }
    }
}

/// The file beside a project.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default)]
    harvester: BTreeMap<String, Named>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    /// Program and arguments.
    command: Vec<String>,
    /// As `--store` has it.
    store: String,
    /// As `--guard` has them.
    #[serde(default)]
    guards: Vec<String>,
    /// Seconds that a run may take.
    timeout: Option<u64>,
}

/// The harvesters that were asked for.
pub(crate) fn subjects(arguments: &HarvesterArguments) -> anyhow::Result<Vec<Subject>> {
    let config = load(arguments.config.as_deref())?;
    let mut subjects = Vec::new();
    for (index, text) in arguments.harvester.iter().enumerate() {
        let subject = subject(text, index, &config, arguments).map_err(Ended::usage)?;
        if subjects.iter().any(|other: &Subject| other.name() == subject.name()) {
            return Err(Ended::usage(format!("the harvester `{}` is named twice", subject.name())));
        }
        subjects.push(subject);
    }
    Ok(subjects)
}

fn subject(
    text: &str,
    index: usize,
    config: &Config,
    arguments: &HarvesterArguments,
) -> Result<Subject, String> {
    if text == "pmh" {
        return Ok(Subject::Shipped);
    }
    if let Some(name) = text.strip_prefix("specimen:") {
        return Specimen::named(name).map(Subject::Specimen).ok_or_else(|| {
            let names: Vec<&str> = Specimen::ALL.iter().map(Specimen::name).collect();
            format!("no specimen is called `{name}`; there are {}", names.join(", "))
        });
    }
    let mut harvester = match config.harvester.get(text) {
        Some(named) => {
            let store = StoreReader::parse(&named.store, words)?;
            let mut harvester = Harvester::new(text.to_owned(), named.command.clone(), store)?;
            for sign in &named.guards {
                harvester.guards.push(GuardSign::parse(sign)?);
            }
            harvester.timeout = named.timeout.map(Duration::from_secs);
            harvester
        }
        None if !text.contains("{base-url}") && !text.contains(' ') => {
            let names: Vec<&str> = config.harvester.keys().map(String::as_str).collect();
            let known = match names.is_empty() {
                true => format!("there is no {CONFIG} that names any"),
                false => format!("named are {}", names.join(", ")),
            };
            return Err(format!(
                "`{text}` is no harvester: {known}; or write a command such as \
                 `python3 harvest.py {{base-url}} --out {{work}}/records.jsonl`"
            ));
        }
        None => {
            let store = arguments.store.as_deref().ok_or(
                "say where the harvester keeps its records: `--store jsonl=records.jsonl`, `xml-dir=PATH`, \
                 `sqlite=FILE:QUERY`, `command=COMMAND`, or `--store none` to have only its requests judged",
            )?;
            let store = StoreReader::parse(store, words)?;
            Harvester::new(name_of(text, index), words(text)?, store)?
        }
    };
    for sign in &arguments.guard {
        harvester.guards.push(GuardSign::parse(sign)?);
    }
    if let Some(seconds) = arguments.timeout {
        harvester.timeout = Some(Duration::from_secs(seconds));
    }
    Ok(Subject::Command(Box::new(harvester)))
}

/// A short name for a command: its script, or its program.
fn name_of(command: &str, index: usize) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let base =
        |word: &&str| word.rsplit('/').next().unwrap_or_default().trim_matches('\'').to_owned();
    let is_script = |word: &&&str| {
        [".py", ".sh", ".pl", ".jar", ".js", ".rb"].iter().any(|end| word.ends_with(end))
    };
    let name = words.iter().find(is_script).or(words.first()).map(base).unwrap_or_default();
    if index == 0 { name } else { format!("{name}-{}", index + 1) }
}

fn words(text: &str) -> Result<Vec<String>, String> {
    shell_words::split(text).map_err(|error| format!("`{text}`: {error}"))
}

fn load(path: Option<&Path>) -> anyhow::Result<Config> {
    let (path, is_asked_for) = match path {
        Some(path) => (path, true),
        None => (Path::new(CONFIG), false),
    };
    if !is_asked_for && !path.exists() {
        return Ok(Config::default());
    }
    let wrong = |why: String| Ended::usage(format!("harvesters of `{}`: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    toml::from_str(&text).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_called_by_their_scripts() {
        assert_eq!(name_of("python3 tools/harvest.py {base-url}", 0), "harvest.py");
        assert_eq!(name_of("/usr/bin/metha-sync {base-url}", 0), "metha-sync");
        assert_eq!(name_of("metha-sync {base-url}", 1), "metha-sync-2");
    }

    #[test]
    fn a_misspelt_key_of_the_file_is_named() {
        let text = "[harvester.a]\ncomand = [\"x\"]\nstore = \"none\"\n";
        let error = toml::from_str::<Config>(text).unwrap_err().to_string();
        assert!(error.contains("unknown field `comand`"), "{error}");
    }
}
