//! What can be wrong with a document, a date or a request.

use std::fmt;

use thiserror::Error;

/// A date that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`, found `{found}`")]
pub struct DateError {
    /// The text, at most its first 40 characters.
    found: String,
}

impl DateError {
    pub(crate) fn new(found: &str) -> Self {
        Self { found: found.chars().take(40).collect() }
    }
}

/// One error element of a response (rules 104 to 106 and the table of codes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OaiError {
    /// Its code attribute.
    pub code: ErrorCode,
    /// Its text.
    pub text: String,
}

impl OaiError {
    /// An error element.
    #[must_use]
    pub fn new(code: ErrorCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}

/// The eight codes of the protocol, and whatever else a repository makes up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorCode {
    /// Illegal, missing or repeated arguments.
    BadArgument,
    /// The token is unknown or has expired.
    BadResumptionToken,
    /// No such verb, none, or several.
    BadVerb,
    /// The format is not offered (for this item).
    CannotDisseminateFormat,
    /// No such item.
    IdDoesNotExist,
    /// The selection is empty: a success in most places.
    NoRecordsMatch,
    /// The item has no format at all.
    NoMetadataFormats,
    /// The repository has no sets.
    NoSetHierarchy,
    /// Not a code of the protocol.
    Other(String),
}

impl ErrorCode {
    /// The code as written in the code attribute.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::BadArgument => "badArgument",
            Self::BadResumptionToken => "badResumptionToken",
            Self::BadVerb => "badVerb",
            Self::CannotDisseminateFormat => "cannotDisseminateFormat",
            Self::IdDoesNotExist => "idDoesNotExist",
            Self::NoRecordsMatch => "noRecordsMatch",
            Self::NoMetadataFormats => "noMetadataFormats",
            Self::NoSetHierarchy => "noSetHierarchy",
            Self::Other(code) => code,
        }
    }

    /// The code of this name; any text is one, though perhaps not the protocol's.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        [
            Self::BadArgument,
            Self::BadResumptionToken,
            Self::BadVerb,
            Self::CannotDisseminateFormat,
            Self::IdDoesNotExist,
            Self::NoRecordsMatch,
            Self::NoMetadataFormats,
            Self::NoSetHierarchy,
        ]
        .into_iter()
        .find(|code| code.as_str() == name)
        .unwrap_or_else(|| Self::Other(name.to_owned()))
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A departure from the specification that was survived: counted and reported, never fatal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Byte offset in the decoded document.
    pub offset: usize,
    /// What it is.
    pub kind: ComplaintKind,
    /// What was found, at most some 100 characters.
    pub found: String,
}

/// The kinds of departure a reader survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ComplaintKind {
    /// The document starts with a byte order mark.
    ByteOrderMark,
    /// The document is not in UTF-8, or is said not to be; it was read in what it is in.
    Charset,
    /// What is said about the charset contradicts itself or the bytes; the bytes were believed.
    CharsetConflict,
    /// Bytes that the charset has no character for; each was read as windows-1252 or became U+FFFD. Once for a
    /// document, with their number.
    BadBytes,
    /// Characters that XML has no place for, or references to such; each became U+FFFD. Once for a document, with
    /// their number.
    ControlCharacter,
    /// Ampersands that begin no reference; each was read as itself. Once for a document, with their number.
    StrayAmpersand,
    /// References to entities that only HTML has, which were read as their characters, or that nobody has, which were
    /// read as text. Once for a document, with their number.
    Entity,
    /// An XML declaration in the middle of the document, which was passed over. Once for a document, with their number.
    LateDeclaration,
    /// A payload that is written as text or as CDATA rather than as an element; it was read as the element that the text
    /// is.
    WrappedPayload,
    /// Something stands before or after the document, or text between the elements of its envelope.
    JunkAround,
    /// The root, or an element below it, is not in the OAI-PMH 2.0 namespace.
    WrongNamespace,
    /// An element that has no place where it stands, which was passed over.
    UnknownElement,
    /// The request element is missing.
    Request,
    /// responseDate is missing or not in the seconds form.
    ResponseDate,
    /// A header's datestamp is missing or not in a legitimate form.
    Datestamp,
    /// An entry without identifier (a format without prefix, a set without setSpec), or with one that had to be
    /// repaired: it was left out and counted as unreadable.
    MissingIdentifier,
    /// A live record without exactly one payload element, or another container without exactly one element.
    Payload,
    /// A payload that uses a prefix which nobody declares; it was kept as it is.
    UndeclaredPrefix,
    /// A deleted record that carries metadata, which was dropped.
    DeletedWithMetadata,
    /// A list with several resumptionToken elements: the last that is not empty counts.
    SeveralTokens,
    /// cursor, completeListSize or expirationDate that cannot be read; it counts as not announced.
    TokenAttribute,
    /// A field of Identify that is missing or unreadable.
    Identify,
    /// A status attribute other than `deleted`; the record was taken as live, unless only the case differs.
    Status,
}

