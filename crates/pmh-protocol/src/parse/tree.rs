//! Text to a tree of elements, in one pass and without recursion.

use std::borrow::Cow;
use std::sync::Arc;

use super::input::{Input, Node, Tag};
use super::repair::repair;
use super::start::find_start;
use super::text::{attribute_value, push_text, split_name};
use crate::element::{Attribute, Element, Tree};
use crate::error::{Complaint, ComplaintKind, ParseError};

/// How many elements a tree may have: a page of a thousand rich records has fewer.
const ELEMENTS_MAX: usize = 1_000_000;

/// Reads a document whose bytes were complained of before; at most `limit` bytes of it, once repaired.
pub(crate) fn read_elements(
    text: &str,
    mut complaints: Vec<Complaint>,
    limit: usize,
) -> Result<Tree, ParseError> {
    let (repaired, repairs) = repair(text, limit)?;
    // Whoever examines a document wants to see that it is not well-formed; characters alone are told apart.
    let only_characters =
        repairs.iter().all(|complaint| complaint.kind == ComplaintKind::ControlCharacter);
    let text = match only_characters {
        true => repaired,
        false => Cow::Borrowed(text),
    };
    complaints.extend(repairs.into_iter().filter(|_| only_characters));
    let mut input = Input::new(find_start(&text, complaints)?);
    let mut open: Vec<Element> = Vec::new();
    let mut count = 0;
    let root = loop {
        match input.next()? {
            Node::Start(tag) => {
                count += 1;
                if count > ELEMENTS_MAX {
                    return Err(ParseError::Limit { what: "elements", limit: ELEMENTS_MAX });
                }
                let element = element(&input, tag)?;
                open.push(element);
            }
            Node::End => {
                let Some(mut ended) = open.pop() else { return Err(input.truncated()) };
                ended.end = input.offset();
                match open.last_mut() {
                    Some(parent) => parent.children.push(ended),
                    None => break ended,
                }
            }
            Node::Text(literal) => {
                if let Some(inner) = open.last_mut() {
                    push_text(&mut inner.text, literal);
                }
            }
            Node::Character(character) => {
                if let Some(inner) = open.last_mut() {
                    inner.text.push(character);
                }
            }
            Node::Nothing => return Err(input.truncated()),
        }
    };
    input.finish();
    let complaints = input.into_complaints();
    Ok(Tree { text: text.into_owned(), root, complaints })
}

fn element(input: &Input<'_>, tag: Tag<'_>) -> Result<Element, ParseError> {
    let mut attributes = Vec::new();
    let mut declarations = Vec::new();
    for attribute in input.attributes() {
        let value = attribute_value(attribute.raw(), input.offset())?.into_owned();
        match attribute.declares() {
            Some(prefix) => declarations.push((prefix.to_owned(), Arc::from(value))),
            None => {
                let namespace = match split_name(attribute.name).0 {
                    "" => Arc::from(""),
                    "xml" => Arc::from("http://www.w3.org/XML/1998/namespace"),
                    prefix => namespace_of(input, prefix),
                };
                let qualified = attribute.name.to_owned();
                attributes.push(Attribute { qualified, namespace, value });
            }
        }
    }
    Ok(Element {
        qualified: tag.name.to_owned(),
        namespace: namespace_of(input, split_name(tag.name).0),
        attributes,
        declarations,
        children: Vec::new(),
        text: String::new(),
        start: input.base() + tag.start,
        end: input.offset(),
    })
}

fn namespace_of(input: &Input<'_>, prefix: &str) -> Arc<str> {
    let found = input.scope().find(prefix);
    found.map_or_else(|| Arc::from(""), |(_, declaration)| Arc::from(declaration.namespace()))
}
