//! An answer word for word.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::When;
use crate::script::WireEffect;

/// An answer word for word. The first reply that fits a request answers it.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Reply {
    /// What is answered, in words: journals and verdicts print it. Default: the file, or a number.
    #[schemars(with = "Option<String>")]
    pub(crate) name: Option<Spanned<String>>,
    /// Which requests it fits. Default: all of them.
    #[schemars(with = "Option<When>")]
    pub(crate) when: Option<Spanned<When>>,
    /// The file that holds the body, beside the file that names it. One that ends in .http holds status line and header
    /// fields as well. `{{nonce}}` and `{{now+2s}}` are filled in.
    #[schemars(with = "Option<String>")]
    pub(crate) file: Option<Spanned<String>>,
    /// A recording of exchanges: the index of a folder that `pmh harvest --capture` or `pmh check --record` has made, such
    /// as "recorded/exchanges.jsonl". Each request in it is answered as it was; asked again, as it was the next time.
    #[schemars(with = "Option<String>")]
    pub(crate) tape: Option<Spanned<String>>,
    /// The body itself. `{{nonce}}` and `{{now+2s}}` are filled in.
    #[schemars(with = "Option<String>")]
    pub(crate) body: Option<Spanned<String>>,
    /// What stands inside the OAI-PMH element after responseDate and request, which are put around it.
    #[schemars(with = "Option<String>")]
    pub(crate) xml: Option<Spanned<String>>,
    /// HTTP status, 200 to 599. Default: 200.
    #[schemars(with = "Option<u16>")]
    pub(crate) status: Option<Spanned<u16>>,
    /// Header fields. Default: a Content-Type by the ending of the file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) headers: BTreeMap<String, Spanned<String>>,
    /// How its bytes travel, such as reset-at.byte = 700, where no fault of the wire is due. Default: well.
    #[schemars(with = "Option<WireEffect>")]
    pub(crate) wire: Option<Spanned<WireEffect>>,
    /// At most so many answers; then the next that fits. Default: no limit.
    #[schemars(with = "Option<u32>")]
    pub(crate) times: Option<Spanned<u32>>,
    /// Whether the scenario is still worth something when this never answers. Default: false.
    pub(crate) optional: Option<bool>,
}
