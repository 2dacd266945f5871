//! Reports as files, written fresh each time: an old failure cannot linger.

mod html;
mod json;
mod junit;
mod markdown;
mod tap;

use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;

use super::Results;
use crate::exit::Ended;

pub(crate) use json::report_schema;
pub(super) use markdown::markdown;

/// What one report looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Junit,
    Json,
    Tap,
    Markdown,
    Html,
}

/// The reports that were asked for.
pub(crate) struct Reports(Vec<(Format, PathBuf)>);

impl Reports {
    /// Reads `junit=FILE` and so on, before anything is played.
    pub(crate) fn parse(asked: &[String]) -> anyhow::Result<Self> {
        let parse = |text: &String| {
            let (format, path) = text.split_once('=').unwrap_or((text, ""));
            let format = match format {
                "junit" => Format::Junit,
                "json" => Format::Json,
                "tap" => Format::Tap,
                "markdown" => Format::Markdown,
                "html" => Format::Html,
                _ => {
                    return Err(Ended::usage(format!(
                        "`{text}` is no report: write junit=FILE, json=FILE, tap=FILE, markdown=FILE or html=FILE"
                    )));
                }
            };
            if path.is_empty() {
                let name = text.trim_end_matches('=');
                return Err(Ended::usage(format!(
                    "the report `{name}` has no file: write `{name}=FILE`"
                )));
            }
            if path == "-" {
                return Err(Ended::usage(format!(
                    "`{text}`: a report is a file; `--json` prints what is found to standard output"
                )));
            }
            Ok((format, PathBuf::from(path)))
        };
        let reports: Vec<(Format, PathBuf)> = asked.iter().map(parse).collect::<Result<_, _>>()?;
        for (index, (_, path)) in reports.iter().enumerate() {
            if reports[..index].iter().any(|(_, earlier)| same(earlier) == same(path)) {
                return Err(Ended::usage(format!(
                    "two reports would be written to `{}`: give each its own file",
                    path.display()
                )));
            }
        }
        Ok(Self(reports))
    }

    /// Makes every file, with its folder, empty: what cannot be written is known before anything is played, and nobody
    /// takes an earlier report for this one's.
    pub(crate) fn claim(&self) -> anyhow::Result<()> {
        for (_, path) in &self.0 {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            folder
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::write(path, ""))
                .map_err(|error| {
                    Ended::usage(format!(
                        "failed to write the report `{}`: {error}",
                        path.display()
                    ))
                })?;
        }
        Ok(())
    }

    /// Writes all of them.
    pub(crate) fn write(&self, results: &Results) -> anyhow::Result<()> {
        for (format, path) in &self.0 {
            let text = match format {
                Format::Junit => junit::junit(results),
                Format::Json => json::json(results),
                Format::Tap => tap::tap(results),
                Format::Markdown => markdown(results),
                Format::Html => html::html(results),
            };
            std::fs::write(path, text)
                .with_context(|| format!("failed to write the report `{}`", path.display()))?;
        }
        Ok(())
    }
}

