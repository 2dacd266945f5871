//! `pmh`: harvest OAI-PMH repositories, and prove that a harvester loses nothing.
//!
//! Words in, words out: each command builds an options value, calls one library function and says what came of it.

mod args; // what may be typed
mod commands; // one file each
mod exit; // the one table of exit codes
mod output; // how things look on a terminal and in a pipe
mod shipped;
mod signal; // the wish of an operator that a command end // the scenarios inside the binary

use clap::Parser as _;

use crate::args::{Arguments, Command};
use crate::exit::Exit;

fn main() -> std::process::ExitCode {
    let result = match Arguments::parse().command {
        Command::Prove(arguments) => commands::prove::run(&arguments),
        Command::Mock(arguments) => commands::mock::run(&arguments),
        Command::Harvest(arguments) => commands::harvest::run(&arguments),
        Command::Status(arguments) => commands::status::run(&arguments),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Scenario(arguments) => commands::scenario::run(&arguments),
    };
    let exit = result.unwrap_or_else(|error| {
        output::error(&error);
        Exit::of(&error)
    });
    let exit = if exit == Exit::Done && !output::is_whole() { Exit::Ours } else { exit };
    exit.into()
}
