//! What a client of HTTP makes of the bytes that reach it: the other end of the wire in the pure arm.
//!
//! It knows as much of HTTP/1.1 as the answers of a server need, and looks at the bytes of a plan as a client would that
//! reads from a socket: a pause that is longer than its patience is the end.

use httparse::Status;
use pmh_protocol::{Headers, HttpPage, Lost, Phase};
use pmh_repository::{BytePlan, Reply, WireEnd, WireStep};

/// The silence that the shipped harvester bears.
const SILENCE_SECONDS: u32 = 300;
/// More header fields than any answer here has.
const FIELDS_MAX: usize = 128;

/// How an orderly end is told from any other.
const CLOSED: &str = "the connection was closed";

/// A reply as a client gets it.
pub(crate) struct Received {
    pub(crate) answer: Result<HttpPage, Lost>,
    /// How long its bytes were on their way.
    pub(crate) seconds: u64,
}

/// The reply as it comes out of the wire.
pub(crate) fn receive(reply: Reply) -> Received {
    let Some(plan) = reply.plan else {
        let mut headers = Headers::default();
        for (name, value) in reply.headers {
            headers.push(name, value);
        }
        let page = HttpPage { status: reply.status, headers, body: reply.body };
        return Received { answer: Ok(page), seconds: 0 };
    };
    let mut bytes = Vec::new();
    let mut seconds = 0;
    // What is said when the bytes are not enough.
    let mut end = ending(&plan);
    for step in plan.steps {
        match step {
            WireStep::Send(sent) => bytes.extend(sent),
            WireStep::Pause(pause) if pause < SILENCE_SECONDS => seconds += u64::from(pause),
            WireStep::Pause(_) => {
                seconds += u64::from(SILENCE_SECONDS);
                end = "silence";
                break;
            }
        }
    }
    Received { answer: read_answer(&bytes, end), seconds }
}

const fn ending(plan: &BytePlan) -> &'static str {
    match plan.end {
        WireEnd::Close => CLOSED,
        WireEnd::Reset => "the connection was reset",
    }
}

fn read_answer(bytes: &[u8], end: &str) -> Result<HttpPage, Lost> {
    let lost = |phase, received: usize, detail: &str| Lost {
        phase,
        received: received as u64,
        detail: detail.to_owned(),
    };
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut head = httparse::Response::new(&mut fields);
    let length = match head.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Err(lost(Phase::Head, 0, end)),
        Err(error) => return Err(lost(Phase::Head, 0, &error.to_string())),
    };
    let mut headers = Headers::default();
    for field in head.headers.iter() {
        headers.push(field.name, String::from_utf8_lossy(field.value));
    }
    let rest = &bytes[length..];
    let is_chunked = headers
        .get("transfer-encoding")
        .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    let announced = headers.get("content-length").and_then(|length| length.trim().parse().ok());
    let body = match (is_chunked, announced) {
        (true, _) => read_chunks(rest).map_err(|read| lost(Phase::Body, read, end))?,
        (false, Some(announced)) => match rest.get(..announced) {
            Some(body) => body.to_vec(),
            None => return Err(lost(Phase::Body, rest.len(), end)),
        },
        // The end of the connection is the end of the body, if it is an orderly one.
        (false, None) if end == CLOSED => rest.to_vec(),
        (false, None) => return Err(lost(Phase::Body, rest.len(), end)),
    };
    let status = head.code.unwrap_or_default();
    Ok(HttpPage { status, headers, body })
}

/// A body in chunks, or how much of it there was before it broke off.
fn read_chunks(mut rest: &[u8]) -> Result<Vec<u8>, usize> {
    let mut body = Vec::new();
    loop {
        let Ok(Status::Complete((line, length))) = httparse::parse_chunk_size(rest) else {
            return Err(body.len());
        };
        rest = &rest[line..];
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length == 0 {
            return Ok(body);
        }
        let Some(chunk) = rest.get(..length) else { return Err(body.len() + rest.len()) };
        body.extend_from_slice(chunk);
        let Some(after) = rest[length..].strip_prefix(b"\r\n") else { return Err(body.len()) };
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &str, end: &str, expected: Result<(u16, &str), (Phase, u64)>) {
        let read = read_answer(bytes.as_bytes(), end);
        let read = read
            .map(|page| (page.status, String::from_utf8(page.body).expect("text")))
            .map_err(|lost| (lost.phase, lost.received));
        let expected = expected.map(|(status, body)| (status, body.to_owned()));
        assert_eq!(read, expected, "{bytes:?}");
    }

    #[test]
    fn a_body_ends_where_its_framing_says() {
        let closed = CLOSED;
        check("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcd", closed, Ok((200, "abc")));
        check("HTTP/1.1 500 \r\n\r\nabcd", closed, Ok((500, "abcd")));
        let chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n";
        check(&format!("{chunks}0\r\n\r\n"), closed, Ok((200, "abc")));
        check(chunks, closed, Err((Phase::Body, 3)));
        check("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabcd", closed, Err((Phase::Body, 4)));
    }

    #[test]
    fn an_answer_without_a_whole_head_is_none() {
        check("", CLOSED, Err((Phase::Head, 0)));
        check("HTTP/1.1 200 OK\r\ncontent-le", CLOSED, Err((Phase::Head, 0)));
        check("SSH-2.0-server\r\n", CLOSED, Err((Phase::Head, 0)));
    }

    #[test]
    fn only_an_orderly_end_ends_a_body_without_length() {
        check("HTTP/1.1 200 OK\r\n\r\nabcd", "the connection was reset", Err((Phase::Body, 4)));
    }
}
