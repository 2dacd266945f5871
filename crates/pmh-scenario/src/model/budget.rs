//! What may be used up.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::check::REQUESTS_MAX;
use crate::time::Duration;

/// What may be used up.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Budget {
    /// Requests over all runs; the repository answers no more than these. Default: 500.
    #[schemars(with = "Option<u32>", range(min = 1, max = REQUESTS_MAX))]
    pub(crate) requests: Option<Spanned<u32>>,
    /// How long a run may neither ask nor end, on the wall clock; five times as long, and it is stopped whatever it
    /// does. Default: "30s".
    #[schemars(with = "Option<Duration>")]
    pub(crate) wall: Option<Spanned<Duration>>,
}
