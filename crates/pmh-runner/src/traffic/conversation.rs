//! Requests as the oracle wants them, put together one by one.

use std::collections::BTreeMap;

use pmh_protocol::{Body, decode_arguments, parse_document};
use pmh_scenario::{Answer, Exchange};

/// The most requests that are taken from a file.
const EXCHANGES_MAX: usize = 1_000_000;

/// What was read so far.
pub(super) struct Conversation {
    pub(super) exchanges: Vec<Exchange>,
    pub(super) passed_over: usize,
    /// The first thing that looked like a request of OAI-PMH and could not be read: where, and why.
    pub(super) unread: Option<String>,
    pub(super) has_answers: bool,
    /// Whether the header fields of every answer are known.
    pub(super) has_fields: bool,
    /// The list that each client reads: its number, and the page that it asked for last.
    lists: BTreeMap<String, (u32, u32)>,
    /// When each client asked for the first time.
    began: BTreeMap<String, u64>,
}

/// One request as a file tells it.
pub(super) struct Asked<'a> {
    pub(super) client: String,
    /// Query or form, not decoded.
    pub(super) arguments: &'a str,
    /// Milliseconds since some moment.
    pub(super) millis: u64,
    pub(super) time: String,
    pub(super) status: u16,
    pub(super) fields: Fields,
    /// The body of the answer, where it is known.
    pub(super) body: Option<Vec<u8>>,
}

/// What is known of the header fields of an answer.
#[derive(Clone, Copy)]
pub(super) enum Fields {
    /// A log has none of them.
    Unknown,
    /// They are all there.
    Known {
        /// How long it asks to wait, where it does.
        retry_after_seconds: Option<u64>,
    },
}

impl Conversation {
    pub(super) const fn new() -> Self {
        Self {
            exchanges: Vec::new(),
            passed_over: 0,
            unread: None,
            has_answers: true,
            has_fields: true,
            lists: BTreeMap::new(),
            began: BTreeMap::new(),
        }
    }

    pub(super) fn pass_over(&mut self) {
        self.passed_over += 1;
    }

    /// Passes over what may well have been a request.
    pub(super) fn give_up_on(&mut self, place: String, why: &str) {
        self.passed_over += 1;
        self.unread.get_or_insert_with(|| format!("{place}: {why}"));
    }

    pub(super) fn take(&mut self, asked: Asked<'_>) {
        let args = decode_arguments(asked.arguments);
        let argument = |name: &str| {
            args.iter().find(|(sent, _)| sent == name).map(|(_, value)| value.as_str())
        };
        let Some(verb) = argument("verb").filter(|_| self.exchanges.len() < EXCHANGES_MAX) else {
            self.pass_over();
            return;
        };
        let is_list = verb.starts_with("List") && verb != "ListMetadataFormats";
        let (list, page) = match (is_list, argument("resumptionToken")) {
            (false, _) => (0, 0),
            (true, None) => {
                let list = self.lists.get(&asked.client).map_or(1, |(list, _)| list + 1);
                self.lists.insert(asked.client.clone(), (list, 1));
                (list, 1)
            }
            (true, Some(_)) => {
                let place = self.lists.entry(asked.client.clone()).or_insert((1, 0));
                place.1 += 1;
                *place
            }
        };
        let answer = match asked.body {
            Some(body) => summary(&body),
            None => {
                // A refusal of HTTP says enough without its body.
                self.has_answers &= !is_list || asked.status >= 400;
                Answer { unread: true, ..Answer::default() }
            }
        };
        let retry_after_seconds = match asked.fields {
            Fields::Known { retry_after_seconds } => retry_after_seconds,
            Fields::Unknown => {
                self.has_fields = false;
                None
            }
        };
        let began = *self.began.entry(asked.client.clone()).or_insert(asked.millis);
        self.exchanges.push(Exchange {
            n: u32::try_from(self.exchanges.len() + 1).unwrap_or(u32::MAX),
            t: asked.time,
            in_flight: None,
            client_ms: Some(asked.millis.saturating_sub(began)),
            run: asked.client,
            list,
            page,
            token: page.saturating_sub(1),
            attempt: 1,
            query: asked.arguments.to_owned(),
            args,
            faults: Vec::new(),
            reply: None,
            answer: Answer { status: asked.status, retry_after_seconds, ..answer },
        });
    }
}

fn summary(body: &[u8]) -> Answer {
    let Ok(parsed) = parse_document(body) else {
        return Answer { unread: true, bytes: body.len(), ..Answer::default() };
    };
    let mut answer = Answer { bytes: body.len(), ..Answer::default() };
    match parsed.document.body {
        Body::Errors(errors) => answer.error = errors.first().map(|error| error.code.to_string()),
        Body::List(page) => {
            answer.records = u32::try_from(page.items.len()).unwrap_or(u32::MAX);
            answer.token = page.token.map(|token| token.value);
        }
        Body::Record(_) => answer.records = 1,
        Body::Identify(_) | Body::Formats(_) | Body::Sets { .. } => {}
    }
    answer
}
