//! What an OAI-PMH document holds once it is read.

use crate::datestamp::Datestamp;
use crate::error::{Complaint, OaiError};
use crate::identify::{Identify, MetadataFormat, Set};
use crate::request::Verb;
use crate::stamp::Stamp;
use crate::token::ResumptionToken;

/// A whole OAI-PMH document (rules 91 to 106).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// responseDate, on the repository's clock; `None` when it could not be read.
    pub response_date: Option<Stamp>,
    /// The request element.
    pub request: Echo,
    /// What the answer is.
    pub body: Body,
}

/// The request as the repository repeats it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Echo {
    /// Content of the request element: the base URL as the repository sees it.
    pub base_url: String,
    /// Its attributes in document order: the arguments, verb included. Empty on badVerb and badArgument (rule 102).
    pub arguments: Vec<(String, String)>,
}

/// The third child of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// One or more error elements.
    Errors(Vec<OaiError>),
    /// Identify
    Identify(Box<Identify>),
    /// ListMetadataFormats
    Formats(Vec<MetadataFormat>),
    /// ListSets
    Sets {
        /// The sets of this page.
        sets: Vec<Set>,
        /// How the list goes on.
        token: Option<ResumptionToken>,
    },
    /// ListRecords or ListIdentifiers
    List(Page),
    /// GetRecord
    Record(Box<Item>),
}

/// One parsed list response: the entries and how the list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// ListRecords or ListIdentifiers.
    pub verb: Verb,
    /// The entries in the order delivered. In a page of ListIdentifiers the records have no payload.
    pub items: Vec<Item>,
    /// How the list goes on; `None` when the element is absent, which ends the list like an empty one.
    pub token: Option<ResumptionToken>,
}

impl Page {
    /// The token to ask the next page with, or `None` when the list ends here: element absent, empty or blank.
    #[must_use]
    pub fn next_token(&self) -> Option<&ResumptionToken> {
        self.token.as_ref().filter(|token| !token.is_end())
    }
}

/// One entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A live record.
    Record(Record),
    /// A deleted one.
    Tombstone(Tombstone),
}

impl Item {
    /// The entry's header.
    #[must_use]
    pub const fn header(&self) -> &Header {
        match self {
            Self::Record(record) => &record.header,
            Self::Tombstone(tombstone) => &tombstone.header,
        }
    }
}

/// A record's header, without its status: that is which [`Item`] it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The item's identifier, exactly as delivered but for white space around it.
    pub identifier: String,
    /// The record's datestamp; `None` when missing or unreadable.
    pub datestamp: Option<Datestamp>,
    /// setSpecs in document order.
    pub sets: Vec<String>,
}

/// A live record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its header.
    pub header: Header,
    /// The metadata element's only child as a self-contained XML fragment: byte for byte (where nothing had to be
    /// repaired), plus the namespace declarations in scope that it needs. `None` in ListIdentifiers, and when there was no single child.
    pub payload: Option<String>,
    /// The child of each about container, likewise self-contained.
    pub abouts: Vec<String>,
}

/// A deleted-record header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The header that carried status="deleted".
    pub header: Header,
}

/// A document together with what was wrong with it and survived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// What was read.
    pub document: Document,
    /// Departures from the specification, in document order, at most [`COMPLAINTS_MAX`].
    pub complaints: Vec<Complaint>,
    /// Entries of the list that could not be read and are therefore not in the page.
    pub unreadable: u32,
}

/// How many complaints one document keeps; the rest are dropped, so that a hostile page cannot fill memory.
pub const COMPLAINTS_MAX: usize = 100;
