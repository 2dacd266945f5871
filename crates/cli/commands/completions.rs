//! `pmh completions`: commands and flags for a shell.

use clap::CommandFactory as _;

use crate::args::{Arguments, CompletionsArguments};
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(arguments: &CompletionsArguments) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "pmh", &mut script);
    output::text(String::from_utf8_lossy(&script));
    Exit::Done
}