/// A path as it is told from others, however it was written: `./a` is `a`.
fn same(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// Text that XML and HTML may hold, in elements and in attributes.
fn escaped(text: &str) -> String {
    let clean: String = text
        .chars()
        .filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t'))
        .filter(|letter| !matches!(letter, '\u{fffe}' | '\u{ffff}'))
        .collect();
    pmh_protocol::escape_text(&clean).replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Cell, Row, Standing};
    use super::*;

    fn cell(harvester: &str, standing: Standing, text: &str) -> Cell {
        Cell {
            harvester: harvester.to_owned(),
            standing,
            failed: vec!["nothing-lost".to_owned()],
            text: text.to_owned(),
            whys: Vec::new(),
            note: None,
            took: Duration::from_millis(1_500),
            again: "pmh prove --case 'token/ring'".to_owned(),
            file: "token/ring".to_owned(),
        }
    }

    fn results() -> Results {
        let failed =
            "token/ring: failed\n  ✖ nothing-lost\n      2 are <missing> \u{1}& \"gone\"\n";
        let reason = || "a#1".to_owned();
        Results {
            harvesters: vec!["a".to_owned(), "b".to_owned()],
            rows: vec![
                Row {
                    id: "token/ring".to_owned(),
                    title: "Tokens | form a ring".to_owned(),
                    kind: Some("F025".to_owned()),
                    rules: vec![150],
                    seed: 7,
                    file: "token/ring".to_owned(),
                    cells: vec![
                        cell("a", Standing::Failed, failed),
                        cell("b", Standing::Held, "token/ring: held\n"),
                    ],
                },
                Row {
                    id: "http/busy".to_owned(),
                    title: "Busy".to_owned(),
                    kind: None,
                    rules: Vec::new(),
                    seed: 1,
                    file: "http/busy".to_owned(),
                    cells: vec![
                        cell("a", Standing::KnownFailure { reason: reason() }, failed),
                        cell("b", Standing::LeftOut, "no place for {set}\n"),
                    ],
                },
            ],
            took: Duration::from_secs(3),
        }
    }

    #[test]
    fn junit_is_xml_with_the_reason_first_and_no_control_characters() {
        let text = junit::junit(&results());
        let mut reader = quick_xml::Reader::from_str(&text);
        while !matches!(reader.read_event().expect("it is XML"), quick_xml::events::Event::Eof) {}
        assert!(
            text.contains("<testsuites name=\"pmh prove\" tests=\"4\" failures=\"1\""),
            "{text}"
        );
        assert!(
            text.contains("message=\"nothing-lost: 2 are &lt;missing&gt; &amp; &quot;gone&quot;\""),
            "{text}"
        );
        assert!(text.contains("<skipped message=\"known-failure: a#1\"/>"), "{text}");
        assert!(text.contains("<property name=\"seed\" value=\"7\"/>"), "{text}");
    }

    #[test]
    fn tap_has_a_line_for_each_and_says_what_is_to_do() {
        let text = tap::tap(&results());
        assert!(
            text.starts_with("TAP version 14\n1..4\nnot ok 1 - token/ring × a\n  ---\n"),
            "{text}"
        );
        assert!(text.contains("\nok 2 - token/ring × b\n"), "{text}");
        assert!(text.contains("\nnot ok 3 - http/busy × a # TODO a#1\n"), "{text}");
        assert!(text.contains("\nok 4 - http/busy × b # SKIP no place for {set}\n"), "{text}");
    }

    #[test]
    fn json_holds_everything_that_the_schema_names() {
        let value: serde_json::Value = serde_json::from_str(&json::json(&results())).expect("JSON");
        assert_eq!(value["format"], 1);
        assert_eq!(value["results"][0]["harvester"], "a");
        assert_eq!(value["results"][0]["standing"], "failed");
        assert_eq!(value["results"][2]["reason"], "a#1");
        assert_eq!(value["summary"]["a"]["failed"], 1);
    }

    #[test]
    fn tables_keep_their_columns_whatever_a_title_holds() {
        let text = markdown(&results());
        assert!(text.contains("| token/ring | ✖ | ● |"), "{text}");
        assert!(text.contains("Tokens \\| form a ring"), "{text}");
        let page = html::html(&results());
        assert!(page.contains("2 are &lt;missing&gt;") && !page.contains("<missing>"), "{page}");
        assert!(page.contains("href=\"#c0-0\"") && page.contains("id=\"c0-0\""), "{page}");
    }

    #[test]
    fn a_report_that_is_none_is_refused_before_anything_is_played() {
        let parse = |text: &str| Reports::parse(&[text.to_owned()]);
        assert!(parse("junit=out.xml").is_ok());
        assert!(parse("xunit=out.xml").err().unwrap().to_string().contains("write junit=FILE"));
        for text in ["junit", "junit="] {
            assert!(
                parse(text).err().unwrap().to_string().contains("write `junit=FILE`"),
                "{text}"
            );
        }
        assert!(parse("json=-").err().unwrap().to_string().contains("`--json` prints"));
        let twice = Reports::parse(&["json=x".to_owned(), "tap=x".to_owned()]);
        assert!(twice.err().unwrap().to_string().contains("two reports"));
        let folder = tempfile::tempdir().unwrap();
        let claim =
            |path: &Path| Reports::parse(&[format!("json={}", path.display())]).unwrap().claim();
        assert!(
            claim(folder.path()).unwrap_err().to_string().contains("failed to write the report")
        );
        assert!(claim(&folder.path().join("a/b.json")).is_ok());
    }
}
