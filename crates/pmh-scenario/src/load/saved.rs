//! Records from saved answers: what some repository has said becomes what the one of the scenario holds.

use std::collections::BTreeMap;

use pmh_protocol::{BODY_BYTES_MAX, Body, Document, Headers, HttpPage, Item, read_document};
use toml::Spanned;

use super::bodies::read_beside;
use super::sources::{ReadFile, Sources};
use crate::finding::Finding;
use crate::model::{File, LiteralRecord, Records};
use crate::time::Instant;

/// The format of a record where its answer does not say which was asked for.
const PREFIX: &str = "oai_dc";

/// Puts the records that stand in the files in the place of their names, with their sets and formats; what is wrong with
/// the files.
pub(super) fn read_records(
    file: &mut File,
    sources: &Sources,
    read: &ReadFile<'_>,
) -> Vec<Finding> {
    let Some(Records::Files(names)) = &mut file.repository.records else { return Vec::new() };
    let names = std::mem::take(names);
    let mut findings = Vec::new();
    let mut saved = Saved::default();
    for name in &names {
        if let Err(finding) = saved.add(name, sources, read) {
            findings.push(finding);
        }
    }
    let Saved { records, sets, formats } = saved;
    let repository = &mut file.repository;
    repository.records = Some(Records::Literal(records));
    add_missing(&mut repository.sets, sets);
    // A repository that names no format has the one that every repository must have.
    if formats.iter().any(|format| format.get_ref() != PREFIX) {
        add_missing(&mut repository.formats, formats);
    }
    findings
}

fn add_missing(names: &mut Vec<Spanned<String>>, more: Vec<Spanned<String>>) {
    for name in more {
        if !names.iter().any(|known| known.get_ref() == name.get_ref()) {
            names.push(name);
        }
    }
}

/// What the files read so far hold. Everything has the place of the file's name.
#[derive(Default)]
struct Saved {
    records: Vec<Spanned<LiteralRecord>>,
    sets: Vec<Spanned<String>>,
    formats: Vec<Spanned<String>>,
}

impl Saved {
    fn add(
        &mut self,
        name: &Spanned<String>,
        sources: &Sources,
        read: &ReadFile<'_>,
    ) -> Result<(), Finding> {
        let (path, bytes) = read_beside(name, sources, read)?;
        let wrong = |message: String| Finding::error(name.span(), message, "");
        // Whoever saved it may have kept it packed.
        let page = HttpPage { status: 200, headers: Headers::default(), body: bytes };
        let parsed = read_document(&page, BODY_BYTES_MAX)
            .map_err(|why| wrong(format!("`{path}` is no answer of OAI-PMH: {why}")))?;
        if parsed.unreadable > 0 {
            let count = parsed.unreadable;
            return Err(wrong(format!("`{path}` has entries that cannot be read: {count}")));
        }
        let prefix = prefix_of(&parsed.document);
        let items = match parsed.document.body {
            Body::List(page) => page.items,
            Body::Record(item) => vec![*item],
            _ => {
                let message = format!("`{path}` holds no records");
                let help = "answers to ListRecords and GetRecord do";
                return Err(wrong(message).help(help));
            }
        };
        for item in items {
            let header = item.header();
            let Some(date) = header.datestamp else {
                let id = &header.identifier;
                return Err(wrong(format!("`{path}`: the record `{id}` has no datestamp")));
            };
            let at = |text: &str| Spanned::new(name.span(), text.to_owned());
            let (xml, deleted) = match &item {
                Item::Record(record) => match &record.payload {
                    Some(payload) => (BTreeMap::from([(prefix.clone(), payload.clone())]), None),
                    None => {
                        let id = &header.identifier;
                        let message = format!("`{path}`: the record `{id}` has no metadata");
                        let help = "answers to ListRecords and GetRecord have it";
                        return Err(wrong(message).help(help));
                    }
                },
                Item::Tombstone(_) => (BTreeMap::new(), Some(true)),
            };
            let sets: Vec<Spanned<String>> = header.sets.iter().map(|set| at(set)).collect();
            add_missing(&mut self.sets, sets.clone());
            let record = LiteralRecord {
                id: at(&header.identifier),
                stamp: Spanned::new(name.span(), Instant(date.stamp)),
                sets,
                deleted,
                xml,
            };
            self.put(Spanned::new(name.span(), record));
        }
        add_missing(&mut self.formats, vec![Spanned::new(name.span(), prefix)]);
        Ok(())
    }

    /// A record that is there already has been said anew, or is said in another format.
    fn put(&mut self, record: Spanned<LiteralRecord>) {
        let id = record.get_ref().id.get_ref();
        match self.records.iter_mut().find(|known| known.get_ref().id.get_ref() == id) {
            None => self.records.push(record),
            Some(known) => {
                let mut xml = std::mem::take(&mut known.get_mut().xml);
                let span = record.span();
                let mut record = record.into_inner();
                xml.append(&mut record.xml);
                *known = Spanned::new(span, LiteralRecord { xml, ..record });
            }
        }
    }
}

/// The format that was asked for, as the answer repeats it.
fn prefix_of(document: &Document) -> String {
    let asked = document.request.arguments.iter().find(|(name, _)| name == "metadataPrefix");
    asked.map_or_else(|| PREFIX.to_owned(), |(_, prefix)| prefix.clone())
}
