//! HTTP as values: what is asked and what comes back, before anybody reads the XML in it.

use std::fmt;

/// The two methods of the protocol (rule 58).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Arguments in the URL.
    Get,
    /// Arguments in the body.
    Post,
}

impl Method {
    /// The method's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// A request, complete: a transport adds nothing to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// GET or POST.
    pub method: Method,
    /// The whole URL, query included.
    pub url: String,
    /// Header fields to send.
    pub headers: Headers,
    /// The form body of a POST.
    pub body: Option<String>,
}

impl HttpRequest {
    /// The OAI-PMH request `query` (already encoded) to `base_url`, which is used as it is: a query in it is
    /// kept and the arguments are joined to it with `&`.
    #[must_use]
    pub fn get(base_url: &str, query: &str) -> Self {
        let joint = match base_url.split_once('?') {
            None => "?",
            Some((_, "")) => "",
            Some((_, rest)) if rest.ends_with('&') => "",
            Some(_) => "&",
        };
        Self {
            method: Method::Get,
            url: format!("{base_url}{joint}{query}"),
            headers: Headers::default(),
            body: None,
        }
    }
}

/// Header fields in the order sent; names compare without case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<Field>);

#[derive(Clone, PartialEq, Eq)]
struct Field {
    name: String,
    value: String,
    is_secret: bool,
}

impl Field {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value as somebody may see it.
    fn shown(&self) -> &str {
        if self.is_secret { REDACTED } else { &self.value }
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.shown())
    }
}

/// What is shown of a value that must not be.
pub const REDACTED: &str = "[redacted]";

impl Headers {
    /// Adds a field at the end.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push(Field { name: name.into(), value: value.into(), is_secret: false });
    }

    /// Adds a field whose value is only for the server that is asked: it is sent, and shown nowhere.
    pub fn push_secret(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push(Field { name: name.into(), value: value.into(), is_secret: true });
    }

    /// Adds the fields of others at the end; secrets stay secrets.
    pub fn extend(&mut self, others: &Self) {
        self.0.extend_from_slice(&others.0);
    }

    /// The first field of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// These fields without those of this name.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        Self(self.0.iter().filter(|field| !field.is(name)).cloned().collect())
    }

    /// These fields without those that are secrets.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        Self(self.0.iter().filter(|field| !field.is_secret).cloned().collect())
    }

    /// All fields of this name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let fields = self.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(name));
        fields.map(|(_, value)| value)
    }

    /// All fields in order, with their values as they are sent.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|field| (field.name.as_str(), field.value.as_str()))
    }

    /// All fields in order, as they may be shown: [`REDACTED`] stands for the value of a secret.
    pub fn shown(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|field| (field.name.as_str(), field.shown()))
    }
}

/// An answer whose body arrived whole: everything HTTP says, nothing of OAI-PMH yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpPage {
    /// Status code.
    pub status: u16,
    /// Header fields.
    pub headers: Headers,
    /// The body as it came off the wire, content encoding not undone.
    pub body: Vec<u8>,
}

/// An answer that did not arrive whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// How far it got.
    pub phase: Phase,
    /// Bytes of the body that did arrive.
    pub received: u64,
    /// What the transport says, for people.
    pub detail: String,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.phase {
            Phase::Connect => write!(f, "no connection: {}", self.detail),
            Phase::Head => write!(f, "no answer: {}", self.detail),
            Phase::Body => {
                write!(f, "the answer broke off after {} bytes: {}", self.received, self.detail)
            }
            Phase::TooLarge => write!(f, "the answer is larger than allowed: {}", self.detail),
        }
    }
}

/// The part of an exchange in which an answer was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Name look-up, connection, TLS.
    Connect,
    /// After the request, before the header fields were whole.
    Head,
    /// Inside the body.
    Body,
    /// The body passed the limit on bytes; asking again will not help.
    TooLarge,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_join_a_base_url_whatever_it_ends_in() {
        for (base, expected) in [
            ("http://x/oai", "http://x/oai?verb=Identify"),
            ("http://x/oai?", "http://x/oai?verb=Identify"),
            ("http://x/oai?db=1", "http://x/oai?db=1&verb=Identify"),
            ("http://x/oai?db=1&", "http://x/oai?db=1&verb=Identify"),
        ] {
            assert_eq!(HttpRequest::get(base, "verb=Identify").url, expected);
        }
    }

    #[test]
    fn header_names_compare_without_case() {
        let mut headers = Headers::default();
        headers.push("Retry-After", "2");
        assert_eq!(headers.get("retry-after"), Some("2"));
    }

    #[test]
    fn a_secret_is_sent_and_never_shown() {
        let mut headers = Headers::default();
        headers.push("Accept", "text/xml");
        headers.push_secret("X-Api-Key", "s3cret");
        assert_eq!(headers.get("x-api-key"), Some("s3cret"));
        assert_eq!(format!("{headers:?}"), "Headers([Accept: text/xml, X-Api-Key: [redacted]])");
        let shown: Vec<_> = headers.shown().collect();
        assert_eq!(shown, [("Accept", "text/xml"), ("X-Api-Key", REDACTED)]);
        assert_eq!(headers.without_secrets().iter().collect::<Vec<_>>(), [("Accept", "text/xml")]);
    }
}
