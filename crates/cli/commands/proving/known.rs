//! Failures that are known: each with a reason, and a date until which it is put up with.

use std::path::Path;

use pmh_protocol::{Datestamp, Stamp};
use serde::Deserialize;

use super::Standing;
use crate::exit::Ended;

const FORM: &str = "\
[[known]]
case = \"token/ring\"
harvester = \"sickle\"      # absent: any
reason = \"follows any token\"
until = \"2030-01-01\"";

/// The file of known failures.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    #[serde(default)]
    known: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Id of a case, or of a scenario with all its cases.
    case: String,
    harvester: Option<String>,
    reason: String,
    /// The last day.
    until: String,
}

impl Known {
    /// Reads the file.
    pub(crate) fn load(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Ended::usage(format!("failed to read known failures `{}`: {error}", path.display()))
        })?;
        Self::parse(&text).map_err(|why| {
            Ended::usage(format!(
                "known failures `{}`: {why}\nwrite them as\n{FORM}",
                path.display()
            ))
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let known: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        for entry in &known.known {
            if Datestamp::parse_lenient(&entry.until).is_err() {
                return Err(format!(
                    "`{}` is no day, in the entry of `{}`",
                    entry.until, entry.case
                ));
            }
            if entry.reason.trim().is_empty() {
                return Err(format!("the entry of `{}` has no reason", entry.case));
            }
        }
        Ok(known)
    }

    /// What this standing is worth today, and what to say about an entry whose time is over.
    pub(crate) fn weigh(
        &self,
        case: &str,
        harvester: &str,
        standing: Standing,
        today: Stamp,
    ) -> (Standing, Option<String>) {
        let family = case.split('[').next().unwrap_or_default();
        let entry = self.known.iter().find(|entry| {
            (entry.case == case || entry.case == family)
                && entry.harvester.as_deref().is_none_or(|name| name == harvester)
        });
        let Some(entry) = entry else { return (standing, None) };
        let last = Datestamp::parse_lenient(&entry.until).map(|date| date.stamp);
        let is_over = last.is_ok_and(|last| today.start_of_day() > last.start_of_day());
        let reason = entry.reason.clone();
        match standing {
            Standing::Failed | Standing::GaveUp if is_over => {
                let note = format!("known until {} ({reason}): that is over", entry.until);
                (standing, Some(note))
            }
            Standing::Failed | Standing::GaveUp => (Standing::KnownFailure { reason }, None),
            Standing::Held => (Standing::UnexpectedPass { reason }, None),
            other => (other, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "[[known]]\ncase = \"token/ring\"\nharvester = \"a\"\nreason = \"r\"\nuntil = \"2030-01-31\"\n";

    fn check(case: &str, harvester: &str, day: &str, before: Standing, after: &Standing) {
        let today = Stamp::parse(&format!("{day}T12:00:00Z")).unwrap();
        let found = Known::parse(FILE).unwrap().weigh(case, harvester, before, today).0;
        assert_eq!(found, *after);
    }

    #[test]
    fn a_known_failure_is_put_up_with_until_its_day_and_a_pass_shows() {
        let reason = || "r".to_owned();
        let failed = || Standing::Failed;
        check(
            "token/ring",
            "a",
            "2030-01-31",
            failed(),
            &Standing::KnownFailure { reason: reason() },
        );
        check(
            "token/ring[x=1]",
            "a",
            "2030-01-01",
            failed(),
            &Standing::KnownFailure { reason: reason() },
        );
        check("token/ring", "a", "2030-02-01", failed(), &Standing::Failed);
        check("token/ring", "b", "2030-01-01", failed(), &Standing::Failed);
        check("token/rings", "a", "2030-01-01", failed(), &Standing::Failed);
        check(
            "token/ring",
            "a",
            "2030-01-01",
            Standing::Held,
            &Standing::UnexpectedPass { reason: reason() },
        );
        check("token/ring", "a", "2030-01-01", Standing::Vacuous, &Standing::Vacuous);
    }

    #[test]
    fn an_entry_needs_a_reason_and_a_day() {
        let wrong = |from: &str, to: &str| Known::parse(&FILE.replace(from, to)).unwrap_err();
        assert!(wrong("2030-01-31", "soon").contains("`soon` is no day"));
        assert!(wrong("\"r\"", "\" \"").contains("has no reason"));
        assert!(wrong("until", "unti").contains("unknown field"));
        let example = Known::parse(FORM).expect("what is shown can be read");
        assert_eq!(example.known.len(), 1);
    }
}
