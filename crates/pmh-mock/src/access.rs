//! One request and what was answered, as other programs log it.

use std::fmt::Write as _;
use std::net::SocketAddr;

use hyper::header::{HeaderName, REFERER, USER_AGENT};
use hyper::http::request::Parts;
use jiff::Timestamp;
use pmh_protocol::Stamp;

/// A request and its answer, for an access log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Who asked.
    pub peer: SocketAddr,
    /// Method, target and version as they stood in the request.
    pub request_line: String,
    /// HTTP status of the answer.
    pub status: u16,
    /// Bytes of the answer's body.
    pub bytes: u64,
    /// The Referer field.
    pub referer: Option<String>,
    /// The User-Agent field.
    pub user_agent: Option<String>,
}

impl Access {
    /// What is known before there is an answer.
    pub(crate) fn of_request(peer: SocketAddr, head: &Parts) -> Self {
        let field = |name: HeaderName| {
            head.headers
                .get(name)
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Self {
            peer,
            request_line: format!("{} {} {:?}", head.method, head.uri, head.version),
            status: 0,
            bytes: 0,
            referer: field(REFERER),
            user_agent: field(USER_AGENT),
        }
    }

    /// The entry as a line of the combined log format, without the line's end. `at` is the moment of the answer.
    #[must_use]
    pub fn to_combined(&self, at: Stamp) -> String {
        let at = Timestamp::from_second(at.seconds()).unwrap_or_default();
        let quoted = |text: Option<&str>| match text {
            None | Some("") => "-".to_owned(),
            Some(text) => escaped(text),
        };
        let bytes = if self.bytes == 0 { "-".to_owned() } else { self.bytes.to_string() };
        format!(
            "{} - - [{}] \"{}\" {} {bytes} \"{}\" \"{}\"",
            self.peer.ip(),
            at.strftime("%d/%b/%Y:%H:%M:%S +0000"),
            escaped(&self.request_line),
            self.status,
            quoted(self.referer.as_deref()),
            quoted(self.user_agent.as_deref()),
        )
    }
}

/// Without quotes and control characters, so that no sender can forge a line.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            ' '..='~' => escaped.push(character),
            _ => {
                let mut bytes = [0; 4];
                for byte in character.encode_utf8(&mut bytes).bytes() {
                    // Writing to a string cannot fail.
                    let _ = write!(escaped, "\\x{byte:02x}");
                }
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_one_line_of_the_combined_format_whoever_wrote_its_fields() {
        let access = Access {
            peer: "127.0.0.1:5555".parse().unwrap(),
            request_line: "GET /oai?verb=Identify HTTP/1.1".to_owned(),
            status: 200,
            bytes: 812,
            referer: None,
            user_agent: Some("a \"b\"\n\u{e9}".to_owned()),
        };
        let at = Stamp::parse("2025-03-04T05:06:07Z").unwrap();
        assert_eq!(
            access.to_combined(at),
            "127.0.0.1 - - [04/Mar/2025:05:06:07 +0000] \"GET /oai?verb=Identify HTTP/1.1\" 200 812 \"-\" \
             \"a \\\"b\\\"\\x0a\\xc3\\xa9\"",
        );
        let nothing = Access { bytes: 0, ..access };
        assert!(nothing.to_combined(at).contains(" 200 - "));
    }
}
