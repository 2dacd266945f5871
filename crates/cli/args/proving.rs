//! Words of `prove`, `mock` and `scenario`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

pub(super) const PROVE_EXAMPLES: &str = "\
Examples:
  pmh prove token/ --arm pure
  pmh prove --harvester 'python3 harvest.py {base-url} {work}/out.jsonl' --store jsonl=out.jsonl
  pmh prove --harvester sickle --harvester pmh --report html=matrix.html,junit=matrix.xml
  pmh prove --harvester './get.sh {base-url}' --store none --guard no-progress=exit:3 --jobs 4

Exit codes: 0 every scenario held, or failed as the file of known failures says; 4 one failed, gave
up, or holds though it is known as a failure; 5 nothing was proved: a fault never fired, or all were
left out; 2 usage or a wrong scenario file; 3 no port or no process could be had; 1 our fault.";

pub(super) const TRACE_EXAMPLES: &str = "\
Examples:
  pmh trace yesterday.har
  pmh trace /var/log/nginx/access.log --json

Exit codes: 0 no rule was broken, 4 one was, 5 none could be judged, 2 usage or a file that is
neither.";

pub(super) const MOCK_EXAMPLES: &str = "\
Examples:
  pmh mock token/ring --port 8080
  pmh mock mine.toml --port-file port --journal journal.ndjson &

Exit codes: 0 it was told to stop, 2 usage or a wrong scenario file, 3 the address cannot be had,
1 our fault.";

pub(super) const SCENARIO_EXAMPLES: &str = "\
Examples:
  pmh scenario show token/ring               every default filled in
  pmh scenario show --source token/ring      as it was written, with the numbers of its lines
  pmh scenario lint mine.toml
  pmh scenario schema > scenario.schema.json

Exit codes: 0 done, 2 usage or a wrong scenario file, 1 our fault.";

#[derive(Debug, Args)]
pub(crate) struct TraceArguments {
    /// A HAR file, or an access log in the common or combined format
    pub(crate) file: PathBuf,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ProveArguments {
    /// Scenario files, folders that are searched for them, or names and folders of shipped ones such as token/ring or
    /// token [default: all shipped ones]
    pub(crate) paths: Vec<PathBuf>,
    /// How to play them
    #[arg(long, value_enum, default_value_t = ArmArgument::Both, conflicts_with = "harvester")]
    pub(crate) arm: ArmArgument,
    /// One JSON object per scenario, one a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print every verdict in full, not only those that failed
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Print which scenario catches which wrong harvester, and prove nothing else
    #[arg(long, conflicts_with_all = ["arm", "json", "journal", "harvester"])]
    pub(crate) specimens: bool,
    /// Write the journals here as NDJSON, one file per scenario and arm; the folder is made
    #[arg(long, value_name = "DIR", conflicts_with = "harvester")]
    pub(crate) journal: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) others: HarvesterArguments,
    /// Keep what harvesters leave: a folder per scenario and harvester below this one, which is made
    #[arg(long, value_name = "DIR", requires = "harvester")]
    pub(crate) keep: Option<PathBuf>,
    /// Scenarios that are played side by side: they wait more than they work [default: two for each core]
    #[arg(long, short, value_name = "N", default_value_t = two_for_each_core(), hide_default_value = true, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,
    /// Only scenarios with this text in their names or kinds
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Only the scenario of this very name; one case of its matrix with what stands in brackets; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) case: Vec<String>,
    /// Print the JSON Schema of `--report json=FILE`, and play none
    #[arg(long)]
    pub(crate) report_schema: bool,
    /// Name the scenarios that would be played, and play none
    #[arg(long)]
    pub(crate) list: bool,
    /// Write reports: junit=FILE, json=FILE, tap=FILE, markdown=FILE, html=FILE; several with commas between them.
    /// Folders that there are not are made
    #[arg(long, value_name = "FORMAT=FILE", value_delimiter = ',')]
    pub(crate) report: Vec<String>,
    /// Failures that are known, with a reason and a date until which each is put up with (TOML)
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Option<PathBuf>,
}

/// Harvesters that are not ours.
#[derive(Debug, Args)]
pub(crate) struct HarvesterArguments {
    /// Prove this harvester instead: a command with {base-url} in it, a name of pmh.toml, `pmh`, or `specimen:NAME`
    ///
    /// May be repeated. {work} is a folder that stays from run to run of a scenario; {prefix}, {set}, {from} and {until}
    /// are filled in where a run asks for them, and an argument with one that a run does not ask for is left out.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) harvester: Vec<String>,
    /// Where its records lie, below {work}: jsonl=PATH, xml-dir=PATH, sqlite=FILE:QUERY, command=COMMAND or none
    #[arg(long, value_name = "KIND=PLACE", requires = "harvester")]
    pub(crate) store: Option<String>,
    /// How it says that a guard ended a run: NAME=exit:3 or NAME=stderr:REGEX
    #[arg(long, value_name = "NAME=SIGN", requires = "harvester")]
    pub(crate) guard: Vec<String>,
    /// Seconds for which one of its runs may neither ask nor end [default: what the scenario grants, 30]
    #[arg(long, value_name = "SECONDS", requires = "harvester", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: Option<u64>,
    /// Where harvesters are named [default: pmh.toml here, if there is one]
    #[arg(long, value_name = "FILE", requires = "harvester")]
    pub(crate) config: Option<PathBuf>,
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
#[command(group = ArgGroup::new("served").required(true).args(["file", "records", "defect"]))]
pub(crate) struct MockArguments {
    /// A scenario file, or the name of a shipped one such as token/ring; what its first run meets is served
    pub(crate) file: Option<PathBuf>,
    /// A well-behaved repository of so many records
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    pub(crate) records: Option<u32>,
    /// A small repository with this wrong in every answer, for whoever tests repositories; may be repeated. `list` names
    /// them all, `none` is the repository in which nothing is wrong
    #[arg(long, value_name = "NAME")]
    pub(crate) defect: Vec<String>,
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
        /// As it was written instead, with the numbers of its lines
        #[arg(long)]
        source: bool,
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
    /// Check scenario files: every mistake, with its place; what a file means once its form is right
    Lint {
        /// Scenario files or folders, or shipped ones [default: all shipped ones]
        paths: Vec<PathBuf>,
    },
}

fn two_for_each_core() -> u16 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u16::try_from(cores * 2).unwrap_or(256).min(256)
}
