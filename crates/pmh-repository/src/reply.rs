//! What goes in and what comes out.

use pmh_protocol::{Method, decode_arguments};
use pmh_scenario::Exchange;

use crate::repository::BASE_URL;
use crate::wire::BytePlan;

/// Where a repository is on its server, unless its replies say otherwise.
pub const PATH: &str = "/oai";

/// A request as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedRequest<'a> {
    /// GET or POST.
    pub method: Method,
    /// The path of the URL, as it was sent.
    pub path: &'a str,
    /// What stands behind the question mark, not decoded.
    pub raw_query: &'a str,
    /// The body of a POST, not decoded.
    pub form_body: Option<&'a str>,
    /// Header fields, in the order sent.
    pub headers: &'a [(String, String)],
    /// The base URL by which the repository was reached: where redirects lead, and nothing else.
    pub base_url: &'a str,
    /// Milliseconds since the run began on the harvester's clock, where the arm knows it.
    pub client_ms: Option<u64>,
    /// How many requests are waiting for their answers, this one included, where the arm knows it.
    pub in_flight: Option<u32>,
}

impl<'a> AskedRequest<'a> {
    /// The GET request with this query.
    #[must_use]
    pub const fn get(raw_query: &'a str) -> Self {
        Self {
            method: Method::Get,
            path: PATH,
            raw_query,
            form_body: None,
            headers: &[],
            base_url: BASE_URL,
            client_ms: None,
            in_flight: None,
        }
    }

    /// The POST request with this form.
    #[must_use]
    pub const fn post(form_body: &'a str) -> Self {
        Self { method: Method::Post, form_body: Some(form_body), ..Self::get("") }
    }

    /// Its arguments as they were sent.
    pub(crate) fn query(&self) -> &'a str {
        match self.method {
            Method::Get => self.raw_query,
            Method::Post => self.form_body.unwrap_or(""),
        }
    }

    /// Its arguments, decoded: a POST has them in its body and nowhere else (rule 67).
    pub(crate) fn arguments(&self) -> Vec<(String, String)> {
        decode_arguments(self.query())
    }
}

/// An answer, complete: whoever sends it adds nothing but what frames it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Header fields in the order to send.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Seconds that it takes longer than it would by itself.
    pub delay_seconds: u64,
    /// How it travels, where that is not well; it says all that is sent.
    pub plan: Option<BytePlan>,
    /// The entry in the journal.
    pub exchange: Exchange,
}
