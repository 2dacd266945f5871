//! Words of `check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use pmh_check::{Level, Profile};

use super::SourceArguments;
use crate::base_url::BaseUrl;

pub(crate) const CHECK_EXAMPLES: &str = "\
Examples:
  pmh check https://example.org/oai               what is wrong, with its evidence
  pmh check https://example.org/oai --dry-run     what would be asked
  pmh check https://example.org/oai --report junit=check.xml --report html=check.html
  pmh check https://example.org/oai --select paging --select 'errors.bad-*'
  pmh check https://example.org/oai --write-baseline known.toml
  pmh check https://example.org/oai --baseline known.toml     fails only for what is new
  pmh check https://example.org/oai --record run1 && pmh check --replay run1
  pmh check https://example.org/oai --previous run1          what changed since, and should not have
  pmh check --from-capture run1                   what a harvest with --capture run1 has seen
  pmh check --static repository.xml              the file of a static repository; a URL does as well
  pmh check list                                  every check
  pmh check explain paging.final-empty
  pmh check defects                               which check tells of which defect, on the mock

Exit codes: 0 nothing failed, 4 something failed, 3 it could not be tested, 5 no check was selected,
2 usage.";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct CheckArguments {
    #[command(subcommand)]
    pub(crate) command: Option<CheckCommand>,
    #[command(flatten)]
    pub(crate) examine: ExamineArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CheckCommand {
    /// Name every check
    List {
        /// One JSON object a check, one a line
        #[arg(long)]
        json: bool,
    },
    /// Show which checks tell of which defect
    ///
    /// `pmh mock --defect NAME` is served on loopback for each defect in turn, examined as any repository is, and compared
    /// with the one in which nothing is wrong. A defect that no check tells of is an error.
    Defects {
        /// Names of defects; `pmh mock --defect list` shows them [default: all]
        names: Vec<String>,
    },
    /// Say what a check, or each check of a group, stands for
    Explain {
        /// Id such as paging.final-empty, or group such as paging
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ExamineArguments {
    /// Base URL of the repository
    #[arg(env = "OAI_BASE_URL", hide_env_values = true)]
    pub(crate) base_url: Option<BaseUrl>,
    /// Ids or groups of checks to run, `*` for any characters; may be repeated [default: all]
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) select: Vec<String>,
    /// Ids or groups of checks not to run; may be repeated
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) exclude: Vec<String>,
    /// A guideline whose checks are run too
    #[arg(long, value_name = "NAME", value_parser = profile, default_value = "protocol")]
    pub(crate) profile: Profile,
    /// The least binding level at which a failure counts for the exit code
    #[arg(long, value_enum, default_value_t = FailOn::Must)]
    pub(crate) fail_on: FailOn,
    /// Ids or groups of checks that must be judged: a skipped one counts as failed; may be repeated
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) require: Vec<String>,
    /// A base URL that the repository may call itself by, such as the public one of a staging host; may be repeated
    #[arg(long, value_name = "URL")]
    pub(crate) base_url_alias: Vec<BaseUrl>,
    /// A report: text, json, junit, markdown, html or monitor, to standard output or, as FORMAT=FILE, into a file;
    /// may be repeated [default: text]
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub(crate) report: Vec<String>,
    /// Print the JSON Schema of `--report json`, and ask nobody
    #[arg(long)]
    pub(crate) report_schema: bool,
    /// Also tell what passed and what was skipped
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// File of failures that are known: they do not count, until they expire. An entry may name an instance by a text in it
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Count a known failure that is gone as a failure: the file is to be kept up to date
    #[arg(long, requires = "baseline")]
    pub(crate) strict_baseline: bool,
    /// Write this run's failures as such a file
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// The file of a static repository, or its URL: this is examined, and no repository asked
    #[arg(long = "static", value_name = "FILE", conflicts_with_all = ["replay", "record", "previous", "dry_run", "save_scenario"])]
    pub(crate) static_repository: Option<String>,
    /// Only show what would be asked, of a repository in which nothing is wrong; nothing is sent
    #[arg(long, conflicts_with_all = ["replay", "record", "write_baseline", "save_scenario"])]
    pub(crate) dry_run: bool,
    /// Write every exchange into this folder, which must be new or empty, for --replay
    #[arg(long, value_name = "DIR", conflicts_with_all = ["replay", "capture"])]
    pub(crate) record: Option<PathBuf>,
    /// Judge the exchanges in this folder again; nothing is sent
    #[arg(long, value_name = "DIR")]
    pub(crate) replay: Option<PathBuf>,
    /// A command that withdraws a record of the repository, run by the shell when all else has been asked: some rules are
    /// about what a change does
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["replay", "dry_run", "static_repository"])]
    pub(crate) change: Option<String>,
    /// Judge what another command wrote into this folder with --capture, as far as it goes; nothing is sent. A journal of
    /// the mock is no capture: there are no answers in it to judge
    #[arg(long, value_name = "DIR", conflicts_with_all = ["replay", "record", "previous", "dry_run", "save_scenario", "static_repository", "change", "capture"])]
    pub(crate) from_capture: Option<PathBuf>,
    /// The recording of an earlier run, to compare with: what vanished, came late, or changed without a new datestamp
    #[arg(long, value_name = "DIR")]
    pub(crate) previous: Option<PathBuf>,
    /// Write a scenario that answers as the repository did into this folder, if something failed
    #[arg(long, value_name = "DIR")]
    pub(crate) save_scenario: Option<PathBuf>,
    /// Seconds that the repository's clock may differ from ours, or `any`
    #[arg(long, value_name = "SECONDS", default_value = "300")]
    pub(crate) clock_skew: String,
    /// Which records are looked at closely
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many records are looked at closely
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) sample: u16,
    /// Most requests
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) max_requests: u32,
    /// Most pages of one list
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) max_list_pages: u16,
    /// Most bytes of all answers together
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_bytes: u64,
    /// Seconds that answers and waits may take together; an answer on its way is given up then
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) max_duration: u64,
    /// Seconds between two requests [default: 0.5; 0 on loopback]
    #[arg(long, value_name = "SECONDS", value_parser = pause)]
    pub(crate) pause: Option<Duration>,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
}

fn profile(text: &str) -> Result<Profile, String> {
    Profile::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.as_str()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn pause(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=600.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("expected seconds, 0 to 600".to_owned()),
    }
}

/// The least binding level at which a failure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// What the protocol demands
    Must,
    /// Also what it recommends
    Should,
    /// Also what the companion guidelines recommend
    Guideline,
    /// Also what the profile asks for
    Profile,
    /// Nothing
    Never,
}

impl FailOn {
    /// The level, if any.
    pub(crate) const fn level(self) -> Option<Level> {
        match self {
            Self::Must => Some(Level::Must),
            Self::Should => Some(Level::Should),
            Self::Guideline => Some(Level::Guideline),
            Self::Profile => Some(Level::Profile),
            Self::Never => None,
        }
    }
}