impl ComplaintKind {
    /// Its name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "byte-order-mark",
            Self::Charset => "charset",
            Self::CharsetConflict => "charset-conflict",
            Self::BadBytes => "bad-bytes",
            Self::ControlCharacter => "control-character",
            Self::StrayAmpersand => "stray-ampersand",
            Self::Entity => "entity",
            Self::LateDeclaration => "late-declaration",
            Self::WrappedPayload => "wrapped-payload",
            Self::JunkAround => "junk-around",
            Self::WrongNamespace => "wrong-namespace",
            Self::UnknownElement => "unknown-element",
            Self::Request => "request",
            Self::ResponseDate => "response-date",
            Self::Datestamp => "datestamp",
            Self::MissingIdentifier => "missing-identifier",
            Self::Payload => "payload",
            Self::UndeclaredPrefix => "undeclared-prefix",
            Self::DeletedWithMetadata => "deleted-with-metadata",
            Self::SeveralTokens => "several-tokens",
            Self::TokenAttribute => "token-attribute",
            Self::Identify => "identify",
            Self::Status => "status",
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}: `{}`", self.kind.as_str(), self.offset, self.found)
    }
}

/// Why bytes are not an OAI-PMH document. The page is lost; asking again may help.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Nothing but white space.
    #[error("the document is empty")]
    Empty,
    /// An HTML page, whatever its status said.
    #[error("expected an OAI-PMH document, found an HTML page")]
    Html,
    /// XML, but something else.
    #[error("expected the root element `OAI-PMH`, found `{root}`")]
    NotOai {
        /// Local name of the root element.
        root: String,
    },
    /// The bytes are not UTF-8, where nothing else was looked for.
    #[error("byte {offset} is not UTF-8")]
    NotUtf8 {
        /// Offset of the first bad byte.
        offset: usize,
    },
    /// The document stops before its last end tag.
    #[error("the document ends at byte {offset} inside `{inside}`")]
    Truncated {
        /// Length of what arrived.
        offset: usize,
        /// The innermost element left open.
        inside: String,
    },
    /// Not well-formed.
    #[error("the document is not well-formed at byte {offset}: {detail}")]
    Malformed {
        /// Where the reader gave up.
        offset: usize,
        /// What it met.
        detail: String,
    },
    /// A DOCTYPE or an entity beyond the five of XML: refused, because both are only ever used to attack here (rule 88).
    #[error("the document declares or uses an entity at byte {offset}: `{found}`")]
    Entity {
        /// Where.
        offset: usize,
        /// What was written.
        found: String,
    },
    /// Beyond what a reader can afford: depth, attributes, bytes.
    #[error("the document exceeds the limit on {what} ({limit})")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A body whose Content-Encoding cannot be undone.
    #[error("failed to undo the content encoding `{encoding}`: {detail}")]
    Encoding {
        /// The encoding, at most the first 40 characters of its name.
        encoding: String,
        /// What went wrong.
        detail: String,
    },
    /// A well-formed envelope that breaks the protocol's structure beyond repair.
    #[error("the envelope is broken at byte {offset}: {detail}")]
    Envelope {
        /// Where.
        offset: usize,
        /// What is missing or too much.
        detail: String,
    },
}
