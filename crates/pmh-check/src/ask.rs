//! One thing that is asked of a repository.

use pmh_protocol::{Headers, HttpRequest, Method, Verb, decode_arguments, encode_arguments};

/// A request, and what tells it apart from others: the evidence is kept by it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ask {
    /// GET or POST.
    pub method: Method,
    /// The arguments, encoded as they are sent: some checks encode them in their own way.
    pub query: String,
    /// What is sent as Accept-Encoding, if anything.
    pub accept_encoding: Option<String>,
    /// Tells apart equal requests that are sent more than once on purpose.
    pub nth: u16,
}

impl Ask {
    /// A GET with these arguments.
    #[must_use]
    pub fn of(arguments: &[(&str, &str)]) -> Self {
        Self::raw(encode_arguments(arguments))
    }

    /// A GET with a query that is encoded already.
    #[must_use]
    pub fn raw(query: impl Into<String>) -> Self {
        Self { method: Method::Get, query: query.into(), accept_encoding: None, nth: 0 }
    }

    /// A verb that needs no other argument.
    #[must_use]
    pub fn verb(verb: Verb) -> Self {
        Self::of(&[("verb", verb.as_str())])
    }

    /// The first page of a list of records or headers.
    #[must_use]
    pub fn list(verb: Verb, prefix: &str, more: &[(&str, &str)]) -> Self {
        let mut arguments = vec![("verb", verb.as_str()), ("metadataPrefix", prefix)];
        arguments.extend_from_slice(more);
        Self::of(&arguments)
    }

    /// A later page.
    #[must_use]
    pub fn resume(verb: Verb, token: &str) -> Self {
        Self::of(&[("verb", verb.as_str()), ("resumptionToken", token)])
    }

    /// One record.
    #[must_use]
    pub fn record(identifier: &str, prefix: &str) -> Self {
        Self::of(&[("verb", "GetRecord"), ("identifier", identifier), ("metadataPrefix", prefix)])
    }

    /// The same by POST.
    #[must_use]
    pub fn post(self) -> Self {
        Self { method: Method::Post, ..self }
    }

    /// The same with an Accept-Encoding.
    #[must_use]
    pub fn accepting(self, encoding: &str) -> Self {
        Self { accept_encoding: Some(encoding.to_owned()), ..self }
    }

    /// The same once more, although it was asked before.
    #[must_use]
    pub fn again(self, nth: u16) -> Self {
        Self { nth, ..self }
    }

    /// Its arguments, decoded.
    #[must_use]
    pub fn arguments(&self) -> Vec<(String, String)> {
        decode_arguments(&self.query)
    }

    /// The value of the argument of this name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<String> {
        self.arguments().into_iter().find(|(each, _)| each == name).map(|(_, value)| value)
    }

    /// The one verb that it names, if it does so as it should.
    #[must_use]
    pub fn verb_asked(&self) -> Option<Verb> {
        let arguments = self.arguments();
        let mut verbs = arguments.iter().filter(|(name, _)| name == "verb");
        match (verbs.next(), verbs.next()) {
            (Some((_, name)), None) => Verb::from_name(name),
            _ => None,
        }
    }

    /// As it is sent to `base_url` with these fields.
    #[must_use]
    pub fn http(&self, base_url: &str, headers: &Headers) -> HttpRequest {
        let mut http = match self.method {
            Method::Get if self.query.is_empty() => HttpRequest {
                method: Method::Get,
                url: base_url.to_owned(),
                headers: Headers::default(),
                body: None,
            },
            Method::Get => HttpRequest::get(base_url, &self.query),
            Method::Post => HttpRequest {
                method: Method::Post,
                url: base_url.to_owned(),
                headers: Headers::default(),
                body: Some(self.query.clone()),
            },
        };
        http.headers.extend(headers);
        if let Some(encoding) = &self.accept_encoding {
            http.headers.push("Accept-Encoding", encoding.clone());
        }
        http
    }
}
