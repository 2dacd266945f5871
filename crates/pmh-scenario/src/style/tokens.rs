//! How long tokens live, and where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long tokens live, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenLife {
    /// How many requests a token survives after it was issued; `None` is for ever.
    pub requests: Option<u32>,
    /// How many seconds of the repository's clock it survives; `None` is for ever.
    pub seconds: Option<i64>,
    /// Whether it dies of being used.
    pub is_one_use: bool,
    /// Where it is known.
    pub bound: Bound,
    /// What moves a session on.
    pub advances: Advances,
}

/// Where a token is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Everywhere.
    #[default]
    Nowhere,
    /// On one of two machines: every third request reaches the other, which refuses it.
    Node,
    /// Together with the cookie that the first page of its list has set.
    Cookie,
}

/// What a token is answered that leads beyond the last page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterEnd {
    /// A page without records, which ends the list.
    Empty,
    /// A page without records and another such token, for ever.
    EmptyForEver,
    /// noRecordsMatch
    NoRecordsMatch,
    /// badResumptionToken
    BadResumptionToken,
    /// noRecordsMatch with this HTTP status.
    Status(u16),
}

/// What moves a session on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Advances {
    /// A page that was sent, whether or not it arrived.
    #[default]
    Sent,
    /// Being asked: an HTTP error in place of the page moves it on too.
    Asked,
}
