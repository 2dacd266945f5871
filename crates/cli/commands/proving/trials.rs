//! Scenarios against other harvesters: a matrix as it comes in, and a story of each failure.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use owo_colors::OwoColorize as _;
use pmh_client::Clock;
use pmh_runner::{
    Loopback, LoopbackError, Place, Trial, id_width, try_harvester, try_shipped, try_specimen,
};
use serde_json::json;

use super::harvesters::{Subject, again};
use super::{Cell, Known, Reports, Results, Row, Selected, Standing, annotate, in_order};
use crate::args::ProveArguments;
use crate::exit::{Ended, Exit};
use crate::output;

/// Proves every harvester that was named.
pub(crate) fn run(
    arguments: &ProveArguments,
    selected: &[Selected],
    reports: &Reports,
    known: &Known,
    subjects: &[Subject],
) -> anyhow::Result<Exit> {
    let own = std::env::current_exe().context("failed to find this program's own file")?;
    let loopback = Loopback::new(own);
    let project = std::env::current_dir().context("failed to find the current folder")?;
    let place = Place { project, keep: arguments.keep.clone() };
    let started = Instant::now();
    reports.claim()?;
    let mut table = Table::new(arguments, selected, subjects);
    let mut rows = Vec::new();
    let play = |one: &Selected| -> anyhow::Result<Vec<Played>> {
        let trial = |subject: &Subject| {
            let began = Instant::now();
            let played = match subject {
                Subject::Shipped => try_shipped(&one.script, &loopback, &place),
                Subject::Specimen(specimen) => try_specimen(&one.script, *specimen, &place),
                Subject::Command(harvester) => try_harvester(&one.script, harvester, &place),
            };
            match played {
                Ok(trial) => Ok(Played::Judged(Box::new(trial))),
                // What one harvester does in one scenario must not cost the verdicts on all others.
                Err(error @ (LoopbackError::Reader { .. } | LoopbackError::Kill { .. })) => {
                    Ok(Played::Broken { why: error.to_string(), took: began.elapsed() })
                }
                Err(error) => Err(error),
            }
        };
        subjects.iter().map(trial).collect::<Result<_, _>>().map_err(|error| {
            let error =
                anyhow::Error::new(error).context(format!("failed to play `{}`", one.script.id));
            Ended::impossible(format!("{error:#}"))
        })
    };
    in_order(usize::from(arguments.jobs), selected, play, |one, played| {
        let cells = played
            .into_iter()
            .zip(subjects.iter().zip(&arguments.others.harvester))
            .map(|(played, (subject, asked))| {
                let again = again(&one.file, &one.script.id, asked, &arguments.others);
                cell(one, played, subject.name(), again, known)
            })
            .collect();
        let row = Row::new(&one.script, &one.file, cells);
        table.show(&row);
        rows.push(row);
        Ok(())
    })?;
    let harvesters = subjects.iter().map(|subject| subject.name().to_owned()).collect();
    let results = Results { harvesters, rows, took: started.elapsed() };
    table.close(&results, subjects);
    reports.write(&results)?;
    annotate(&results)?;
    Ok(exit_of(&results, subjects))
}

/// What came of a harvester before a scenario.
enum Played {
    Judged(Box<Trial>),
    /// It left something behind of which nothing can be said.
    Broken {
        why: String,
        took: Duration,
    },
}

/// What failed where nothing could be judged.
const CANNOT_BE_JUDGED: &str = "cannot-be-judged";

fn cell(one: &Selected, played: Played, harvester: &str, again: String, known: &Known) -> Cell {
    let id = &one.script.id;
    let (standing, text, failed, whys, took) = match played {
        Played::Broken { why, took } => {
            let text = format!("{id}: failed\n  ✖ {CANNOT_BE_JUDGED}\n      {why}\n");
            (Standing::Failed, text, vec![CANNOT_BE_JUDGED.to_owned()], Vec::new(), took)
        }
        Played::Judged(trial) => {
            let failed = trial.failed().into_iter().map(str::to_owned).collect();
            let (standing, text) = match &trial.result {
                Ok(verdict) if trial.gave_up() => (Standing::GaveUp, verdict.to_text()),
                Ok(verdict) => (verdict.class().into(), verdict.to_text()),
                Err(why) => (Standing::LeftOut, format!("{why}\n")),
            };
            (standing, text, failed, trial.whys, trial.took)
        }
    };
    let (standing, note) = known.weigh(id, harvester, standing, Clock::today());
    let (harvester, file) = (harvester.to_owned(), one.file.clone());
    Cell { harvester, standing, failed, text, whys, note, took, again, file }
}

