//! `pmh sweep`: what nobody has thought of.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use pmh_runner::{
    Accused, CrashPlace, CrashSweep, Harvester, Loopback, Place, Shrunk, Specimen, Wrong,
    sweep_crashes, sweep_faults, sweep_kills, sweep_pairs, sweep_stranger, try_seed,
};
use pmh_scenario::{RandomWorld, WorldSize};

use crate::args::{HarvesterArguments, SweepArguments, SweepArm, SweepCommand};
use crate::commands::proving::{Selected, Subject, all_of, said_of, subjects};
use crate::commands::shrink;
use crate::exit::{Ended, Exit};
use crate::output::{self, counted};
use crate::scratch::scratch;

/// What is swept with real processes when nothing is named.
const LOOPBACK_SAMPLE: &str = "healthy/pages";

/// How long one failure may be shrunk for the table of specimens.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn run(arguments: &SweepArguments) -> anyhow::Result<Exit> {
    let _room = scratch()?;
    match &arguments.command {
        SweepCommand::Crash { paths, arm, pages, place, others, verbose } => {
            let victims = victims(others, *arm)?;
            let only = place.as_deref();
            let mut exit = Exit::Done;
            for victim in &victims {
                exit = exit.worse(crashes(
                    paths,
                    victim,
                    &Dying { pages_max: *pages, only, verbose: *verbose },
                )?);
            }
            Ok(exit)
        }
        SweepCommand::Faults { pairs, every, out, verbose } => {
            faults(pairs.then_some(*every), out.as_deref(), *verbose)
        }
        SweepCommand::Seeds { runs, seed, pages, page_size, specimen, out, patience, verbose } => {
            seeds(&Seeds {
                accused: shrink::accused(specimen.as_deref())?,
                first: *seed,
                runs: *runs,
                size: WorldSize { pages: *pages, page_size: *page_size },
                out: out.as_deref(),
                patience: Duration::from_secs(*patience),
                verbose: *verbose,
            })
        }
        SweepCommand::Specimens { runs } => Ok(specimens(*runs)),
    }
}

fn faults(every: Option<u32>, out: Option<&Path>, verbose: bool) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let bar = output::bar(None, "worlds");
    let sweep = match every {
        Some(every) => sweep_pairs(every as usize, &mut |sweep| bar.set_position(sweep.worlds)),
        None => sweep_faults(),
    };
    bar.finish_and_clear();
    for (index, failure) in sweep.failures.iter().enumerate() {
        output::line(format!("✖ {}: {}", failure.place, failure.wrong));
        if verbose {
            output::text(failure.verdict.to_text());
        }
        if let Some(folder) = out {
            shrink::write(&folder.join(format!("fault-{}.toml", index + 1)), &failure.file)?;
        }
    }
    let what = counted(sweep.worlds, "world");
    Ok(close(&what, sweep.worlds, sweep.failures.len() as u64, started))
}

/// What `sweep seeds` was asked for.
struct Seeds<'a> {
    accused: Accused,
    first: u64,
    runs: u64,
    size: WorldSize,
    out: Option<&'a Path>,
    patience: Duration,
    verbose: bool,
}

impl Seeds<'_> {
    /// What plays one world again.
    fn again(&self, seed: u64) -> String {
        let mut command = format!("pmh sweep seeds --seed {seed} --runs 1");
        let sizes = [("pages", self.size.pages), ("page-size", self.size.page_size)];
        for (name, value) in sizes {
            command.extend(value.map(|value| format!(" --{name} {value}")));
        }
        if let Accused::Specimen(specimen) = self.accused {
            command.push_str(&format!(" --specimen {}", specimen.name()));
        }
        command
    }
}

