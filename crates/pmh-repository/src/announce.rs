//! What a resumptionToken element says besides the token.

use pmh_protocol::{ResumptionToken, Stamp};
use pmh_scenario::{Cursor, Expiration, ListSize, Protocol};

use crate::cut::Cut;
use crate::edit::Edit;

/// How long ago a token died that is said to be dead.
const PAST_SECONDS: i64 = 3_600;

/// Where a token is given out.
pub(crate) struct Occasion<'a> {
    /// The page that carries it.
    pub(crate) cut: &'a Cut,
    /// Its number.
    pub(crate) page: u32,
    /// How many records the whole repository shows.
    pub(crate) whole: usize,
    /// The repository's clock.
    pub(crate) clock: Stamp,
}

/// The element that carries `value`, and what no number can say of it.
pub(crate) fn announce(
    value: String,
    at: &Occasion<'_>,
    protocol: &Protocol,
) -> (ResumptionToken, Vec<Edit>) {
    let mut edits = Vec::new();
    let mut number = |name: &'static str, said: Said| match said {
        Said::Nothing => None,
        Said::Number(number) => {
            let number_or_text = u64::try_from(number);
            if number_or_text.is_err() {
                edits.push(Edit::TokenAttribute(name, number.to_string()));
            }
            number_or_text.ok()
        }
        Said::Text(text) => {
            edits.push(Edit::TokenAttribute(name, text));
            None
        }
    };
    let announced_offset = number("cursor", cursor(&protocol.announced.cursor, at));
    let announced_size = number("completeListSize", size(&protocol.announced.size, at));
    let expires = match &protocol.announced.expiration {
        _ if value.trim().is_empty() => None,
        Expiration::Absent => None,
        Expiration::Right => protocol.life.seconds.map(|seconds| at.clock.plus_seconds(seconds)),
        Expiration::Past => Some(at.clock.plus_seconds(-PAST_SECONDS)),
        Expiration::Text(text) => {
            edits.push(Edit::TokenAttribute("expirationDate", text.clone()));
            None
        }
    };
    (ResumptionToken { value, announced_offset, announced_size, expires }, edits)
}

/// What an attribute says.
enum Said {
    Nothing,
    Number(i64),
    Text(String),
}

fn cursor(cursor: &Cursor, at: &Occasion<'_>) -> Said {
    let (offset, size) = (count(at.cut.offset), count(at.cut.size));
    match cursor {
        Cursor::Right => Said::Number(offset),
        Cursor::Absent => Said::Nothing,
        Cursor::Pages => Said::Number(i64::from(at.page) - 1),
        Cursor::OneBased => Said::Number(offset + 1),
        Cursor::Rest => Said::Number((size - offset - count(at.cut.numbers.len())).max(0)),
        Cursor::Wrong(by) => Said::Number(offset.saturating_add(*by)),
        Cursor::Text(text) => Said::Text(text.clone()),
    }
}

fn size(size: &ListSize, at: &Occasion<'_>) -> Said {
    let right = count(at.cut.size);
    match size {
        ListSize::Right => Said::Number(right),
        ListSize::Absent => Said::Nothing,
        ListSize::Rest => Said::Number((right - count(at.cut.offset)).max(0)),
        ListSize::Whole => Said::Number(count(at.whole)),
        // The conversion saturates, and a list has far fewer records than a float can count.
        ListSize::Estimate(share) => Said::Number((right as f64 * (1.0 + share)).round() as i64),
        ListSize::AtLeast(most) => Said::Number(right.min(i64::from(*most))),
        ListSize::Grows(by) => {
            Said::Number(right.saturating_add(by.saturating_mul(i64::from(at.page) - 1)))
        }
        ListSize::Text(text) => Said::Text(text.clone()),
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
