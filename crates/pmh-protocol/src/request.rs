//! The requests of the protocol, and their arguments both ways.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::datestamp::Datestamp;
use crate::error::{ErrorCode, OaiError};

/// Every octet outside RFC 3986's unreserved characters is encoded, once (rule 68).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The six verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Who are you?
    Identify,
    /// Which formats are there?
    ListMetadataFormats,
    /// Which sets are there?
    ListSets,
    /// Headers of a selection.
    ListIdentifiers,
    /// Records of a selection.
    ListRecords,
    /// One record.
    GetRecord,
}

impl Verb {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Identify,
        Self::ListMetadataFormats,
        Self::ListSets,
        Self::ListIdentifiers,
        Self::ListRecords,
        Self::GetRecord,
    ];

    /// The verb's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Identify => "Identify",
            Self::ListMetadataFormats => "ListMetadataFormats",
            Self::ListSets => "ListSets",
            Self::ListIdentifiers => "ListIdentifiers",
            Self::ListRecords => "ListRecords",
            Self::GetRecord => "GetRecord",
        }
    }

    /// The verb of this name; names are case-sensitive.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == name)
    }

    /// The arguments it takes besides `verb` and `resumptionToken`: (name, required).
    const fn parameters(self) -> &'static [(&'static str, bool)] {
        match self {
            Self::Identify | Self::ListSets => &[],
            Self::ListMetadataFormats => &[("identifier", false)],
            Self::ListIdentifiers | Self::ListRecords => {
                &[("metadataPrefix", true), ("from", false), ("until", false), ("set", false)]
            }
            Self::GetRecord => &[("identifier", true), ("metadataPrefix", true)],
        }
    }

    /// Whether its answers can be continued by a token.
    const fn pages(self) -> bool {
        matches!(self, Self::ListSets | Self::ListIdentifiers | Self::ListRecords)
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a list is asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selection {
    /// metadataPrefix
    pub prefix: String,
    /// Earliest datestamp, inclusive (rule 44).
    pub from: Option<Datestamp>,
    /// Latest datestamp, inclusive (rule 45).
    pub until: Option<Datestamp>,
    /// setSpec; members of its descendants are included (rule 37).
    pub set: Option<String>,
}

/// A request that keeps the rules. A token stands alone beside the verb (rule 181), by construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Identify
    Identify,
    /// ListMetadataFormats, of one item or of the whole repository.
    ListMetadataFormats {
        /// The item.
        identifier: Option<String>,
    },
    /// ListSets, first page.
    ListSets,
    /// ListIdentifiers, first page.
    ListIdentifiers(Selection),
    /// ListRecords, first page.
    ListRecords(Selection),
    /// GetRecord
    GetRecord {
        /// The item.
        identifier: String,
        /// metadataPrefix
        prefix: String,
    },
    /// The next page of a list.
    Resume {
        /// The verb that opened the list.
        verb: Verb,
        /// The token, as delivered.
        token: String,
    },
}

impl Request {
    /// Its verb.
    #[must_use]
    pub const fn verb(&self) -> Verb {
        match self {
            Self::Identify => Verb::Identify,
            Self::ListMetadataFormats { .. } => Verb::ListMetadataFormats,
            Self::ListSets => Verb::ListSets,
            Self::ListIdentifiers(_) => Verb::ListIdentifiers,
            Self::ListRecords(_) => Verb::ListRecords,
            Self::GetRecord { .. } => Verb::GetRecord,
            Self::Resume { verb, .. } => *verb,
        }
    }