fn seeds(asked: &Seeds<'_>) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let bar = output::bar(Some(asked.runs), "worlds");
    let (mut worlds, mut failures) = (0, 0);
    let (mut pages, mut records) = (0, 0);
    // One file for each way of failing is enough to read.
    let mut told: Vec<Wrong> = Vec::new();
    for seed in asked.first..asked.first.saturating_add(asked.runs) {
        bar.inc(1);
        worlds += 1;
        let world = RandomWorld::new(seed, &asked.size);
        pages += world.pages();
        records += world.records();
        let Some(failure) = try_seed(asked.accused, seed, &asked.size) else { continue };
        failures += 1;
        bar.suspend(|| {
            output::line(format!("✖ world {seed}: {}", failure.wrong));
            output::line(format!("  again: {}", asked.again(seed)));
            if asked.verbose {
                output::text(failure.verdict.to_text());
            }
        });
        if !told.iter().any(|known| known == &failure.wrong) {
            told.push(failure.wrong.clone());
            let shrunk = shrink::with_progress(asked.accused, &failure.file, asked.patience);
            let name = format!("{}-{seed}.toml", failure.wrong.property.name());
            bar.suspend(|| shrink::tell(&shrunk, asked.out.map(|folder| folder.join(name))))?;
        }
        if matches!(asked.accused, Accused::Specimen(_)) {
            break;
        }
    }
    bar.finish_and_clear();
    let mean = |sum: u64| sum as f64 / worlds.max(1) as f64;
    let what = format!(
        "{} from {} on, of {:.1} pages and {:.1} records on average",
        counted(worlds, "world"),
        asked.first,
        mean(pages),
        mean(records)
    );
    Ok(close(&what, worlds, failures, started))
}

/// The end of a sweep over worlds.
fn close(what: &str, worlds: u64, failures: u64, started: Instant) -> Exit {
    let seconds = started.elapsed().as_secs_f64();
    output::line(format!(
        "{what}: {} · {seconds:.1} s, {:.0} worlds a second",
        counted(failures, "failure"),
        worlds as f64 / seconds.max(0.001)
    ));
    match (worlds, failures) {
        (0, _) => Exit::Vacuous,
        (_, 0) => Exit::Done,
        _ => Exit::No,
    }
}

/// Every wrong harvester before random worlds, from the first: how many it takes, and how short the story becomes.
fn specimens(runs: u64) -> Exit {
    let size = WorldSize::default();
    let (mut all, mut missed) = (0, 0);
    output::line(format!("{:28} {:>6}  {:>5}  {}", "specimen", "worlds", "lines", "property"));
    for specimen in Specimen::ALL.into_iter().filter(|specimen| *specimen != Specimen::SOUND) {
        all += 1;
        let accused = Accused::Specimen(specimen);
        let found = (1..=runs).find_map(|seed| try_seed(accused, seed, &size));
        let Some(found) = found else {
            missed += 1;
            output::line(format!("{:28} {:>6}  {:>5}  not found", specimen.name(), "-", "-"));
            continue;
        };
        let shrunk = shrink::with_progress(accused, &found.file, PATIENCE);
        let lines = shrunk.as_ref().map_or(0, Shrunk::lines);
        let property = found.wrong.property.name();
        output::line(format!("{:28} {:>6}  {lines:>5}  {property}", specimen.name(), found.seed));
    }
    let found = all - missed;
    output::note(format!("{found} of {all} found, within {}", counted(runs, "world")));
    if missed == 0 { Exit::Done } else { Exit::No }
}

/// Who dies.
enum Victim {
    /// The shipped harvester, by function calls.
    Simulated,
    /// The shipped harvester, as a process.
    Shipped { loopback: Loopback, words: Vec<String> },
    /// Somebody's command.
    Stranger { harvester: Box<Harvester>, place: Place, words: Vec<String> },
}

impl Victim {
    /// How it is named on the command line.
    fn words(&self) -> &[String] {
        match self {
            Self::Simulated => &[],
            Self::Shipped { words, .. } | Self::Stranger { words, .. } => words,
        }
    }
}

