//! The document as a sequence of nodes, with everything refused that is not well-formed or costs too much.
//!
//! Knows XML and its namespaces, and of OAI-PMH only that envelope elements are told by namespace and local
//! name. Attributes and references are checked at every tag, payloads included; names are resolved only
//! where somebody asks.

use std::borrow::Cow;

use memchr::memchr;
use quick_xml::Reader;
use quick_xml::errors::{Error as ReaderError, IllFormedError, SyntaxError};
use quick_xml::events::Event;

use super::attribute::{ATTRIBUTES_MAX, Attribute, BadTag, read_attributes};
use super::scope::{Declaration, Scope};
use super::start::Start;
use super::text::{
    WHITE, attribute_value, excerpt, is_blank, is_name, is_white, lone_ampersand, name_length,
    push_text, resolve_reference, split_name, starts_name, trim,
};
use crate::element::OAI_NAMESPACE;
use crate::error::{Complaint, ComplaintKind, ParseError};
use crate::page::COMPLAINTS_MAX;

/// How deep elements may stand in each other.
const DEPTH_MAX: usize = 100;
/// How many namespace declarations may be in scope at once: a prefix is looked up among all of them.
const DECLARATIONS_MAX: usize = 256;
/// Bytes of declarations that the fragments of one document may be given. Ordinary pages need some hundred bytes a
/// record; one that declares a megabyte for each of its records would fill the memory.
const DECLARED_BYTES_MAX: usize = 32 << 20;

pub(super) struct Input<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    /// Where `text` begins in the decoded document.
    base: usize,
    open: Vec<Open<'a>>,
    scope: Scope<'a>,
    attributes: Vec<Attribute<'a>>,
    namespace: &'a str,
    /// Whether characters of the text had to be replaced.
    is_repaired: bool,
    complaints: Vec<Complaint>,
    namespace_complained: bool,
    junk_complained: bool,
    declared_bytes: usize,
}

/// An element that has begun and not ended.
struct Open<'a> {
    name: &'a str,
    /// How many declarations were in scope around it.
    outside: usize,
}

