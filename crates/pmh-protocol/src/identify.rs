//! What a repository says about itself, its formats and its sets.

use quick_xml::Reader;
use quick_xml::events::Event;

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

impl Identify {
    /// The namespace of the repository's identifiers, where one of its descriptions is an `oai-identifier`: the
    /// repositoryIdentifier in it.
    #[must_use]
    pub fn identifier_namespace(&self) -> Option<String> {
        self.descriptions.iter().find_map(|description| {
            let mut reader = Reader::from_str(description);
            let mut is_inside = false;
            loop {
                match reader.read_event().ok()? {
                    Event::Start(element) => {
                        is_inside = element.local_name().as_ref() == "repositoryIdentifier";
                    }
                    Event::Text(text) if is_inside => {
                        let text = text.trim().to_owned();
                        return Some(text).filter(|text| !text.is_empty());
                    }
                    Event::End(_) => is_inside = false,
                    Event::Eof => return None,
                    _ => {}
                }
            }
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_namespace_of_identifiers_is_read_from_the_description_that_has_one() {
        let of = |descriptions: &[&str]| {
            let descriptions = descriptions.iter().map(|text| (*text).to_owned()).collect();
            Identify { descriptions, ..Identify::default() }.identifier_namespace()
        };
        let other =
            "<e:eprints xmlns:e='http://x'><e:content><e:text>a</e:text></e:content></e:eprints>";
        let named = "<o:oai-identifier xmlns:o='http://www.openarchives.org/OAI/2.0/oai-identifier'>\
            <o:scheme>oai</o:scheme><o:repositoryIdentifier> example.org </o:repositoryIdentifier>\
            <o:delimiter>:</o:delimiter></o:oai-identifier>";
        assert_eq!(of(&[other, named]).as_deref(), Some("example.org"));
        assert_eq!(of(&[other]), None);
        assert_eq!(of(&["<repositoryIdentifier/>", "<repositoryIdentifier"]), None);
    }
}
