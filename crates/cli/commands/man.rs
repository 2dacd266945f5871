//! `pmh man`: the manual, in the form that `man` reads.

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::args::{Arguments, ManArguments};
use crate::exit::{Ended, Exit};
use crate::output;

pub(crate) fn run(arguments: &ManArguments) -> anyhow::Result<Exit> {
    let mut program = Arguments::command();
    // Lets commands know that they belong to the program.
    program.build();
    let shown = match &arguments.command {
        None => program,
        Some(name) => program.find_subcommand(name).cloned().ok_or_else(|| {
            Ended::usage(format!("`{name}` is no command: `pmh --help` names them"))
        })?,
    };
    let mut page = Vec::new();
    Man::new(shown).render(&mut page).context("failed to write the manual page")?;
    output::text(String::from_utf8_lossy(&page));
    Ok(Exit::Done)
}
