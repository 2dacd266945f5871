//! What must be true in the end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::TraceRule;

/// What must be true after the last run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Expect {
    /// What the store must hold. Default: "truth", and "subset" when the last run is expected to be incomplete or
    /// refused.
    pub(crate) store: Option<StoreExpect>,
    /// Guards that must each end a run.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) guards: Vec<Spanned<String>>,
    /// Whether no guard may end a run. Default: false.
    pub(crate) no_guards: Option<bool>,
    /// Rules on the requests of the case. Default: none.
    #[serde(default)]
    pub(crate) trace: Vec<TraceRule>,
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
    /// The truth; a record may also be held in a newer version.
    TruthOrNewer,
    /// What it held before the last run.
    Unchanged,
    /// Everything that lived in it before the last run, whatever the repository has deleted since.
    Withheld,
    /// So many live records.
    Exactly(u32),
}
