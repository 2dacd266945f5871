//! How an answer goes over the wire when it does not go well: a plan of bytes and pauses, made here and carried out by
//! whoever holds the connection.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use pmh_scenario::{GzipLie, Length, WireEffect};

use crate::reply::Reply;

/// How long a server that stalls or keeps silent holds the connection.
const HOLD_SECONDS: u32 = 60;
/// The pause between two pieces of a body that dribbles.
const PIECE_SECONDS: u32 = 1;
/// What a stream of gzip has after its content, and a little of that.
const GZIP_CUT_BYTES: usize = 12;

/// Everything a server does on a connection after it has read a request: it replaces the framing of the answer, and
/// the connection does not outlive it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BytePlan {
    /// What is done, in order.
    pub steps: Vec<WireStep>,
    /// What becomes of the connection.
    pub end: WireEnd,
}

impl BytePlan {
    /// The head of this reply and half of its body, as much as a harvester has that dies in the middle of it.
    #[must_use]
    pub fn half_of(reply: &Reply) -> Self {
        let length = Some(("content-length", reply.body.len().to_string()));
        let half = &reply.body[..reply.body.len() / 2];
        let head = WireStep::Send(head(reply.status, &reply.headers, length));
        Self { steps: vec![head, WireStep::Send(half.to_vec())], end: WireEnd::Close }
    }

    /// How many bytes are sent, head included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.steps
            .iter()
            .map(|step| match step {
                WireStep::Send(bytes) => bytes.len() as u64,
                WireStep::Pause(_) => 0,
            })
            .sum()
    }
}

/// One thing that a server does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireStep {
    /// It sends these bytes.
    Send(Vec<u8>),
    /// It does nothing for so many seconds.
    Pause(u32),
}

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireEnd {
    /// It is closed in order (FIN).
    Close,
    /// It is reset (RST).
    Reset,
}

/// What an effect of the wire makes of an answer: what is left to be framed properly, and the plan where it is not.
pub(crate) fn travel(
    effect: &WireEffect,
    status: u16,
    headers: &mut Vec<(String, String)>,
    body: &mut Vec<u8>,
) -> Option<BytePlan> {
    let close = |steps| Some(BytePlan { steps, end: WireEnd::Close });
    let length = |length: usize| Some(("content-length", length.to_string()));
    let send = |bytes: &[u8]| WireStep::Send(bytes.to_vec());
    let head = |framing| WireStep::Send(head(status, headers, framing));
    let whole = body.len();
    match effect {
        WireEffect::CutAt(at) => close(vec![head(length(whole)), send(&body[..at.offset(body)])]),
        WireEffect::ResetAt(at) => Some(BytePlan {
            steps: vec![head(length(whole)), send(&body[..at.offset(body)])],
            end: WireEnd::Reset,
        }),
        WireEffect::StallAt(at) => close(vec![
            head(length(whole)),
            send(&body[..at.offset(body)]),
            WireStep::Pause(HOLD_SECONDS),
        ]),
        WireEffect::Dribble(pieces) => {
            let mut steps = vec![head(length(whole))];
            for piece in body.chunks(whole.div_ceil(*pieces as usize).max(1)) {
                steps.extend([WireStep::Pause(PIECE_SECONDS), send(piece)]);
            }
            close(steps)
        }
        WireEffect::Length(said) => {
            let framing = match said {
                Length::TooBig(more) => length(whole.saturating_add(*more as usize)),
                Length::TooSmall(less) => length(whole.saturating_sub(*less as usize)),
                Length::Absent => None,
            };
            close(vec![head(framing), send(body)])
        }
        WireEffect::ChunkedWithoutEnd => {
            let framing = Some(("transfer-encoding", "chunked".to_owned()));
            let mut chunk = format!("{whole:x}\r\n").into_bytes();
            chunk.extend_from_slice(body);
            chunk.extend(b"\r\n");
            close(vec![head(framing), WireStep::Send(chunk)])
        }
        WireEffect::Gzip(lie) => {
            disagree(*lie, headers, body);
            None
        }
        WireEffect::Refuse => Some(BytePlan { steps: Vec::new(), end: WireEnd::Reset }),
        WireEffect::Silence => close(vec![WireStep::Pause(HOLD_SECONDS)]),
        WireEffect::Replace(text) => close(vec![send(text.as_bytes())]),
    }
}

/// The head of an answer, which says that nothing follows it on this connection.
fn head(status: u16, headers: &[(String, String)], framing: Option<(&str, String)>) -> Vec<u8> {
    // A client goes by the number; the phrase is for people, and may be missing.
    let mut head = format!("HTTP/1.1 {status} \r\n");
    let fields = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let framing = framing.as_ref().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in fields.chain(framing).chain([("connection", "close")]) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// Makes compression and header fields disagree.
fn disagree(lie: GzipLie, headers: &mut Vec<(String, String)>, body: &mut Vec<u8>) {
    let gzip = |body: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(body).expect("memory takes all bytes");
        encoder.finish().expect("memory takes all bytes")
    };
    match lie {
        GzipLie::DeclaredOnly => {}
        GzipLie::Undeclared => *body = gzip(body),
        GzipLie::Double => *body = gzip(&gzip(body)),
        GzipLie::Cut => {
            *body = gzip(body);
            body.truncate(body.len().saturating_sub(GZIP_CUT_BYTES));
        }
    }
    if lie != GzipLie::Undeclared {
        headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
    }
}
