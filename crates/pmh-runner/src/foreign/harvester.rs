//! A command that harvests, and what is known of it.

use std::path::Path;
use std::time::Duration;

use pmh_scenario::Run;

use super::fair::Knowable;
use super::{GuardSign, StoreReader};

/// A harvester that is not ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Harvester {
    /// What reports call it.
    pub name: String,
    /// Program and arguments. `{base-url}`, `{work}`, `{prefix}`, `{set}`, `{from}` and `{until}` are filled in; an
    /// argument with a placeholder that has no value in a run is left out of that run.
    pub command: Vec<String>,
    /// Where its records lie afterwards.
    pub store: StoreReader,
    /// How it says that a brake has ended a run.
    pub guards: Vec<GuardSign>,
    /// How long a run may neither ask nor end; absent, what the scenario grants.
    pub timeout: Option<Duration>,
}

/// Names of placeholders.
const PLACEHOLDERS: [&str; 6] = ["base-url", "work", "prefix", "set", "from", "until"];

/// What a placeholder stands for in one run.
pub(super) struct Values<'a> {
    pub(super) base_url: &'a str,
    pub(super) work: &'a Path,
    pub(super) run: Option<&'a Run>,
}

impl Harvester {
    /// A harvester by its command.
    ///
    /// # Errors
    /// When the command is empty, or has no place for the base URL; in words.
    pub fn new(name: String, command: Vec<String>, store: StoreReader) -> Result<Self, String> {
        if command.is_empty() {
            return Err(format!("the harvester `{name}` has no command"));
        }
        let harvester = Self { name, command, store, guards: Vec::new(), timeout: None };
        if !harvester.has_place_for("base-url") {
            return Err(format!(
                "the command of `{}` has no place for the repository: write {{base-url}} where its address belongs",
                harvester.name
            ));
        }
        match harvester.command.iter().find_map(|argument| misspelt(argument)) {
            Some((found, meant)) => Err(format!(
                "the command of `{}` has {{{found}}}, which stands for nothing: did you mean {{{meant}}}?",
                harvester.name
            )),
            None => Ok(harvester),
        }
    }

    /// Whether the command mentions `{name}`.
    pub(super) fn has_place_for(&self, name: &str) -> bool {
        let placeholder = format!("{{{name}}}");
        self.command.iter().any(|argument| argument.contains(&placeholder))
    }

    /// What can be known of it.
    pub(super) fn knowable(&self) -> Knowable<'_> {
        let (rows, doubles) = (self.store.sees_rows(), self.store.sees_doubles());
        Knowable { guards: &self.guards, rows, doubles, payloads: false }
    }

    /// The command of a run.
    pub(super) fn words(&self, values: &Values<'_>) -> Vec<String> {
        self.command.iter().filter_map(|argument| fill(argument, values)).collect()
    }
}

/// The argument with its placeholders filled in, or nothing where one has no value.
pub(super) fn fill(argument: &str, values: &Values<'_>) -> Option<String> {
    let run = values.run;
    let filled: [(&str, Option<String>); 6] = [
        ("{base-url}", Some(values.base_url.to_owned())),
        ("{work}", Some(values.work.display().to_string())),
        ("{prefix}", Some(run.map_or("oai_dc", Run::prefix).to_owned())),
        ("{set}", run.and_then(|run| run.set.clone())),
        ("{from}", run.and_then(|run| run.from).map(|date| date.to_string())),
        ("{until}", run.and_then(|run| run.until).map(|date| date.to_string())),
    ];
    let mut text = argument.to_owned();
    for (placeholder, value) in filled {
        if text.contains(placeholder) {
            text = text.replace(placeholder, &value?);
        }
    }
    Some(text)
}

/// What is between braces and nearly a placeholder, and the one that is nearest. Other braces are the command's own.
fn misspelt(argument: &str) -> Option<(&str, &'static str)> {
    argument.split('{').skip(1).find_map(|part| {
        let (found, _) = part.split_once('}')?;
        let near = |name: &&str| strsim::damerau_levenshtein(found, name) == 1;
        let meant = PLACEHOLDERS.into_iter().find(near)?;
        (!PLACEHOLDERS.contains(&found)).then_some((found, meant))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_and_arguments_without_value_left_out() {
        let command = ["get", "--url={base-url}", "--set={set}", "--as={prefix}", "{work}/out"];
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let harvester = Harvester::new("x".to_owned(), command, StoreReader::Unread).unwrap();
        let words = |set: Option<&str>| {
            let run = Run { set: set.map(str::to_owned), ..Run::default() };
            let work = Path::new("w");
            harvester.words(&Values { base_url: "http://h/oai", work, run: Some(&run) }).join(" ")
        };
        assert_eq!(words(Some("maps")), "get --url=http://h/oai --set=maps --as=oai_dc w/out");
        assert_eq!(words(None), "get --url=http://h/oai --as=oai_dc w/out");
    }

    #[test]
    fn a_command_must_say_where_the_address_belongs() {
        let error = Harvester::new("x".to_owned(), vec!["get".to_owned()], StoreReader::Unread)
            .unwrap_err();
        assert!(error.contains("write {base-url} where"), "{error}");
        assert!(Harvester::new("x".to_owned(), Vec::new(), StoreReader::Unread).is_err());
        let with = |argument: &str| {
            let command = vec!["{base-url}".to_owned(), argument.to_owned()];
            Harvester::new("x".to_owned(), command, StoreReader::Unread)
        };
        assert!(with("--out={wrok}/a").unwrap_err().ends_with("did you mean {work}?"));
        assert!(with("awk '{print $1}' ${x} {work} {} {").is_ok(), "braces of its own");
    }
}
