//! Where in the bytes the document begins, past whatever a server printed before it.

use super::text::{WHITE, excerpt, is_white, split_name};
use crate::error::{Complaint, ComplaintKind, ParseError};

/// How far into the bytes an HTML page is looked for.
const HTML_WITHIN_BYTES: usize = 1024;

/// The text from the document's first `<`. It lacks a character that the bytes end in the middle of.
#[derive(Debug)]
pub(super) struct Start<'a> {
    pub(super) text: &'a str,
    /// Where that is in the bytes.
    pub(super) offset: usize,
    /// What had to be passed over.
    pub(super) complaints: Vec<Complaint>,
}

/// Finds the document in `bytes`.
pub(super) fn find_start(bytes: &[u8]) -> Result<Start<'_>, ParseError> {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) if looks_like_html(bytes) => return Err(ParseError::Html),
        Err(error) => {
            let (valid, _) = bytes.split_at(error.valid_up_to());
            match (error.error_len(), str::from_utf8(valid)) {
                // A transfer that was cut may have been cut inside a character.
                (None, Ok(text)) => text,
                _ => {
                    return Err(ParseError::NotUtf8 { offset: error.valid_up_to() });
                }
            }
        }
    };
    let mut complaints = Vec::new();
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
fn looks_like_html(bytes: &[u8]) -> bool {
    let front = &bytes[..bytes.len().min(HTML_WITHIN_BYTES)];
    let find = |mark: &[u8]| {
        front.windows(mark.len()).position(|window| window.eq_ignore_ascii_case(mark))
    };
    let html = find(b"<!doctype html").or_else(|| find(b"<html"));
    html.is_some_and(|html| find(b"OAI-PMH").is_none_or(|oai| html < oai))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], text: &str, complaints: &[ComplaintKind]) {
        let start = find_start(bytes).unwrap();
        assert_eq!(start.text, text);
        assert_eq!(&bytes[start.offset..start.offset + 1], b"<");
        let kinds: Vec<_> = start.complaints.iter().map(|complaint| complaint.kind).collect();
        assert_eq!(kinds, complaints);
    }

    #[test]
    fn what_stands_before_the_document_is_passed_over_with_a_complaint() {
        use ComplaintKind::{ByteOrderMark, JunkAround};
        check(b"<?xml version='1.0'?><a/>", "<?xml version='1.0'?><a/>", &[]);
        check(b"\n<OAI-PMH/>", "<OAI-PMH/>", &[]);
        check(b"\n<?xml version='1.0'?>", "<?xml version='1.0'?>", &[JunkAround]);
        check(b"\xEF\xBB\xBF<x/>", "<x/>", &[ByteOrderMark]);
        check(b"Notice: a < b\n<o:OAI-PMH/>", "<o:OAI-PMH/>", &[JunkAround]);
        check(b"<br /><b>Warning</b><?xml ?>", "<?xml ?>", &[JunkAround]);
        let with_doctype = "<?a?><!DOCTYPE a><OAI-PMH/>";
        check(with_doctype.as_bytes(), with_doctype, &[]);
        let with_html = "<OAI-PMH><html/></OAI-PMH>";
        check(with_html.as_bytes(), with_html, &[]);
        check(b"<!-- OAI-PMH --><OAI-PMH/>", "<!-- OAI-PMH --><OAI-PMH/>", &[]);
    }

    #[test]
    fn bytes_without_a_document_say_what_they_are() {
        for (bytes, expected) in [
            (&b" \n"[..], "Empty"),
            (b"\xEF\xBB\xBF ", "Empty"),
            (b"<!DocType HTML><p>", "Html"),
            (b"Oops <html lang='en'>", "Html"),
            (b"<HTML>\xE9 x", "Html"),
            (b"<?xml version='1.0'?><!-- x --><html/>", "Html"),
            (b"busy", "Malformed"),
            (b"\xFF\xFE<\0", "NotUtf8"),
        ] {
            let error = find_start(bytes).unwrap_err();
            assert!(format!("{error:?}").starts_with(expected), "{error:?}, not {expected}");
        }
    }
}