fn victims(others: &HarvesterArguments, arm: SweepArm) -> anyhow::Result<Vec<Victim>> {
    let shipped = || {
        let program = std::env::current_exe().context("failed to find this program's own file")?;
        let words = ["--arm", "loopback"].map(str::to_owned).into();
        anyhow::Ok(Victim::Shipped { loopback: Loopback::new(program), words })
    };
    if others.harvester.is_empty() {
        return Ok(vec![match arm {
            SweepArm::Pure => Victim::Simulated,
            SweepArm::Loopback => shipped()?,
        }]);
    }
    let project = std::env::current_dir().context("failed to find the current folder")?;
    subjects(others)?
        .into_iter()
        .zip(&others.harvester)
        .map(|(subject, asked)| match subject {
            Subject::Shipped => shipped(),
            Subject::Command(harvester) => {
                let place = Place { project: project.clone(), keep: None };
                Ok(Victim::Stranger { harvester, place, words: said_of(asked, others) })
            }
            Subject::Specimen(specimen) => Err(Ended::usage(format!(
                "`specimen:{}` is no process that could be killed: name a command, or `pmh`",
                specimen.name()
            ))),
        })
        .collect()
}

/// Failures that are wrong in the same way.
struct Cause<'a> {
    wrong: &'a Wrong,
    /// The first of them.
    place: &'a CrashPlace,
    verdict: &'a str,
    count: u64,
}

/// The failures of a sweep by what is wrong, in the order in which they were met.
fn causes(sweep: &CrashSweep) -> Vec<Cause<'_>> {
    let mut causes: Vec<Cause<'_>> = Vec::new();
    for (place, wrong, verdict) in &sweep.failures {
        match causes.iter_mut().find(|cause| cause.wrong == wrong) {
            Some(cause) => cause.count += 1,
            None => causes.push(Cause { wrong, place, verdict, count: 1 }),
        }
    }
    causes
}

/// Where somebody dies, and how much is said of it.
struct Dying<'a> {
    pages_max: u32,
    only: Option<&'a str>,
    verbose: bool,
}

fn crashes(paths: &[PathBuf], victim: &Victim, dying: &Dying<'_>) -> anyhow::Result<Exit> {
    let Dying { pages_max, only, verbose } = *dying;
    let sample = [PathBuf::from(LOOPBACK_SAMPLE)];
    let is_slow = !matches!(victim, Victim::Simulated);
    let paths = if paths.is_empty() && is_slow { &sample } else { paths };
    let scripts = all_of(paths)?;
    let started = Instant::now();
    let bar = output::bar(Some(scripts.len() as u64), "scenarios");
    let (mut swept, mut places, mut left_out, mut failures) = (0, 0, 0, 0);
    for Selected { script, file } in &scripts {
        bar.inc(1);
        let failed = || format!("failed to sweep `{}`", script.id);
        let sweep = match victim {
            Victim::Simulated => sweep_crashes(script, only),
            Victim::Shipped { loopback, .. } => {
                sweep_kills(script, loopback, pages_max, only).with_context(failed)?
            }
            Victim::Stranger { harvester, place, .. } => {
                sweep_stranger(script, harvester, place, pages_max, only).with_context(failed)?
            }
        };
        let Some(sweep) = sweep else { continue };
        swept += 1;
        places += sweep.places;
        left_out += sweep.left_out;
        failures += sweep.failures.len() as u64;
        bar.suspend(|| {
            for Cause { wrong, place, verdict, count } in causes(&sweep) {
                let (id, deaths) = (&script.id, counted(count, "death"));
                output::line(format!("✖ {id}: {wrong}: {deaths}, first: {place}"));
                let mut again = ["pmh", "sweep", "crash", file].map(str::to_owned).to_vec();
                again.extend_from_slice(victim.words());
                again.extend(["--place".to_owned(), place.to_string(), "-v".to_owned()]);
                output::line(format!("  again: {}", shell_words::join(again)));
                if verbose {
                    output::text(verdict);
                }
            }
        });
    }
    bar.finish_and_clear();
    let name = match victim {
        Victim::Stranger { harvester, .. } => format!("{}: ", harvester.name),
        Victim::Simulated | Victim::Shipped { .. } => String::new(),
    };
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!(", {} left out", counted(left_out, "place")),
    };
    output::line(format!(
        "{name}{} of {} end complete: {}, {}{left_out} · {:.1} s",
        swept,
        counted(scripts.len() as u64, "scenario"),
        counted(places, "death"),
        counted(failures, "failure"),
        started.elapsed().as_secs_f64()
    ));
    Ok(match (places, failures) {
        (0, _) => Exit::Vacuous,
        (_, 0) => Exit::Done,
        _ => Exit::No,
    })
}