    /// Its arguments, verb first, not encoded.
    #[must_use]
    pub fn arguments(&self) -> Vec<(&'static str, String)> {
        let mut arguments = vec![("verb", self.verb().as_str().to_owned())];
        match self {
            Self::Identify | Self::ListSets | Self::ListMetadataFormats { identifier: None } => {}
            Self::ListMetadataFormats { identifier: Some(identifier) } => {
                arguments.push(("identifier", identifier.clone()));
            }
            Self::ListIdentifiers(selection) | Self::ListRecords(selection) => {
                arguments.push(("metadataPrefix", selection.prefix.clone()));
                arguments.extend(selection.from.map(|from| ("from", from.to_string())));
                arguments.extend(selection.until.map(|until| ("until", until.to_string())));
                arguments.extend(selection.set.iter().map(|set| ("set", set.clone())));
            }
            Self::GetRecord { identifier, prefix } => {
                arguments.push(("identifier", identifier.clone()));
                arguments.push(("metadataPrefix", prefix.clone()));
            }
            Self::Resume { token, .. } => arguments.push(("resumptionToken", token.clone())),
        }
        arguments
    }

    /// Its arguments as an encoded query string.
    #[must_use]
    pub fn query(&self) -> String {
        encode_arguments(&self.arguments())
    }

    /// Reads the arguments of a request as a repository must (rules 61 to 70 and the tables of codes).
    ///
    /// # Errors
    /// badVerb or badArgument with a text that says which argument; both are what a repository answers.
    pub fn from_arguments(arguments: &[(String, String)]) -> Result<Self, OaiError> {
        let bad_argument = |text: String| OaiError::new(ErrorCode::BadArgument, text);
        let mut verbs = arguments.iter().filter(|(name, _)| name == "verb").map(|(_, value)| value);
        let verb = match (verbs.next(), verbs.next()) {
            (None, _) => {
                return Err(OaiError::new(ErrorCode::BadVerb, "the argument `verb` is missing"));
            }
            (Some(_), Some(_)) => {
                return Err(OaiError::new(ErrorCode::BadVerb, "the argument `verb` is repeated"));
            }
            (Some(name), None) => Verb::from_name(name).ok_or_else(|| {
                OaiError::new(ErrorCode::BadVerb, format!("`{name}` is not a verb of OAI-PMH"))
            })?,
        };
        let rest: Vec<&(String, String)> =
            arguments.iter().filter(|(name, _)| name != "verb").collect();
        for (at, (name, _)) in rest.iter().enumerate() {
            if rest[..at].iter().any(|(earlier, _)| earlier == name) {
                return Err(bad_argument(format!("the argument `{name}` is repeated")));
            }
            let known = verb.parameters().iter().any(|(parameter, _)| parameter == name)
                || (name == "resumptionToken" && verb.pages());
            if !known {
                return Err(bad_argument(format!("`{name}` is not an argument of {verb}")));
            }
        }
        let value = |wanted: &str| {
            rest.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
        };
        if let Some(token) = value("resumptionToken") {
            if rest.len() > 1 {
                return Err(bad_argument("resumptionToken is an exclusive argument".to_owned()));
            }
            return Ok(Self::Resume { verb, token });
        }
        for (parameter, required) in verb.parameters() {
            if *required && value(parameter).is_none_or(|value| value.is_empty()) {
                return Err(bad_argument(format!("{verb} needs the argument `{parameter}`")));
            }
        }
        let date = |name: &str| {
            value(name)
                .map(|text| {
                    Datestamp::parse(&text)
                        .map_err(|error| bad_argument(format!("`{name}`: {error}")))
                })
                .transpose()
        };
        let required = |name: &str| value(name).expect("required arguments were checked above");
        Ok(match verb {
            Verb::Identify => Self::Identify,
            Verb::ListSets => Self::ListSets,
            Verb::ListMetadataFormats => {
                Self::ListMetadataFormats { identifier: value("identifier") }
            }
            Verb::GetRecord => Self::GetRecord {
                identifier: required("identifier"),
                prefix: required("metadataPrefix"),
            },
            Verb::ListIdentifiers | Verb::ListRecords => {
                let selection = Selection {
                    prefix: required("metadataPrefix"),
                    from: date("from")?,
                    until: date("until")?,
                    set: value("set"),
                };
                if let (Some(from), Some(until)) = (selection.from, selection.until) {
                    if from.granularity != until.granularity {
                        return Err(bad_argument(
                            "`from` and `until` differ in granularity".to_owned(),
                        ));
                    }
                    if from > until {
                        return Err(bad_argument("`from` is later than `until`".to_owned()));
                    }
                }
                if verb == Verb::ListRecords {
                    Self::ListRecords(selection)
                } else {
                    Self::ListIdentifiers(selection)
                }
            }
        })
    }
}