/// The worst of all that count: a harvester that is wrong on purpose must fail, and proves nothing about others.
fn exit_of(results: &Results, subjects: &[Subject]) -> Exit {
    let counts = |cell: &&Cell| {
        !subjects.iter().any(|subject| {
            matches!(subject, Subject::Specimen(_)) && subject.name() == cell.harvester
        })
    };
    let cells: Vec<&Cell> = results.cells().map(|(_, cell)| cell).filter(counts).collect();
    if cells.iter().any(|cell| cell.standing.is_bad()) {
        return Exit::No;
    }
    let is_empty = cells.iter().all(|cell| cell.standing == Standing::LeftOut);
    let is_vacuous = cells.iter().any(|cell| cell.standing == Standing::Vacuous);
    if (is_empty && !cells.is_empty()) || is_vacuous { Exit::Vacuous } else { Exit::Done }
}

/// The matrix, written as rows come in.
struct Table<'a> {
    arguments: &'a ProveArguments,
    id_width: usize,
    widths: Vec<usize>,
    folder: Option<String>,
    bar: indicatif::ProgressBar,
}

impl<'a> Table<'a> {
    fn new(arguments: &'a ProveArguments, selected: &[Selected], subjects: &[Subject]) -> Self {
        let id_width = id_width(selected.iter().map(|one| name(&one.script.id)));
        let widths = subjects.iter().map(|subject| subject.name().chars().count()).collect();
        let bar = if arguments.json {
            indicatif::ProgressBar::hidden()
        } else {
            let names: Vec<&str> = subjects.iter().map(Subject::name).collect();
            output::line(
                format!("  {:id_width$}  {}", "scenario", names.join("  ")).dimmed().to_string(),
            );
            output::bar(Some(selected.len() as u64), "scenarios")
        };
        Self { arguments, id_width, widths, folder: None, bar }
    }

    fn show(&mut self, row: &Row) {
        self.bar.inc(1);
        if self.arguments.json {
            for cell in &row.cells {
                let line = json!({
                    "scenario": row.id,
                    "title": row.title,
                    "harvester": cell.harvester,
                    "standing": cell.standing.word(),
                    "failed": cell.failed,
                    "text": cell.story(),
                    "millis": u64::try_from(cell.took.as_millis()).unwrap_or(u64::MAX),
                });
                output::line(line.to_string());
            }
            return;
        }
        let folder = row.id.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.bar.suspend(|| {
            if self.folder.as_deref() != Some(folder) {
                if !folder.is_empty() {
                    output::line(format!("{}{}", folder.bold(), "/".bold()));
                }
                self.folder = Some(folder.to_owned());
            }
            let mut line = format!("  {:width$}", name(&row.id), width = self.id_width);
            for (cell, width) in row.cells.iter().zip(&self.widths) {
                let sign = cell.standing.shown();
                line.push_str(&format!("  {sign}{}", " ".repeat(width.saturating_sub(1))));
            }
            if let [cell] = row.cells.as_slice() {
                line.push_str(&format!(" {}", cell.failed.join(", ")));
            }
            output::line(line.trim_end());
        });
    }

    fn close(&self, results: &Results, subjects: &[Subject]) {
        self.bar.finish_and_clear();
        if self.arguments.json {
            return;
        }
        for (_, cell) in results.cells() {
            let is_told = self.arguments.verbose
                || cell.standing.is_bad()
                || cell.standing == Standing::Vacuous;
            if is_told {
                let name = match results.harvesters.len() {
                    1 => String::new(),
                    _ => format!("{}: ", cell.harvester.bold()),
                };
                output::line("");
                output::text(format!("{name}{}", cell.story()));
            }
        }
        output::line("");
        for (harvester, subject) in results.harvesters.iter().zip(subjects) {
            let only = match subject.is_unread() {
                true => {
                    " · judged by what it asked, what came and how it ended: nobody saw what it keeps"
                }
                false => "",
            };
            output::line(format!("{}: {}{only}", harvester.bold(), results.counted(harvester)));
        }
        output::line(format!(
            "{} · {:.1} s",
            output::counted(results.rows.len() as u64, "scenario"),
            results.took.as_secs_f64()
        ));
    }
}

fn name(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(_, name)| name)
}
