//! A repository by hand, and drivers that play it.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use pmh_harvest::{
    Answered, Entry, Fetched, Harvest, Instant, Key, MemoryStore, Outcome, Plan, Step, Store as _,
};
use pmh_protocol::{
    Body, Datestamp, DeletedRecords, Document, Echo, ErrorCode, Granularity, Header, HttpRequest,
    Identify, Item, Lost, MetadataFormat, OaiError, Page, Parsed, Phase, Record, ResumptionToken,
    Stamp, Verb, decode_arguments,
};

/// The repository's clock and ours.
pub(crate) fn stamp(text: &str) -> Stamp {
    Stamp::parse(text).unwrap()
}

pub(crate) fn now() -> Stamp {
    stamp("2024-06-01T12:00:00Z")
}

pub(crate) fn key() -> Key {
    Key { source: "http://127.0.0.1/oai".into(), prefix: "oai_dc".into(), set: None }
}

pub(crate) fn document(body: Body) -> Fetched {
    Fetched::Document(Box::new(Answered {
        parsed: Parsed {
            document: Document {
                response_date: Some(stamp("2024-06-01T10:00:00Z")),
                request: Echo::default(),
                body,
            },
            complaints: Vec::new(),
            unreadable: 0,
        },
        date: None,
        cookies: Vec::new(),
    }))
}

pub(crate) fn identify() -> Fetched {
    document(Body::Identify(Box::new(Identify {
        protocol_version: "2.0".into(),
        granularity: Some(Granularity::Second),
        deleted_records: Some(DeletedRecords::Persistent),
        ..Identify::default()
    })))
}

/// The answer to what a run asks before its list.
pub(crate) fn greeting(request: &HttpRequest) -> Option<Fetched> {
    let asks = |verb: &str| request.url.contains(&format!("verb={verb}"));
    match () {
        () if asks("Identify") => Some(identify()),
        () if asks("ListMetadataFormats") => Some(formats(&[("oai_dc", "http://x/oai_dc.xsd")])),
        () => None,
    }
}

/// ListMetadataFormats: prefixes and their schemas.
pub(crate) fn formats(formats: &[(&str, &str)]) -> Fetched {
    let format = |&(prefix, schema): &(&str, &str)| MetadataFormat {
        prefix: prefix.into(),
        schema: schema.into(),
        namespace: String::new(),
    };
    document(Body::Formats(formats.iter().map(format).collect()))
}

pub(crate) fn header(id: u32) -> Header {
    Header {
        identifier: format!("oai:x:{id:04}"),
        datestamp: Some(Datestamp::parse("2024-05-01T00:00:00Z").unwrap()),
        sets: Vec::new(),
    }
}

pub(crate) fn record(id: u32) -> Item {
    Item::Record(Record {
        header: header(id),
        payload: Some(format!("<x>{id}</x>")),
        abouts: Vec::new(),
    })
}

pub(crate) fn list(items: Vec<Item>, token: Option<&str>, size: Option<u64>) -> Fetched {
    let token =
        token.map(|value| ResumptionToken { announced_size: size, ..ResumptionToken::new(value) });
    document(Body::List(Page { verb: Verb::ListRecords, items, token }))
}

pub(crate) fn page(ids: Range<u32>, token: &str) -> Fetched {
    list(ids.map(record).collect(), Some(token), None)
}

pub(crate) fn sized(ids: Range<u32>, token: &str, size: u64) -> Fetched {
    list(ids.map(record).collect(), Some(token), Some(size))
}

pub(crate) fn error(code: ErrorCode) -> Fetched {
    document(Body::Errors(vec![OaiError::new(code, "no")]))
}

pub(crate) fn lost() -> Fetched {
    Fetched::Lost(Lost { phase: Phase::Body, received: 7, detail: "reset".into() })
}

/// What came of a run: its outcome, and the tokens asked with (`-` is an opening request).
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) asked: Vec<String>,
}

/// When receipts reach the core: at once, or only when it can do nothing without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receipts {
    AtOnce,
    AsLateAsPossible,
}

/// Drives one run. `answer` gets the token asked with, or "-", and the number of that request from 1.
pub(crate) fn drive(
    plan: Plan,
    store: &mut MemoryStore,
    receipts: Receipts,
    started: Stamp,
    answer: &mut dyn FnMut(&str, u32) -> Fetched,
) -> Ran {
    let known = store.known(&plan.key).unwrap();
    let key = plan.key.clone();
    let mut harvest = Harvest::resume(plan, known, started);
    let mut now = Instant::START;
    let mut asked = Vec::new();
    let mut queued: VecDeque<Arc<Entry>> = VecDeque::new();
    for _ in 0..100_000 {
        if receipts == Receipts::AtOnce
            && let Some(entry) = queued.pop_front()
        {
            harvest.committed(&store.commit(&key, &[entry]).unwrap()[0]);
            continue;
        }
        match harvest.step(now) {
            Step::Fetch(request) => {
                let (_, query) = request.url.split_once('?').unwrap();
                let arguments = decode_arguments(query);
                let value = |name: &str| {
                    arguments.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
                };
                let fetched = if let Some(greeting) = greeting(&request) {
                    greeting
                } else {
                    let token = value("resumptionToken").unwrap_or_else(|| "-".into());
                    asked.push(token.clone());
                    answer(&token, u32::try_from(asked.len()).unwrap())
                };
                now = now.plus(std::time::Duration::from_millis(10));
                harvest.fetched(fetched, now);
            }
            Step::Wait { until } => now = until,
            Step::Store(entry) => queued.push_back(entry),
            Step::Idle => {
                let entry = queued.pop_front().expect("idle only while a receipt is outstanding");
                harvest.committed(&store.commit(&key, &[entry]).unwrap()[0]);
            }
            Step::Finish(outcome) => {
                return Ran { outcome: *outcome, asked };
            }
        }
    }
    panic!("the harvest does not end");
}

/// Runs the same script with early and with late receipts: both must ask the same and end the same.
pub(crate) fn both(plan: &Plan, script: impl Fn(&str, u32) -> Fetched) -> (Ran, MemoryStore) {
    let [early, late] = [Receipts::AtOnce, Receipts::AsLateAsPossible].map(|receipts| {
        let mut store = MemoryStore::default();
        let ran =
            drive(plan.clone(), &mut store, receipts, now(), &mut |token, n| script(token, n));
        (ran, store)
    });
    assert_eq!(early.0.asked, late.0.asked, "running ahead changed what is asked");
    assert_eq!(early.0.outcome, late.0.outcome, "running ahead changed the outcome");
    early
}

pub(crate) fn held(store: &MemoryStore) -> usize {
    store.rows(&key().source, "oai_dc").len()
}
