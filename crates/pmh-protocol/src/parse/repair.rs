//! Characters that XML 1.0 has no place for, raw or by reference: what word processors and PDF files leave in titles.
//!
//! This happens to the text before it is read as XML, in this one place, so that whoever wants such pages refused only
//! has to look at the complaint.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::text::{excerpt, is_allowed, is_white, numbered};
use crate::error::{Complaint, ComplaintKind, ParseError};

/// What a forbidden character becomes. It is not dropped: a form feed often stands between two words, which would
/// become one, and a reader of the record should see that something was there.
const REPLACEMENT: &str = "\u{FFFD}";

/// The text with every forbidden character replaced, at most `limit` bytes of it, and the complaint about them.
pub(super) fn repair_characters(
    text: &str,
    limit: usize,
) -> Result<(Cow<'_, str>, Option<Complaint>), ParseError> {
    if find_control(text).is_none() && find_reference(text, 0).is_none() {
        return Ok((Cow::Borrowed(text), None));
    }
    let mut repaired = String::with_capacity(text.len());
    let mut count = 0_usize;
    let mut first = None;
    // Up to where the text is in a comment, an instruction or a CDATA section: a reference there is none.
    let mut literal_to = 0;
    // Up to where the text is in `repaired`.
    let mut done = 0;
    let mut at = 0;
    let is_notable = |character: char| matches!(character, '<' | '&') || !is_allowed(character);
    while let Some(found) = text[at..].find(is_notable) {
        at += found;
        let rest = &text[at..];
        let forbidden = match rest.as_bytes()[0] {
            b'<' => {
                if at >= literal_to {
                    literal_to = at + literal_length(rest);
                }
                None
            }
            b'&' => forbidden_reference(rest).filter(|_| at >= literal_to),
            _ => rest.chars().next().map(char::len_utf8),
        };
        let Some(length) = forbidden else {
            at += 1;
            continue;
        };
        repaired.push_str(&text[done..at]);
        first.get_or_insert_with(|| (repaired.len(), describe(text, at, length)));
        repaired.push_str(REPLACEMENT);
        if repaired.len() > limit {
            return Err(ParseError::Limit { what: "bytes of the text", limit });
        }
        count += 1;
        at += length;
        done = at;
    }
    let Some((offset, first)) = first else {
        return Ok((Cow::Borrowed(text), None));
    };
    repaired.push_str(&text[done..]);
    if repaired.len() > limit {
        return Err(ParseError::Limit { what: "bytes of the text", limit });
    }
    let found = format!("{count}, the first {first}");
    let complaint = Complaint { offset, kind: ComplaintKind::ControlCharacter, found };
    Ok((Cow::Owned(repaired), Some(complaint)))
}

/// What the character is, and the words before it, by which its record can be found.
fn describe(text: &str, at: usize, length: usize) -> String {
    let found = &text[at..at + length];
    let name = match found.chars().next() {
        Some('&') | None => excerpt(found),
        Some(character) => format!("U+{:04X}", u32::from(character)),
    };
    let before: Vec<char> = text[..at].chars().rev().take(30).collect();
    format!("{name} after {}", before.into_iter().rev().collect::<String>())
}

