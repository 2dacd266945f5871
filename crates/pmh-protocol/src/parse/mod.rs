//! Bytes to a document, in one pass.
//!
//! What can be survived is survived with a complaint; what makes the page a guess is an error. Endpoints are
//! hostile: depth, attributes, declarations and complaints are bounded, nothing recurses, and no entity is
//! ever expanded. The number of bytes is the caller's to bound.

mod attribute; // the inside of a start tag
mod envelope; // the root and its children
mod identify; // Identify, formats, sets
mod input; // nodes, namespaces, limits
mod list; // records, headers, the token
mod payload; // a self-contained fragment
mod repair; // characters that XML forbids
mod scope; // namespace declarations in scope
mod start; // where the document begins
mod text; // characters and references
mod tree; // every element, for judges

pub(crate) use tree::read_elements;

use crate::error::{Complaint, ParseError};
use crate::page::Parsed;

/// Reads a whole OAI-PMH document that is in UTF-8, as it should be. (What an HTTP answer holds is read with
/// [`read_document`](crate::read_document), which survives more.)
///
/// # Errors
/// See [`ParseError`]: the page is lost.
pub fn parse_document(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) if start::looks_like_html(bytes) => return Err(ParseError::Html),
        Err(error) => match (error.error_len(), str::from_utf8(&bytes[..error.valid_up_to()])) {
            // A transfer that was cut may have been cut inside a character.
            (None, Ok(text)) => text,
            _ => return Err(ParseError::NotUtf8 { offset: error.valid_up_to() }),
        },
    };
    let parsed = parse_text(text, Vec::new(), usize::MAX)?;
    // That goes with a document that is cut; this one is whole.
    if text.len() < bytes.len() {
        return Err(ParseError::NotUtf8 { offset: text.len() });
    }
    Ok(parsed)
}

/// Reads a document whose bytes were complained of before; at most `limit` bytes of it, once repaired.
pub(crate) fn parse_text(
    text: &str,
    mut complaints: Vec<Complaint>,
    limit: usize,
) -> Result<Parsed, ParseError> {
    let (text, repairs) = repair::repair(text, limit)?;
    complaints.extend(repairs);
    let mut input = input::Input::new(start::find_start(&text, complaints)?);
    let envelope = envelope::read_envelope(&mut input)?;
    input.finish();
    Ok(Parsed {
        document: envelope.document,
        complaints: input.into_complaints(),
        unreadable: envelope.unreadable,
    })
}
