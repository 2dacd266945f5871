//! What a container (metadata, about, description, setDescription) holds: one element of any format.
//!
//! It is handed on byte for byte. The declarations of prefixes that it takes from the envelope are added to
//! its first tag, so that it stands on its own wherever it is kept; they are collected in the one pass that
//! also checks it.

use std::iter;

use quick_xml::events::Event;
use quick_xml::name::ResolveResult;
use quick_xml::{NsReader, Reader};

use super::input::{Input, Node, Tag};
use super::text::{excerpt, is_blank, numbered, split_name};
use crate::error::{ComplaintKind, ParseError};

/// A container, read.
pub(super) struct Container {
    /// Where it begins.
    pub(super) start: usize,
    /// Its only child; `None` when it has none, or several.
    pub(super) fragment: Option<String>,
    /// What is wrong with it.
    pub(super) fault: Option<String>,
}

/// Reads the container that `tag` has just begun, to its end.
pub(super) fn read_container<'a>(
    input: &mut Input<'a>,
    tag: Tag<'a>,
) -> Result<Container, ParseError> {
    let mut fragment = None;
    let mut elements = 0;
    let mut stray = None;
    let mut text_read = String::new();
    loop {
        match input.next()? {
            Node::Start(child) => {
                elements += 1;
                if elements == 1 {
                    fragment = Some(read_fragment(input, child)?);
                } else {
                    input.skip()?;
                }
            }
            Node::End | Node::Nothing => break,
            Node::Text(text) if is_blank(text) => {}
            Node::Text(text) => {
                stray = stray.or_else(|| Some(excerpt(text)));
                text_read.push_str(text);
            }
            Node::Character(character) => {
                stray = stray.or_else(|| Some(character.to_string()));
                text_read.push(character);
            }
        }
    }
    if elements == 0
        && let Some(element) = element_in(&text_read)
    {
        input.complain(ComplaintKind::WrappedPayload, tag.start, &excerpt(element));
        if let Some(prefix) = undeclared_in(element) {
            input.complain(ComplaintKind::UndeclaredPrefix, tag.start, &excerpt(&prefix));
        }
        return Ok(Container { start: tag.start, fragment: Some(element.to_owned()), fault: None });
    }
    let fault = match (elements, stray) {
        (0, _) => Some(format!("<{}> without an element", tag.name)),
        (1, None) => None,
        (1, Some(text)) => Some(text),
        (several, _) => Some(format!("<{}> with {several} elements", tag.name)),
    };
    Ok(Container { start: tag.start, fragment: fragment.filter(|_| elements == 1), fault })
}

/// The element that a text is, if it is one: some repositories escape their metadata, or put them into CDATA.
fn element_in(text: &str) -> Option<&str> {
    let mut element = text.trim();
    if let Some(after) = element.strip_prefix("<?xml") {
        element = after.split_once("?>")?.1.trim();
    }
    let mut reader = Reader::from_str(element);
    let (mut depth, mut roots) = (0_usize, 0);
    loop {
        match reader.read_event().ok()? {
            Event::Start(_) => {
                roots += usize::from(depth == 0);
                depth += 1;
            }
            Event::Empty(_) => roots += usize::from(depth == 0),
            Event::End(_) => depth = depth.checked_sub(1)?,
            Event::Eof => return (depth == 0 && roots == 1).then_some(element),
            Event::Text(text) if depth == 0 && !is_blank(&text) => return None,
            Event::Text(_) | Event::CData(_) | Event::Comment(_) => {}
            Event::GeneralRef(reference) => {
                let name: &str = &reference;
                let is_known = matches!(name, "amp" | "lt" | "gt" | "quot" | "apos")
                    || matches!(numbered(name), Some(Some(_)));
                if !is_known || depth == 0 {
                    return None;
                }
            }
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) => return None,
        }
    }
}