/// Joins arguments into a query string, every reserved octet encoded once.
#[must_use]
pub fn encode_arguments<N: AsRef<str>, V: AsRef<str>>(arguments: &[(N, V)]) -> String {
    let mut query = String::new();
    for (name, value) in arguments {
        if !query.is_empty() {
            query.push('&');
        }
        query.extend(utf8_percent_encode(name.as_ref(), RESERVED));
        query.push('=');
        query.extend(utf8_percent_encode(value.as_ref(), RESERVED));
    }
    query
}

/// Splits a query string or a form body into its arguments, escapes decoded once and a plus sign read as a
/// space (rules 69 and 70). Bytes that are not UTF-8 become replacement characters.
#[must_use]
pub fn decode_arguments(query: &str) -> Vec<(String, String)> {
    let decode =
        |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Request, String> {
        Request::from_arguments(&decode_arguments(query)).map_err(|error| error.code.to_string())
    }

    #[test]
    fn every_request_goes_there_and_back() {
        let selection = Selection {
            prefix: "oai_dc".into(),
            from: Some(Datestamp::parse("2024-01-01").unwrap()),
            until: Some(Datestamp::parse("2024-02-01").unwrap()),
            set: Some("art:paint".into()),
        };
        for request in [
            Request::Identify,
            Request::ListSets,
            Request::ListMetadataFormats { identifier: None },
            Request::ListMetadataFormats { identifier: Some("oai:x:1".into()) },
            Request::ListIdentifiers(selection.clone()),
            Request::ListRecords(selection),
            Request::GetRecord { identifier: "oai:x:1 ü".into(), prefix: "oai_dc".into() },
            Request::Resume { verb: Verb::ListRecords, token: "7q@Zx+Kp/==&x|y #%".into() },
        ] {
            assert_eq!(read(&request.query()), Ok(request));
        }
    }

    #[test]
    fn a_token_is_encoded_octet_by_octet_and_once() {
        let request = Request::Resume { verb: Verb::ListRecords, token: "a+b/c=&%20 ü~".into() };
        assert_eq!(
            request.query(),
            "verb=ListRecords&resumptionToken=a%2Bb%2Fc%3D%26%2520%20%C3%BC~"
        );
    }

    #[test]
    fn wrong_arguments_get_the_code_of_the_protocol() {
        for (query, code) in [
            ("", "badVerb"),
            ("verb=listRecords", "badVerb"),
            ("verb=Identify&verb=Identify", "badVerb"),
            ("verb=Identify&foo=bar", "badArgument"),
            ("verb=ListRecords", "badArgument"),
            ("verb=ListRecords&metadataPrefix=", "badArgument"),
            ("verb=ListRecords&metadataPrefix=a&metadataPrefix=b", "badArgument"),
            ("verb=ListRecords&metadataPrefix=a&from=2024", "badArgument"),
            ("verb=ListRecords&metadataPrefix=a&from=2024-02-02&until=2024-02-01", "badArgument"),
            (
                "verb=ListRecords&metadataPrefix=a&from=2024-02-01&until=2024-02-01T00:00:00Z",
                "badArgument",
            ),
            ("verb=ListRecords&metadataPrefix=a&resumptionToken=t", "badArgument"),
            ("verb=Identify&resumptionToken=t", "badArgument"),
        ] {
            assert_eq!(read(query), Err(code.to_owned()), "for `{query}`");
        }
    }
}
