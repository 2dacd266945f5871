//! What is not XML and can only have meant one thing: characters that XML 1.0 has no place for, raw or by reference, as
//! word processors and PDF files leave them in titles; ampersands that nobody escaped; entities of HTML; a declaration in
//! the middle of the document.
//!
//! This happens to the text before it is read as XML, in this one place, so that whoever wants such pages refused only
//! has to look at the complaints. A tag that is broken stays broken: nobody can say what was meant.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::{memchr, memmem};
use quick_xml::escape::resolve_html5_entity;

use super::text::{excerpt, is_allowed, is_white, numbered};
use crate::error::{Complaint, ComplaintKind, ParseError};

/// What a forbidden character becomes. It is not dropped: a form feed often stands between two words, which would
/// become one, and a reader of the record should see that something was there.
const REPLACEMENT: &str = "\u{FFFD}";
/// No entity of HTML has a longer name.
const ENTITY_BYTES_MAX: usize = 32;
/// A root element with a longer name is none of ours.
const NAME_BYTES_MAX: usize = 64;

/// A place that is not XML.
struct Flaw {
    kind: ComplaintKind,
    /// How much of the text it takes.
    length: usize,
    /// What stands there instead.
    instead: Cow<'static, str>,
}

/// The text with every flaw mended, at most `limit` bytes of it, and a complaint for each kind of flaw.
pub(super) fn repair(
    text: &str,
    limit: usize,
) -> Result<(Cow<'_, str>, Vec<Complaint>), ParseError> {
    if find_control(text).is_none() && !has_odd_reference(text) && !may_have_declaration(text) {
        return Ok((Cow::Borrowed(text), Vec::new()));
    }
    let mut repaired = String::with_capacity(text.len());
    // How many there are of each kind, and of the first one where it is in `repaired` and what it is.
    let mut found: BTreeMap<ComplaintKind, (usize, usize, String)> = BTreeMap::new();
    // Up to where the text is in a comment, an instruction or a CDATA section: a reference there is none.
    let mut literal_to = 0;
    // Up to where the text is in `repaired`.
    let mut done = 0;
    let mut at = 0;
    let mut in_document = false;
    let is_notable = |character: char| matches!(character, '<' | '&') || !is_allowed(character);
    while let Some(next) = text[at..].find(is_notable) {
        at += next;
        let rest = &text[at..];
        let is_literal = at < literal_to;
        let flaw = match rest.as_bytes()[0] {
            b'<' if is_literal => None,
            b'<' => {
                let flaw = late_declaration(rest).filter(|_| in_document);
                // What stands around the document is not read.
                in_document = is_root(rest).unwrap_or(in_document);
                if flaw.is_none() {
                    literal_to = at + literal_length(rest);
                }
                flaw
            }
            b'&' => odd_reference(rest).filter(|_| in_document && !is_literal),
            _ => rest.chars().next().map(|character| Flaw {
                kind: ComplaintKind::ControlCharacter,
                length: character.len_utf8(),
                instead: REPLACEMENT.into(),
            }),
        };
        let Some(Flaw { kind, length, instead }) = flaw else {
            at += 1;
            continue;
        };
        repaired.push_str(&text[done..at]);
        let first = || (0, repaired.len(), describe(text, at, length));
        found.entry(kind).or_insert_with(first).0 += 1;
        repaired.push_str(&instead);
        if repaired.len() > limit {
            return Err(ParseError::Limit { what: "bytes of the text", limit });
        }
        at += length;
        done = at;
    }
    if found.is_empty() {
        return Ok((Cow::Borrowed(text), Vec::new()));
    }
    repaired.push_str(&text[done..]);
    if repaired.len() > limit {
        return Err(ParseError::Limit { what: "bytes of the text", limit });
    }
    let complaints = found.into_iter().map(|(kind, (count, offset, first))| {
        let found = format!("{count}, the first {first}");
        Complaint { offset, kind, found }
    });
    let complaints = complaints.collect();
    Ok((Cow::Owned(repaired), complaints))
}