/// How long the comment, instruction or CDATA section is that begins here; 0 when it is none.
fn literal_length(text: &str) -> usize {
    [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")]
        .into_iter()
        .find(|(open, _)| text.starts_with(open))
        .map_or(0, |(open, close)| {
            text[open.len()..].find(close).map_or(text.len(), |end| open.len() + end)
        })
}

/// The length of the reference that `text` begins with, when it names a character that XML has not.
fn forbidden_reference(text: &str) -> Option<usize> {
    let after = text.strip_prefix("&#")?;
    let length = after.bytes().position(|byte| !byte.is_ascii_alphanumeric())?;
    let is_reference = after.as_bytes()[length] == b';';
    let is_forbidden = is_reference && numbered(&text[1..length + 2]) == Some(None);
    is_forbidden.then_some(length + "&#;".len())
}

/// Offset of the first reference at or after `from` that names such a character.
fn find_reference(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = memchr(b'&', &text.as_bytes()[at..]) {
        at += found;
        if forbidden_reference(&text[at..]).is_some() {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Offset of the first such character that stands there itself.
fn find_control(text: &str) -> Option<usize> {
    const BLOCK: usize = 4096;
    let is_control = |byte: u8| byte < b' ' && !is_white(byte);
    // Whole blocks are judged without a branch per byte: nearly every document passes.
    let in_block = |block: &[u8]| block.iter().fold(false, |found, byte| found | is_control(*byte));
    let control = text.as_bytes().chunks(BLOCK).position(in_block).map(|block| block * BLOCK);
    control.or_else(|| find_noncharacter(text))
}

/// Offset of the first U+FFFE or U+FFFF. Their neighbour U+FFFD, which is allowed, begins with the same two bytes.
fn find_noncharacter(text: &str) -> Option<usize> {
    memmem::find_iter(text.as_bytes(), b"\xEF\xBF")
        .find(|at| matches!(text.as_bytes().get(at + 2), Some(0xBE | 0xBF)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str, found: &str) {
        let (repaired, complaint) = repair_characters(text, 1000).unwrap();
        assert_eq!(repaired, expected);
        assert_eq!(complaint.map(|complaint| complaint.found).unwrap_or_default(), found);
    }

    #[test]
    fn a_forbidden_character_becomes_a_visible_one_wherever_it_stands() {
        check("a\tb\r\n&#9;&#xD7FF;&#x10FFFF;", "a\tb\r\n&#9;&#xD7FF;&#x10FFFF;", "");
        check("old\u{B}harbour", "old\u{FFFD}harbour", "1, the first U+000B after old");
        check("\0<a b='\u{1F}'/>", "\u{FFFD}<a b='\u{FFFD}'/>", "2, the first U+0000 after ");
        check("ü\u{FFFE}\u{FFFF}", "ü\u{FFFD}\u{FFFD}", "2, the first U+FFFE after ü");
        check("&amp;bell&#7;", "&amp;bell\u{FFFD}", "1, the first &#7; after &amp;bell");
        for reference in ["&#0;", "&#x00;", "&#xD800;", "&#xFFFF;", "&#x110000;", "&#99999999999;"]
        {
            check(reference, "\u{FFFD}", &format!("1, the first {reference} after "));
        }
    }

    #[test]
    fn what_is_no_reference_is_left_alone() {
        for text in ["&#;", "&#x;", "&#6x;", "&#1", "&#1 ;", "&#xg;", "&#+1;", "& #1;", "&#é;"] {
            check(text, text, "");
        }
        for text in ["<![CDATA[&#1;]]>", "<!-- &#1; -->", "<?p &#1; ?>", "<![CDATA[ <!-- &#1;"] {
            check(text, text, "");
            let end = if text.ends_with('>') { "&#1;" } else { "]]>&#1;" };
            let expected = end.replace("&#1;", "\u{FFFD}");
            let whole = format!("{text}{end}");
            let (repaired, _) = repair_characters(&whole, 1000).unwrap();
            assert_eq!(repaired, format!("{text}{expected}"));
        }
        check("<![CDATA[\u{1}]]>", "<![CDATA[\u{FFFD}]]>", "1, the first U+0001 after <![CDATA[");
    }

    #[test]
    fn what_grows_by_its_repair_does_not_pass_the_limit() {
        assert!(repair_characters(&"\u{1}".repeat(333), 1000).is_ok());
        for text in ["\u{1}".repeat(334), format!("{}\u{1}", "x".repeat(998))] {
            let error = repair_characters(&text, 1000).unwrap_err();
            assert_eq!(error, ParseError::Limit { what: "bytes of the text", limit: 1000 });
        }
    }
}
