//! What an answer turns out to be, before anybody decides what to do about it.

use std::time::Duration;

use pmh_protocol::{
    BODY_BYTES_MAX, HttpPage, Lost, ParseError, Parsed, Phase, Stamp, read_document,
};

/// An answer, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// A whole OAI-PMH document, whatever the HTTP status was: it is judged by what it says (H15).
    Document(Box<Answered>),
    /// 429 or 503: come back later.
    Busy {
        /// Status code.
        status: u16,
        /// What Retry-After asked for; `None` when there was none or it made no sense.
        retry_after: Option<RetryAfter>,
    },
    /// 301, 302, 303, 307 or 308 with a Location.
    Redirect {
        /// Status code.
        status: u16,
        /// Where to, as sent.
        location: String,
    },
    /// 401 or 403: asking again does not help.
    Blocked {
        /// Status code.
        status: u16,
    },
    /// Any other status without a document.
    Status {
        /// Status code.
        status: u16,
    },
    /// A success whose body is no OAI-PMH document.
    Unreadable(ParseError),
    /// An answer that did not arrive whole.
    Lost(Lost),
}

/// When a busy source wants to be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// After so many seconds.
    Seconds(u64),
    /// At a moment of its own clock.
    At {
        /// The moment.
        until: Stamp,
        /// What its clock said when it answered, where it said so.
        date: Option<Stamp>,
    },
}

impl RetryAfter {
    /// How long that is; our clock, `now`, stands in for one that is not told.
    #[must_use]
    pub fn wait(self, now: Stamp) -> Duration {
        match self {
            Self::Seconds(seconds) => Duration::from_secs(seconds),
            Self::At { until, date } => {
                let seconds = until.seconds() - date.unwrap_or(now).seconds();
                Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
            }
        }
    }
}

/// A document and when the repository's HTTP server says it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The document and its complaints.
    pub parsed: Parsed,
    /// The Date field.
    pub date: Option<Stamp>,
    /// Cookies that were set: name and value.
    pub cookies: Vec<(String, String)>,
}

/// Reads an answer. The same function serves every driver, so that all read the same bytes the same way.
#[must_use]
pub fn interpret(answer: Result<HttpPage, Lost>) -> Fetched {
    interpret_within(answer, BODY_BYTES_MAX)
}

/// [`interpret`] with another bound on the bytes of a page, which holds for what comes off the wire, for what is
/// unpacked from that, and for the text that it is.
#[must_use]
pub fn interpret_within(answer: Result<HttpPage, Lost>, bytes_max: usize) -> Fetched {
    let page = match answer {
        Ok(page) => page,
        Err(lost) => return Fetched::Lost(lost),
    };
    let parsed = read_document(&page, bytes_max);
    let date = page.headers.get("date").and_then(http_date);
    match (parsed, page.status) {
        (Ok(parsed), _) => {
            Fetched::Document(Box::new(Answered { parsed, date, cookies: cookies(&page) }))
        }
        (Err(_), status @ (429 | 503)) => Fetched::Busy {
            status,
            retry_after: page.headers.get("retry-after").and_then(|text| retry_after(text, date)),
        },
        (Err(_), status @ (301 | 302 | 303 | 307 | 308)) => match page.headers.get("location") {
            Some(location) => Fetched::Redirect { status, location: location.to_owned() },
            None => Fetched::Status { status },
        },
        (Err(_), status @ (401 | 403)) => Fetched::Blocked { status },
        (
            Err(ParseError::Limit { what: "bytes of the body" | "bytes of the text", .. }),
            200..=299,
        ) => Fetched::Lost(too_large(page.body.len() as u64, bytes_max)),
        (Err(error), 200..=299) => Fetched::Unreadable(error),
        (Err(_), status) => Fetched::Status { status },
    }
}

/// The loss of a page that passes the bound on bytes, of which so many were received.
#[must_use]
pub fn too_large(received: u64, bytes_max: usize) -> Lost {
    let detail =
        format!("over {bytes_max} bytes, packed or unpacked (`--max-page-bytes` allows more)");
    Lost { phase: Phase::TooLarge, received, detail }
}

/// More cookies than this are no session any more.
const COOKIES_MAX: usize = 20;
const COOKIE_BYTES_MAX: usize = 4_096;

/// Name and value of each cookie that an answer sets; how long it lives and where it goes does not matter, because
/// cookies are kept for one traversal of one source.
fn cookies(page: &HttpPage) -> Vec<(String, String)> {
    page.headers
        .all("set-cookie")
        .filter(|field| field.len() <= COOKIE_BYTES_MAX)
        .filter_map(|field| field.split(';').next()?.split_once('='))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .filter(|(name, _)| !name.is_empty())
        .take(COOKIES_MAX)
        .collect()
}