/// The first prefix that an element uses without declaring it. It was text, so that nothing around it declares any.
fn undeclared_in(element: &str) -> Option<String> {
    let mut reader = NsReader::from_str(element);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) | Event::Empty(start) => {
                let resolver = reader.resolver();
                let attributes = start.attributes().filter_map(Result::ok);
                let attributes = attributes.map(|each| resolver.resolve_attribute(each.key).0);
                for namespace in
                    iter::once(resolver.resolve_element(start.name()).0).chain(attributes)
                {
                    if let ResolveResult::Unknown(prefix) = namespace {
                        return Some(prefix);
                    }
                }
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// Reads containers of which a broken one is dropped with a complaint.
pub(super) fn push_fragment<'a>(
    input: &mut Input<'a>,
    tag: Tag<'a>,
    fragments: &mut Vec<String>,
) -> Result<(), ParseError> {
    let container = read_container(input, tag)?;
    if let Some(fault) = container.fault {
        input.complain(ComplaintKind::Payload, container.start, &fault);
    }
    fragments.extend(container.fragment);
    Ok(())
}

fn read_fragment<'a>(input: &mut Input<'a>, tag: Tag<'a>) -> Result<String, ParseError> {
    let mut uses = Uses { outside: tag.outside, needed: Vec::new(), undeclared: None };
    let depth = input.depth();
    uses.note(input, tag);
    while input.depth() >= depth {
        if let Node::Start(inner) = input.next()? {
            uses.note(input, inner);
        }
    }
    if let Some(prefix) = uses.undeclared {
        input.complain(ComplaintKind::UndeclaredPrefix, tag.start, prefix);
    }
    let written = &input.text()[tag.start..input.position()];
    // Declarations left the scope with the elements inside; those outside of the fragment are still in it.
    let (before, after) = written.split_at("<".len() + tag.name.len());
    let added = uses.needed.iter().map(|&place| input.scope().at(place).length()).sum();
    input.spend_on_declarations(added)?;
    let mut fragment = String::with_capacity(written.len() + added);
    fragment.push_str(before);
    for place in uses.needed {
        let declaration = input.scope().at(place);
        fragment.push_str(" xmlns");
        if !declaration.prefix.is_empty() {
            fragment.push(':');
            fragment.push_str(declaration.prefix);
        }
        fragment.push('=');
        fragment.push_str(declaration.quoted);
    }
    fragment.push_str(after);
    Ok(fragment)
}

/// The prefixes that a fragment uses without declaring them.
struct Uses<'a> {
    /// How many declarations are in scope around the fragment.
    outside: usize,
    /// Places of those that it needs, in order of first use.
    needed: Vec<usize>,
    /// The first prefix that nobody declares.
    undeclared: Option<&'a str>,
}

impl<'a> Uses<'a> {
    fn note(&mut self, input: &Input<'a>, tag: Tag<'a>) {
        self.note_prefix(input, split_name(tag.name).0);
        for attribute in input.attributes() {
            let (prefix, local) = split_name(attribute.name);
            if prefix.is_empty() || prefix == "xmlns" {
                continue;
            }
            self.note_prefix(input, prefix);
            // The value of xsi:type is a qualified name, too: qualified Dublin Core lives on it.
            if local == "type" {
                let (prefix, _) = split_name(attribute.raw().trim());
                if !prefix.is_empty() && input.scope().find(prefix).is_some() {
                    self.note_prefix(input, prefix);
                }
            }
        }
    }

    fn note_prefix(&mut self, input: &Input<'a>, prefix: &'a str) {
        match input.scope().find(prefix) {
            Some((place, declaration)) => {
                let means_something = !prefix.is_empty() || !declaration.namespace().is_empty();
                if place < self.outside && means_something && !self.needed.contains(&place) {
                    self.needed.push(place);
                }
            }
            // An unprefixed name without a default namespace is in none, and `xml` needs no declaration.
            None if prefix.is_empty() || prefix == "xml" => {}
            None => self.undeclared = self.undeclared.or(Some(prefix)),
        }
    }
}
