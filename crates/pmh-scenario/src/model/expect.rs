//! What must be true in the end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What must be true after the last run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Expect {
    /// What the store must hold: "truth" or "subset". Default: "truth", and "subset" when the last run is
    /// expected to be incomplete or refused.
    pub(crate) store: Option<StoreExpect>,
    /// Whether one more run is added that must change nothing. Default: false.
    pub(crate) idempotent: Option<bool>,
}

/// How the store must compare with the truth.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoreExpect {
    /// Exactly the truth.
    Truth,
    /// Nothing but the truth, perhaps not all of it.
    Subset,
}
