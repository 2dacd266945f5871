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
mod scope; // namespace declarations in scope
mod start; // where the document begins
mod text; // characters and references

use crate::error::ParseError;
use crate::page::Parsed;

/// Reads a whole OAI-PMH document.
///
/// # Errors
/// See [`ParseError`]: the page is lost.
pub fn parse_document(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let start = start::find_start(bytes)?;
    let valid_to = start.offset + start.text.len();
    let mut input = input::Input::new(start);
    let envelope = envelope::read_envelope(&mut input)?;
    let root_end = input.position();
    if let Some(at) = text::find_forbidden(&input.text()[..root_end]) {
        let offset = input.offset() - root_end + at;
        let detail = "a character that XML has no place for".to_owned();
        return Err(ParseError::Malformed { offset, detail });
    }
    input.finish();
    // A cut inside a character goes with a document that is cut; this one is whole.
    if valid_to < bytes.len() {
        return Err(ParseError::NotUtf8 { offset: valid_to });
    }
    Ok(Parsed {
        document: envelope.document,
        complaints: input.into_complaints(),
        unreadable: envelope.unreadable,
    })
}
