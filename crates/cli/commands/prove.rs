//! `pmh prove`: the shipped harvester against scenarios, or others.

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use anyhow::Context as _;
use owo_colors::OwoColorize as _;
use pmh_client::Clock;
use pmh_oracle::Class;
use pmh_runner::{Arm, Case, Loopback, details, heading, kill_matrix, kills, line, prove, sign};
use pmh_scenario::Script;
use serde_json::json;

use crate::args::{ArmArgument, ProveArguments};
use crate::commands::proving::{
    self, Cell, Known, Reports, Results, Row, Selected, annotate, in_order, select,
};
use crate::exit::{Ended, Exit};
use crate::output;

pub(crate) fn run(arguments: &ProveArguments) -> anyhow::Result<Exit> {
    if arguments.report_schema {
        output::line(proving::report_schema());
        return Ok(Exit::Done);
    }
    let reports = Reports::parse(&arguments.report)?;
    let known = arguments.known.as_deref().map(Known::load).transpose()?.unwrap_or_default();
    let selected = select(arguments)?;
    if arguments.list {
        for one in &selected {
            output::line(format!("{:32}  {}", one.script.id, one.script.title));
        }
        return Ok(Exit::Done);
    }
    if !arguments.others.harvester.is_empty() {
        return proving::run(arguments, &selected, &reports, &known);
    }
    let scripts: Vec<Arc<Script>> = selected.iter().map(|one| Arc::clone(&one.script)).collect();
    if arguments.specimens {
        return Ok(matrix(&scripts));
    }
    let arms: &[Arm] = match arguments.arm {
        ArmArgument::Pure => &[Arm::Pure],
        ArmArgument::Loopback => &[Arm::Loopback],
        ArmArgument::Both => &[Arm::Pure, Arm::Loopback],
    };
    let program = std::env::current_exe().context("failed to find this program's own file")?;
    let loopback = Loopback::new(program);
    let started = Instant::now();
    let mut table = Table::new(arguments, arms, &scripts);
    let mut cases = Vec::new();
    let mut rows = Vec::new();
    let play = |one: &Selected| {
        prove(&one.script, arms, &loopback).map_err(|error| {
            let error =
                anyhow::Error::new(error).context(format!("failed to prove `{}`", one.script.id));
            Ended::impossible(format!("{error:#}"))
        })
    };
    in_order(usize::from(arguments.jobs), &selected, play, |one, case| {
        if let Some(folder) = &arguments.journal {
            write_journals(folder, &case)?;
        }
        table.show(&case);
        rows.push(Row::new(&one.script, &one.file, vec![cell(one, &case, &known)]));
        cases.push(case);
        Ok(())
    })?;
    table.close(&cases, arms, started);
    let results = Results { harvesters: vec!["pmh".to_owned()], rows, took: started.elapsed() };
    reports.write(&results)?;
    annotate(&results)?;
    Ok(worst(&cases, &results))
}

/// A case for the reports.
fn cell(one: &Selected, case: &Case, known: &Known) -> Cell {
    let standing = case.class().into();
    let (standing, note) = known.weigh(&case.id, "pmh", standing, Clock::today());
    let mut text = details(case, true);
    if let Some(note) = note {
        text.push_str(&format!("  {note}\n"));
    }
    let failed = case.played.iter().flat_map(|played| played.verdict.failed());
    let mut failed: Vec<String> = failed.map(|property| property.name().to_owned()).collect();
    failed.dedup();
    Cell {
        harvester: "pmh".to_owned(),
        standing,
        failed,
        text,
        // They are part of the text already.
        whys: Vec::new(),
        took: case.played.iter().map(|played| played.took).sum(),
        again: format!(
            "pmh prove {} --case {}",
            shell_words::quote(&one.file),
            shell_words::quote(&case.id)
        ),
    }
}

