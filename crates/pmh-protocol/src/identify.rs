//! What a repository says about itself, its formats and its sets.

use crate::datestamp::{Datestamp, Granularity};

/// What a repository promises about deletions (rules 20 to 23).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeletedRecords {
    /// Deletions are never shown.
    No,
    /// Deletions are shown, but not for ever.
    Transient,
    /// Deletions are shown for ever.
    Persistent,
}

impl DeletedRecords {
    /// The word the protocol has for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Transient => "transient",
            Self::Persistent => "persistent",
        }
    }
}

/// The answer to Identify. What could not be read is `None`, with a complaint beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identify {
    /// repositoryName
    pub repository_name: String,
    /// baseURL, as the repository states it; never used in place of the configured one.
    pub base_url: String,
    /// protocolVersion; `2.0` is the only one this program speaks.
    pub protocol_version: String,
    /// adminEmail, one or more.
    pub admin_emails: Vec<String>,
    /// earliestDatestamp
    pub earliest_datestamp: Option<Datestamp>,
    /// deletedRecord
    pub deleted_records: Option<DeletedRecords>,
    /// granularity
    pub granularity: Option<Granularity>,
    /// compression, none or more.
    pub compressions: Vec<String>,
    /// description containers, each a self-contained XML fragment.
    pub descriptions: Vec<String>,
}

/// One format of ListMetadataFormats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataFormat {
    /// metadataPrefix
    pub prefix: String,
    /// Address of the schema.
    pub schema: String,
    /// Namespace of the format.
    pub namespace: String,
}

/// One set of ListSets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// setSpec: path elements joined by colons.
    pub spec: String,
    /// setName
    pub name: String,
    /// setDescription containers, each a self-contained XML fragment.
    pub descriptions: Vec<String>,
}
