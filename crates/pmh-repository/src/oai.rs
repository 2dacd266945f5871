//! What a document is made to say by effects of the layer oai.

use pmh_protocol::{Body, ErrorCode, Item, OaiError, Request, Verb};
use pmh_scenario::{DocumentOf, Effect, ErrorPlace, OaiEffect};

use crate::answers;
use crate::content::Content;
use crate::cut::select;
use crate::edit::Edit;
use crate::faults::Shown;
use crate::repository::Repository;

/// Whether the effect can be seen here.
pub(crate) fn shows(effect: &OaiEffect, page: Option<Shown<'_>>) -> bool {
    let Some(Shown { list, place, cutter }) = page else {
        return matches!(effect, OaiEffect::Errors(_) | OaiEffect::Document(_));
    };
    let numbers = || cutter.cut(place.page).numbers;
    let has = |nth: u32| nth > 0 && numbers().len() >= nth as usize;
    let lives = |nth: u32| {
        let number = numbers().get((nth as usize).saturating_sub(1)).copied();
        list.verb == Verb::ListRecords
            && number
                .and_then(|number| cutter.world.records.get(&number))
                .is_some_and(|record| !record.deleted)
    };
    match effect {
        OaiEffect::Errors(_) | OaiEffect::Document(_) => true,
        OaiEffect::Repeat(nth) | OaiEffect::NoIdentifier(nth) => has(*nth),
        OaiEffect::NoHeader(nth) => has(*nth) && list.verb == Verb::ListRecords,
        OaiEffect::WrappedHeaders => list.verb == Verb::ListIdentifiers,
        OaiEffect::NoMetadata(nth) | OaiEffect::TwoMetadata(nth) => lives(*nth),
        OaiEffect::Outsider => {
            select(cutter.world, &list.selection, cutter.protocol).len()
                < cutter.world.records.len()
        }
    }
}

impl Repository {
    /// The document as the effect of the layer oai wants it, if one is played. `serial` is the list it is a page of.
    pub(crate) fn say(&self, content: Content, serial: Option<u32>, effects: &[Effect]) -> Content {
        let effect = effects.iter().find_map(|effect| match effect {
            Effect::Oai(effect) => Some(effect),
            _ => None,
        });
        match effect {
            None => content,
            Some(OaiEffect::Errors(errors)) if errors.place == ErrorPlace::Inside => {
                let elements = errors.codes.iter().map(|code| (code.clone(), errors.text.clone()));
                let mut content = Content { status: errors.status, ..content };
                content.edits.push(Edit::ErrorsInside(elements.collect()));
                content
            }
            Some(OaiEffect::Errors(errors)) => {
                let error =
                    |code: &String| OaiError::new(ErrorCode::from_name(code), errors.text.clone());
                let body = Body::Errors(errors.codes.iter().map(error).collect());
                Content { status: errors.status, ..Content::of(body) }
            }
            Some(OaiEffect::Document(of)) => self.document_of(*of, content),
            Some(
                effect @ (OaiEffect::Repeat(_)
                | OaiEffect::NoHeader(_)
                | OaiEffect::NoIdentifier(_)
                | OaiEffect::NoMetadata(_)
                | OaiEffect::TwoMetadata(_)
                | OaiEffect::WrappedHeaders
                | OaiEffect::Outsider),
            ) => self.spoil(content, serial, effect),
        }
    }

    fn document_of(&self, of: DocumentOf, mut content: Content) -> Content {
        let verb = match of {
            DocumentOf::Identify => return self.outside_lists(&Request::Identify),
            DocumentOf::ListMetadataFormats => {
                return self.outside_lists(&Request::ListMetadataFormats { identifier: None });
            }
            DocumentOf::ListSets => return self.outside_lists(&Request::ListSets),
            DocumentOf::ListIdentifiers => Verb::ListIdentifiers,
            DocumentOf::ListRecords => Verb::ListRecords,
        };
        if let Body::List(page) = &mut content.body {
            page.verb = verb;
        }
        content
    }

    /// Does something to the entries of a page.
    fn spoil(&self, mut content: Content, serial: Option<u32>, effect: &OaiEffect) -> Content {
        let Body::List(page) = &mut content.body else { return content };
        let live = |items: &mut [Item], nth: u32, change: fn(&mut Option<String>)| {
            if let Some(Item::Record(record)) = items.get_mut(index(nth)) {
                change(&mut record.payload);
            }
        };
        match effect {
            OaiEffect::Repeat(count) => {
                let first: Vec<Item> = page.items.iter().take(*count as usize).cloned().collect();
                page.items.extend(first);
            }
            OaiEffect::NoMetadata(nth) => live(&mut page.items, *nth, |payload| *payload = None),
            OaiEffect::TwoMetadata(nth) => live(&mut page.items, *nth, |payload| {
                *payload = payload.take().map(|payload| payload.repeat(2));
            }),
            OaiEffect::NoHeader(nth) => content.edits.push(Edit::NoHeader(index(*nth))),
            OaiEffect::NoIdentifier(nth) => content.edits.push(Edit::NoIdentifier(index(*nth))),
            OaiEffect::WrappedHeaders => content.edits.push(Edit::WrappedHeaders),
            OaiEffect::Outsider => {
                let verb = page.verb;
                page.items.extend(serial.and_then(|serial| self.outsider(serial, verb)));
            }
            OaiEffect::Errors(_) | OaiEffect::Document(_) => {}
        }
        content
    }

    /// The first record that the list should not hold.
    fn outsider(&self, serial: u32, verb: Verb) -> Option<Item> {
        let list = self.lists.get(serial)?;
        let protocol = &self.script.repository.protocol;
        let inside = select(&self.world, &list.selection, protocol);
        let (_, record) = self.world.records.iter().find(|(number, _)| !inside.contains(number))?;
        let granularity = protocol.dates.datestamps.granularity(protocol.granularity);
        let prefix = (verb == Verb::ListRecords).then_some(list.selection.prefix.as_str());
        Some(answers::item(record, &self.world, granularity, prefix))
    }
}

/// Entries are counted from 1.
const fn index(nth: u32) -> usize {
    (nth as usize).saturating_sub(1)
}
