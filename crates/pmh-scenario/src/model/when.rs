//! Where in a harvest something is due.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::Match;
use crate::time::Duration;

/// A place in a harvest. All that is given must hold; what is absent matches anything.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct When {
    /// Name of the run.
    #[schemars(with = "Option<String>")]
    pub(crate) run: Option<Spanned<String>>,
    /// The verb of the request.
    #[schemars(with = "Option<String>")]
    pub(crate) verb: Option<Spanned<String>>,
    /// Arguments of the request, decoded, such as { set = "maps" }; others may stand beside them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) args: BTreeMap<String, String>,
    /// The nth list of the run, from 1: a list request without a token starts one.
    #[schemars(with = "Option<u32>")]
    pub(crate) list: Option<Spanned<u32>>,
    /// The nth page of the list by content, from 1: the page that the request asks for.
    #[schemars(with = "Option<u32>")]
    pub(crate) page: Option<Spanned<u32>>,
    /// The request carries the nth token given out in the list, from 1; 0 is the opening request.
    #[schemars(with = "Option<u32>")]
    pub(crate) token: Option<Spanned<u32>>,
    /// The page that holds the nth record of the list, from 1.
    #[schemars(with = "Option<u32>")]
    pub(crate) record: Option<Spanned<u32>>,
    /// How often this page of this list has been asked for, from 1.
    #[schemars(with = "Option<u32>")]
    pub(crate) attempt: Option<Spanned<u32>>,
    /// So long after the beginning of the run on the repository's clock, or later.
    pub(crate) after: Option<Duration>,
    /// With this share of the requests, from 0 to 1: drawn for each from the seed, the name of the fault and the place.
    #[schemars(with = "Option<f64>")]
    pub(crate) chance: Option<Spanned<f64>>,
    /// The nth request of the run, from 1. One retry moves everything behind it: a page or a token is steadier.
    #[schemars(with = "Option<u32>")]
    pub(crate) request: Option<Spanned<u32>>,
    /// The request as it was written.
    #[serde(rename = "match")]
    pub(crate) matching: Option<Match>,
}
