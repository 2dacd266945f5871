//! How the repository keeps the protocol.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// How the repository keeps the protocol.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Protocol {
    /// The finest unit of datestamps: "second" or "day". Default: "second".
    pub(crate) granularity: Option<Granularity>,
    /// What is kept of deletions: "no", "transient" or "persistent". Default: "persistent".
    pub(crate) deleted_records: Option<DeletedRecords>,
    /// What tokens are made of: "stateless", "stateful" or "session". Default: "stateless".
    pub(crate) token: Option<TokenStyle>,
    /// How long a token lives. Default: for ever.
    #[serde(default)]
    pub(crate) ttl: Ttl,
    /// The resumptionToken element of the last page: "empty", "blank" or "absent". Default: "empty".
    pub(crate) last_token: Option<LastToken>,
    /// What completeListSize and cursor say: "right" or "absent". Default: "right".
    pub(crate) list_size: Option<ListSize>,
}

/// How long a token lives.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Ttl {
    /// It survives so many requests after the one that gave it out, whoever sends them; at least 1.
    #[schemars(with = "Option<u32>")]
    pub(crate) requests: Option<Spanned<u32>>,
}

/// The finest unit of datestamps.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Granularity {
    /// 2024-05-01T08:00:00Z
    #[default]
    Second,
    /// 2024-05-01
    Day,
}

/// What a repository keeps of deletions.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DeletedRecords {
    /// Deleted records vanish from its lists without a trace.
    No,
    /// It shows deletions, but promises nothing.
    Transient,
    /// It shows deletions for ever.
    #[default]
    Persistent,
}

/// What tokens are made of.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TokenStyle {
    /// Selection and position are written into the token, with reserved characters between them.
    #[default]
    Stateless,
    /// A name for a list that the repository remembers, and the page.
    Stateful,
    /// One constant token a list: each answer moves the session on.
    Session,
}

/// The resumptionToken element of the last page of a list of several pages.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LastToken {
    /// Present and empty: what the protocol asks for.
    #[default]
    Empty,
    /// Present and holding nothing but white space.
    Blank,
    /// Not there.
    Absent,
}

/// What completeListSize and cursor say.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ListSize {
    /// The size of the list and the position of the page.
    #[default]
    Right,
    /// Nothing: the attributes are not there.
    Absent,
}
