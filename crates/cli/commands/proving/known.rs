//! Failures that are known: each with a reason, and a date until which it is put up with.

use std::path::Path;

use pmh_protocol::{Datestamp, Granularity, Stamp};
use pmh_scenario::{Finding, read_toml, render_findings};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use toml::value::{Datetime, Value};

use super::Standing;
use crate::exit::Ended;
use crate::output;

const FORM: &str = "\
[[known]]
case = \"token/ring\"
harvester = \"sickle\"      # absent: any
reason = \"follows any token\"
until = \"2030-01-01\"";

/// Failures that are known, and the file that they stand in.
#[derive(Debug, Default)]
pub(crate) struct Known {
    name: String,
    text: String,
    entries: Vec<Entry>,
}

/// The file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    known: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Id of a case, or of a scenario with all its cases.
    #[schemars(with = "String")]
    case: Spanned<String>,
    #[schemars(with = "Option<String>")]
    harvester: Option<Spanned<String>>,
    #[schemars(with = "String")]
    reason: Spanned<String>,
    /// The last day, as text or as a date of TOML.
    #[schemars(with = "String")]
    until: Spanned<Value>,
}

impl Known {
    /// Reads the file.
    pub(crate) fn load(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Ended::usage(format!("failed to read known failures `{name}`: {error}"))
        })?;
        let entries = parse(&text).map_err(|findings| {
            output::note(render_findings(&name, &text, &findings, output::is_coloured()));
            Ended::usage(format!("known failures `{name}` are wrong; write them as\n{FORM}"))
        })?;
        Ok(Self { name, text, entries })
    }

    /// Says which entries can never count: of cases and harvesters that there are not, and of days that are over.
    pub(crate) fn remark(&self, cases: &[&str], harvesters: &[&str], today: Stamp) {
        let findings = self.idle(cases, harvesters, today);
        if !findings.is_empty() {
            let coloured = output::is_coloured();
            output::note(render_findings(&self.name, &self.text, &findings, coloured));
        }
    }

    fn idle(&self, cases: &[&str], harvesters: &[&str], today: Stamp) -> Vec<Finding> {
        let mut findings = Vec::new();
        for entry in &self.entries {
            let case = entry.case.get_ref().as_str();
            if !cases.iter().any(|known| *known == case || family(known) == case) {
                findings.push(unknown(&entry.case, "case", "`--list` names them", cases));
            }
            let harvester = entry.harvester.as_ref();
            if let Some(name) =
                harvester.filter(|name| !harvesters.contains(&name.get_ref().as_str()))
            {
                findings.push(unknown(name, "harvester", "absent, it is any", harvesters));
            }
            if entry.is_over(today) {
                let message = format!("the entry of `{case}` is over");
                let help = "mend it, or give it another day; until then the failure counts";
                findings.push(Finding::warning(entry.until.span(), message, "").help(help));
            }
        }
        findings
    }

    /// What this standing is worth today, and what to say about an entry whose time is over.
    pub(crate) fn weigh(
        &self,
        case: &str,
        harvester: &str,
        standing: Standing,
        today: Stamp,
    ) -> (Standing, Option<String>) {
        let entry = self.entries.iter().find(|entry| {
            let named = entry.case.get_ref();
            (named == case || named == family(case))
                && entry.harvester.as_ref().is_none_or(|name| name.get_ref() == harvester)
        });
        let Some(entry) = entry else { return (standing, None) };
        let reason = entry.reason.get_ref().clone();
        match standing {
            Standing::Failed | Standing::GaveUp if entry.is_over(today) => {
                let until = entry.last_day().unwrap_or_default();
                let note = format!("known until {until} ({reason}): that is over");
                (standing, Some(note))
            }
            Standing::Failed | Standing::GaveUp => (Standing::KnownFailure { reason }, None),
            Standing::Held => (Standing::UnexpectedPass { reason }, None),
            other => (other, None),
        }
    }
}

impl Entry {
    /// The last day as YYYY-MM-DD; nothing where it is none.
    fn last_day(&self) -> Option<String> {
        let date = match self.until.get_ref() {
            Value::String(text) => text.trim().parse::<Datetime>().ok()?,
            Value::Datetime(date) => *date,
            _ => return None,
        };
        let day = date.date.filter(|_| date.time.is_none())?;
        Some(day.to_string())
    }

    fn is_over(&self, today: Stamp) -> bool {
        let today = Datestamp::new(today, Granularity::Day).to_string();
        self.last_day().is_some_and(|last| today > last)
    }
}

/// The scenario of a case.
fn family(case: &str) -> &str {
    case.split('[').next().unwrap_or_default()
}

fn unknown(name: &Spanned<String>, what: &str, label: &str, known: &[&str]) -> Finding {
    let message = format!("no {what} is called `{}`: the entry never counts", name.get_ref());
    let near = known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(name.get_ref(), known), known))
        .filter(|(distance, _)| *distance <= 3)
        .min();
    let finding = Finding::warning(name.span(), message, label);
    match near {
        Some((_, near)) => finding.help(format!("did you mean `{near}`?")),
        None => finding,
    }
}

