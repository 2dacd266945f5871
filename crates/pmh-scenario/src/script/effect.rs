//! What a fault does.

use super::{HttpEffect, WireEffect, XmlEffect};
use crate::style::AfterEnd;

/// What a fault does to one answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Something about the token.
    Token(TokenEffect),
    /// Something about how the document is written.
    Xml(XmlEffect),
    /// Something about status, fields or body of the answer.
    Http(HttpEffect),
    /// Something about how the bytes travel.
    Wire(WireEffect),
}

/// Faults of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenEffect {
    /// The request is answered with badResumptionToken, and its token stays dead.
    Expire,
    /// The page carries the very token it was asked for with.
    Same,
    /// The page carries the token that page n carried: the list goes round in a ring.
    WrapTo(u32),
    /// The page carries a fresh token that leads to page n.
    RewindTo(u32),
    /// The first n requests for the page get a page without records and a fresh token that leads to it.
    EmptyPages(u32),
    /// The page carries no token although the list goes on.
    Drop,
    /// The page carries a token that leaves out the n pages after it.
    Skip(u32),
    /// The last page carries a token all the same; this is what becomes of it.
    AfterEnd(AfterEnd),
    /// The page carries the token of another list, the one of the first set.
    Foreign,
    /// The page carries its token under this text.
    Raw(String),
    /// The page carries its token under a text of so many bytes.
    Long(u32),
    /// The page carries its token with capitals for small letters and small letters for capitals.
    SwapCase,
}
