//! Reports to where they belong: one to standard output, the others into files.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use pmh_check::{Examined, Level, html, json, junit, markdown, monitor, text};

use crate::args::ExamineArguments;
use crate::exit::Ended;
use crate::output;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Junit,
    Markdown,
    Html,
    Monitor,
}

const FORMS: &[(&str, Form)] = &[
    ("text", Form::Text),
    ("json", Form::Json),
    ("junit", Form::Junit),
    ("markdown", Form::Markdown),
    ("html", Form::Html),
    ("monitor", Form::Monitor),
];

/// The reports that were asked for.
pub(super) struct Reports {
    wanted: Vec<(Form, Option<PathBuf>)>,
    threshold: Level,
    is_verbose: bool,
}

impl Reports {
    pub(super) fn of(wanted: &[String], arguments: &ExamineArguments) -> anyhow::Result<Self> {
        let mut reports = Vec::new();
        for text in wanted {
            let (name, path) = match text.split_once('=') {
                Some((name, path)) if !path.is_empty() => (name, Some(PathBuf::from(path))),
                _ => (text.as_str(), None),
            };
            let Some((_, form)) = FORMS.iter().find(|(known, _)| *known == name) else {
                let names: Vec<&str> = FORMS.iter().map(|(name, _)| *name).collect();
                return Err(Ended::usage(format!(
                    "`--report {text}`: expected one of {}, alone or with a file, as in `junit=check.xml`",
                    names.join(", ")
                )));
            };
            reports.push((*form, path));
        }
        if reports.iter().filter(|(_, path)| path.is_none()).count() > 1 {
            return Err(Ended::usage(
                "`--report`: one report goes to standard output; name files for the others, as in `junit=check.xml`",
            ));
        }
        if reports.is_empty() {
            reports.push((Form::Text, None));
        }
        let threshold = arguments.fail_on.level().unwrap_or(Level::Must);
        Ok(Self { wanted: reports, threshold, is_verbose: arguments.verbose })
    }

    /// The files that will be written.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.wanted.iter().filter_map(|(_, path)| path.as_ref())
    }

    pub(super) fn write(&self, examined: &Examined) -> anyhow::Result<()> {
        for (form, path) in &self.wanted {
            let content = match form {
                // Colours are stripped again where nobody sees them.
                Form::Text => text(examined, self.is_verbose, path.is_none()),
                Form::Json => json(examined),
                Form::Junit => junit(examined, self.threshold),
                Form::Markdown => markdown(examined),
                Form::Html => html(examined),
                Form::Monitor => monitor(examined, self.threshold),
            };
            match path {
                None => output::text(content),
                Some(path) => fs::write(path, content)
                    .with_context(|| format!("failed to write the report `{}`", path.display()))?,
            }
        }
        Ok(())
    }
}
