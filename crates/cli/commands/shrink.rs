//! `pmh shrink`: a failure as a short file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use pmh_oracle::{Class, judge};
use pmh_runner::{Accused, Arm, Loopback, Shrunk, Specimen, prove, shrink, simulate};
use pmh_scenario::Loaded;

use crate::args::ShrinkArguments;
use crate::exit::{Ended, Exit};
use crate::output::{self, counted};
use crate::scratch::scratch;
use crate::{commands, shipped};

/// How often a shrunk file is played with processes: what fails only now and then is said to.
const CONFIRMATIONS: usize = 3;

pub(crate) fn run(arguments: &ShrinkArguments) -> anyhow::Result<Exit> {
    let accused = accused(arguments.specimen.as_deref())?;
    let _room = scratch()?;
    let file = shipped::one(&arguments.file)?;
    let cases = commands::scenario::load(&file).map_err(commands::scenario::wrong)?;
    // Shrinking may take minutes: what cannot be written is known before.
    if let Some(out) = arguments.out.as_ref().filter(|out| out.is_dir()) {
        return Err(Ended::usage(format!("`{}` is a folder: name a file in it", out.display())));
    }
    let shrunk = with_progress(accused, &file.text, Duration::from_secs(arguments.patience));
    let Some(found) = &shrunk else {
        return nothing_to_shrink(&file.name, accused, &cases);
    };
    tell(&shrunk, arguments.out.clone())?;
    confirm(accused, found, arguments.out.as_deref())?;
    Ok(Exit::No)
}

/// Says why nothing fails in a file by itself.
fn nothing_to_shrink(name: &str, accused: Accused, cases: &[Loaded]) -> anyhow::Result<Exit> {
    let scripts: Vec<_> = cases.iter().map(|case| Arc::new(case.script())).collect();
    if scripts.iter().any(|script| accused.wrong(script).is_some()) {
        return Err(Ended::usage(format!(
            "`{name}` fails, and does not when it stands alone: put what it extends and reads into it, from `pmh \
             scenario show`, and name one case of its matrix"
        )));
    }
    let is_vacuous = accused == Accused::Shipped
        && scripts.iter().any(|script| judge(script, &simulate(script)).class() == Class::Vacuous);
    if is_vacuous {
        output::note(format!(
            "`{name}` does not fail: what was to go wrong did not happen, as `pmh prove` says; there is nothing to shrink"
        ));
        return Ok(Exit::Vacuous);
    }
    output::note(format!("`{name}` holds in the pure arm: there is nothing to shrink"));
    Ok(Exit::Done)
}

/// Who is meant by the name of a specimen, or by none.
pub(super) fn accused(specimen: Option<&str>) -> anyhow::Result<Accused> {
    let Some(name) = specimen else { return Ok(Accused::Shipped) };
    let names: Vec<&str> = Specimen::ALL.iter().map(Specimen::name).collect();
    Specimen::named(name).map(Accused::Specimen).ok_or_else(|| {
        Ended::usage(format!("there is no specimen `{name}`; there are {}", names.join(", ")))
    })
}

/// Shrinks, and shows on a terminal how far it is.
pub(super) fn with_progress(accused: Accused, text: &str, patience: Duration) -> Option<Shrunk> {
    let bar = output::bar(None, "files tried");
    let shrunk = shrink(accused, text, patience, &mut |faults, records, probes| {
        bar.set_position(probes);
        let records = records.map_or_else(String::new, |records| format!(", {records} records"));
        bar.set_message(format!("{}{records}", counted(faults as u64, "fault")));
    });
    bar.finish_and_clear();
    shrunk
}

/// Says what came of shrinking, and writes the file.
pub(super) fn tell(shrunk: &Option<Shrunk>, out: Option<PathBuf>) -> anyhow::Result<()> {
    let Some(shrunk) = shrunk else { return Ok(()) };
    let until = if shrunk.is_cut_short { ", until time was up" } else { "" };
    output::note(format!(
        "shrunk to {} in {} probes{until}",
        counted(shrunk.lines() as u64, "line"),
        shrunk.probes
    ));
    match out {
        Some(path) => {
            write(&path, &shrunk.file)?;
            output::line(format!("  written: {}", path.display()));
        }
        None => output::text(&shrunk.file),
    }
    Ok(())
}

/// Writes a file, and the folder it is in.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder
        .and_then(|()| fs::write(path, text))
        .map_err(|error| Ended::usage(format!("failed to write `{}`: {error}", path.display())))
}

/// Reads the shrunk file again, from disk, and plays it in both arms. A wrong specimen has only the pure one.
fn confirm(accused: Accused, shrunk: &Shrunk, written: Option<&Path>) -> anyhow::Result<()> {
    let room = tempfile::tempdir().context("failed to make room for a file")?;
    let path = match written {
        Some(path) => path.to_owned(),
        None => {
            let path = room.path().join("shrunk.toml");
            write(&path, &shrunk.file)?;
            path
        }
    };
    let cases =
        commands::scenario::load(&shipped::one(&path)?).map_err(commands::scenario::wrong)?;
    let Some(script) = cases.first().map(|case| Arc::new(case.script())) else {
        return Ok(());
    };
    let fails_again = accused.wrong(&script).is_some_and(|(wrong, _)| wrong.is_like(&shrunk.wrong));
    anyhow::ensure!(fails_again, "what `{}` was shrunk to does not fail from disk", path.display());
    if accused != Accused::Shipped {
        output::note("confirmed from disk: fails in the pure arm");
        return Ok(());
    }
    let program = std::env::current_exe().context("failed to find this program's own file")?;
    let loopback = Loopback::new(program);
    let mut fails = 0;
    for _ in 0..CONFIRMATIONS {
        let case = prove(&script, &[Arm::Loopback], &loopback)
            .context("failed to play the shrunk file with processes")?;
        let failed = case.played.iter().flat_map(|played| played.verdict.failed());
        fails += usize::from(failed.into_iter().any(|property| property == shrunk.wrong.property));
    }
    output::note(match fails {
        CONFIRMATIONS => {
            format!(
                "confirmed from disk: fails in the pure arm, and {fails} times of {fails} in the loopback arm"
            )
        }
        0 => "confirmed from disk in the pure arm only: holds in the loopback arm".to_owned(),
        _ => format!(
            "flaky: fails from disk in the pure arm, and {fails} times of {CONFIRMATIONS} in the loopback arm"
        ),
    });
    Ok(())
}
