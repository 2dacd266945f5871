//! Characters of XML: white space, references, line ends.

use std::borrow::Cow;

use crate::error::ParseError;

/// White space as XML has it; a no-break space is content.
pub(super) const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];

pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(is_white)
}

pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(WHITE)
}

/// At most the first 100 characters, for complaints and errors.
pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(100).collect()
}

/// Whether `name` can be the name of an element, attribute or entity. Characters beyond ASCII pass without
/// a look at XML's table of them: nothing hangs on it.
pub(super) fn is_name(name: &str) -> bool {
    let starts = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..);
    name.bytes().next().is_some_and(starts) && name.bytes().all(is_name_byte)
}

pub(super) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.' | 0x80..)
}

/// The prefix of a qualified name (empty when it has none) and its local part.
pub(super) fn split_name(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

/// Offset of the first character that XML 1.0 has no place for.
pub(super) fn find_forbidden(text: &str) -> Option<usize> {
    const BLOCK: usize = 4096;
    let is_control = |byte: u8| byte < b' ' && !is_white(byte);
    // Whole blocks are judged without a branch per byte: nearly every document passes.
    let in_block = |block: &[u8]| block.iter().fold(false, |found, byte| found | is_control(*byte));
    let control = text.as_bytes().chunks(BLOCK).position(in_block).and_then(|block| {
        let from = block * BLOCK;
        text.as_bytes()[from..].iter().position(|byte| is_control(*byte)).map(|at| from + at)
    });
    [control, text.find('\u{FFFE}'), text.find('\u{FFFF}')].into_iter().flatten().min()
}

/// What stands between `&` and `;`, resolved.
pub(super) fn resolve_reference(name: &str, offset: usize) -> Result<char, ParseError> {
    match name {
        "amp" => return Ok('&'),
        "lt" => return Ok('<'),
        "gt" => return Ok('>'),
        "quot" => return Ok('"'),
        "apos" => return Ok('\''),
        _ => {}
    }
    if let Some(number) = name.strip_prefix('#') {
        let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
        return Some(digits)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, radix).ok())
            .and_then(char::from_u32)
            .filter(|character| is_allowed(*character))
            .ok_or_else(|| ParseError::Malformed {
                offset,
                detail: format!("`&{};` is no character of XML", excerpt(name)),
            });
    }
    if is_name(name) {
        return Err(ParseError::Entity { offset, found: format!("&{};", excerpt(name)) });
    }
    Err(lone_ampersand(offset))
}

pub(super) fn lone_ampersand(offset: usize) -> ParseError {
    ParseError::Malformed { offset, detail: "`&` begins no reference".to_owned() }
}

const fn is_allowed(character: char) -> bool {
    !matches!(character, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}')
}

/// The value of an attribute as XML reports it: references resolved, every literal white space a blank.
pub(super) fn attribute_value(raw: &str, offset: usize) -> Result<Cow<'_, str>, ParseError> {
    if !raw.contains(['&', '\t', '\r', '\n']) {
        return Ok(Cow::Borrowed(raw));
    }
    let plain = |text: &str| text.replace("\r\n", " ").replace(['\t', '\r', '\n'], " ");
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        value.push_str(&plain(&rest[..at]));
        let end = rest[at..].find(';').ok_or_else(|| lone_ampersand(offset))? + at;
        value.push(resolve_reference(&rest[at + 1..end], offset)?);
        rest = &rest[end + 1..];
    }
    value.push_str(&plain(rest));
    Ok(Cow::Owned(value))
}

/// Literal text as XML reports it: every line end a line feed.
pub(super) fn push_text(into: &mut String, literal: &str) {
    if literal.contains('\r') {
        into.push_str(&literal.replace("\r\n", "\n").replace('\r', "\n"));
    } else {
        into.push_str(literal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_five_entities_and_characters_of_xml_are_references() {
        for (name, expected) in [("amp", '&'), ("#65", 'A'), ("#x1F600", '😀'), ("#xa", '\n')] {
            assert_eq!(resolve_reference(name, 0), Ok(expected));
        }
        for name in
            ["#0", "#1", "#x", "#", "#+65", "#xD800", "#xFFFF", "#99999999999", "#6x", " b", ""]
        {
            let result = resolve_reference(name, 0);
            assert!(
                matches!(result, Err(ParseError::Malformed { .. })),
                "took `{name}`: {result:?}"
            );
        }
        assert!(matches!(resolve_reference("nbsp", 0), Err(ParseError::Entity { .. })));
    }

    #[test]
    fn an_attribute_value_keeps_referenced_white_space_only() {
        assert_eq!(attribute_value("a\r\nb\tc&#10;&lt;d", 0).unwrap(), "a b c\n<d");
        assert!(attribute_value("a & b", 0).is_err());
    }

    #[test]
    fn a_forbidden_character_is_found_wherever_it_stands() {
        for (text, expected) in [
            ("a\tb\r\n".to_owned(), None),
            ("\u{1}".to_owned(), Some(0)),
            (format!("{}\u{B}", "x".repeat(9000)), Some(9000)),
            ("ab\u{FFFE}".to_owned(), Some(2)),
            ("ü\u{FFFF}\u{0}".to_owned(), Some(2)),
        ] {
            assert_eq!(find_forbidden(&text), expected);
        }
    }
}
