//! Words of the commands that ask a repository single questions.

use clap::Args;

use super::SourceArguments;
use crate::base_url::BaseUrl;

pub(crate) const IDENTIFY_EXAMPLES: &str = "\
Examples:
  pmh identify https://example.org/oai            who they are, and what they say of deletions
  pmh identify https://example.org/oai --json

Exit codes: 0 answered, 3 no answer or an error of the repository, 2 usage.";

pub(crate) const SETS_EXAMPLES: &str = "\
Examples:
  pmh sets https://example.org/oai                spec and name, one set a line
  pmh sets https://example.org/oai --json         one JSON object a set, one a line

A spec is what `pmh harvest --set` takes. A repository without sets is answered with 0 and no line.

Exit codes: 0 answered, 3 no answer, or a list that does not end; 2 usage.";

pub(crate) const FORMATS_EXAMPLES: &str = "\
Examples:
  pmh formats https://example.org/oai             what `pmh harvest --prefix` may be
  pmh formats https://example.org/oai oai:example.org:17     the formats of one record

Exit codes: 0 answered, 3 no answer, 4 there is no such record, 2 usage.";

pub(crate) const GET_EXAMPLES: &str = "\
Examples:
  pmh get https://example.org/oai oai:example.org:17         its metadata, as XML
  pmh get https://example.org/oai oai:example.org:17 --prefix marc21 > record.xml
  pmh get https://example.org/oai oai:example.org:17 --json  header and payload

Exit codes: 0 answered, 4 there is no such record or it was deleted, 3 no answer, 2 usage.";

#[derive(Debug, Args)]
pub(crate) struct AskArguments {
    /// Base URL of the repository
    #[arg(env = "OAI_BASE_URL", hide_env_values = true)]
    pub(crate) base_url: BaseUrl,
    /// For programs: one JSON object, or one a line for lists
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
}

#[derive(Debug, Args)]
pub(crate) struct FormatsArguments {
    /// Base URL of the repository
    #[arg(env = "OAI_BASE_URL", hide_env_values = true)]
    pub(crate) base_url: BaseUrl,
    /// Only the formats of this record
    pub(crate) identifier: Option<String>,
    /// One JSON object a format, one a line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
}

#[derive(Debug, Args)]
pub(crate) struct GetArguments {
    /// Base URL of the repository
    pub(crate) base_url: BaseUrl,
    /// The record
    pub(crate) identifier: String,
    /// Metadata format
    #[arg(long, env = "OAI_PREFIX", default_value = "oai_dc")]
    pub(crate) prefix: String,
    /// Header and payload as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
}
