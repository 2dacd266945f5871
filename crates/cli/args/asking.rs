//! Words of the commands that ask a repository single questions.

use clap::Args;

use super::SourceArguments;
use crate::base_url::BaseUrl;
use crate::exit::Ended;
use crate::secret::Secret;

/// Names the repository where no argument does.
const BASE_URL_VARIABLE: &str = "OAI_BASE_URL";

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

Exit codes: 0 answered, 3 no answer, 4 there is no such record, 2 usage.

With OAI_BASE_URL set, a single word that is no URL is the record.";

pub(crate) const GET_EXAMPLES: &str = "\
Examples:
  pmh get https://example.org/oai oai:example.org:17         its metadata, as XML
  pmh get https://example.org/oai oai:example.org:17 --prefix marc21 > record.xml
  pmh get https://example.org/oai oai:example.org:17 --json  header and payload

With OAI_BASE_URL set, a single word is the record.

Exit codes: 0 answered, 4 there is no such record or it was deleted, 3 no answer, 2 usage.";

#[derive(Debug, Args)]
pub(crate) struct AskArguments {
    /// Base URL of the repository
    #[arg(env = BASE_URL_VARIABLE, hide_env_values = true)]
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
    #[arg(value_name = "BASE_URL", env = BASE_URL_VARIABLE, hide_env_values = true)]
    first: Secret,
    /// Only the formats of this record
    #[arg(value_name = "IDENTIFIER")]
    second: Option<String>,
    /// One JSON object a format, one a line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
}

#[derive(Debug, Args)]
#[command(override_usage = "pmh get [OPTIONS] [BASE_URL] <IDENTIFIER>")]
pub(crate) struct GetArguments {
    /// Base URL of the repository [env: OAI_BASE_URL]
    #[arg(value_name = "BASE_URL")]
    first: Secret,
    /// The record
    #[arg(value_name = "IDENTIFIER")]
    second: Option<String>,
    /// Metadata format
    #[arg(long, env = "OAI_PREFIX", default_value = "oai_dc")]
    pub(crate) prefix: String,
    /// Header and payload as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
}

/// The repository that the environment names, if it names one.
fn base_url_of_environment() -> Option<BaseUrl> {
    Secret::from_environment(BASE_URL_VARIABLE).ok().flatten().as_ref().map(parsed)
}

/// What may hold a login, with the login apart.
fn parsed(text: &Secret) -> BaseUrl {
    let Ok(base_url) = text.reveal().parse();
    base_url
}

impl FormatsArguments {
    /// The repository, and the record if one is meant. A word that is no URL is none of a repository.
    pub(crate) fn meant(&self) -> (BaseUrl, Option<&str>) {
        let first = self.first.reveal();
        if self.second.is_none()
            && !["http://", "https://"].iter().any(|scheme| first.starts_with(scheme))
            && let Some(base_url) = base_url_of_environment()
        {
            return (base_url, Some(first));
        }
        (parsed(&self.first), self.second.as_deref())
    }
}

impl GetArguments {
    /// The repository and the record.
    ///
    /// # Errors
    /// When one of them is not named.
    pub(crate) fn meant(&self) -> anyhow::Result<(BaseUrl, &str)> {
        if let Some(identifier) = &self.second {
            return Ok((parsed(&self.first), identifier));
        }
        let base_url = base_url_of_environment().ok_or_else(|| {
            Ended::usage(format!(
                "expected a base URL and an identifier, found one of them: give both, or set {BASE_URL_VARIABLE}"
            ))
        })?;
        Ok((base_url, self.first.reveal()))
    }
}
