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
    /// What opened the list that it continues: a repository may give the same token in several lists, and know from
    /// what was asked last which is meant.
    pub list: String,
    /// Asked after the repository was changed on purpose.
    pub after_change: bool,
}

/// In which order arguments stand.
const ORDER: [&str; 7] =
    ["verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"];

impl Ask {
    /// A GET with these arguments.
    #[must_use]
    pub fn of(arguments: &[(&str, &str)]) -> Self {
        Self::raw(encode_arguments(arguments))
    }

    /// A GET with a query that is encoded already.
    #[must_use]
    pub fn raw(query: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            query: query.into(),
            accept_encoding: None,
            nth: 0,
            list: String::new(),
            after_change: false,
        }
    }

    /// What this request to the repository at `base_url` asks, with its arguments in the order in which they are asked
    /// here.
    pub(crate) fn of_request(request: &HttpRequest, base_url: &str) -> Self {
        let query = |url: &str| url.split_once('?').map_or("", |(_, query)| query).to_owned();
        let own = decode_arguments(&query(base_url));
        let sent = request.body.clone().unwrap_or_else(|| query(&request.url));
        let mut arguments = decode_arguments(&sent);
        arguments.retain(|argument| !own.contains(argument));
        arguments.sort_by_key(|(name, _)| ORDER.iter().position(|each| each == name));
        let arguments: Vec<(&str, &str)> =
            arguments.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let accept_encoding = request.headers.get("accept-encoding").map(str::to_owned);
        Self { method: request.method, accept_encoding, ..Self::of(&arguments) }
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

    /// The same in the list that this query opened.
    #[must_use]
    pub fn in_list(self, opening: &str) -> Self {
        Self { list: opening.to_owned(), ..self }
    }

    /// The same after the repository was changed.
    #[must_use]
    pub fn after_change(self) -> Self {
        Self { after_change: true, ..self }
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
