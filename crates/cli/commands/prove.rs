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
use pmh_runner::{
    Arm, Case, Loopback, details, failed_of, heading, id_width, kill_matrix, kills, line, prove,
    why_text, whys_of,
};
use pmh_scenario::Script;
use serde_json::json;

use crate::args::{ArmArgument, ProveArguments};
use crate::commands::proving::{
    self, Cell, Known, Reports, Results, Row, Selected, all_of, annotate, in_order, wanted,
};
use crate::exit::{Ended, Exit};
use crate::scratch::scratch;
use crate::{output, shipped};

pub(crate) fn run(arguments: &ProveArguments) -> anyhow::Result<Exit> {
    if arguments.report_schema {
        output::line(proving::report_schema());
        return Ok(Exit::Done);
    }
    let reports = Reports::parse(&arguments.report)?;
    let known = arguments.known.as_deref().map(Known::load).transpose()?.unwrap_or_default();
    let others = match arguments.others.harvester.is_empty() {
        true => Vec::new(),
        false => proving::subjects(&arguments.others)?,
    };
    let all = all_of(&arguments.paths)?;
    if arguments.known.is_some() {
        remark(&known, &all, arguments, &others)?;
    }
    let selected = wanted(all, arguments)?;
    if arguments.list {
        for one in &selected {
            output::line(format!("{:32}  {}", one.script.id, one.script.title));
        }
        return Ok(Exit::Done);
    }
    let _room = scratch()?;
    if !arguments.others.harvester.is_empty() {
        return proving::run(arguments, &selected, &reports, &known, &others);
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
    reports.claim()?;
    if let Some(folder) = &arguments.journal {
        fs::create_dir_all(folder).map_err(|error| {
            Ended::usage(format!("failed to make the folder `{}`: {error}", folder.display()))
        })?;
    }
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
        let cell = cell(one, &case, &known);
        table.show(&case, &cell);
        rows.push(Row::new(&one.script, &one.file, vec![cell]));
        cases.push(case);
        Ok(())
    })?;
    let results = Results { harvesters: vec!["pmh".to_owned()], rows, took: started.elapsed() };
    table.close(&cases, arms, &results);
    reports.write(&results)?;
    annotate(&results)?;
    Ok(worst(&cases, &results))
}

/// A case for the reports.
fn cell(one: &Selected, case: &Case, known: &Known) -> Cell {
    let standing = case.class().into();
    let (standing, note) = known.weigh(&case.id, "pmh", standing, Clock::today());
    Cell {
        harvester: "pmh".to_owned(),
        standing,
        failed: failed_of(case).into_iter().map(str::to_owned).collect(),
        text: details(case, true),
        whys: whys_of(case).to_vec(),
        note,
        took: case.played.iter().map(|played| played.took).sum(),
        again: format!(
            "pmh prove {} --case {}",
            shell_words::quote(&one.file),
            shell_words::quote(&case.id)
        ),
        file: one.file.clone(),
    }
}

/// Says which entries of the file of known failures can never count. A case counts as known when it is among the files
/// that were named, or shipped.
fn remark(
    known: &Known,
    all: &[Selected],
    arguments: &ProveArguments,
    others: &[proving::Subject],
) -> anyhow::Result<()> {
    let shipped = shipped::files(&[])?;
    let cases = all.iter().map(|one| one.script.id.as_str());
    let cases: Vec<&str> = cases.chain(shipped.iter().map(|file| file.id.as_str())).collect();
    let names = proving::names(&arguments.others, others);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    known.remark(&cases, &names, Clock::today());
    Ok(())
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
        let bar = if arguments.json {
            indicatif::ProgressBar::hidden()
        } else {
            output::bar(Some(scripts.len() as u64), "scenarios")
        };
        let names = scripts.iter().map(|script| script.id.rsplit('/').next().unwrap_or_default());
        let id_width = id_width(names);
        if !arguments.json {
            output::line(format!("    {}", heading(arms, id_width).dimmed()));
        }
        Self { arguments, id_width, folder: None, bar }
    }

    fn show(&mut self, case: &Case, cell: &Cell) {
        self.bar.inc(1);
        if self.arguments.json {
            output::line(as_json(case, cell).to_string());
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
            let shown = cell.standing.shown();
            output::line(format!("  {shown} {}", line(case, self.id_width)));
        });
    }

    fn close(&self, cases: &[Case], arms: &[Arm], results: &Results) {
        self.bar.finish_and_clear();
        if self.arguments.json {
            return;
        }
        for (case, (_, cell)) in cases.iter().zip(results.cells()) {
            let text = details(case, self.arguments.verbose);
            let (whys, remark) = (why_text(&cell.whys), cell.remark());
            if !(text.is_empty() && remark.is_empty()) {
                output::line("");
                if text.is_empty() {
                    output::line(format!("{}: {}", case.id, cell.standing.word()));
                }
                output::text(format!("{text}{whys}{remark}"));
            }
        }
        output::line("");
        output::line(summary(cases, arms, results));
    }
}

fn summary(cases: &[Case], arms: &[Arm], results: &Results) -> String {
    let bites: Vec<bool> =
        cases.iter().flat_map(|case| &case.bites).map(pmh_runner::Bite::is_caught).collect();
    let caught = bites.iter().filter(|caught| **caught).count();
    let arms: Vec<&str> = arms.iter().map(|arm| arm.as_str()).collect();
    let caught = match bites.len() {
        0 => String::new(),
        all => format!(" · wrong harvesters caught {caught} of {all}"),
    };
    let scenarios = output::counted(cases.len() as u64, "scenario");
    format!(
        "{}: {}{caught} · {} · {:.1} s",
        scenarios.bold(),
        results.counted("pmh"),
        arms.join(" + "),
        results.took.as_secs_f64()
    )
}

fn as_json(case: &Case, cell: &Cell) -> serde_json::Value {
    json!({
        "scenario": case.id,
        "title": case.title,
        "class": case.class().as_str(),
        "standing": cell.standing.word(),
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
    for played in &case.played {
        let name = format!("{}.{}.ndjson", case.id.replace('/', "."), played.arm.as_str());
        let path = folder.join(name);
        fs::write(&path, played.journal.to_ndjson())
            .with_context(|| format!("failed to write the journal `{}`", path.display()))?;
    }
    Ok(())
}
