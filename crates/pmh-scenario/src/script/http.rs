//! What HTTP says that it should not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An answer whose HTTP part is not what goes with an OAI-PMH document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpEffect {
    /// Status code.
    pub status: u16,
    /// What the answer holds.
    pub body: HttpBody,
    /// Text of a Retry-After field, as it is sent.
    pub retry_after: Option<String>,
    /// A Retry-After field that is a date so many seconds after the repository's clock, which a Date field shows;
    /// negative: before it.
    pub retry_after_date: Option<i64>,
    /// Text of a Location field: `{base-url}` and `{query}` stand for what they say.
    pub location: Option<String>,
    /// The Content-Type field in place of the right one; empty: none.
    pub content_type: Option<String>,
    /// Fields added, in this order.
    pub headers: Vec<(String, String)>,
    /// Names of fields left out.
    pub without: Vec<String>,
}

impl Default for HttpEffect {
    fn default() -> Self {
        Self {
            status: 200,
            body: HttpBody::default(),
            retry_after: None,
            retry_after_date: None,
            location: None,
            content_type: None,
            headers: Vec::new(),
            without: Vec::new(),
        }
    }
}

/// What an HTTP answer holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HttpBody {
    /// A sentence that says what is going on.
    #[default]
    Sentence,
    /// The document that belongs there.
    Document,
    /// A page for people.
    Html,
    /// Nothing.
    Empty,
    /// This text.
    Text(String),
}
