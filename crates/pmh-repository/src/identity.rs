//! What a repository says of itself, true or not.

use pmh_protocol::{Body, Datestamp, Identify, Stamp};
use pmh_scenario::{Earliest, IdentifyTexts, Protocol, World, identifier};

use crate::content::Content;
use crate::edit::Edit;
use crate::repository::BASE_URL;

/// The answer to Identify. `earliest` is what no datestamp ever was before (rule 192).
pub(crate) fn identify(
    protocol: &Protocol,
    world: &World,
    earliest: Stamp,
    clock: Stamp,
) -> Content {
    let IdentifyTexts {
        repository_name,
        base_url,
        protocol_version,
        admin_emails,
        deleted_record,
        granularity,
    } = protocol.identify.clone();
    let mut edits = Vec::new();
    let newest = || world.records.values().map(|record| record.stamp).max().unwrap_or(earliest);
    let earliest = match &protocol.dates.earliest {
        Earliest::Right => Some(earliest),
        Earliest::Now => Some(clock),
        Earliest::Newest => Some(newest()),
        Earliest::Absent => None,
        Earliest::Text(text) => {
            edits.push(Edit::Text("earliestDatestamp", text.clone()));
            Some(earliest)
        }
    };
    edits.extend(deleted_record.map(|text| Edit::Text("deletedRecord", text)));
    edits.extend(granularity.map(|text| Edit::Text("granularity", text)));
    let body = Body::Identify(Box::new(Identify {
        repository_name: repository_name.unwrap_or_else(|| "Example Repository".to_owned()),
        base_url: base_url.unwrap_or_else(|| BASE_URL.to_owned()),
        protocol_version: protocol_version.unwrap_or_else(|| "2.0".to_owned()),
        admin_emails: admin_emails
            .unwrap_or_else(|| vec!["librarian@repository.example".to_owned()]),
        earliest_datestamp: earliest.map(|stamp| Datestamp::new(stamp, protocol.granularity)),
        deleted_records: Some(protocol.deleted_records),
        granularity: Some(protocol.granularity),
        compressions: Vec::new(),
        descriptions: vec![identifier_description()],
    }));
    Content { edits, ..Content::of(body) }
}

/// How identifiers are made here (rule 253).
fn identifier_description() -> String {
    const NAMESPACE: &str = "http://www.openarchives.org/OAI/2.0/oai-identifier";
    format!(
        "<oai-identifier xmlns=\"{NAMESPACE}\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"{NAMESPACE} {NAMESPACE}.xsd\"><scheme>oai</scheme>\
         <repositoryIdentifier>repository.example</repositoryIdentifier><delimiter>:</delimiter>\
         <sampleIdentifier>{}</sampleIdentifier></oai-identifier>",
        identifier(1)
    )
}
