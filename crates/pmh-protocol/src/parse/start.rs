//! Where in the text the document begins, past whatever a server printed before it.

use super::text::{WHITE, excerpt, is_white, split_name};
use crate::error::{Complaint, ComplaintKind, ParseError};

/// How far into the bytes an HTML page is looked for.
const HTML_WITHIN_BYTES: usize = 1024;

/// The text from the document's first `<`.
#[derive(Debug)]
pub(super) struct Start<'a> {
    pub(super) text: &'a str,
    /// Where that is in the whole text.
    pub(super) offset: usize,
    /// What was complained of so far, and what had to be passed over.
    pub(super) complaints: Vec<Complaint>,
}

/// Finds the document in `text`.
pub(super) fn find_start(
    text: &str,
    mut complaints: Vec<Complaint>,
) -> Result<Start<'_>, ParseError> {
    let unmarked = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if unmarked.len() < text.len() {
        let found = "U+FEFF".to_owned();
        complaints.push(Complaint { offset: 0, kind: ComplaintKind::ByteOrderMark, found });
    }
    let trimmed = unmarked.trim_start_matches(WHITE);
    if trimmed.is_empty() {
        return Err(ParseError::Empty);
    }
    let begin = text.len() - trimmed.len();
    if looks_like_html(trimmed.as_bytes()) {
        return Err(ParseError::Html);
    }
    // Comments and instructions may stand before the root, and a DOCTYPE has to be met, not passed over.
    let junk_length = if trimmed.starts_with("<!") || trimmed.starts_with("<?") {
        0
    } else {
        match trimmed.match_indices('<').find(|(at, _)| starts_document(&trimmed[*at..])) {
            Some((at, _)) => at,
            None if trimmed.starts_with('<') => 0,
            None => {
                let detail = format!("expected `<`, found `{}`", excerpt(trimmed));
                return Err(ParseError::Malformed { offset: begin, detail });
            }
        }
    };
    let start = begin + junk_length;
    // White space is legal before the root, not before the declaration.
    let white_before_declaration = trimmed.len() < unmarked.len() && trimmed.starts_with("<?xml");
    if junk_length > 0 || white_before_declaration {
        let found = excerpt(&unmarked[..unmarked.len() - trimmed.len() + junk_length]);
        let offset = text.len() - unmarked.len();
        complaints.push(Complaint { offset, kind: ComplaintKind::JunkAround, found });
    }
    Ok(Start { text: &text[start..], offset: start, complaints })
}

/// Whether an XML declaration or the start tag of an OAI-PMH element, under any prefix, stands here.
fn starts_document(text: &str) -> bool {
    if let Some(after) = text.strip_prefix("<?xml") {
        return after.bytes().next().is_some_and(is_white);
    }
    let name_end = |character: char| WHITE.contains(&character) || "<>/".contains(character);
    let name = text[1..].split(name_end).next().unwrap_or_default();
    split_name(name).1 == "OAI-PMH"
}

/// Whether an `html` tag or DOCTYPE begins near the front, before anything of OAI-PMH.
pub(super) fn looks_like_html(bytes: &[u8]) -> bool {
    let front = &bytes[..bytes.len().min(HTML_WITHIN_BYTES)];
    let is_at = |at: usize, mark: &[u8]| {
        front.get(at..at + mark.len()).is_some_and(|text| text.eq_ignore_ascii_case(mark))
    };
    let tag = |mark: &[u8]| memchr::memchr_iter(b'<', front).find(|at| is_at(*at, mark));
    let html = tag(b"<!doctype html").or_else(|| tag(b"<html"));
    html.is_some_and(|html| !(0..=html).any(|at| is_at(at, b"OAI-PMH")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str, complaints: &[ComplaintKind]) {
        let start = find_start(text, Vec::new()).unwrap();
        assert_eq!(start.text, expected);
        assert!(text[start.offset..].starts_with('<'));
        let kinds: Vec<_> = start.complaints.iter().map(|complaint| complaint.kind).collect();
        assert_eq!(kinds, complaints);
    }

    #[test]
    fn what_stands_before_the_document_is_passed_over_with_a_complaint() {
        use ComplaintKind::{ByteOrderMark, JunkAround};
        check("<?xml version='1.0'?><a/>", "<?xml version='1.0'?><a/>", &[]);
        check("\n<OAI-PMH/>", "<OAI-PMH/>", &[]);
        check("\n<?xml version='1.0'?>", "<?xml version='1.0'?>", &[JunkAround]);
        check("\u{FEFF}<x/>", "<x/>", &[ByteOrderMark]);
        check("Notice: a < b\n<o:OAI-PMH/>", "<o:OAI-PMH/>", &[JunkAround]);
        check("<br /><b>Warning</b><?xml ?>", "<?xml ?>", &[JunkAround]);
        let with_doctype = "<?a?><!DOCTYPE a><OAI-PMH/>";
        check(with_doctype, with_doctype, &[]);
        let with_html = "<OAI-PMH><html/></OAI-PMH>";
        check(with_html, with_html, &[]);
        check("<!-- OAI-PMH --><OAI-PMH/>", "<!-- OAI-PMH --><OAI-PMH/>", &[]);
    }

    #[test]
    fn text_without_a_document_says_what_it_is() {
        for (text, expected) in [
            (" \n", "Empty"),
            ("\u{FEFF} ", "Empty"),
            ("<!DocType HTML><p>", "Html"),
            ("Oops <html lang='en'>", "Html"),
            ("<?xml version='1.0'?><!-- x --><html/>", "Html"),
            ("busy", "Malformed"),
        ] {
            let error = find_start(text, Vec::new()).unwrap_err();
            assert!(format!("{error:?}").starts_with(expected), "{error:?}, not {expected}");
        }
    }
}
