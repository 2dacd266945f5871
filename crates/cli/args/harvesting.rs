//! Words of `harvest`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use pmh_protocol::Stamp;

use super::{DepartureArguments, SourceArguments, StoreArgument, numbers};
use crate::base_url::BaseUrl;

pub(crate) const HARVEST_EXAMPLES: &str = "\
Examples:
  pmh harvest https://example.org/oai                everything, then what is new
  pmh harvest https://example.org/oai --dry-run      who it is, and what would be asked for
  pmh harvest https://example.org/oai --set maps     one set and its descendants
  pmh harvest https://example.org/oai --set maps --set art --prefix oai_dc --prefix marc21
                                          four keys, one after the other
  pmh harvest https://example.org/oai --full         everything again; the same changes nothing
  pmh harvest https://example.org/oai --from 2024-01-01
                                          a first harvest that starts there:
                                          `pmh status` shows that nothing before it is known
  pmh harvest https://example.org/oai --basic reader --password-file ~/.oai-password
                                          where an account is needed
  OAI_BASE_URL=https://example.org/oai HARVEST_STATE_DB=/var/lib/oai.sqlite pmh harvest

Exit codes: 0 complete, 3 refused or unreachable, 4 incomplete (run again), 2 usage, 1 our fault.
Of several keys the worst counts: 1, then 3, then 4.";

#[derive(Debug, Args)]
pub(crate) struct HarvestArguments {
    /// Base URL of the repository, used exactly as given
    #[arg(env = "OAI_BASE_URL", hide_env_values = true)]
    pub(crate) base_url: BaseUrl,
    /// Metadata format; may be given several times
    #[arg(long = "prefix", env = "OAI_PREFIX", default_value = "oai_dc")]
    pub(crate) prefixes: Vec<String>,
    /// Only this set and its descendants; may be given several times
    #[arg(long = "set", value_name = "SET")]
    pub(crate) sets: Vec<String>,
    /// Only records changed since: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ [default: what is new]
    #[arg(long, value_name = "DATE", conflicts_with = "full")]
    pub(crate) from: Option<String>,
    /// Only records changed until
    #[arg(long, value_name = "DATE", conflicts_with = "full")]
    pub(crate) until: Option<String>,
    /// Ask for everything again, whatever is known already
    #[arg(long)]
    pub(crate) full: bool,
    /// Ask only who the repository is and what formats it has, store nothing, and show what would be asked for
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgument,
    /// Seconds between two requests [default: a quarter of the last response time, at most 5; none on loopback]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = numbers::pause)]
    pub(crate) pause: Option<f64>,
    /// Most pages of one list [default: what is plausible for it]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count)]
    pub(crate) max_pages: Option<u64>,
    /// Most records of one list [default: what is plausible for it]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count)]
    pub(crate) max_records: Option<u64>,
    /// End in order after the page that brings so many records: for a sample; the next run goes on
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count)]
    pub(crate) limit: Option<u64>,
    /// End in order after so many seconds, an answer on its way within ten more; the next run goes on
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = numbers::span)]
    pub(crate) max_duration: Option<Duration>,
    /// Seconds that a stored token may lie before it is not used any more, where the source announces no life of it
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = clap::value_parser!(u32))]
    pub(crate) resume_max_age: Option<u32>,
    /// Let deletions take effect however many they are, and lists be as short as they like
    #[arg(long)]
    pub(crate) allow_mass_delete: bool,
    /// Share (0 to 1) of the records held that one run may withdraw [default: 0.2]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = numbers::share)]
    pub(crate) mass_delete_share: Option<f64>,
    /// MiB that stay free where the store lies [default: 200]
    #[arg(long, value_name = "MIB", allow_negative_numbers = true, value_parser = numbers::mebibytes)]
    pub(crate) disk_floor: Option<u64>,
    /// End at the first departure from the protocol, instead of surviving it with a complaint
    #[arg(long)]
    pub(crate) strict: bool,
    /// Take what a whole list does not show any more as deleted; needs --full and a list that announces its size
    #[arg(long)]
    pub(crate) infer_deletions: bool,
    /// Accept that this record cannot be had, and go on without it; may be repeated
    #[arg(long, value_name = "IDENTIFIER")]
    pub(crate) accept_hole: Vec<String>,
    /// Ask even a source that asked not to be asked yet
    #[arg(long)]
    pub(crate) ignore_not_before: bool,
    /// What a token that comes back means: `evidence` waits for three pages without anything new
    #[arg(long, value_enum, default_value_t = RepeatedTokenArgument::Evidence)]
    pub(crate) repeated_token: RepeatedTokenArgument,
    /// One JSON object a key when it is over, one a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Share of its time that a wait takes; for proofs on loopback
    #[arg(long, hide = true, default_value_t = 1.0)]
    pub(crate) wait_scale: f64,
    #[command(flatten)]
    pub(crate) departures: DepartureArguments,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// A bound of the run by name, as NAME=NUMBER; for proofs
    #[arg(long = "bound", hide = true, value_parser = bound)]
    pub(crate) bounds: Vec<(String, u32)>,
    /// What the calendar says when the run begins; for proofs
    #[arg(long, hide = true, value_parser = moment)]
    pub(crate) today: Option<Stamp>,
    /// Where the process kills itself; for proofs
    #[arg(long, hide = true, value_enum)]
    pub(crate) die_at: Option<DieAt>,
}

/// Places that nobody outside the process can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DieAt {
    /// All pages are committed, the end of the list is not
    BeforeClose,
    /// The end of the list is committed
    AfterClose,
}

/// A moment.
fn moment(text: &str) -> Result<Stamp, String> {
    Stamp::parse(text).map_err(|error| error.to_string())
}

/// A bound by name.
fn bound(text: &str) -> Result<(String, u32), String> {
    let (name, number) = text.split_once('=').ok_or("expected NAME=NUMBER")?;
    let number = number.parse().map_err(|_| "expected NAME=NUMBER".to_owned())?;
    if pmh_harvest::Limits::default().set(name, number) {
        Ok((name.to_owned(), number))
    } else {
        Err(format!("there is no bound `{name}`: {}", pmh_harvest::Limits::NAMES.join(", ")))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RepeatedTokenArgument {
    /// A constant token is healthy while pages bring something new
    Evidence,
    /// The first repetition ends the run
    Strict,
}
