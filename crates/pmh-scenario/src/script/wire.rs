//! How bytes travel when they do not travel well. Written in a file as they are played.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to an answer on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireEffect {
    /// The body ends there and the connection is closed in order, although more was announced.
    CutAt(Position),
    /// The body ends there and the connection is reset.
    ResetAt(Position),
    /// From there on nothing more comes; after a minute the server hangs up.
    StallAt(Position),
    /// The body comes in so many pieces, one a second.
    Dribble(u32),
    /// What Content-Length says.
    Length(Length),
    /// The body is sent in chunks and the connection closed without the last one.
    ChunkedWithoutEnd,
    /// Compression and header fields disagree, or the stream is not whole.
    Gzip(GzipLie),
    /// The connection is reset before any of the answer is sent.
    Refuse,
    /// No byte of an answer is sent; after a minute the server hangs up.
    Silence,
    /// These bytes are sent in place of the whole answer, head included; then the connection is closed.
    Replace(String),
}

/// A place in the body of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// After so many bytes.
    Byte(u32),
    /// After so large a share of it, from 0 to 1.
    Share(f64),
    /// In the middle of its nth record, from 1.
    InsideRecord(u32),
}

/// What Content-Length says of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// So many bytes more than are sent.
    TooBig(u32),
    /// So many bytes less than are sent.
    TooSmall(u32),
    /// Nothing: the end of the connection is the end of the body.
    Absent,
}

/// How compression goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GzipLie {
    /// The body is in gzip and no field says so.
    Undeclared,
    /// A field says gzip and the body is plain.
    DeclaredOnly,
    /// The stream ends before its last bytes.
    Cut,
    /// The body is in gzip twice, and declared so once.
    Double,
}

impl Position {
    /// The place in this body, in bytes; never beyond its end. A record that is not there is the end.
    #[must_use]
    pub fn offset(self, body: &[u8]) -> usize {
        let offset = match self {
            Self::Byte(byte) => byte as usize,
            // A share of what fits into memory loses no digit that matters.
            Self::Share(share) => (body.len() as f64 * share) as usize,
            Self::InsideRecord(number) => return inside_record(body, number).unwrap_or(body.len()),
        };
        offset.min(body.len())
    }
}

/// The middle of the nth record, or header where there are no records.
fn inside_record(body: &[u8], number: u32) -> Option<usize> {
    let text = String::from_utf8_lossy(body);
    let tag = if text.contains("<record>") { "record>" } else { "header" };
    let (start, _) = text.match_indices(&format!("<{tag}")).nth(number.checked_sub(1)? as usize)?;
    let length = text[start..].find(&format!("</{}", tag.trim_end_matches('>')))?;
    Some(start + length / 2)
}

impl WireEffect {
    /// Whether whoever asked gets a page that can be read.
    #[must_use]
    pub const fn delivers(&self) -> bool {
        match self {
            Self::Dribble(_) | Self::Length(Length::Absent) => true,
            Self::Gzip(lie) => !matches!(lie, GzipLie::Cut),
            Self::CutAt(_)
            | Self::ResetAt(_)
            | Self::StallAt(_)
            | Self::Length(_)
            | Self::ChunkedWithoutEnd
            | Self::Refuse
            | Self::Silence
            | Self::Replace(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_inside_the_body_whatever_is_asked_for() {
        let body = b"<a><record>123456</record><record>7890</record></a>";
        assert_eq!(Position::Byte(4).offset(body), 4);
        assert_eq!(Position::Byte(4_000).offset(body), body.len());
        assert_eq!(Position::Share(0.5).offset(body), body.len() / 2);
        let second = Position::InsideRecord(2).offset(body);
        assert!((27..38).contains(&second), "{second}");
        assert_eq!(Position::InsideRecord(3).offset(body), body.len());
        let headers = b"<header><identifier>x</identifier></header>";
        assert!((8..35).contains(&Position::InsideRecord(1).offset(headers)));
    }
}