/// A Retry-After field: seconds, or a date. A number beyond all numbers is a very long time.
fn retry_after(text: &str, date: Option<Stamp>) -> Option<RetryAfter> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(RetryAfter::Seconds(text.parse().unwrap_or(u64::MAX)));
    }
    http_date(text).map(|until| RetryAfter::At { until, date })
}

fn http_date(text: &str) -> Option<Stamp> {
    let since =
        httpdate::parse_http_date(text.trim()).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Stamp::from_seconds(i64::try_from(since.as_secs()).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use pmh_protocol::{Headers, Phase};

    use super::*;

    fn check(status: u16, fields: &[(&str, &str)], body: &str, expected: &Fetched) {
        let mut headers = Headers::default();
        for (name, value) in fields {
            headers.push(*name, *value);
        }
        let fetched = interpret(Ok(HttpPage { status, headers, body: body.as_bytes().to_vec() }));
        assert_eq!(&fetched, expected);
    }

    #[test]
    fn retry_after_is_read_in_every_form() {
        let now = Stamp::parse("2024-01-01T00:01:00Z").unwrap();
        let wait = |fields: &[(&str, &str)]| {
            let mut headers = Headers::default();
            fields.iter().for_each(|(name, value)| headers.push(*name, *value));
            match interpret(Ok(HttpPage { status: 503, headers, body: b"busy".to_vec() })) {
                Fetched::Busy { status: 503, retry_after } => {
                    retry_after.map(|retry_after| retry_after.wait(now).as_secs())
                }
                fetched => panic!("{fetched:?}"),
            }
        };
        let date = ("Date", "Mon, 01 Jan 2024 00:00:00 GMT");
        let until = ("Retry-After", "Mon, 01 Jan 2024 00:02:00 GMT");
        assert_eq!(wait(&[("Retry-After", " 7 ")]), Some(7));
        assert_eq!(wait(&[("Retry-After", "99999999999999999999999")]), Some(u64::MAX));
        assert_eq!(wait(&[("Retry-After", "soon")]), None);
        assert_eq!(wait(&[("Retry-After", "-3")]), None);
        assert_eq!(wait(&[]), None);
        assert_eq!(wait(&[date, until]), Some(120), "measured on the server's clock");
        assert_eq!(wait(&[until]), Some(60), "or on ours, where the server tells none");
        let past = ("Retry-After", "Sun, 31 Dec 2023 00:00:00 GMT");
        assert_eq!(wait(&[date, past]), Some(0));
    }

    #[test]
    fn a_status_without_document_keeps_its_meaning() {
        check(403, &[], "no", &Fetched::Blocked { status: 403 });
        check(404, &[], "no", &Fetched::Status { status: 404 });
        check(302, &[], "", &Fetched::Status { status: 302 });
        check(
            302,
            &[("location", "https://x/oai")],
            "",
            &Fetched::Redirect { status: 302, location: "https://x/oai".into() },
        );
    }

    #[test]
    fn an_html_page_with_status_200_is_no_success() {
        check(
            200,
            &[],
            "<!DOCTYPE html><html><body>Maintenance</body></html>",
            &Fetched::Unreadable(ParseError::Html),
        );
    }

    #[test]
    fn a_page_that_is_too_large_in_any_form_is_no_broken_one() {
        let page = |bytes: &[u8]| HttpPage {
            status: 200,
            headers: Headers::default(),
            body: [b"<?xml version=\"1.0\"?><OAI-PMH>".as_slice(), bytes].concat(),
        };
        // Too long as it is, and only once it is text: a byte of Latin-1 makes two of UTF-8.
        for body in [vec![b' '; 1_000], vec![b'\xE4'; 900]] {
            let page = page(&body);
            let received = page.body.len() as u64;
            let fetched = interpret_within(Ok(page), 1_000);
            assert_eq!(fetched, Fetched::Lost(too_large(received, 1_000)));
        }
        assert!(matches!(interpret_within(Ok(page(b"")), 1_000), Fetched::Unreadable(_)));
    }

    #[test]
    fn a_lost_answer_stays_lost() {
        let lost = Lost { phase: Phase::Connect, received: 0, detail: "refused".into() };
        assert_eq!(interpret(Err(lost.clone())), Fetched::Lost(lost));
    }
}
