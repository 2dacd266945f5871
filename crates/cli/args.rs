//! What may be typed.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

const EXIT_CODES: &str = "\
Exit codes:
  0  done: complete; every expectation held
  1  our fault: a bug, the store failed, the disk is full
  2  usage: bad flags, a wrong scenario file, a file that is no store
  3  could not be done: unreachable, refused, locked
  4  done, and the answer is no: incomplete; an expectation failed
  5  vacuous: nothing ran, a fault never fired";

const HARVEST_EXAMPLES: &str = "\
Examples:
  pmh harvest https://example.org/oai                      everything, then what is new
  pmh harvest https://example.org/oai --set maps           one set and its descendants
  pmh harvest https://example.org/oai --prefix marc21      another format; `pmh status` shows both
  pmh harvest https://example.org/oai --from 2024-01-01    a first harvest that starts there: `pmh status`
                                                           shows that nothing before it is known
  OAI_BASE_URL=https://example.org/oai HARVEST_STATE_DB=/var/lib/oai.sqlite pmh harvest

Exit codes: 0 complete, 3 refused or unreachable, 4 incomplete (run again), 2 usage, 1 our fault.";

/// Harvest OAI-PMH repositories, and prove that a harvester loses nothing.
#[derive(Debug, Parser)]
#[command(name = "pmh", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prove the shipped harvester against scenarios
    ///
    /// Each scenario is a repository, what goes wrong with it, and what must be true of the harvester afterwards.
    /// It is played twice: by function calls (the pure arm) and with real processes, sockets and SQLite files on
    /// loopback. Both must give one verdict. The wrong harvesters that a scenario names must fail it.
    Prove(ProveArguments),
    /// Serve a repository on loopback, well behaved or as wrong as a scenario says
    Mock(MockArguments),
    /// Harvest a repository into an SQLite store
    ///
    /// The first run reads everything; later ones what is new, reaching back a day behind the watermark. Run it again
    /// after any trouble: it goes on where it stopped. Only a list that is proven complete moves the watermark.
    ///
    /// Ctrl-C (or SIGTERM) stores the page in hand and ends; the next run goes on from there. A kill loses nothing
    /// that was stored either.
    #[command(after_help = HARVEST_EXAMPLES)]
    Harvest(HarvestArguments),
    /// Show what a store holds and how far each harvest got
    Status(StoreArguments),
    /// Write the records of a store
    Export(ExportArguments),
    /// Look at scenario files
    Scenario(ScenarioArguments),
}

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
}

#[derive(Debug, Args)]
pub(crate) struct HarvestArguments {
    /// Base URL of the repository, used exactly as given
    #[arg(env = "OAI_BASE_URL")]
    pub(crate) base_url: String,
    /// Metadata format
    #[arg(long, env = "OAI_PREFIX", default_value = "oai_dc")]
    pub(crate) prefix: String,
    /// Only this set and its descendants
    #[arg(long)]
    pub(crate) set: Option<String>,
    /// Only records changed since: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ [default: what is new]
    #[arg(long, value_name = "DATE")]
    pub(crate) from: Option<String>,
    /// Only records changed until
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// The store, an SQLite file; made when it is not there
    #[arg(long, env = "HARVEST_STATE_DB", value_name = "FILE", default_value = "pmh.sqlite")]
    pub(crate) store: PathBuf,
    /// Seconds between two requests [default: a quarter of the last response time, at most 5; none on loopback]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) pause: Option<f64>,
    /// Most pages of one list [default: what is plausible for it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_pages: Option<u64>,
    /// Most records of one list [default: what is plausible for it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_records: Option<u64>,
    /// End in order after so many seconds; the next run goes on
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_duration: Option<u64>,
    /// Seconds that a stored token may lie before it is not used any more, where the source announces no life of it
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32))]
    pub(crate) resume_max_age: Option<u32>,
    /// Let deletions take effect however many they are, and lists be as short as they like
    #[arg(long)]
    pub(crate) allow_mass_delete: bool,
    /// Share (0 to 1) of the records held that one run may withdraw [default: 0.2]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) mass_delete_share: Option<f64>,
    /// What a token that comes back means: `evidence` waits for three pages without anything new
    #[arg(long, value_enum, default_value_t = RepeatedTokenArgument::Evidence)]
    pub(crate) repeated_token: RepeatedTokenArgument,
    /// A departure that this source needs, by name; may be repeated
    #[arg(long, value_name = "NAME", value_parser = ["prefix-with-token", "token-raw", "end-by-count", "post"])]
    pub(crate) compat: Vec<String>,
    /// Whether announced sizes are believed
    #[arg(long, value_enum, default_value_t = SizeArgument::Believe)]
    pub(crate) size: SizeArgument,
    /// Address of whoever is responsible, sent as From with each request
    #[arg(long, value_name = "ADDRESS", env = "OAI_CONTACT")]
    pub(crate) contact: Option<String>,
    /// One JSON object when it is over
    #[arg(long)]
    pub(crate) json: bool,
    /// Share of its time that a wait takes; for proofs on loopback
    #[arg(long, hide = true, default_value_t = 1.0)]
    pub(crate) wait_scale: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RepeatedTokenArgument {
    /// A constant token is healthy while pages bring something new
    Evidence,
    /// The first repetition ends the run
    Strict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SizeArgument {
    /// A list with fewer records than announced is not complete
    Believe,
    /// The sizes of this source count something else
    Ignore,
}

/// A share: between nothing and everything.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a share between 0 and 1".to_owned()),
    }
}

/// A pause: not negative, and no longer than an hour.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=3_600.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected seconds between 0 and 3600".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct StoreArguments {
    /// The store
    #[arg(long, env = "HARVEST_STATE_DB", value_name = "FILE", default_value = "pmh.sqlite")]
    pub(crate) store: PathBuf,
    /// One JSON object a key, one a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The store
    #[arg(long, env = "HARVEST_STATE_DB", value_name = "FILE", default_value = "pmh.sqlite")]
    pub(crate) store: PathBuf,
    /// How to write them
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// Only records of this base URL
    #[arg(long, value_name = "BASE_URL")]
    pub(crate) source: Option<String>,
    /// Only records of this format
    #[arg(long)]
    pub(crate) prefix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON object a record, one a line
    Jsonl,
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
    /// Check scenario files: every mistake, with its place
    Lint {
        /// Scenario files or folders, or shipped ones [default: all shipped ones]
        paths: Vec<PathBuf>,
    },
}
