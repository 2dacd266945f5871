//! An answer to a document: all the steps between the wire and the values, in their order.

use crate::charset::decode_text;
use crate::decode::decode_body;
use crate::error::ParseError;
use crate::http::HttpPage;
use crate::page::Parsed;
use crate::parse::parse_text;

/// Reads the document in an answer, whatever its status: content encoding, charset and characters that XML forbids
/// included. None of the steps hands more than `limit` bytes to the next.
///
/// # Errors
/// See [`ParseError`]: the page is lost.
pub fn read_document(page: &HttpPage, limit: usize) -> Result<Parsed, ParseError> {
    let body = decode_body(page, limit)?;
    let (text, complaints) = decode_text(&body, page.headers.get("content-type"), limit)?;
    parse_text(&text, complaints, limit)
}
