//! An answer to a document: all the steps between the wire and the values, in their order.

use crate::charset::decode_text;
use crate::decode::decode_body;
use crate::element::Tree;
use crate::error::ParseError;
use crate::http::HttpPage;
use crate::page::Parsed;
use crate::parse::{parse_text, read_elements};

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

/// Reads an answer as [`read_document`] does, into elements: for whoever judges how it is written.
///
/// # Errors
/// See [`ParseError`]; a structure that breaks the protocol is none.
pub fn read_tree(page: &HttpPage, limit: usize) -> Result<Tree, ParseError> {
    let body = decode_body(page, limit)?;
    let (text, complaints) = decode_text(&body, page.headers.get("content-type"), limit)?;
    read_elements(&text, complaints, limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Headers;

    #[test]
    fn a_tree_has_names_resolved_and_places_in_the_text() {
        let body = "<?xml version='1.0'?>\n<o:a xmlns:o='urn:o' xmlns='urn:d'>x<b k='1' o:k='&lt;'/>\
                    &amp;<![CDATA[y]]><c xmlns=''/></o:a>";
        let page =
            HttpPage { status: 200, headers: Headers::default(), body: body.as_bytes().to_vec() };
        let tree = read_tree(&page, 1000).unwrap();
        let root = &tree.root;
        assert_eq!((root.name(), root.prefix(), &*root.namespace), ("a", "o", "urn:o"));
        assert_eq!(root.text, "x&y");
        let namespaces: Vec<&str> = root.children.iter().map(|each| &*each.namespace).collect();
        assert_eq!(namespaces, ["urn:d", ""]);
        let b = &root.children[0];
        assert_eq!((b.attribute("k"), b.attribute_in("urn:o", "k")), (Some("1"), Some("<")));
        assert_eq!(&tree.text[b.start..b.end], "<b k='1' o:k='&lt;'/>");
        assert_eq!(&tree.text[root.start..root.end], &body["<?xml version='1.0'?>\n".len()..]);
    }
}
