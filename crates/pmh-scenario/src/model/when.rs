//! Where in a harvest something is due.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A place in a harvest. What is absent matches anything.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct When {
    /// Name of the run.
    #[schemars(with = "Option<String>")]
    pub(crate) run: Option<Spanned<String>>,
    /// The nth list of the run, from 1: a list request without a token starts one.
    #[schemars(with = "Option<u32>")]
    pub(crate) list: Option<Spanned<u32>>,
    /// The nth page of the list by content, from 1: the page that the request asks for.
    #[schemars(with = "Option<u32>")]
    pub(crate) page: Option<Spanned<u32>>,
    /// The request carries the nth token given out in the list, from 1; 0 is the opening request.
    #[schemars(with = "Option<u32>")]
    pub(crate) token: Option<Spanned<u32>>,
    /// How often this page of this list has been asked for, from 1.
    #[schemars(with = "Option<u32>")]
    pub(crate) attempt: Option<Spanned<u32>>,
}
