//! Where the harvester dies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A sudden death of the harvester.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Crash {
    /// Where in the run's first list.
    pub(crate) at: CrashPlace,
    /// The moment: "uncommitted" or "committed".
    pub(crate) phase: CrashPhase,
}

/// Where in a list a harvester dies.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CrashPlace {
    /// The page by content, from 1.
    #[schemars(with = "u32")]
    pub(crate) page: Spanned<u32>,
}

/// The moment of a crash, in terms of its page.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CrashPhase {
    /// The page has arrived and nothing of it is committed.
    Uncommitted,
    /// The page is committed, and nothing after it.
    Committed,
}
