//! `pmh`: harvest OAI-PMH repositories, and prove that a harvester loses nothing.
//!
//! Words in, words out: each command builds an options value, calls one library function and says what came of it.

mod args; // what may be typed
mod asking; // what it takes to ask a repository
mod base_url; // a base URL without the login in it
mod commands; // one file each
mod credentials; // what lets us in
mod exit; // the one table of exit codes
mod output; // how things look on a terminal and in a pipe
mod scratch; // room that is gone with the command
mod secret; // what must not be seen
mod shipped; // the scenarios inside the binary
mod signal; // the wish of an operator that a command end
mod xml; // records as one XML document

use clap::Parser as _;

use crate::args::{Arguments, Command};
use crate::exit::Exit;

/// Pages are a thousand small strings each, made on one thread and dropped on another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let result = match Arguments::parse().command {
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Prove(arguments) => commands::prove::run(&arguments),
        Command::Trace(arguments) => commands::trace::run(&arguments),
        Command::Mock(arguments) => commands::mock::run(&arguments),
        Command::Harvest(arguments) => commands::harvest::run(&arguments),
        Command::Status(arguments) => commands::status::run(&arguments),
        Command::Verify(arguments) => commands::verify::run(&arguments),
        Command::Audit(arguments) => commands::audit::run(&arguments),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Forget(arguments) => commands::forget::run(&arguments),
        Command::Rekey(arguments) => commands::rekey::run(&arguments),
        Command::Identify(arguments) => commands::identify::run(&arguments),
        Command::Sets(arguments) => commands::sets::run(&arguments),
        Command::Formats(arguments) => commands::formats::run(&arguments),
        Command::Get(arguments) => commands::get::run(&arguments),
        Command::Sweep(arguments) => commands::sweep::run(&arguments),
        Command::Shrink(arguments) => commands::shrink::run(&arguments),
        Command::Scenario(arguments) => commands::scenario::run(&arguments),
        Command::Completions(arguments) => Ok(commands::completions::run(&arguments)),
        Command::Man(arguments) => commands::man::run(&arguments),
    };
    let exit = result.unwrap_or_else(|error| {
        output::error(&error);
        Exit::of(&error)
    });
    let exit = if exit == Exit::Done && !output::is_whole() { Exit::Ours } else { exit };
    exit.into()
}
