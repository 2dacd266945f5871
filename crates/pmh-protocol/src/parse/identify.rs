//! What a repository says about itself, its formats and its sets.

use super::input::{Input, Tag};
use super::list::{error_inside, read_token};
use super::payload::push_fragment;
use crate::datestamp::{Datestamp, Granularity};
use crate::error::{ComplaintKind, ParseError};
use crate::identify::{DeletedRecords, Identify, MetadataFormat, Set};
use crate::page::Body;

/// Reads Identify, which `tag` has begun, to its end.
pub(super) fn read_identify<'a>(
    input: &mut Input<'a>,
    tag: Tag<'a>,
) -> Result<Identify, ParseError> {
    let mut identify = Identify::default();
    while let Some(child) = input.next_child()? {
        match input.envelope_name(child) {
            "repositoryName" => identify.repository_name = input.text_content()?,
            "baseURL" => identify.base_url = input.text_content()?,
            "protocolVersion" => identify.protocol_version = input.text_content()?,
            "adminEmail" => identify.admin_emails.push(input.text_content()?),
            "earliestDatestamp" => {
                let text = input.text_content()?;
                identify.earliest_datestamp = Datestamp::parse_lenient(&text).ok();
                complain_unless(Datestamp::parse(&text).is_ok(), input, child, &text);
            }
            "deletedRecord" => {
                let text = input.text_content()?;
                identify.deleted_records =
                    [DeletedRecords::No, DeletedRecords::Transient, DeletedRecords::Persistent]
                        .into_iter()
                        .find(|level| level.as_str().eq_ignore_ascii_case(&text));
                let is_exact = identify.deleted_records.is_some_and(|level| level.as_str() == text);
                complain_unless(is_exact, input, child, &text);
            }
            "granularity" => {
                let text = input.text_content()?;
                identify.granularity = [Granularity::Day, Granularity::Second]
                    .into_iter()
                    .find(|granularity| granularity.pattern().eq_ignore_ascii_case(&text));
                let is_exact = identify.granularity.is_some_and(|each| each.pattern() == text);
                complain_unless(is_exact, input, child, &text);
            }
            "compression" => identify.compressions.push(input.text_content()?),
            "description" => push_fragment(input, child, &mut identify.descriptions)?,
            "error" => return Err(error_inside(input, child)),
            _ => input.skip_unknown(child)?,
        }
    }
    for (name, is_missing) in [
        ("repositoryName", identify.repository_name.is_empty()),
        ("baseURL", identify.base_url.is_empty()),
        ("protocolVersion", identify.protocol_version.is_empty()),
        ("adminEmail", identify.admin_emails.is_empty()),
        ("earliestDatestamp", identify.earliest_datestamp.is_none()),
        ("deletedRecord", identify.deleted_records.is_none()),
        ("granularity", identify.granularity.is_none()),
    ] {
        complain_unless(!is_missing, input, tag, &format!("no {name}"));
    }
    Ok(identify)
}

fn complain_unless<'a>(is_right: bool, input: &mut Input<'a>, tag: Tag<'a>, found: &str) {
    if !is_right {
        input.complain(ComplaintKind::Identify, tag.start, found);
    }
}

/// Reads ListMetadataFormats to its end.
pub(super) fn read_formats(
    input: &mut Input<'_>,
    unreadable: &mut u32,
) -> Result<Vec<MetadataFormat>, ParseError> {
    let mut formats = Vec::new();
    while let Some(tag) = input.next_child()? {
        match input.envelope_name(tag) {
            "metadataFormat" => {}
            "error" => return Err(error_inside(input, tag)),
            _ => {
                input.skip_unknown(tag)?;
                continue;
            }
        }
        let mut format = MetadataFormat {
            prefix: String::new(),
            schema: String::new(),
            namespace: String::new(),
        };
        while let Some(child) = input.next_child()? {
            match input.envelope_name(child) {
                "metadataPrefix" => format.prefix = input.text_content()?,
                "schema" => format.schema = input.text_content()?,
                "metadataNamespace" => format.namespace = input.text_content()?,
                _ => input.skip_unknown(child)?,
            }
        }
        if format.prefix.is_empty() {
            input.complain(ComplaintKind::MissingIdentifier, tag.start, "a format without prefix");
            *unreadable += 1;
        } else {
            formats.push(format);
        }
    }
    Ok(formats)
}

/// Reads ListSets to its end.
pub(super) fn read_sets(input: &mut Input<'_>, unreadable: &mut u32) -> Result<Body, ParseError> {
    let mut sets = Vec::new();
    let mut token = None;
    while let Some(tag) = input.next_child()? {
        match input.envelope_name(tag) {
            "set" => {}
            "resumptionToken" => {
                read_token(input, tag, &mut token)?;
                continue;
            }
            "error" => return Err(error_inside(input, tag)),
            _ => {
                input.skip_unknown(tag)?;
                continue;
            }
        }
        let mut set = Set { spec: String::new(), name: String::new(), descriptions: Vec::new() };
        while let Some(child) = input.next_child()? {
            match input.envelope_name(child) {
                "setSpec" => set.spec = input.text_content()?,
                "setName" => set.name = input.text_content()?,
                "setDescription" => push_fragment(input, child, &mut set.descriptions)?,
                _ => input.skip_unknown(child)?,
            }
        }
        if set.spec.is_empty() {
            input.complain(ComplaintKind::MissingIdentifier, tag.start, "a set without setSpec");
            *unreadable += 1;
        } else {
            sets.push(set);
        }
    }
    Ok(Body::Sets { sets, token })
}
