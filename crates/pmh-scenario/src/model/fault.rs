//! A deliberate departure.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{Effect, When};

/// One deliberate departure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Fault {
    /// What happens, in words: journals and reports print it.
    #[schemars(with = "String")]
    pub(crate) name: Spanned<String>,
    /// When it is due: at every request where all of this holds. Default: at every request.
    #[schemars(with = "Option<When>")]
    pub(crate) when: Option<Spanned<When>>,
    /// What it does.
    #[serde(rename = "do")]
    pub(crate) effect: Effect,
    /// At most so many firings. Default: no limit.
    #[schemars(with = "Option<u32>")]
    pub(crate) times: Option<Spanned<u32>>,
    /// Whether the scenario is still worth something when this never fires. Default: false.
    pub(crate) optional: Option<bool>,
}
