//! What faults make a document say, in words that the file and the script share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a document says wrongly. Entries are counted from 1, on the page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OaiEffect {
    /// Errors, in place of the answer or inside it.
    Errors(OaiErrors),
    /// The document of another verb.
    Document(DocumentOf),
    /// The first n entries of the page stand on it twice.
    Repeat(u32),
    /// The nth record of the page has no header.
    NoHeader(u32),
    /// The nth entry of the page has no identifier.
    NoIdentifier(u32),
    /// The nth record of the page lives and has no metadata.
    NoMetadata(u32),
    /// The nth record of the page has two children in its metadata.
    TwoMetadata(u32),
    /// The headers of a page of ListIdentifiers stand in record elements, and say dateStamp.
    WrappedHeaders,
    /// The page ends with a record that is outside what was selected.
    Outsider,
}

/// Error elements.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OaiErrors {
    /// Their codes, one or more: the protocol's or any other.
    pub codes: Vec<String>,
    /// Their text. Default: none.
    #[serde(default)]
    pub text: String,
    /// "instead" of the answer, or "inside" it. Default: "instead".
    #[serde(default)]
    pub place: ErrorPlace,
    /// The HTTP status they come with. Default: 200.
    #[serde(default = "ok")]
    pub status: u16,
}

const fn ok() -> u16 {
    200
}

/// Where error elements stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorPlace {
    /// In place of the answer.
    #[default]
    Instead,
    /// At the beginning of the answer, inside the element of the verb.
    Inside,
}

/// The document of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentOf {
    /// Identify
    Identify,
    /// ListMetadataFormats
    ListMetadataFormats,
    /// ListSets
    ListSets,
    /// ListIdentifiers, of the same page.
    ListIdentifiers,
    /// ListRecords, of the same page.
    ListRecords,
}
