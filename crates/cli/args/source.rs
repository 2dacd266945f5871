//! Words of every command that asks a repository: how it is asked.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use pmh_harvest::Plan;

use super::numbers;
use crate::secret::Secret;

#[derive(Debug, Args)]
#[command(next_help_heading = "How the repository is asked")]
pub(crate) struct SourceArguments {
    /// Address of whoever is responsible, sent as From with each request
    #[arg(long, value_name = "ADDRESS", env = "OAI_CONTACT")]
    pub(crate) contact: Option<String>,
    /// A field sent with each request: `Name: value`, or, for what others must not see, `Name: env:VARIABLE` or
    /// `Name: file:PATH`; may be repeated
    #[arg(long = "header", value_name = "FIELD")]
    pub(crate) headers: Vec<Secret>,
    /// User for basic authentication; the password comes from --password-file or OAI_BASIC_PASSWORD
    #[arg(long, value_name = "USER")]
    pub(crate) basic: Option<String>,
    /// File that holds the password of --basic
    #[arg(long, value_name = "FILE", requires = "basic")]
    pub(crate) password_file: Option<PathBuf>,
    /// File that holds a bearer token [default: the one in OAI_BEARER_TOKEN, if that is set]
    #[arg(long, value_name = "FILE")]
    pub(crate) bearer_file: Option<PathBuf>,
    /// HTTP proxy, or `none` for the direct way [default: what HTTP_PROXY, HTTPS_PROXY and NO_PROXY say]
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<Secret>,
    /// File of PEM certificates that are trusted beside those of the system
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Seconds for finding the server, connecting and TLS [default: 30]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = numbers::patience)]
    pub(crate) timeout_connect: Option<Duration>,
    /// Seconds from the beginning until the answer begins [default: 300]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = numbers::patience)]
    pub(crate) timeout_first_byte: Option<Duration>,
    /// Seconds of silence inside an answer [default: 300]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = numbers::patience)]
    pub(crate) timeout_idle: Option<Duration>,
    /// Seconds for a whole answer [default: 3600]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = numbers::patience)]
    pub(crate) timeout_page: Option<Duration>,
    /// Most bytes of an answer, packed or unpacked [default: 64 MiB; at most 2 GiB]. Reading one takes up to three
    /// times as much memory
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true, value_parser = numbers::page_bytes)]
    pub(crate) max_page_bytes: Option<u32>,
    /// Write every request and answer into this folder, without what lets us in; exchanges.jsonl lists them
    #[arg(long, value_name = "DIR")]
    pub(crate) capture: Option<PathBuf>,
    /// Bytes that this folder may hold; then a note, and nothing more is written
    #[arg(long, value_name = "BYTES", requires = "capture", default_value = "1GiB", value_parser = numbers::bytes)]
    pub(crate) capture_max_bytes: u64,
}

/// Departures from the protocol that a source needs.
#[derive(Debug, Args)]
#[command(next_help_heading = "What the source needs")]
pub(crate) struct DepartureArguments {
    /// A departure that this source needs, by name; may be repeated
    #[arg(long, value_name = "NAME", value_parser = ["prefix-with-token", "token-raw", "end-by-count", "post"])]
    pub(crate) compat: Vec<String>,
    /// Whether announced sizes are believed
    #[arg(long, value_enum, default_value_t = SizeArgument::Believe)]
    pub(crate) size: SizeArgument,
}

impl DepartureArguments {
    pub(crate) fn apply(&self, plan: &mut Plan) {
        for name in &self.compat {
            plan.compat.turn_on(name);
        }
        plan.compat.ignore_size = self.size == SizeArgument::Ignore;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SizeArgument {
    /// A list with fewer records than announced is not complete
    Believe,
    /// The sizes of this source count something else
    Ignore,
}
