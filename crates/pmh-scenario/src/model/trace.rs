//! Rules on the requests of a case.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::time::Duration;

/// A rule on the requests of a case. One that had nothing to look at makes the verdict vacuous.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TraceRule {
    /// A token stands alone beside the verb (rule 181).
    TokenSoleArgument,
    /// A token is sent exactly as it was delivered (rule 136).
    TokenVerbatim,
    /// Characters of a token that a URL gives a meaning to are percent-encoded (rule 144).
    TokenEncoded,
    /// After badResumptionToken the list is opened again with the same dates, set and format (rule 243).
    RestartFromWindow,
    /// After a lost answer to a token the same token is sent again (rule 243).
    ResendsLastToken,
    /// A run that follows an unfinished one goes on with its token, or opens the same list again.
    SameWindowOnResume,
    /// No request before its Retry-After has passed (rule 78).
    HonoursRetryAfter,
    /// So many requests at once, and no more.
    MaxConcurrency(#[schemars(with = "u32")] Spanned<u32>),
    /// So long between two requests of a run (rules 234 and 240).
    MinGap(Duration),
    /// Nothing is asked for beyond the end of a list (rules 137 and 242).
    StopsAfterEmptyToken,
    /// A run that this guard ends sends nothing more.
    NoRequestAfter(#[schemars(with = "String")] Spanned<String>),
    /// No date is sent before Identify was asked for, and none finer than it says (rule 115).
    GranularityLearned,
    /// A later run asks from no later than the first answer of the last complete one (rule 237).
    OverlapKept,
    /// So many requests with this verb over all runs, and no more.
    AtMost(AtMost),
    /// No request with this verb and these arguments.
    Never(Never),
    /// The first requests with these verbs come in this order.
    Order(#[schemars(with = "Vec<String>")] Vec<Spanned<String>>),
}

/// So many requests and no more.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct AtMost {
    /// How many.
    pub(crate) n: u32,
    /// The verb. Default: any.
    #[schemars(with = "Option<String>")]
    pub(crate) verb: Option<Spanned<String>>,
}

/// Requests that must not be sent.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Never {
    /// The verb. Default: any.
    #[schemars(with = "Option<String>")]
    pub(crate) verb: Option<Spanned<String>>,
    /// Arguments, decoded; others may stand beside them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) args: BTreeMap<String, String>,
}
