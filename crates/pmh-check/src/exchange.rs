//! A request and what came of it, read as strictly as it can be.

use std::sync::Arc;
use std::time::Duration;

use pmh_protocol::{
    Element, HttpPage, HttpRequest, Lost, Method, OAI_NAMESPACE, ParseError, Stamp, Tree, Verb,
    decode_body, read_tree,
};

use crate::ask::Ask;
use crate::finding::{Place, place_in};

/// What part an exchange plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The answer to what was asked, or the last try for it.
    Answer,
    /// A redirect that was followed.
    Redirect,
    /// A polite refusal after which it was asked again.
    Busy,
    /// An answer that was lost, after which it was asked again.
    Lost,
}

/// An exchange that somebody else had.
#[derive(Clone, Debug)]
pub struct Exchanged {
    /// As it was sent.
    pub request: HttpRequest,
    /// What came.
    pub answer: Result<HttpPage, Lost>,
    /// When, on the clock of whoever asked.
    pub at: Stamp,
    /// Until it was whole.
    pub took: Duration,
}

/// One exchange.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Its number, from 1.
    pub number: usize,
    /// What was asked.
    pub ask: Ask,
    /// As it was sent.
    pub request: HttpRequest,
    /// What came.
    pub answer: Result<HttpPage, Lost>,
    /// Its part.
    pub part: Part,
    /// When, on our clock.
    pub at: Stamp,
    /// Milliseconds until it was whole.
    pub millis: u64,
    /// The document, or why it is none.
    pub(crate) tree: Option<Result<Tree, ParseError>>,
    /// The namespace of the root, where it is the wrong one. In the tree it is put right, so that it is faulted once.
    pub(crate) wrong_namespace: Option<String>,
    /// The first byte that is not UTF-8.
    pub(crate) not_utf8: Option<usize>,
}

impl Exchange {
    /// The part that it plays by itself, where nobody knows what was done about it.
    pub(crate) fn part_alone(&self) -> Part {
        match &self.answer {
            Err(_) => Part::Lost,
            Ok(_) if self.root().is_some() => Part::Answer,
            Ok(page) => match page.status {
                301 | 302 | 303 | 307 | 308 => Part::Redirect,
                429 | 503 => Part::Busy,
                _ => Part::Answer,
            },
        }
    }

    pub(crate) fn new(
        number: usize,
        ask: Ask,
        request: HttpRequest,
        answer: Result<HttpPage, Lost>,
        at: Stamp,
        millis: u64,
        page_bytes_max: usize,
    ) -> Self {
        let mut tree = answer.as_ref().ok().map(|page| read_tree(page, page_bytes_max));
        let mut wrong_namespace = None;
        if let Some(Ok(tree)) = &mut tree
            && tree.root.name() == "OAI-PMH"
            && &*tree.root.namespace != OAI_NAMESPACE
        {
            let found = Arc::clone(&tree.root.namespace);
            adopt(&mut tree.root, &found, &Arc::from(OAI_NAMESPACE));
            wrong_namespace = Some(found.to_string());
        }
        let not_utf8 = answer.as_ref().ok().and_then(|page| {
            let body = decode_body(page, page_bytes_max).ok()?;
            str::from_utf8(&body).err().map(|error| error.valid_up_to())
        });
        Self {
            number,
            ask,
            request,
            answer,
            part: Part::Answer,
            at,
            millis,
            tree,
            wrong_namespace,
            not_utf8,
        }
    }

    /// The page, if one came whole.
    #[must_use]
    pub fn page(&self) -> Option<&HttpPage> {
        self.answer.as_ref().ok()
    }

