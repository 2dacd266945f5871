//! What a repository says besides lists: its formats, its sets, one record; and which requests it refuses.

use pmh_protocol::{
    Body, Datestamp, DeletedRecords, Echo, ErrorCode, Granularity, Header, Item, MetadataFormat,
    OaiError, Record, Request, Selection, Set, Tombstone,
};
use pmh_scenario::{Protocol, Script, World, WorldRecord};

use crate::repository::BASE_URL;

/// Reads the arguments of a request, and refuses what no answer is worth considering for.
pub(crate) fn read(
    arguments: &[(String, String)],
    script: &Script,
    world: &World,
) -> Result<Request, OaiError> {
    // Characters that XML cannot hold could not be repeated in the answer, not even in its error text.
    let unprintable = |text: &str| !text.chars().all(is_xml_char);
    if let Some((name, _)) =
        arguments.iter().find(|(name, value)| unprintable(name) || unprintable(value))
    {
        let code = if name == "verb" { ErrorCode::BadVerb } else { ErrorCode::BadArgument };
        return Err(OaiError::new(
            code,
            "an argument holds characters that are not allowed in XML",
        ));
    }
    let request = Request::from_arguments(arguments)?;
    match &request {
        Request::ListIdentifiers(selection) | Request::ListRecords(selection) => {
            check_selection(selection, &script.repository.protocol, world)?;
        }
        Request::GetRecord { identifier, prefix } => {
            check_identifier(identifier)?;
            check_prefix(prefix, world)?;
        }
        Request::ListMetadataFormats { identifier: Some(identifier) } => {
            check_identifier(identifier)?
        }
        Request::ListSets if world.sets.is_empty() => return Err(no_sets()),
        Request::Identify
        | Request::ListSets
        | Request::ListMetadataFormats { .. }
        | Request::Resume { .. } => {}
    }
    Ok(request)
}

/// Whether a list may be opened with this selection.
pub(crate) fn check_selection(
    selection: &Selection,
    protocol: &Protocol,
    world: &World,
) -> Result<(), OaiError> {
    check_prefix(&selection.prefix, world)?;
    let too_fine =
        |date: Option<Datestamp>| date.is_some_and(|date| date.granularity > protocol.granularity);
    if too_fine(selection.from) || too_fine(selection.until) {
        let text =
            format!("the granularity of this repository is {}", protocol.granularity.pattern());
        return Err(OaiError::new(ErrorCode::BadArgument, text));
    }
    match selection.set.as_deref() {
        Some(set) if !set.split(':').all(is_name) => {
            Err(OaiError::new(ErrorCode::BadArgument, format!("`{set}` is not the name of a set")))
        }
        Some(_) if world.sets.is_empty() => Err(no_sets()),
        Some(_) | None => Ok(()),
    }
}

fn check_prefix(prefix: &str, world: &World) -> Result<(), OaiError> {
    if !is_name(prefix) {
        return Err(OaiError::new(
            ErrorCode::BadArgument,
            format!("`{prefix}` is not a metadataPrefix"),
        ));
    }
    let offered = world.prefixes();
    if !offered.contains(&prefix) {
        let verb = if offered.len() == 1 { "is" } else { "are" };
        let text =
            format!("`{prefix}` is not offered here, only `{}` {verb}", offered.join("` and `"));
        return Err(OaiError::new(ErrorCode::CannotDisseminateFormat, text));
    }
    Ok(())
}

fn check_identifier(identifier: &str) -> Result<(), OaiError> {
    let is_uri = identifier.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
            && !rest.is_empty()
            && rest.chars().all(|c| c.is_ascii_graphic() && !"<>\"{}|\\^`".contains(c))
    });
    if is_uri {
        Ok(())
    } else {
        Err(OaiError::new(ErrorCode::BadArgument, format!("`{identifier}` is not a URI")))
    }
}

fn no_sets() -> OaiError {
    OaiError::new(ErrorCode::NoSetHierarchy, "this repository has no sets")
}

/// The schema's pattern of prefixes and of the elements of a setSpec (rules 32 and 122).
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.!~*'()".contains(c))
}

fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The request as the answer repeats it: without its arguments where these were at fault (rules 100 to 102).
pub(crate) fn echo(arguments: &[(String, String)], body: &Body) -> Echo {
    let at_fault = matches!(body, Body::Errors(errors) if errors
        .iter()
        .any(|error| matches!(error.code, ErrorCode::BadVerb | ErrorCode::BadArgument)));
    let arguments = if at_fault { Vec::new() } else { arguments.to_vec() };
    Echo { base_url: BASE_URL.to_owned(), arguments }
}

/// The answer to ListMetadataFormats.
pub(crate) fn formats(world: &World, policy: DeletedRecords, item: Option<&str>) -> Body {
    let mut prefixes = world.prefixes();
    if let Some(item) = item {
        match visible(world, policy, item) {
            None => return unknown(item),
            Some(record) if record.deleted => {
                let text = format!("`{item}` is deleted");
                return Body::Errors(vec![OaiError::new(ErrorCode::NoMetadataFormats, text)]);
            }
            Some(record) => prefixes = world.prefixes_of(record),
        }
    }
    Body::Formats(prefixes.into_iter().map(format_of).collect())
}

/// Schema and namespace of a format; one that nobody knows has made-up ones.
fn format_of(prefix: &str) -> MetadataFormat {
    let (schema, namespace) = match prefix {
        "oai_dc" => (
            "http://www.openarchives.org/OAI/2.0/oai_dc.xsd".to_owned(),
            "http://www.openarchives.org/OAI/2.0/oai_dc/".to_owned(),
        ),
        "iso19139" => (
            "http://www.isotc211.org/2005/gmd/gmd.xsd".to_owned(),
            "http://www.isotc211.org/2005/gmd".to_owned(),
        ),
        other => (
            format!("http://repository.example/{other}.xsd"),
            format!("http://repository.example/{other}/"),
        ),
    };
    MetadataFormat { prefix: prefix.to_owned(), schema, namespace }
}

/// The answer to ListSets, always in one page.
pub(crate) fn sets(world: &World) -> Body {
    let set = |spec: &String| Set {
        spec: spec.clone(),
        name: format!("The set {spec}"),
        descriptions: Vec::new(),
    };
    Body::Sets { sets: world.sets.iter().map(set).collect(), token: None }
}

/// The answer to GetRecord.
pub(crate) fn record(world: &World, script: &Script, wanted: &str, prefix: &str) -> Body {
    let protocol = &script.repository.protocol;
    let granularity = protocol.dates.datestamps.granularity(protocol.granularity);
    match visible(world, protocol.deleted_records, wanted) {
        Some(record) if !record.deleted && !world.prefixes_of(record).contains(&prefix) => {
            let text = format!("`{wanted}` has no `{prefix}`");
            Body::Errors(vec![OaiError::new(ErrorCode::CannotDisseminateFormat, text)])
        }
        Some(record) => Body::Record(Box::new(item(record, world, granularity, Some(prefix)))),
        None => unknown(wanted),
    }
}

/// A record as lists and GetRecord show it (rule 187), with its payload where a format is named.
pub(crate) fn item(
    record: &WorldRecord,
    world: &World,
    granularity: Granularity,
    prefix: Option<&str>,
) -> Item {
    let header = Header {
        identifier: record.identifier.clone(),
        datestamp: Some(Datestamp::new(record.stamp, granularity)),
        sets: record.sets.clone(),
    };
    if record.deleted {
        return Item::Tombstone(Tombstone { header });
    }
    let payload = prefix.and_then(|prefix| world.payload(record, prefix));
    Item::Record(Record { header, payload, abouts: Vec::new() })
}

fn visible<'a>(
    world: &'a World,
    policy: DeletedRecords,
    identifier: &str,
) -> Option<&'a WorldRecord> {
    world.find(identifier).filter(|record| policy != DeletedRecords::No || !record.deleted)
}

fn unknown(identifier: &str) -> Body {
    let text = format!("there is no `{identifier}` here");
    Body::Errors(vec![OaiError::new(ErrorCode::IdDoesNotExist, text)])
}