/// Whether the tag that begins here is that of a document, or its end; `None` when it is another.
fn is_root(text: &str) -> Option<bool> {
    let tag = &text[1..];
    let (is_start, name) = tag.strip_prefix('/').map_or((true, tag), |name| (false, name));
    // Bounded, because every tag is asked.
    let is_end = |byte: u8| byte.is_ascii_whitespace() || byte == b'>' || byte == b'/';
    let length = name.bytes().take(NAME_BYTES_MAX).position(is_end)?;
    let local = name[..length].rsplit(':').next()?;
    (local == "OAI-PMH").then_some(is_start)
}

/// What the character is, and the words before it, by which its record can be found.
fn describe(text: &str, at: usize, length: usize) -> String {
    let found = &text[at..at + length];
    let name = match found.chars().next() {
        Some('&' | '<') | None => excerpt(found),
        Some(character) => format!("U+{:04X}", u32::from(character)),
    };
    let before: Vec<char> = text[..at].chars().rev().take(30).collect();
    format!("{name} after {}", before.into_iter().rev().collect::<String>())
}

/// How long the comment, instruction, CDATA section or document type is that begins here; 0 when it is none.
fn literal_length(text: &str) -> usize {
    // A document with a type declaration is not read at all, and is shown as it is.
    if text.starts_with("<!DOCTYPE") {
        return text.len();
    }
    [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")]
        .into_iter()
        .find(|(open, _)| text.starts_with(open))
        .map_or(0, |(open, close)| {
            text[open.len()..].find(close).map_or(text.len(), |end| open.len() + end)
        })
}

/// What is wrong with the ampersand that `text` begins with, if something is.
fn odd_reference(text: &str) -> Option<Flaw> {
    let stray = |kind| Some(Flaw { kind, length: 1, instead: "&amp;".into() });
    let after = &text[1..];
    let is_part = |byte: u8| byte == b'#' || byte.is_ascii_alphanumeric();
    let length = after.bytes().take(ENTITY_BYTES_MAX).take_while(|byte| is_part(*byte)).count();
    let name = &after[..length];
    if name.is_empty() || after.as_bytes().get(length) != Some(&b';') {
        return stray(ComplaintKind::StrayAmpersand);
    }
    if name.starts_with('#') {
        return match numbered(name) {
            Some(Some(_)) => None,
            Some(None) => Some(Flaw {
                kind: ComplaintKind::ControlCharacter,
                length: length + "&;".len(),
                instead: REPLACEMENT.into(),
            }),
            None => stray(ComplaintKind::StrayAmpersand),
        };
    }
    if matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") {
        return None;
    }
    let instead = match resolve_html5_entity(name) {
        // An unknown name is text that somebody wrote.
        None => return stray(ComplaintKind::Entity),
        Some("<") => "&lt;",
        Some("&") => "&amp;",
        Some(text) => text,
    };
    Some(Flaw { kind: ComplaintKind::Entity, length: length + "&;".len(), instead: instead.into() })
}

/// An XML declaration, which may stand at the beginning of a document and nowhere else.
fn late_declaration(text: &str) -> Option<Flaw> {
    let after =
        text.strip_prefix("<?xml").filter(|after| after.starts_with(char::is_whitespace))?;
    let length = "<?xml".len() + after.find("?>")? + "?>".len();
    Some(Flaw { kind: ComplaintKind::LateDeclaration, length, instead: "".into() })
}