    /// Status code, if an answer came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.page().map(|page| page.status)
    }

    /// The text of the document, if it is well-formed.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.tree().map(|tree| tree.text.as_str())
    }

    pub(crate) fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref().and_then(|tree| tree.as_ref().ok())
    }

    /// The root, if it is an OAI-PMH document.
    #[must_use]
    pub fn root(&self) -> Option<&Element> {
        self.tree().map(|tree| &tree.root).filter(|root| root.name() == "OAI-PMH")
    }

    /// The place of a byte of the text.
    pub(crate) fn place(&self, offset: usize) -> Option<Place> {
        if let Some(text) = self.text() {
            return place_in(text, offset);
        }
        let text = String::from_utf8_lossy(&self.page()?.body);
        let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        place_in(&text, offset?)
    }

    /// Its error elements and their codes.
    pub(crate) fn errors(&self) -> Vec<(&Element, &str)> {
        let errors = self.root().into_iter().flat_map(|root| root.all("error"));
        errors.map(|error| (error, error.attribute("code").unwrap_or_default())).collect()
    }

    pub(crate) fn has_error(&self, code: &str) -> bool {
        self.errors().iter().any(|(_, each)| *each == code)
    }

    /// The element that answers a verb.
    pub(crate) fn container(&self) -> Option<&Element> {
        let root = self.root()?;
        Verb::ALL.iter().find_map(|verb| root.first(verb.as_str()))
    }

    /// The entries of a list, or the record of GetRecord.
    pub(crate) fn entries(&self) -> Vec<Entry<'_>> {
        let container = self.container().map(|container| &container.children);
        container.into_iter().flatten().filter_map(Entry::of).collect()
    }

    /// Identifiers of the records in it that are not deleted.
    #[must_use]
    pub fn live_identifiers(&self) -> Vec<&str> {
        let live = self.entries().into_iter().filter(|entry| !entry.is_deleted());
        live.map(|entry| entry.identifier()).collect()
    }

    /// The first resumptionToken element.
    pub(crate) fn token(&self) -> Option<&Element> {
        self.container()?.first("resumptionToken")
    }

    /// The token that leads on, if the list does.
    pub(crate) fn next_token(&self) -> Option<&str> {
        self.token().map(Element::trimmed).filter(|token| !token.is_empty())
    }

    /// The text of responseDate.
    pub(crate) fn response_date(&self) -> Option<&Element> {
        self.root()?.first("responseDate")
    }

    /// responseDate, if it has its form.
    pub(crate) fn responded(&self) -> Option<Stamp> {
        Stamp::parse(self.response_date()?.trimmed()).ok()
    }

    /// What came, in a few words.
    pub(crate) fn describe(&self) -> String {
        let page = match &self.answer {
            Ok(page) => page,
            Err(lost) => return lost.to_string(),
        };
        let status = match (page.status, page.headers.get("retry-after")) {
            (200, _) => String::new(),
            (status, None) => format!("HTTP status {status}: "),
            (status, Some(wait)) => format!("HTTP status {status}, Retry-After `{wait}`: "),
        };
        let codes: Vec<&str> = self.errors().iter().map(|(_, code)| *code).collect();
        let what = match (&self.tree, self.container()) {
            (_, Some(container)) if !codes.is_empty() => {
                format!("{} beside the error {}", container.name(), codes.join(", "))
            }
            (_, Some(container)) => match self.entries().len() {
                0 => container.name().to_owned(),
                1 => format!("{} with 1 entry", container.name()),
                many => format!("{} with {many} entries", container.name()),
            },
            (_, None) if !codes.is_empty() => format!("the error {}", codes.join(", ")),
            (Some(Ok(tree)), None) if tree.root.name() == "OAI-PMH" => {
                "a document with neither answer nor error".to_owned()
            }
            (Some(Ok(tree)), None) => format!("an XML document `{}`", tree.root.qualified),
            (Some(Err(ParseError::Html)), None) => "an HTML page".to_owned(),
            (Some(Err(ParseError::Empty)), None) => "an empty document".to_owned(),
            (Some(Err(error)), None) => error.to_string(),
            (None, None) => "nothing".to_owned(),
        };
        status + &what
    }

    /// The request as a line for a shell; what lets us in is not in it.
    #[must_use]
    pub fn curl(&self) -> String {
        let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let mut line = String::from("curl -sS");
        if let Some(encoding) = &self.ask.accept_encoding {
            line += &format!(" -H {}", quote(&format!("Accept-Encoding: {encoding}")));
        }
        if self.request.method == Method::Post {
            line += &format!(" -d {}", quote(self.request.body.as_deref().unwrap_or_default()));
        }
        line + " " + &quote(&self.request.url)
    }
}

fn adopt(element: &mut Element, from: &Arc<str>, to: &Arc<str>) {
    if element.namespace == *from {
        element.namespace = Arc::clone(to);
    }
    element.children.iter_mut().for_each(|child| adopt(child, from, to));
}

/// An entry of a list as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// Its header, where there is one; else the record.
    pub(crate) header: &'a Element,
    /// The record around it, but in ListIdentifiers.
    pub(crate) record: Option<&'a Element>,
}

impl<'a> Entry<'a> {
    fn of(element: &'a Element) -> Option<Self> {
        if element.is_oai("header") {
            Some(Self { header: element, record: None })
        } else if element.is_oai("record") {
            Some(Self { header: element.first("header")?, record: Some(element) })
        } else {
            None
        }
    }

    fn field(&self, name: &str) -> &'a str {
        self.header.first(name).map(Element::trimmed).unwrap_or_default()
    }

    pub(crate) fn identifier(&self) -> &'a str {
        self.field("identifier")
    }

    pub(crate) fn datestamp(&self) -> &'a str {
        self.field("datestamp")
    }

    pub(crate) fn sets(&self) -> Vec<&'a str> {
        let specs = self.header.all("setSpec").map(Element::trimmed);
        // An empty one is told by the check of its syntax, and names no set.
        specs.filter(|spec| !spec.is_empty()).collect()
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.header.attribute("status") == Some("deleted")
    }

    pub(crate) fn metadata(&self) -> Option<&'a Element> {
        self.record?.first("metadata")
    }

    /// The only child of metadata.
    pub(crate) fn payload(&self) -> Option<&'a Element> {
        match self.metadata()?.children.as_slice() {
            [payload] => Some(payload),
            _ => None,
        }
    }

    pub(crate) fn abouts(&self) -> impl Iterator<Item = &'a Element> {
        self.record.into_iter().flat_map(|record| record.all("about"))
    }

    /// Identifier, datestamp, sets and whether it is deleted: what lists must agree on.
    pub(crate) fn key(&self) -> (&'a str, &'a str, Vec<&'a str>, bool) {
        let mut sets = self.sets();
        sets.sort_unstable();
        (self.identifier(), self.datestamp(), sets, self.is_deleted())
    }
}
