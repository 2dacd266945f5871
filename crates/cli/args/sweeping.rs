//! Words of `sweep` and `shrink`.

use std::path::PathBuf;

use super::proving::HarvesterArguments;
use clap::{Args, Subcommand, ValueEnum};

pub(super) const SWEEP_EXAMPLES: &str = "\
Examples:
  pmh sweep crash token/ring
  pmh sweep seeds --runs 100000 --seed 1
  pmh sweep faults --pairs

Exit codes: 0 nothing failed, 4 something did (or a wrong harvester was not found), 5 nothing was
played, 2 usage or a wrong scenario file, 1 our fault.";

pub(super) const SHRINK_EXAMPLES: &str = "\
Examples:
  pmh shrink failing.toml

Exit codes: 4 it fails, and the shorter file fails in the same way; 0 it holds: there is nothing to
shrink; 5 what was to go wrong in it did not happen; 2 usage or a wrong scenario file; 1 our fault.";

#[derive(Debug, Args)]
pub(crate) struct SweepArguments {
    #[command(subcommand)]
    pub(crate) command: SweepCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SweepCommand {
    /// Kill the harvester at every place of every scenario that ends complete, and see that nothing is lost
    ///
    /// In the pure arm a place is any moment between two answers or commits, with a store that keeps up and one that
    /// falls behind; in the loopback arm it is a phase of a page, and SIGKILL. In the pure arm the store fails as well, at every
    /// commit: refused, durable and not confirmed, disk full. A command (`--harvester`) is killed with its process group at
    /// every page: before the answer, after it, and with the next request. Afterwards nothing goes wrong any more, and the
    /// harvest must arrive at the truth. Failures of a scenario that are wrong in the same way are told once, with the first
    /// place and how to go there again.
    Crash {
        /// Scenario files or folders, or shipped ones [default: all shipped ones; with --arm loopback healthy/pages]
        paths: Vec<PathBuf>,
        /// How to play them
        #[arg(long, value_enum, default_value_t = SweepArm::Pure)]
        arm: SweepArm,
        /// With --arm loopback: pages of each run that are died at; of commands too
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        pages: u32,
        /// Only the place of these words, as a failure names it
        #[arg(long, value_name = "WORDS")]
        place: Option<String>,
        #[command(flatten)]
        others: HarvesterArguments,
        /// Print the verdict in full, the first of each kind of failure
        #[arg(long, short)]
        verbose: bool,
    },
    /// Play a small world with a fault of every kind at every exchange, once and from there on, or with pairs of them
    Faults {
        /// Pairs of faults in place of single ones
        #[arg(long)]
        pairs: bool,
        /// With --pairs: only every nth pair
        #[arg(long, value_name = "N", default_value_t = 1, requires = "pairs", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        every: u32,
        /// Write the worlds that failed here, as scenario files
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Print the verdict of every failure in full
        #[arg(long, short)]
        verbose: bool,
    },
    /// Play random worlds, each with a subset of what may go wrong, and see that every harvest arrives at the truth
    ///
    /// A world is named by its number and is the same on every machine: `pmh sweep seeds --seed 17 --runs 1` plays world
    /// 17 again. What fails is shrunk to a short scenario file.
    Seeds {
        /// How many worlds
        #[arg(long, value_name = "N", default_value_t = 1_000, allow_negative_numbers = true)]
        runs: u64,
        /// Number of the first world
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        /// Pages of every world, all of them full [default: as its number has it, up to 30]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000))]
        pages: Option<u64>,
        /// Records of every page [default: as the world's number has it, up to 8]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000))]
        page_size: Option<u64>,
        /// Play a harvester that is wrong on purpose, until it is caught
        #[arg(long, value_name = "NAME")]
        specimen: Option<String>,
        /// Write what failed here, shrunk, as scenario files
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Seconds that shrinking one failure may take
        #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(0..=86_400))]
        patience: u64,
        /// Print the verdict of every failure in full
        #[arg(long, short)]
        verbose: bool,
    },
    /// Which wrong harvesters random worlds find: worlds needed, and lines of the shrunk file
    Specimens {
        /// Worlds played for each at the most
        #[arg(long, value_name = "N", default_value_t = 2_000, allow_negative_numbers = true)]
        runs: u64,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ShrinkArguments {
    /// A scenario file that fails, and stands alone
    pub(crate) file: PathBuf,
    /// Play this harvester, which is wrong on purpose, in place of the shipped one
    #[arg(long, value_name = "NAME")]
    pub(crate) specimen: Option<String>,
    /// Write the smaller file here [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Seconds that it may take; what was reached by then is kept
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub(crate) patience: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SweepArm {
    /// Function calls only
    Pure,
    /// Real processes, killed
    Loopback,
}
