//! What a store must hold, by hand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// What the store must hold: identifiers, for answers that no model can compute it from.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Holdings {
    /// What stands before each identifier that follows, such as "oai:repo.example.org:". Default: nothing.
    pub(crate) prefix: Option<String>,
    /// Records that must be there, alive; together with `deleted` all there are. Default: not judged.
    #[schemars(with = "Option<Vec<String>>")]
    pub(crate) present: Option<Vec<Spanned<String>>>,
    /// Records that must be there as deleted ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub(crate) deleted: Vec<Spanned<String>>,
    /// Records that must not be there, neither alive nor deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub(crate) absent: Vec<Spanned<String>>,
}
