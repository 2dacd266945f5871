//! What a fault does.

use super::{Change, HttpEffect, WireEffect, XmlEffect};
use crate::effect::OaiEffect;
use crate::style::AfterEnd;

/// What a fault does to one answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Something about the records.
    Repo(RepoEffect),
    /// Something about the token.
    Token(TokenEffect),
    /// Something about what the document says.
    Oai(OaiEffect),
    /// Something about how the document is written.
    Xml(XmlEffect),
    /// Something about status, fields or body of the answer.
    Http(HttpEffect),
    /// Something about how the bytes travel.
    Wire(WireEffect),
    /// Something about time.
    Time(TimeEffect),
}

/// What changes in the repository while a list is read, before the page is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepoEffect {
    /// Its records, stamped with its clock.
    Change(Change),
    /// The order of its live lists: another one by the seed, each time.
    Reorder,
    /// Its program: all tokens die, and pages have another size if one is given.
    Deploy {
        /// Entries a page from now on.
        page_size: Option<usize>,
    },
}

/// What happens to time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeEffect {
    /// The answer takes so many seconds longer, on every clock.
    Delay(i64),
    /// The repository's clock jumps by so many seconds before the answer; negative: back.
    Jump(i64),
    /// responseDate is this text.
    ResponseDate(String),
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
