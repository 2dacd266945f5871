//! What HTTP says that it should not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::script::HttpBody;

/// Status, header fields and body of an answer.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct HttpEffect {
    /// Status code, 200 to 599. Default: 200.
    #[schemars(with = "Option<u16>")]
    pub(crate) status: Option<Spanned<u16>>,
    /// "document", "sentence", "html", "empty", or { text = "…" }. Default: the document with status 200, a sentence with
    /// any other.
    pub(crate) body: Option<HttpBody>,
    /// Value of a Retry-After field: a duration such as "2m" is sent in seconds, anything else as it is written.
    #[schemars(with = "Option<String>")]
    pub(crate) retry_after: Option<Spanned<String>>,
    /// A Retry-After field that is a date so far after the repository's clock, such as "2m", or before it: "-2m".
    #[schemars(with = "Option<String>")]
    pub(crate) retry_after_date: Option<Spanned<String>>,
    /// Value of a Location field. {base-url} stands for the base URL and {query} for the query that was asked:
    /// "{base-url}?{query}" leads back here, "/oai/new?{query}" to another path of the repository, "{base-url}" loses the
    /// query.
    #[schemars(with = "Option<String>")]
    pub(crate) location: Option<Spanned<String>>,
    /// The Content-Type field in place of the right one; "" for none.
    #[schemars(with = "Option<String>")]
    pub(crate) content_type: Option<Spanned<String>>,
    /// Fields added, such as [["set-cookie", "sid=1"]]; the same name twice is sent twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<(String, String)>")]
    pub(crate) headers: Vec<Spanned<(String, String)>>,
    /// Names of fields left out, such as ["content-type"].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) without: Vec<String>,
}

impl HttpEffect {
    /// The status, written or not.
    pub(crate) fn status(&self) -> u16 {
        self.status.as_ref().map_or(200, |status| *status.get_ref())
    }

    /// The body, written or not.
    pub(crate) fn body(&self) -> HttpBody {
        let default = if self.status() == 200 { HttpBody::Document } else { HttpBody::Sentence };
        self.body.clone().unwrap_or(default)
    }
}
