//! Harvesters that are proved: commands, names of pmh.toml, the shipped one, and those that are wrong on purpose.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use pmh_runner::{GuardSign, Harvester, StoreReader};
use pmh_scenario::{Finding, read_toml, render_findings};
use pmh_specimens::Specimen;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::args::HarvesterArguments;
use crate::exit::Ended;
use crate::output;

/// Seconds that a run may be given.
const SECONDS: RangeInclusive<u64> = 1..=86_400;

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
    /// Whether nobody can see what it keeps.
    pub(crate) fn is_unread(&self) -> bool {
        matches!(self, Self::Command(harvester) if harvester.store == StoreReader::Unread)
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Shipped => "pmh",
            Self::Specimen(specimen) => specimen.name(),
            Self::Command(harvester) => &harvester.name,
        }
    }
}

/// The file beside a project.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default)]
    harvester: BTreeMap<String, Named>,
}

#[derive(Debug, Deserialize, JsonSchema)]
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
    #[schemars(with = "Option<u64>", range(min = 1, max = 86_400))]
    timeout: Option<Spanned<u64>>,
}

/// The harvesters that were asked for.
pub(crate) fn subjects(arguments: &HarvesterArguments) -> anyhow::Result<Vec<Subject>> {
    let config = load(arguments.config.as_deref())?;
    let taken = |name: &&String| is_ours(name);
    if let Some(name) = config.harvester.keys().find(taken) {
        return Err(Ended::usage(format!(
            "`[harvester.{name}]`: `{name}` is a harvester of this program's own; give yours another name"
        )));
    }
    let is_named = |text: &String| config.harvester.contains_key(text) || is_ours(text);
    if arguments.store.is_some() && arguments.harvester.iter().all(is_named) {
        return Err(Ended::usage(
            "`--store` says where a command keeps its records; that of a harvester with a name stands beside it in \
             pmh.toml"
                .to_owned(),
        ));
    }
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
                let wrong = |why: String| format!("the guard `{sign}` of `{text}`: {why}");
                harvester.guards.push(GuardSign::parse(sign).map_err(wrong)?);
            }
            harvester.timeout =
                named.timeout.as_ref().map(|seconds| Duration::from_secs(*seconds.get_ref()));
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
        let wrong = |why: String| format!("`--guard {sign}`: {why}");
        harvester.guards.push(GuardSign::parse(sign).map_err(wrong)?);
    }
    if let Some(seconds) = arguments.timeout {
        harvester.timeout = Some(Duration::from_secs(seconds));
    }
    Ok(Subject::Command(Box::new(harvester)))
}

/// Whether it names a harvester of this program's own.
fn is_ours(text: &str) -> bool {
    text == "pmh" || text.starts_with("specimen:")
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

/// Every name that a harvester may have here: of the file too, whether or not it is asked for.
pub(crate) fn names(arguments: &HarvesterArguments, subjects: &[Subject]) -> Vec<String> {
    let config = load(arguments.config.as_deref()).unwrap_or_default();
    let subjects = subjects.iter().map(|subject| subject.name().to_owned());
    let specimens = Specimen::ALL.iter().map(|specimen| specimen.name().to_owned());
    subjects
        .chain(["pmh".to_owned()])
        .chain(config.harvester.into_keys())
        .chain(specimens)
        .collect()
}

/// The command that plays a case with a harvester again: with all that was said of it.
pub(crate) fn again(file: &str, case: &str, asked: &str, arguments: &HarvesterArguments) -> String {
    let mut words = vec!["pmh".to_owned(), "prove".to_owned()];
    // A shipped one is found by the name of its case.
    words.extend(file.ends_with(".toml").then(|| file.to_owned()));
    words.extend(said_of(asked, arguments));
    words.extend(["--case".to_owned(), case.to_owned()]);
    shell_words::join(words)
}

/// The words of the command line that say who this harvester is.
pub(crate) fn said_of(asked: &str, arguments: &HarvesterArguments) -> Vec<String> {
    let mut words = Vec::new();
    let mut say = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    say("--harvester", asked);
    if !is_ours(asked) {
        if let Some(store) = &arguments.store {
            say("--store", store);
        }
        for guard in &arguments.guard {
            say("--guard", guard);
        }
        if let Some(seconds) = arguments.timeout {
            say("--timeout", &seconds.to_string());
        }
        if let Some(config) = &arguments.config {
            say("--config", &config.display().to_string());
        }
    }
    words
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
    config(&text).map_err(|findings| {
        let name = path.display().to_string();
        output::note(render_findings(&name, &text, &findings, output::is_coloured()));
        wrong(output::counted(findings.len() as u64, "mistake"))
    })
}

fn config(text: &str) -> Result<Config, Vec<Finding>> {
    let config: Config = read_toml(text)?;
    let timeouts = config.harvester.values().filter_map(|named| named.timeout.as_ref());
    let findings: Vec<Finding> = timeouts
        .filter(|seconds| !SECONDS.contains(seconds.get_ref()))
        .map(|seconds| {
            let message = format!("no run can be given {} seconds", seconds.get_ref());
            let label = format!("expected {} to {} seconds", SECONDS.start(), SECONDS.end());
            Finding::error(seconds.span(), message, label)
        })
        .collect();
    if findings.is_empty() { Ok(config) } else { Err(findings) }
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
        let found = config(text).unwrap_err();
        assert!(found[0].message.contains("unknown field `comand`"), "{found:?}");
        assert_eq!((found[0].line, found.len()), (2, 1));
    }

    #[test]
    fn what_no_run_can_be_given_is_refused_as_on_the_command_line() {
        let with = |line: &str| {
            let text = format!("[harvester.a]\ncommand = [\"x\"]\nstore = \"none\"\n{line}\n");
            config(&text).map(|_| ()).map_err(|mut found| found.swap_remove(0).message)
        };
        assert_eq!(with("timeout = 86400"), Ok(()));
        assert_eq!(with("timeout = 0"), Err("no run can be given 0 seconds".to_owned()));
        assert!(with("timeout = -1").unwrap_err().contains("1 to 86400"));
        assert!(
            config("[harvester.a]\ncommand = \"x\"\nstore = \"none\"\n").unwrap_err()[0]
                .message
                .contains("a list, such as")
        );
    }

    #[test]
    fn what_is_played_again_is_what_was_played() {
        let arguments = HarvesterArguments {
            harvester: vec!["get {base-url}".to_owned()],
            store: Some("jsonl=a b".to_owned()),
            guard: vec!["no-progress=exit:3".to_owned()],
            timeout: Some(3),
            config: None,
        };
        assert_eq!(
            again("mine.toml", "mine", "get {base-url}", &arguments),
            "pmh prove mine.toml --harvester 'get {base-url}' --store 'jsonl=a b' --guard 'no-progress=exit:3' --timeout 3 \
             --case mine"
        );
        assert_eq!(
            again("token/ring", "token/ring", "pmh", &arguments),
            "pmh prove --harvester pmh --case token/ring"
        );
    }
}
