//! The repository's clock.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::time::{Duration, Instant};

/// The repository's clock.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Clock {
    /// What it says when the first run begins, as a string or a bare date. It must stay in the past for a harvester
    /// with a real clock. Default: 2025-01-01T00:00:00Z.
    #[schemars(with = "Option<Instant>")]
    pub(crate) start: Option<Spanned<Instant>>,
    /// How far it moves with each answered request. Default: "1s".
    #[schemars(with = "Option<Duration>")]
    pub(crate) tick: Option<Spanned<Duration>>,
    /// From the beginning of one run to the beginning of the next. Default: "1d".
    #[schemars(with = "Option<Duration>")]
    pub(crate) between_runs: Option<Spanned<Duration>>,
}
