//! Words of `prove`, `mock` and `scenario`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ProveArguments {
    /// Scenario files, folders that are searched for them, or names and folders of shipped ones such as token/ring or
    /// token [default: all shipped ones]
    pub(crate) paths: Vec<PathBuf>,
    /// How to play them
    #[arg(long, value_enum, default_value_t = ArmArgument::Both)]
    pub(crate) arm: ArmArgument,
    /// One JSON object per scenario, one a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print every verdict in full, not only those that failed
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Print which scenario catches which wrong harvester, and prove nothing else
    #[arg(long, conflicts_with_all = ["arm", "json", "journal"])]
    pub(crate) specimens: bool,
    /// Write the journals here as NDJSON, one file per scenario and arm
    #[arg(long, value_name = "DIR")]
    pub(crate) journal: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArmArgument {
    /// Function calls only: milliseconds, no port
    Pure,
    /// Real processes, sockets and files
    Loopback,
    /// Both, compared
    Both,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("served").required(true).args(["file", "records"]))]
pub(crate) struct MockArguments {
    /// A scenario file, or the name of a shipped one such as token/ring; what its first run meets is served
    pub(crate) file: Option<PathBuf>,
    /// A well-behaved repository of so many records
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    pub(crate) records: Option<u32>,
    /// Records a page
    #[arg(long, value_name = "P", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) page_size: u32,
    /// What the records are made from
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub(crate) seed: u64,
    /// Address to listen on; one that is not loopback only together with --allow-remote
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    pub(crate) listen: IpAddr,
    /// Port; 0 lets the system choose
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Let other machines reach it
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// Write the port here, the bare number, once it listens
    #[arg(long, value_name = "FILE")]
    pub(crate) port_file: Option<PathBuf>,
    /// Append every exchange here as NDJSON
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Append every request here in the combined log format; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) access_log: Option<PathBuf>,
    /// Milliseconds that every answer is held back
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3_600_000))]
    pub(crate) delay: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ScenarioArguments {
    #[command(subcommand)]
    pub(crate) command: ScenarioCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ScenarioCommand {
    /// Name the scenarios inside the program
    List,
    /// Print a scenario with every default filled in
    Show {
        /// A scenario file, or the name of a shipped one such as token/ring
        file: PathBuf,
    },
    /// Print the JSON Schema of scenario files
    Schema,
    /// Which kinds of failure and which rules of the protocol scenarios speak of, and which not
    Coverage {
        /// Scenario files or folders, or shipped ones [default: all shipped ones]
        paths: Vec<PathBuf>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Check scenario files: every mistake, with its place
    Lint {
        /// Scenario files or folders, or shipped ones [default: all shipped ones]
        paths: Vec<PathBuf>,
    },
}
