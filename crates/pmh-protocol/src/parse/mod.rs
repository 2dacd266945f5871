//! Bytes to a document.
use crate::error::ParseError;
use crate::page::Parsed;

/// Reads a whole OAI-PMH document.
///
/// # Errors
/// See [`ParseError`]: the page is lost.
pub fn parse_document(_bytes: &[u8]) -> Result<Parsed, ParseError> {
    Err(ParseError::Empty)
}
