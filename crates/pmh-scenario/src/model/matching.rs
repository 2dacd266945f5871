//! What a request looks like.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// What a request looks like. All that is given must hold.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Match {
    /// Names of arguments that are not there, such as ["from", "resumptionToken"].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) absent: Vec<String>,
    /// A year, a month, a day or an instant that lies between the request's from and until as a whole: "2024-05".
    #[schemars(with = "Option<String>")]
    pub(crate) contains_window: Option<Spanned<String>>,
    /// A regular expression that is found in the query as it was sent, percent signs and all.
    #[schemars(with = "Option<String>")]
    pub(crate) query_regex: Option<Spanned<String>>,
    /// The whole query as it was sent, byte for byte.
    pub(crate) raw_query: Option<String>,
    /// The path of the URL, such as "/oai2".
    #[schemars(with = "Option<String>")]
    pub(crate) path: Option<Spanned<String>>,
    /// "GET" or "POST".
    pub(crate) method: Option<Method>,
    /// Header fields and what their values contain, such as { cookie = "session=1" }.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) header: BTreeMap<String, String>,
}

/// How a request is sent.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) enum Method {
    /// Arguments in the query.
    #[serde(rename = "GET")]
    Get,
    /// Arguments in a form.
    #[serde(rename = "POST")]
    Post,
}
