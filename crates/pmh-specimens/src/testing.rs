//! A scripted wire and a shelf in memory, for the tests of the specimens.

use std::collections::BTreeMap;

use pmh_protocol::{
    Body, Datestamp, Document, Echo, ErrorCode, Granularity, Header, Headers, HttpPage,
    HttpRequest, Item, OaiError, Page, Record, Request, ResumptionToken, Selection, Stamp,
    Tombstone, Verb, decode_arguments, render_document,
};

use crate::end::End;
use crate::specimen::{Specimen, Task};
use crate::wire::{Halt, Redirects, Row, Shelf, Wire};

/// More requests than any test needs.
const REQUESTS_MAX: u32 = 200;
/// responseDate of every document: the first second of 2025.
const SERVER_CLOCK_SECONDS: i64 = 1_735_689_600;
/// The specimen's own clock, a year ahead.
const OWN_CLOCK_SECONDS: i64 = 1_767_225_600;

/// One answer. Records are numbers; a negative one is a deleted record.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// A page and the text of its token element, if it has one.
    Page(Vec<i32>, Option<&'static str>),
    /// An OAI error.
    Error(ErrorCode),
    /// No document, a status and perhaps Retry-After.
    Status(u16, Option<&'static str>),
}

pub(crate) fn page(records: impl IntoIterator<Item = i32>, token: &'static str) -> Reply {
    Reply::Page(records.into_iter().collect(), Some(token))
}

/// A last page without a token element.
pub(crate) fn last(records: impl IntoIterator<Item = i32>) -> Reply {
    Reply::Page(records.into_iter().collect(), None)
}

pub(crate) fn refused() -> Reply {
    Reply::Error(ErrorCode::BadResumptionToken)
}

/// A repository that answers by token, "" being the opening request: the replies of each in order, the last of
/// them for ever. Any other token is refused, and an argument beside a token as well.
#[derive(Default)]
pub(crate) struct Script {
    replies: BTreeMap<&'static str, Vec<Reply>>,
    announced: Option<u64>,
    pub(crate) requests: u32,
    pub(crate) waited: u64,
    /// Queries in the order they came.
    pub(crate) queries: Vec<String>,
}

impl Script {
    pub(crate) fn new(announced: Option<u64>, replies: &[(&'static str, Reply)]) -> Self {
        let mut script = Self { announced, ..Self::default() };
        for (token, reply) in replies {
            script.replies.entry(token).or_default().push(reply.clone());
        }
        script
    }

    fn reply(&mut self, request: &HttpRequest) -> Reply {
        let query = request.url.split_once('?').map_or("", |(_, query)| query);
        self.queries.push(query.to_owned());
        match Request::from_arguments(&decode_arguments(query)) {
            Ok(Request::ListRecords(_)) => self.next_reply(""),
            Ok(Request::Resume { token, .. }) if !token.is_empty() => self.next_reply(&token),
            Ok(_) => refused(),
            Err(error) => Reply::Error(error.code),
        }
    }

    fn next_reply(&mut self, token: &str) -> Reply {
        let Some(replies) = self.replies.get_mut(token) else { return refused() };
        if replies.len() > 1 { replies.remove(0) } else { replies[0].clone() }
    }
}

impl Wire for Script {
    fn send(&mut self, request: &HttpRequest, _: Redirects) -> Result<HttpPage, Halt> {
        self.requests += 1;
        if self.requests > REQUESTS_MAX {
            return Err(Halt::OverBudget);
        }
        let mut headers = Headers::default();
        let (status, body) = match self.reply(request) {
            Reply::Status(status, retry_after) => {
                if let Some(seconds) = retry_after {
                    headers.push("Retry-After", seconds);
                }
                (status, "try later".to_owned())
            }
            Reply::Error(code) => (200, document(Body::Errors(vec![OaiError::new(code, "no")]))),
            Reply::Page(records, token) => {
                // Records are numbered in the order of the list.
                let offset = records.first().map(|first| u64::from(first.unsigned_abs()) - 1);
                let token = token.map(|value| ResumptionToken {
                    announced_offset: offset.filter(|_| self.announced.is_some()),
                    announced_size: self.announced,
                    ..ResumptionToken::new(value)
                });
                let items = records.into_iter().map(item).collect();
                (200, document(Body::List(Page { verb: Verb::ListRecords, items, token })))
            }
        };
        Ok(HttpPage { status, headers, body: body.into_bytes() })
    }

    fn wait(&mut self, seconds: u64) -> Result<(), Halt> {
        self.waited += seconds;
        Ok(())
    }

    fn now(&self) -> Stamp {
        Stamp::from_seconds(OWN_CLOCK_SECONDS)
    }
}

fn document(body: Body) -> String {
    let response_date = Some(Stamp::from_seconds(SERVER_CLOCK_SECONDS));
    render_document(&Document { response_date, request: Echo::default(), body })
}

fn item(number: i32) -> Item {
    let stamp = Stamp::from_seconds(1_700_000_000);
    let header = Header {
        identifier: number.abs().to_string(),
        datestamp: Some(Datestamp::new(stamp, Granularity::Second)),
        sets: Vec::new(),
    };
    if number < 0 {
        return Item::Tombstone(Tombstone { header });
    }
    Item::Record(Record {
        header,
        payload: Some("<thing xmlns=\"urn:x\"/>".to_owned()),
        abouts: Vec::new(),
    })
}

/// Rows as text: `7`, `-7` for a tombstone, `~7` for a live row without payload.
#[derive(Default)]
pub(crate) struct MemoryShelf {
    pub(crate) rows: Vec<(String, String)>,
    pub(crate) cursor: Option<String>,
    pub(crate) watermark: Option<Stamp>,
    /// Rows of this page, counted from 1 over the shelf's life, are never stored: the specimen dies there.
    pub(crate) dies_at_rows: Option<u32>,
    pub(crate) pages: u32,
}

impl MemoryShelf {
    pub(crate) fn text(&self) -> String {
        let rows: Vec<&str> = self.rows.iter().map(|(_, row)| row.as_str()).collect();
        rows.join(" ")
    }

    fn replace(&mut self, identifier: &str, text: String) {
        let place = self.rows.iter().position(|(held, _)| held == identifier);
        self.rows.retain(|(held, _)| held != identifier);
        let place = place.map_or(self.rows.len(), |place| place.min(self.rows.len()));
        self.rows.insert(place, (identifier.to_owned(), text));
    }
}

impl Shelf for MemoryShelf {
    fn put_rows(&mut self, rows: &[Row<'_>]) -> Result<(), Halt> {
        self.pages += 1;
        if self.dies_at_rows == Some(self.pages) {
            return Err(Halt::Killed);
        }
        for row in rows {
            match row {
                Row::Upsert(record) => {
                    let identifier = &record.header.identifier;
                    self.replace(identifier, identifier.clone());
                }
                Row::Insert(record) => {
                    let identifier = &record.header.identifier;
                    self.rows.push((identifier.clone(), identifier.clone()));
                }
                Row::Keep(record) => {
                    let identifier = &record.header.identifier;
                    if self.rows.iter().all(|(held, _)| held != identifier) {
                        self.rows.push((identifier.clone(), identifier.clone()));
                    }
                }
                Row::Withdraw(header) => {
                    self.replace(&header.identifier, format!("-{}", header.identifier))
                }
                Row::Hollow(header) => {
                    self.replace(&header.identifier, format!("~{}", header.identifier))
                }
            }
        }
        Ok(())
    }

    fn put_cursor(&mut self, cursor: Option<&str>) -> Result<(), Halt> {
        self.cursor = cursor.map(str::to_owned);
        Ok(())
    }

    fn cursor(&self) -> Option<String> {
        self.cursor.clone()
    }

    fn put_watermark(&mut self, watermark: Option<Stamp>) -> Result<(), Halt> {
        self.watermark = watermark;
        Ok(())
    }

    fn watermark(&self) -> Option<Stamp> {
        self.watermark
    }
}

/// One run of the specimen: how it ended, how many requests it took, what is on the shelf.
pub(crate) fn run(name: &str, wire: &mut Script, shelf: &mut MemoryShelf) -> String {
    let specimen = Specimen::named(name).expect("the test names a specimen");
    let before = wire.requests;
    let task = Task {
        base_url: "http://repository.example/oai".to_owned(),
        selection: Selection { prefix: "oai_dc".to_owned(), from: None, until: None, set: None },
        full: false,
    };
    let end = match specimen.harvest(&task, wire, shelf) {
        End::Ended { outcome, guard: Some(guard), exit, .. } => {
            format!("{outcome} by {guard}, {exit}")
        }
        End::Ended { outcome, guard: None, exit, .. } => format!("{outcome}, {exit}"),
        End::Killed => "killed".to_owned(),
        End::OverBudget => "over budget".to_owned(),
    };
    format!("{end}: {} requests: {}", wire.requests - before, shelf.text())
}
