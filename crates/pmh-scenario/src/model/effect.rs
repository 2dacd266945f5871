//! What a fault does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{HttpEffect, RepoEffect, TimeEffect};
use crate::effect::OaiEffect;
use crate::script::{WireEffect, XmlEffect};
use crate::style::AfterEnd;

/// What a fault does to one answer.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effect {
    /// Something about the records, before the page is cut.
    Repo(RepoEffect),
    /// Something about the token.
    Token(TokenEffect),
    /// Something about what the document says.
    Oai(OaiEffect),
    /// Something about how the document is written.
    Xml(#[schemars(with = "XmlEffect")] Spanned<XmlEffect>),
    /// Something about status, header fields or body of the answer.
    Http(Box<HttpEffect>),
    /// Something about how the bytes travel.
    Wire(#[schemars(with = "WireEffect")] Spanned<WireEffect>),
    /// Something about time.
    Time(TimeEffect),
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
