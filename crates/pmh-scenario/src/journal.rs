//! What did happen: the append-only account of a case, every exchange as the repository saw it.

use serde::Serialize;

/// What an exchange has among its faults when no reply fitted the request and there was no repository to answer it.
pub const NO_REPLY: &str = "no-reply-fits";

/// One line of the journal. Instants are on the repository's clock, written in the protocol's seconds form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A run begins.
    RunStart {
        /// The repository's clock.
        t: String,
        /// Its name.
        run: String,
    },
    /// Something changed in the repository.
    RepoChange {
        /// The repository's clock.
        t: String,
        /// What, in words.
        what: String,
    },
    /// A request and its answer.
    Exchange(Exchange),
    /// The harvester was killed.
    Crash {
        /// The repository's clock.
        t: String,
        /// Run that died.
        run: String,
        /// Where, in words.
        place: String,
    },
    /// A run ended.
    RunEnd {
        /// The repository's clock.
        t: String,
        /// Its name.
        run: String,
        /// How, in words.
        end: String,
    },
}

/// A request and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// Number over the whole case, from 1.
    pub n: u32,
    /// The repository's clock when it answered.
    pub t: String,
    /// Milliseconds since the run began on the harvester's clock, where the arm knows it. Not part of the
    /// deterministic text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_ms: Option<u64>,
    /// How many requests were waiting for their answers when this one was asked, itself included, where the arm knows it.
    /// Not part of the text.
    #[serde(skip)]
    pub in_flight: Option<u32>,
    /// The run.
    pub run: String,
    /// The list of the run it belongs to, from 1; 0 outside lists.
    pub list: u32,
    /// The page of the list it asks for, by content, from 1; 0 outside lists and for unknown tokens.
    pub page: u32,
    /// Which token of the list it carries, from 1; 0 is none.
    pub token: u32,
    /// How often that page was asked for, from 1.
    pub attempt: u32,
    /// Arguments as sent, decoded, in the order sent, verb included.
    pub args: Vec<(String, String)>,
    /// The query or the form as it was sent, not decoded, cut where arguments are. Not part of the text.
    #[serde(skip)]
    pub query: String,
    /// Names of the faults that fired.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// Name of the reply that was given word for word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// What was answered.
    pub answer: Answer,
}

impl Event {
    /// The event as one line of JSON, without the line's end.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("an event is plain data")
    }
}

impl Exchange {
    /// The value of an argument, if it was sent.
    #[must_use]
    pub fn arg(&self, name: &str) -> Option<&str> {
        self.args.iter().find(|(sent, _)| sent == name).map(|(_, value)| value.as_str())
    }
}

/// What was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Entries of the list delivered.
    pub records: u32,
    /// Text of the resumptionToken element; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// OAI error code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Seconds of waiting that a Retry-After field asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds: Option<u64>,
    /// Whether it holds no OAI-PMH document that could be read: it was something else, damaged, or lost on its way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
    /// Bytes of the body.
    pub bytes: usize,
}

/// The account of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// Its events in order.
    pub events: Vec<Event>,
}

impl Journal {
    /// The exchanges in order.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.events.iter().filter_map(|event| match event {
            Event::Exchange(exchange) => Some(exchange),
            _ => None,
        })
    }

    /// The part of the journal that is the same in every arm and on every machine: no real time.
    #[must_use]
    pub fn deterministic(&self) -> Self {
        let mut events = self.events.clone();
        for event in &mut events {
            if let Event::Exchange(exchange) = event {
                exchange.client_ms = None;
            }
        }
        Self { events }
    }

    /// The journal as NDJSON, one event a line.
    #[must_use]
    pub fn to_ndjson(&self) -> String {
        let mut text = String::new();
        for event in &self.events {
            text.push_str(&event.to_json());
            text.push('\n');
        }
        text
    }
}