/// What comes next. Comments and instructions are passed over.
pub(super) enum Node<'a> {
    Start(Tag<'a>),
    End,
    /// Text or a CDATA section, as written.
    Text(&'a str),
    /// A reference, resolved.
    Character(char),
    /// Nothing more, and no element open.
    Nothing,
}

/// A start tag (an empty element is one, its end follows). Its attributes are the input's until the next node.
#[derive(Clone, Copy)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    /// Where its `<` stands in the input's text.
    pub(super) start: usize,
    /// How many namespace declarations are in scope around it.
    pub(super) outside: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(start: Start<'a>) -> Self {
        let mut reader = Reader::from_str(start.text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_comments = true;
        Self {
            reader,
            text: start.text,
            base: start.offset,
            open: Vec::new(),
            scope: Scope::default(),
            attributes: Vec::new(),
            namespace: OAI_NAMESPACE,
            is_repaired: start.complaints.iter().any(|complaint| is_repair(complaint.kind)),
            complaints: start.complaints,
            namespace_complained: false,
            junk_complained: false,
            declared_bytes: 0,
        }
    }

    /// The next node.
    pub(super) fn next(&mut self) -> Result<Node<'a>, ParseError> {
        loop {
            let start = self.position();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.reader_error(error)),
            };
            let written = &self.text[start..self.position()];
            match event {
                Event::Start(_) | Event::Empty(_) => return self.start_tag(start).map(Node::Start),
                Event::End(_) => {
                    if let Some(ended) = self.open.pop() {
                        self.scope.leave(ended.outside);
                    }
                    return Ok(Node::End);
                }
                Event::Text(_) => {
                    if memchr(b'>', written.as_bytes()).is_some() && written.contains("]]>") {
                        return Err(self.malformed(start, "`]]>` stands in text"));
                    }
                    return Ok(Node::Text(written));
                }
                Event::CData(_) => {
                    let inside =
                        written.strip_prefix("<![CDATA[").and_then(|text| text.strip_suffix("]]>"));
                    return Ok(Node::Text(inside.unwrap_or_default()));
                }
                Event::GeneralRef(_) => {
                    let name = &written[1..written.len() - 1];
                    return resolve_reference(name, self.base + start).map(Node::Character);
                }
                Event::Decl(_) if start > 0 => {
                    if !self.open.is_empty() {
                        return Err(
                            self.malformed(start, "an XML declaration stands inside the document")
                        );
                    }
                    self.complain(ComplaintKind::JunkAround, start, &self.text[..start]);
                }
                Event::PI(instruction) => {
                    let target = instruction.target();
                    if !is_name(target) || target.eq_ignore_ascii_case("xml") {
                        let detail = format!("`{}` is no target", excerpt(target));
                        return Err(self.malformed(start, detail));
                    }
                }
                // What a declaration says was looked at when the bytes became text.
                Event::Decl(_) | Event::Comment(_) => {}
                Event::DocType(content) => return Err(self.doctype(start, &content)),
                Event::Eof => {
                    return if self.open.is_empty() {
                        Ok(Node::Nothing)
                    } else {
                        Err(self.truncated())
                    };
                }
            }
        }
    }

    /// The next child of the innermost open element, or `None` once that has ended. Between the elements of
    /// the envelope there is only white space; anything else is complained of.
    pub(super) fn next_child(&mut self) -> Result<Option<Tag<'a>>, ParseError> {
        loop {
            let start = self.position();
            match self.next()? {
                Node::Start(tag) => return Ok(Some(tag)),
                Node::End | Node::Nothing => return Ok(None),
                Node::Text(text) if is_blank(text) => {}
                Node::Text(_) | Node::Character(_) => self.complain_of_junk(start),
            }
        }
    }

    /// The text of the innermost open element up to its end, trimmed. Elements in it are passed over.
    pub(super) fn text_content(&mut self) -> Result<String, ParseError> {
        let mut content = String::new();
        loop {
            match self.next()? {
                Node::Start(_) => self.skip()?,
                Node::End | Node::Nothing => break,
                Node::Text(text) => push_text(&mut content, text),
                Node::Character(character) => content.push(character),
            }
        }
        let trimmed = trim(&content);
        if trimmed.len() < content.len() {
            return Ok(trimmed.to_owned());
        }
        Ok(content)
    }

    /// Passes over the rest of the innermost open element.
    pub(super) fn skip(&mut self) -> Result<(), ParseError> {
        let depth = self.depth();
        while self.depth() >= depth {
            self.next()?;
        }
        Ok(())
    }

    /// Passes over an element that has no place in the envelope.
    pub(super) fn skip_unknown(&mut self, tag: Tag<'a>) -> Result<(), ParseError> {
        self.complain(ComplaintKind::UnknownElement, tag.start, tag.name);
        self.skip()
    }

    /// What follows the root: nothing but comments and white space, or junk, which is not read any further.
    pub(super) fn finish(&mut self) {
        let end = self.position();
        loop {
            match self.next() {
                Ok(Node::Nothing) => return,
                Ok(Node::Text(text)) if is_blank(text) => {}
                _ => break,
            }
        }
        self.complain(ComplaintKind::JunkAround, end, trim(&self.text[end..]));
    }

    /// Takes the root's namespace for that of the envelope.
    pub(super) fn adopt_namespace(&mut self, root: Tag<'a>) {
        let namespace = self.namespace_of(root);
        if namespace != OAI_NAMESPACE {
            self.complain(ComplaintKind::WrongNamespace, root.start, namespace);
            self.namespace_complained = true;
        }
        self.namespace = namespace;
    }

    /// The local name of an element of the envelope; empty for an element of somebody else's namespace.
    pub(super) fn envelope_name(&mut self, tag: Tag<'a>) -> &'a str {
        let namespace = self.namespace_of(tag);
        // Nearly always it is the root's own declaration that counts, and there is nothing to compare.
        if std::ptr::eq(namespace, self.namespace)
            || namespace == self.namespace
            || namespace == OAI_NAMESPACE
        {
            return split_name(tag.name).1;
        }
        if !namespace.is_empty() {
            return "";
        }
        // Stylesheets that undeclare the namespace half-way down are common; the records are meant all the same.
        if !self.namespace_complained {
            self.complain(ComplaintKind::WrongNamespace, tag.start, tag.name);
            self.namespace_complained = true;
        }
        split_name(tag.name).1
    }

    fn namespace_of(&self, tag: Tag<'a>) -> &'a str {
        let (prefix, _) = split_name(tag.name);
        self.scope.find(prefix).map_or("", |(_, declaration)| declaration.namespace())
    }

    /// The value of the last start tag's attribute of this name.
    pub(super) fn attribute(&self, name: &str) -> Result<Option<Cow<'a, str>>, ParseError> {
        let found = self.attributes.iter().find(|attribute| attribute.name == name);
        found.map(|attribute| attribute_value(attribute.raw(), self.offset())).transpose()
    }

    /// The attributes of the last start tag.
    pub(super) fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    /// Names the record from `start` to here in the complaint about a repair that began in it.
    pub(super) fn name_repair(&mut self, start: usize, identifier: &str) {
        if !self.is_repaired {
            return;
        }
        let record = self.base + start..self.offset();
        for complaint in &mut self.complaints {
            let is_repair = is_repair(complaint.kind) && record.contains(&complaint.offset);
            if is_repair {
                complaint.found = excerpt(&format!("{}, of {identifier}", complaint.found));
            }
        }
    }

    /// Whether a text that must be had exactly may hold the replacement of something else.
    pub(super) fn is_guess(&self, text: &str) -> bool {
        self.is_repaired && text.contains('\u{FFFD}')
    }

    pub(super) const fn scope(&self) -> &Scope<'a> {
        &self.scope
    }

    pub(super) const fn depth(&self) -> usize {
        self.open.len()
    }

    /// The document's text from its first `<`, which places are counted in.
    pub(super) const fn text(&self) -> &'a str {
        self.text
    }

    /// Where the next node begins.
    pub(super) fn position(&self) -> usize {
        // The reader counts bytes of a slice that is in memory.
        usize::try_from(self.reader.buffer_position()).unwrap_or(self.text.len())
    }

    /// Where the input's text begins in the decoded document.
    pub(super) const fn base(&self) -> usize {
        self.base
    }

    /// Where the next node begins in the decoded document.
    pub(super) fn offset(&self) -> usize {
        self.base + self.position()
    }

    /// Takes `bytes` from what the fragments of this document may be given in declarations.
    pub(super) const fn spend_on_declarations(&mut self, bytes: usize) -> Result<(), ParseError> {
        self.declared_bytes = self.declared_bytes.saturating_add(bytes);
        if self.declared_bytes > DECLARED_BYTES_MAX {
            let what = "bytes of namespace declarations given to records";
            return Err(ParseError::Limit { what, limit: DECLARED_BYTES_MAX });
        }
        Ok(())
    }

    pub(super) fn complain(&mut self, kind: ComplaintKind, at: usize, found: &str) {
        if self.complaints.len() < COMPLAINTS_MAX {
            self.complaints.push(Complaint { offset: self.base + at, kind, found: excerpt(found) });
        }
    }

    pub(super) fn into_complaints(mut self) -> Vec<Complaint> {
        self.complaints.sort_by_key(|complaint| complaint.offset);
        self.complaints
    }

    pub(super) fn envelope_error(&self, at: usize, detail: impl Into<String>) -> ParseError {
        ParseError::Envelope { offset: self.base + at, detail: detail.into() }
    }

    pub(super) fn truncated(&self) -> ParseError {
        let inside = self.open.last().map_or("document", |open| open.name);
        ParseError::Truncated { offset: self.base + self.text.len(), inside: excerpt(inside) }
    }

    fn malformed(&self, at: usize, detail: impl Into<String>) -> ParseError {
        ParseError::Malformed { offset: self.base + at, detail: detail.into() }
    }

    fn complain_of_junk(&mut self, start: usize) {
        if !self.junk_complained {
            self.junk_complained = true;
            self.complain(
                ComplaintKind::JunkAround,
                start,
                trim(&self.text[start..self.position()]),
            );
        }
    }

    /// Reads the start tag between `start` and here.
    fn start_tag(&mut self, start: usize) -> Result<Tag<'a>, ParseError> {
        let inside = &self.text[start + 1..self.position() - 1];
        let inside = inside.strip_suffix('/').unwrap_or(inside);
        let (name, rest) = inside.split_at(name_length(inside));
        let ends = rest.bytes().next().is_none_or(is_white);
        if !ends || !starts_name(name) {
            let written = inside.split(WHITE).next().unwrap_or_default();
            return Err(self.malformed(start, format!("`{}` is no name", excerpt(written))));
        }
        if self.open.len() == DEPTH_MAX {
            return Err(ParseError::Limit { what: "depth", limit: DEPTH_MAX });
        }
        match read_attributes(rest, &mut self.attributes) {
            Ok(()) => {}
            Err(BadTag::Malformed(detail)) => return Err(self.malformed(start, detail)),
            Err(BadTag::TooManyAttributes) => {
                return Err(ParseError::Limit {
                    what: "attributes of an element",
                    limit: ATTRIBUTES_MAX,
                });
            }
        }
        let outside = self.scope.len();
        for attribute in &self.attributes {
            if memchr(b'&', attribute.quoted.as_bytes()).is_some() {
                attribute_value(attribute.raw(), self.base + start)?;
            }
            if let Some(prefix) = attribute.declares() {
                if self.scope.len() == DECLARATIONS_MAX {
                    let what = "namespace declarations in scope";
                    return Err(ParseError::Limit { what, limit: DECLARATIONS_MAX });
                }
                self.scope.declare(Declaration { prefix, quoted: attribute.quoted });
            }
        }
        self.open.push(Open { name, outside });
        Ok(Tag { name, start, outside })
    }

    fn doctype(&self, start: usize, content: &str) -> ParseError {
        let is_html = content.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html"));
        if is_html {
            return ParseError::Html;
        }
        let found = excerpt(&format!("<!DOCTYPE {content}>"));
        ParseError::Entity { offset: self.base + start, found }
    }

    /// The reader's error as ours: it cannot tell a cut document from a broken one.
    fn reader_error(&self, error: ReaderError) -> ParseError {
        let at = usize::try_from(self.reader.error_position())
            .unwrap_or(self.text.len())
            .min(self.text.len());
        let rest = self.text.get(at..).unwrap_or_default();
        // A construct that runs to the end of a document that has its last end tag was never closed.
        let is_whole = trim(self.text).ends_with("OAI-PMH>");
        let is_cut = match &error {
            ReaderError::Syntax(SyntaxError::InvalidBangMarkup) => rest.len() < "<![CDATA[".len(),
            ReaderError::Syntax(_) => !is_whole,
            ReaderError::IllFormed(IllFormedError::UnclosedReference) => {
                if rest.contains('<') {
                    return lone_ampersand(self.base + at);
                }
                true
            }
            _ => false,
        };
        if is_cut { self.truncated() } else { self.malformed(at, error.to_string()) }
    }
}

/// Whether characters were replaced, so that what is read may be a guess.
const fn is_repair(kind: ComplaintKind) -> bool {
    matches!(kind, ComplaintKind::BadBytes | ComplaintKind::ControlCharacter)
}
