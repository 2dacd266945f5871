//! What a fault does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::style::AfterEnd;

/// What a fault does to one answer.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effect {
    /// Something about the token.
    Token(TokenEffect),
    /// An HTTP answer without an OAI-PMH document.
    Http(HttpEffect),
}

/// Faults of tokens.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TokenEffect {
    /// The request is answered with badResumptionToken, and its token stays dead.
    Expire,
    /// The page carries the very token it was asked for with.
    Same,
    /// The page carries no token although the list goes on.
    Drop,
    /// The page carries the token that page n carried: the list goes round in a ring.
    WrapTo(#[schemars(with = "u32")] Spanned<u32>),
    /// The page carries a fresh token that leads to page n, and so do all pages after it.
    RewindTo(#[schemars(with = "u32")] Spanned<u32>),
    /// The page is announced n times by an empty page with a fresh token before it comes.
    EmptyPages(#[schemars(with = "u32")] Spanned<u32>),
    /// The page carries a token that leaves out the n pages after it.
    Skip(#[schemars(with = "u32")] Spanned<u32>),
    /// The last page carries a token all the same: "empty", "empty-for-ever", "no-records-match",
    /// "bad-resumption-token", or status = 404, is what it is answered.
    AfterEnd(#[schemars(with = "AfterEnd")] Spanned<AfterEnd>),
    /// The page carries the token of another list: the one of the first set.
    Foreign,
    /// The page carries its token under this text, and the repository knows it by no other.
    Raw(#[schemars(with = "String")] Spanned<String>),
    /// The page carries its token under a text of so many bytes, 1 to 100000.
    Long(#[schemars(with = "u32")] Spanned<u32>),
    /// The page carries its token with capitals for small letters and the reverse.
    SwapCase,
}

/// An HTTP answer without an OAI-PMH document.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct HttpEffect {
    /// Status code, 200 to 599, of an answer with a body.
    #[schemars(with = "u16")]
    pub(crate) status: Spanned<u16>,
    /// Value of a Retry-After field: a duration such as "2m" is sent in seconds, anything else as it is written.
    #[schemars(with = "Option<String>")]
    pub(crate) retry_after: Option<Spanned<String>>,
}
