//! How a document is written when it is not written well. Written in a file as it is played.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Position;

/// What is done to the text of a document. Where a number stands, it is that of a live record of the page, from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum XmlEffect {
    /// A vertical tab, which XML has no place for, stands in the record's title.
    ControlChar(u32),
    /// Characters of the record are written as bytes of windows-1252 in a document of UTF-8.
    BadUtf8(u32),
    /// Characters of the record are written as entities of HTML, which nobody declares.
    UndefinedEntity(u32),
    /// An ampersand stands alone in the record's title.
    BareAmpersand(u32),
    /// A tag of the record is never closed.
    UnclosedTag(u32),
    /// The record's header has no identifier.
    BadRecord(u32),
    /// The record's payload stands in a CDATA section.
    Cdata(u32),
    /// The record's payload begins with an XML declaration.
    DeclarationInsideMetadata(u32),
    /// The record's title is longer by so many bytes.
    HugeNode(u32),
    /// The record's payload holds elements in each other, so deep.
    Deep(u32),
    /// The document ends there, and HTTP says that it is whole.
    Truncate(Position),
    /// A document type declaration with entities in each other.
    Doctype,
    /// A byte order mark.
    Bom,
    /// UTF-16, marked and declared.
    Utf16,
    /// ISO-8859-1 with references for what it has not.
    Latin1(Label),
    /// The namespace begins with https.
    WrongNamespace,
    /// No namespace at all.
    NoNamespace,
    /// Every element of the envelope has the prefix `oai`.
    Prefixes,
    /// The prefixes of the payloads are declared on the root and nowhere else, but for one that the root has anyway.
    NamespacesOnRoot,
    /// A warning of some server stands before the document.
    JunkBefore,
    /// A warning of some server stands after the document.
    JunkAfter,
    /// An aborted document stands before the whole one.
    TwoDocuments,
    /// A page for people in place of the document.
    Html,
    /// Nothing in place of the document.
    Empty,
}

/// Whether a charset is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// The XML declaration says it.
    Labelled,
    /// The XML declaration says UTF-8.
    Mislabelled,
}

impl XmlEffect {
    /// Whether what is left is a document at all.
    #[must_use]
    pub const fn delivers(&self) -> bool {
        !matches!(self, Self::Truncate(_) | Self::UnclosedTag(_) | Self::Html | Self::Empty)
    }

    /// The record that it is about, where it is about one.
    #[must_use]
    pub const fn record(&self) -> Option<u32> {
        match self {
            Self::ControlChar(number)
            | Self::BadUtf8(number)
            | Self::UndefinedEntity(number)
            | Self::BareAmpersand(number)
            | Self::UnclosedTag(number)
            | Self::BadRecord(number)
            | Self::Cdata(number)
            | Self::DeclarationInsideMetadata(number)
            | Self::Truncate(Position::InsideRecord(number)) => Some(*number),
            Self::HugeNode(_) | Self::Deep(_) => Some(1),
            _ => None,
        }
    }
}