/// Every scenario against every wrong harvester. A named one that got through is a failure, and so is the sound one
/// that did not.
fn matrix(scripts: &[Arc<Script>]) -> Exit {
    // Thousands of harvests, none of which knows of another.
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = scripts.len().div_ceil(threads).max(1);
    let play = |part: &[Arc<Script>]| -> Vec<_> {
        part.iter().map(|script| (script.id.clone(), kills(script))).collect()
    };
    let rows: Vec<_> = thread::scope(|scope| {
        let parts: Vec<_> =
            scripts.chunks(share).map(|part| scope.spawn(move || play(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("no harvest panics")).collect()
    });
    output::text(kill_matrix(&rows));
    let wrong = rows.iter().flat_map(|(_, kills)| kills).filter(|kill| !kill.is_right()).count();
    if wrong == 0 { Exit::Done } else { Exit::No }
}

/// The worst class; a failure that is known counts as little as a pass that is known to fail counts as one.
fn worst(cases: &[Case], results: &Results) -> Exit {
    if results.cells().any(|(_, cell)| cell.standing.is_bad()) {
        return Exit::No;
    }
    let is_known = |row: &Row| row.cells.iter().any(|cell| cell.standing.word() == "known-failure");
    let counted = cases.iter().zip(&results.rows).filter(|(_, row)| !is_known(row));
    let worst = counted.map(|(case, _)| case.class()).max();
    match worst {
        Some(class) => Exit::from_code(class.exit()),
        None if results.rows.is_empty() => Exit::Vacuous,
        None => Exit::Done,
    }
}

/// The table, written as cases come in.
struct Table<'a> {
    arguments: &'a ProveArguments,
    id_width: usize,
    folder: Option<String>,
    bar: indicatif::ProgressBar,
}

impl<'a> Table<'a> {
    fn new(arguments: &'a ProveArguments, arms: &[Arm], scripts: &[Arc<Script>]) -> Self {
        let name =
            |script: &Arc<Script>| script.id.rsplit('/').next().unwrap_or_default().chars().count();
        let bar = if arguments.json {
            indicatif::ProgressBar::hidden()
        } else {
            output::bar(Some(scripts.len() as u64), "scenarios")
        };
        let id_width = scripts.iter().map(name).max().unwrap_or(0);
        if !arguments.json {
            output::line(format!("    {}", heading(arms, id_width).dimmed()));
        }
        Self { arguments, id_width, folder: None, bar }
    }

    fn show(&mut self, case: &Case) {
        self.bar.inc(1);
        if self.arguments.json {
            output::line(as_json(case).to_string());
            return;
        }
        let folder = case.id.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.bar.suspend(|| {
            if self.folder.as_deref() != Some(folder) {
                if !folder.is_empty() {
                    output::line(format!("{}{}", folder.bold(), "/".bold()));
                }
                self.folder = Some(folder.to_owned());
            }
            let class = case.class();
            let shown = match class {
                Class::Held => sign(class).green().to_string(),
                Class::Failed => sign(class).red().to_string(),
                Class::Vacuous => sign(class).yellow().to_string(),
            };
            output::line(format!("  {shown} {}", line(case, self.id_width)));
        });
    }

    fn close(&self, cases: &[Case], arms: &[Arm], started: Instant) {
        self.bar.finish_and_clear();
        if self.arguments.json {
            return;
        }
        for case in cases {
            let text = details(case, self.arguments.verbose);
            if !text.is_empty() {
                output::line("");
                output::text(text);
            }
        }
        output::line("");
        output::line(summary(cases, arms, started));
    }
}

fn summary(cases: &[Case], arms: &[Arm], started: Instant) -> String {
    let of = |class| cases.iter().filter(|case| case.class() == class).count();
    let bites: Vec<bool> =
        cases.iter().flat_map(|case| &case.bites).map(pmh_runner::Bite::is_caught).collect();
    let caught = bites.iter().filter(|caught| **caught).count();
    let arms: Vec<&str> = arms.iter().map(|arm| arm.as_str()).collect();
    let counts =
        [(of(Class::Held), "held"), (of(Class::Failed), "failed"), (of(Class::Vacuous), "vacuous")];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let caught = match bites.len() {
        0 => String::new(),
        all => format!(" · wrong harvesters caught {caught} of {all}"),
    };
    let scenarios = output::counted(cases.len() as u64, "scenario");
    format!(
        "{}: {}{caught} · {} · {:.1} s",
        scenarios.bold(),
        counts.join(", "),
        arms.join(" + "),
        started.elapsed().as_secs_f64()
    )
}

fn as_json(case: &Case) -> serde_json::Value {
    json!({
        "scenario": case.id,
        "title": case.title,
        "class": case.class().as_str(),
        "arms_agree": case.disagreement().is_none(),
        "arms": case.played.iter().map(|played| json!({
            "arm": played.arm.as_str(),
            "class": played.verdict.class().as_str(),
            "failed": played.verdict.failed().map(pmh_oracle::Property::name).collect::<Vec<_>>(),
            "text": played.verdict.to_text(),
            "millis": u64::try_from(played.took.as_millis()).unwrap_or(u64::MAX),
        })).collect::<Vec<_>>(),
        "catches": case.bites.iter().map(|bite| json!({
            "specimen": bite.specimen.name(),
            "caught": bite.is_caught(),
        })).collect::<Vec<_>>(),
    })
}

/// `DIR/token.ring.pure.ndjson` and so on.
fn write_journals(folder: &Path, case: &Case) -> anyhow::Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("failed to make the folder `{}`", folder.display()))?;
    for played in &case.played {
        let name = format!("{}.{}.ndjson", case.id.replace('/', "."), played.arm.as_str());
        let path = folder.join(name);
        fs::write(&path, played.journal.to_ndjson())
            .with_context(|| format!("failed to write the journal `{}`", path.display()))?;
    }
    Ok(())
}
