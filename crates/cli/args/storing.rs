//! Words of the commands that work on a store.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{Args, ValueEnum};

use super::{DepartureArguments, SourceArguments};
use crate::base_url::BaseUrl;

pub(crate) const STATUS_EXAMPLES: &str = "\
Examples:
  pmh status --store /var/lib/oai.sqlite
  pmh status --json | jq -r 'select(.errors > 0) | .source'   whose last run failed

Exit codes: 0 shown, 2 usage or no store, 3 it was written meanwhile, 1 our fault.";

pub(crate) const EXPORT_EXAMPLES: &str = "\
Examples:
  pmh export > records.jsonl                      everything, tombstones too
  pmh export --format xml --prefix oai_dc > records.xml     one XML document
  pmh export | jq -r 'select(.deleted) | .identifier'       what was withdrawn

A payload that uses prefixes without declaring them would spoil an XML document: it is written
as text, in <metadata form=\"text\">.

Exit codes: 0 written, 3 the store holds nothing of that, or it was written meanwhile, 2 usage or
no store, 1 our fault, or the output could not be written.";

pub(crate) const VERIFY_EXAMPLES: &str = "\
Asks four questions about a key:
  1. how many records does the repository promise?
     The size it announces; where it announces none, a count of its identifiers.
  2. how many of them does the store hold?
  3. is the list closed, and the watermark moved?
  4. would harvesting again change a row?
     Tried on a throw-away copy, with what the next run would ask for, or with --full everything.
     What the repository dates after the last run does not count.

Examples:
  pmh verify https://example.org/oai
  pmh verify https://example.org/oai --full
  pmh verify https://example.org/oai --prefix marc21 --set maps --store /var/lib/oai.sqlite
  pmh verify https://example.org/oai --size ignore      as it was harvested: its sizes count
                                          something else, so its identifiers are counted

The copy lies in the folder for temporary files (TMPDIR) and needs as much room as the store.

Exit codes: 0 yes, 4 a difference, 3 it cannot be verified and why, 2 usage, 1 our fault.";

pub(crate) const AUDIT_EXAMPLES: &str = "\
Reads the identifiers of the whole list and lays them beside what the store holds alive:
  missing  listed, not held                stale    listed with a later datestamp
  extra    held, not listed                deleted  listed as deleted, held alive
  since    dated after the last complete harvest: the next one brings them, no difference
Names 20 of each; with --json every one of them.

Examples:
  pmh audit https://example.org/oai
  pmh audit https://example.org/oai --json | jq -r 'select(.difference == \"missing\").identifier'
  pmh audit https://example.org/oai --repair      asks for each of them by GetRecord, at most
                                          10000, and stores what it is given
  pmh audit https://example.org/oai --set maps --store /var/lib/oai.sqlite

Without --repair nothing is changed, and with it nothing is removed: a record that was deleted
there waits, as in a harvest, for the next complete list; one that is gone without a tombstone
is named. Let no harvest of the same key run meanwhile.

Exit codes: 0 no difference (or none any more), 4 a difference, 3 it could not be done, 2 usage,
1 our fault.";

pub(crate) const FORGET_EXAMPLES: &str = "\
Examples:
  pmh forget https://example.org/oai                     only says what it would remove
  pmh forget https://example.org/oai --yes               every key of that source
  pmh forget https://example.org/oai --prefix oai_dc --set maps --yes
  pmh forget https://example.org/oai --set '' --yes      only keys without set

Rows that other keys have seen are kept for them. The file keeps its size; the room is used again.

Exit codes: 0 removed, 2 usage or no --yes, 3 there is no such key or a run holds it.";

pub(crate) const REKEY_EXAMPLES: &str = "\
Example, for a repository that has moved:
  pmh rekey http://old.example.org/oai https://example.org/oai
  pmh harvest https://example.org/oai                    goes on where the old one stopped

Exit codes: 0 moved, 2 usage, 3 nothing is kept under OLD, something is kept under NEW, or a
run holds a key.";

/// Where records and progress are kept.
#[derive(Debug, Args)]
pub(crate) struct StoreArgument {
    /// The store, an SQLite file; `harvest` makes it when it is not there
    #[arg(
        id = "store",
        long = "store",
        env = "HARVEST_STATE_DB",
        value_name = "FILE",
        default_value = "pmh.sqlite",
        value_parser = OsStringValueParser::new().try_map(named)
    )]
    pub(crate) path: PathBuf,
}

/// A path that is something; an empty one most often comes from a variable that a script has not set.
fn named(path: OsString) -> Result<PathBuf, &'static str> {
    if path.is_empty() {
        return Err("expected the name of a file: give one, or unset HARVEST_STATE_DB");
    }
    Ok(path.into())
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    #[command(flatten)]
    pub(crate) store: StoreArgument,
    /// One JSON object a key, one a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) store: StoreArgument,
    /// How to write them
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// Only records of this base URL
    #[arg(long, value_name = "BASE_URL")]
    pub(crate) source: Option<BaseUrl>,
    /// Only records of this format
    #[arg(long)]
    pub(crate) prefix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON object a record, one a line
    Jsonl,
    /// One document, with the header and the payload of each record
    Xml,
}

/// A key that was harvested, and how its repository is asked about it.
#[derive(Debug, Args)]
pub(crate) struct KeptArguments {
    /// Base URL of the repository, as it was harvested
    #[arg(env = "OAI_BASE_URL", hide_env_values = true)]
    pub(crate) base_url: BaseUrl,
    /// Metadata format
    #[arg(long, env = "OAI_PREFIX", default_value = "oai_dc")]
    pub(crate) prefix: String,
    /// The set, where one was harvested
    #[arg(long)]
    pub(crate) set: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgument,
    /// Ask even a source that asked not to be asked yet
    #[arg(long)]
    pub(crate) ignore_not_before: bool,
    #[command(flatten)]
    pub(crate) departures: DepartureArguments,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) kept: KeptArguments,
    /// Try everything again, not only what the next run would ask for
    #[arg(long)]
    pub(crate) full: bool,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArguments {
    #[command(flatten)]
    pub(crate) kept: KeptArguments,
    /// Ask for what differs by GetRecord, and store it
    #[arg(long)]
    pub(crate) repair: bool,
    /// One JSON object a difference, one a line, and the sum in the last
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ForgetArguments {
    /// Base URL of the source
    pub(crate) base_url: BaseUrl,
    /// Only keys of this format
    #[arg(long)]
    pub(crate) prefix: Option<String>,
    /// Only keys of this set; an empty one means those without set
    #[arg(long)]
    pub(crate) set: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgument,
    /// Remove it
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RekeyArguments {
    /// The base URL that is kept
    pub(crate) old: BaseUrl,
    /// The base URL that it is kept under from now on
    pub(crate) new: BaseUrl,
    #[command(flatten)]
    pub(crate) store: StoreArgument,
}