/// Whether there is an ampersand that may be wrong.
fn has_odd_reference(text: &str) -> bool {
    let mut at = 0;
    while let Some(next) = memchr(b'&', &text.as_bytes()[at..]) {
        at += next;
        if odd_reference(&text[at..]).is_some() {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether an XML declaration may stand somewhere else than at the beginning.
fn may_have_declaration(text: &str) -> bool {
    memmem::find_iter(text.as_bytes(), "<?xml").any(|at| at > 0)
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

    /// In a document; what stands around one is not read.
    fn check(text: &str, expected: &str, found: &str) {
        let whole = format!("<OAI-PMH>{text}");
        let (repaired, complaints) = repair(&whole, 1000).unwrap();
        assert_eq!(repaired.strip_prefix("<OAI-PMH>"), Some(expected));
        let said: Vec<_> = complaints.into_iter().map(|complaint| complaint.found).collect();
        assert_eq!(said.join("; ").replace("<OAI-PMH>", ""), found);
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
    fn an_ampersand_that_begins_no_reference_is_read_as_itself() {
        for text in ["&#;", "&#x;", "&#6x;", "&#1", "&#1 ;", "&#xg;", "&#+1;", "& #1;", "&#é;", "&"]
        {
            check(text, &text.replace('&', "&amp;"), "1, the first & after ");
        }
        check("R&D, a=1&b=2;&c=3", "R&amp;D, a=1&amp;b=2;&amp;c=3", "3, the first & after R");
        check("&amp;&lt;&gt;&quot;&apos;&#38;&#x26;", "&amp;&lt;&gt;&quot;&apos;&#38;&#x26;", "");
    }

    #[test]
    fn an_entity_of_html_becomes_its_character_and_an_unknown_one_text() {
        check("caf&eacute;&nbsp;12&ndash;34", "café\u{A0}12–34", "3, the first &eacute; after caf");
        check("&AMP;&LT;", "&amp;&lt;", "2, the first &AMP; after ");
        check("&nosuch;", "&amp;nosuch;", "1, the first & after ");
    }

    #[test]
    fn a_declaration_is_passed_over_where_it_has_no_place() {
        let declaration = "<?xml version='1.0'?>";
        for text in [format!("{declaration}<OAI-PMH/>"), format!("junk {declaration}<OAI-PMH/>")] {
            let (repaired, complaints) = repair(&text, 1000).unwrap();
            assert_eq!((&*repaired, complaints.len()), (text.as_str(), 0));
        }
        let inside = format!("{declaration}<OAI-PMH><b>{declaration}\n<c/></b></OAI-PMH>");
        let expected = format!("{declaration}<OAI-PMH><b>\n<c/></b></OAI-PMH>");
        let (repaired, complaints) = repair(&inside, 1000).unwrap();
        assert_eq!(repaired, expected);
        assert_eq!(complaints[0].kind, ComplaintKind::LateDeclaration);
        for text in
            ["<a><?xml-stylesheet href='x'?></a>", "<a><![CDATA[<?xml ?>]]></a>", "<a><?xml "]
        {
            check(text, text, "");
        }
    }

    #[test]
    fn nothing_is_a_reference_where_there_are_none() {
        for text in ["<![CDATA[R&D &eacute;]]>", "<!-- R&D -->", "<?p R&D ?>"] {
            check(text, text, "");
        }
        for text in ["<![CDATA[&#1;]]>", "<!-- &#1; -->", "<?p &#1; ?>", "<![CDATA[ <!-- &#1;"] {
            check(text, text, "");
            let end = if text.ends_with('>') { "&#1;" } else { "]]>&#1;" };
            let expected = end.replace("&#1;", "\u{FFFD}");
            let whole = format!("<OAI-PMH>{text}{end}");
            let (repaired, _) = repair(&whole, 1000).unwrap();
            assert_eq!(repaired, format!("<OAI-PMH>{text}{expected}"));
        }
        check("<![CDATA[\u{1}]]>", "<![CDATA[\u{FFFD}]]>", "1, the first U+0001 after <![CDATA[");
    }

    #[test]
    fn what_grows_by_its_repair_does_not_pass_the_limit() {
        assert!(repair(&"\u{1}".repeat(333), 1000).is_ok());
        for text in ["\u{1}".repeat(334), format!("{}\u{1}", "x".repeat(998))] {
            let error = repair(&text, 1000).unwrap_err();
            assert_eq!(error, ParseError::Limit { what: "bytes of the text", limit: 1000 });
        }
    }
}
