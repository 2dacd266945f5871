//! What may be typed.

mod asking; // single questions to a repository
mod checking; // a repository examined
mod harvesting; // a run
mod numbers; // numbers as they are typed
mod proving; // scenarios
mod source; // how a repository is asked
mod storing; // what is done with a store
mod sweeping; // what nobody has thought of

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
pub(crate) use sweeping::{ShrinkArguments, SweepArguments, SweepArm, SweepCommand};

pub(crate) use asking::{AskArguments, FormatsArguments, GetArguments};
pub(crate) use checking::{CheckArguments, CheckCommand, ExamineArguments};
pub(crate) use harvesting::{DieAt, HarvestArguments, RepeatedTokenArgument};
pub(crate) use proving::{
    ArmArgument, HarvesterArguments, MockArguments, ProveArguments, ScenarioArguments,
    ScenarioCommand, TraceArguments,
};
pub(crate) use source::{DepartureArguments, SourceArguments};
pub(crate) use storing::{
    AuditArguments, ExportArguments, ExportFormat, ForgetArguments, KeptArguments, RekeyArguments,
    StatusArguments, StoreArgument, VerifyArguments,
};

const EXIT_CODES: &str = "\
Exit codes:
  0  done: complete; every expectation held
  1  our fault: a bug, the store failed, the disk is full
  2  usage: bad flags, a wrong scenario file, a file that is no store
  3  could not be done: unreachable, refused, locked, unverifiable
  4  done, and the answer is no: incomplete; an expectation failed; a difference
  5  vacuous: nothing ran, a fault never fired";

/// Harvest OAI-PMH repositories, and prove that a harvester loses nothing.
#[derive(Debug, Parser)]
#[command(name = "pmh", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check whether a repository keeps the protocol
    ///
    /// It is asked some 150 things, one after the other with a pause between them; nothing is changed in it. Each check
    /// says what it expected and found, where, by which rule, and how to see it for oneself.
    #[command(after_help = checking::CHECK_EXAMPLES)]
    Check(Box<CheckArguments>),
    /// Prove the shipped harvester against scenarios, or any other that can be given a base URL
    ///
    /// Each scenario is a repository, what goes wrong with it, and what must be true of the harvester afterwards.
    /// It is played twice: by function calls (the pure arm) and with real processes, sockets and SQLite files on
    /// loopback. Both must give one verdict. The wrong harvesters that a scenario names must fail it.
    ///
    /// With `--harvester` somebody else's is proved: as a process on loopback, watched from outside, by its requests, its
    /// exit codes and what lies in its store afterwards. What cannot be known from there is not judged, and said.
    #[command(after_help = proving::PROVE_EXAMPLES)]
    Prove(Box<ProveArguments>),
    /// Judge requests that somebody else wrote down: a HAR file or an access log
    ///
    /// Says whether tokens were left alone and sent as they came, whether Retry-After was waited for, and whether a list was
    /// asked for beyond its end. An access log holds no answers: what needs them is not judged there.
    #[command(after_help = proving::TRACE_EXAMPLES)]
    Trace(TraceArguments),
    /// Serve a repository on loopback, well behaved or as wrong as a scenario says
    #[command(after_help = proving::MOCK_EXAMPLES)]
    Mock(MockArguments),
    /// Harvest a repository into an SQLite store
    ///
    /// The first run reads everything; later ones what is new, reaching back a day behind the watermark. Run it again
    /// after any trouble: it goes on where it stopped. Only a list that is proven complete moves the watermark.
    ///
    /// Ctrl-C (or SIGTERM) stores the page in hand and ends; the next run goes on from there. A kill loses nothing
    /// that was stored either.
    #[command(after_help = harvesting::HARVEST_EXAMPLES)]
    Harvest(Box<HarvestArguments>),
    /// Show what a store holds and how far each harvest got
    #[command(after_help = storing::STATUS_EXAMPLES)]
    Status(StatusArguments),
    /// Check a harvest against its repository: nothing missing, nothing open, nothing that would change
    #[command(after_help = storing::VERIFY_EXAMPLES)]
    Verify(Box<VerifyArguments>),
    /// Lay a harvest beside the list of its repository: what is missing, stale or too much, by name
    #[command(after_help = storing::AUDIT_EXAMPLES)]
    Audit(Box<AuditArguments>),
    /// Write the records of a store
    #[command(after_help = storing::EXPORT_EXAMPLES)]
    Export(ExportArguments),
    /// Remove keys from a store: their progress, and the records that no other key has seen
    #[command(after_help = storing::FORGET_EXAMPLES)]
    Forget(ForgetArguments),
    /// Keep under another base URL what is kept under one: a repository has moved
    #[command(after_help = storing::REKEY_EXAMPLES)]
    Rekey(RekeyArguments),
    /// Ask a repository who it is
    #[command(after_help = asking::IDENTIFY_EXAMPLES)]
    Identify(AskArguments),
    /// Ask a repository for its sets, all pages of them
    #[command(after_help = asking::SETS_EXAMPLES)]
    Sets(AskArguments),
    /// Ask a repository for its metadata formats
    #[command(after_help = asking::FORMATS_EXAMPLES)]
    Formats(FormatsArguments),
    /// Ask a repository for one record
    #[command(after_help = asking::GET_EXAMPLES)]
    Get(GetArguments),
    /// Look for what no scenario says: deaths at every place, faults at every exchange, random worlds
    #[command(after_help = sweeping::SWEEP_EXAMPLES)]
    Sweep(SweepArguments),
    /// Make a scenario that fails as short as it can be
    ///
    /// Faults, keys and runs that the failure does not need go; faults become weaker and numbers smaller, for as long as
    /// the same property fails. The file is then read again from disk, and played in both arms.
    #[command(after_help = sweeping::SHRINK_EXAMPLES)]
    Shrink(ShrinkArguments),
    /// Look at scenario files
    #[command(after_help = proving::SCENARIO_EXAMPLES)]
    Scenario(ScenarioArguments),
    /// Print a script that completes commands and flags in a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArguments),
    /// Print the manual page of the program, or of one command
    #[command(after_help = MAN_EXAMPLES)]
    Man(ManArguments),
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  pmh completions bash > ~/.local/share/bash-completion/completions/pmh
  pmh completions zsh > ~/.zfunc/_pmh
  pmh completions fish > ~/.config/fish/completions/pmh.fish";

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  pmh man > pmh.1
  pmh man harvest > pmh-harvest.1 && man ./pmh-harvest.1";

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// A command [default: the program]
    pub(crate) command: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn examples_stand_within_the_margin_and_exit_codes_beside_them() {
        for command in Arguments::command().get_subcommands() {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let is_for_shells = ["completions", "man"].contains(&command.get_name());
            let has_codes = examples.contains("Exit codes: ") || is_for_shells;
            assert!(has_codes, "`{}` does not say how it ends", command.get_name());
            for line in examples.lines() {
                let width = line.chars().count();
                assert!(width <= 100, "{width} columns in `{}`: {line}", command.get_name());
            }
        }
    }
}
