//! The OAI-PMH 2.0 vocabulary: bytes to values and back.
//!
//! Pure: no clock, socket, file or randomness. A document is read into a [`Document`] and a list of
//! [`Complaint`]s (a bad record costs that record, a broken envelope costs the page); what is written with
//! [`render_document`] keeps every rule, so that departures are always somebody's deliberate edit.
//!
//! Numbers of rules refer to the project's list of the protocol's rules.

mod charset; // bytes to text
mod datestamp; // a moment in the granularity it was stated in
mod decode; // content encodings undone, bounded
mod element; // a document as elements
mod error; // complaints, OAI errors, what makes bytes unreadable
mod http; // requests and answers before the XML is read
mod identify; // what a repository says about itself
mod page; // what a document holds
mod parse; // bytes to a document
mod read; // an answer to a document, all steps
mod render; // a document to text
mod request; // the six verbs and their arguments
mod stamp; // an instant in seconds of UTC
mod token; // how a list goes on
mod unpack; // one layer of an encoding

pub use datestamp::{Datestamp, Granularity};
pub use decode::{BODY_BYTES_MAX, decode_body};
pub use element::{Attribute, Element, OAI_NAMESPACE, Tree};
pub use error::{Complaint, ComplaintKind, DateError, ErrorCode, OaiError, ParseError};
pub use http::{Headers, HttpPage, HttpRequest, Lost, Method, Phase, REDACTED};
pub use identify::{DeletedRecords, Identify, MetadataFormat, Set};
pub use page::{
    Body, COMPLAINTS_MAX, Document, Echo, Header, Item, Page, Parsed, Record, Tombstone,
};
pub use parse::parse_document;
pub use read::{read_document, read_tree};
pub use render::{escape_text, render_document};
pub use request::{Request, Selection, Verb, decode_arguments, encode_arguments};
pub use stamp::Stamp;
pub use token::ResumptionToken;