fn parse(text: &str) -> Result<Vec<Entry>, Vec<Finding>> {
    let entries = read_toml::<File>(text)?.known;
    let mut findings = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let case = entry.case.get_ref();
        if entry.last_day().is_none() {
            let message = format!("{} is no day, in the entry of `{case}`", entry.until.get_ref());
            let label = "expected a day such as \"2030-01-01\"";
            findings.push(Finding::error(entry.until.span(), message, label));
        }
        if entry.reason.get_ref().trim().is_empty() {
            let message = format!("the entry of `{case}` has no reason");
            findings.push(Finding::error(entry.reason.span(), message, ""));
        }
        let harvester = |entry: &Entry| entry.harvester.as_ref().map(|name| name.get_ref().clone());
        let is_double =
            |other: &Entry| other.case.get_ref() == case && harvester(other) == harvester(entry);
        if entries[..index].iter().any(is_double) {
            let message = format!("a second entry of `{case}` for the same harvester");
            findings.push(Finding::error(entry.case.span(), message, "the first is what counts"));
        }
    }
    if findings.is_empty() { Ok(entries) } else { Err(findings) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "[[known]]\ncase = \"token/ring\"\nharvester = \"a\"\nreason = \"r\"\nuntil = \"2030-01-31\"\n";

    fn known(text: &str) -> Known {
        let entries = parse(text).expect("it is sound");
        Known { name: String::new(), text: text.to_owned(), entries }
    }

    fn day(day: &str) -> Stamp {
        Stamp::parse(&format!("{day}T12:00:00Z")).unwrap()
    }

    fn check(case: &str, harvester: &str, today: &str, before: Standing, after: &Standing) {
        let found = known(FILE).weigh(case, harvester, before, day(today)).0;
        assert_eq!(found, *after);
    }

    #[test]
    fn a_known_failure_is_put_up_with_until_its_day_and_a_pass_shows() {
        let failure = || Standing::KnownFailure { reason: "r".to_owned() };
        let failed = || Standing::Failed;
        check("token/ring", "a", "2030-01-31", failed(), &failure());
        check("token/ring[x=1]", "a", "2030-01-01", failed(), &failure());
        check("token/ring", "a", "2030-02-01", failed(), &Standing::Failed);
        check("token/ring", "b", "2030-01-01", failed(), &Standing::Failed);
        check("token/rings", "a", "2030-01-01", failed(), &Standing::Failed);
        let pass = Standing::UnexpectedPass { reason: "r".to_owned() };
        check("token/ring", "a", "2030-01-01", Standing::Held, &pass);
        check("token/ring", "a", "2030-01-01", Standing::Vacuous, &Standing::Vacuous);
    }

    #[test]
    fn every_mistake_is_told_at_its_place() {
        let wrong = |from: &str, to: &str| {
            parse(&FILE.replace(from, to)).unwrap_err().swap_remove(0).message
        };
        assert!(wrong("2030-01-31", "soon").contains("\"soon\" is no day"));
        assert!(wrong("2030-01-31", "2030-02-31").contains("is no day"));
        assert!(wrong("\"2030-01-31\"", "7").contains("7 is no day"));
        assert!(wrong("\"r\"", "\" \"").contains("has no reason"));
        let both = parse("[[known]]\ncsae = 1\nuntil = \"soon\"\nreason = 3\n").unwrap_err();
        assert_eq!(both.len(), 2, "{both:?}");
        assert_eq!((both[0].line, both[0].column), (2, 1));
        assert_eq!(both[0].help.as_deref(), Some("did you mean `case`?"));
        let twice = parse(&format!("{FILE}{FILE}")).unwrap_err();
        assert!(twice[0].message.contains("a second entry of `token/ring`"), "{twice:?}");
        assert_eq!(parse(FORM).expect("what is shown can be read").len(), 1);
        let far = FILE.replace("\"2030-01-31\"", "9999-12-31");
        assert_eq!(known(&far).entries[0].last_day().as_deref(), Some("9999-12-31"));
    }

    #[test]
    fn entries_that_never_count_are_told() {
        let idle = |cases: &[&str], harvesters: &[&str], today: &str| -> Vec<String> {
            let found = known(FILE).idle(cases, harvesters, day(today));
            found.into_iter().map(|finding| finding.message).collect()
        };
        assert_eq!(idle(&["token/ring[x=1]"], &["a"], "2030-01-31"), Vec::<String>::new());
        let said = idle(&["token/rings"], &["b"], "2030-02-01");
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].starts_with("no case is called `token/ring`"), "{said:?}");
        assert!(said[1].starts_with("no harvester is called `a`"), "{said:?}");
        assert_eq!(said[2], "the entry of `token/ring` is over");
    }
}
