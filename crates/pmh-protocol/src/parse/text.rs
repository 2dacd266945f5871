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
    starts_name(name) && name_length(name) == name.len()
}

/// Whether a name may begin as `text` does.
pub(super) fn starts_name(text: &str) -> bool {
    let starts = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..);
    text.bytes().next().is_some_and(starts)
}

/// How many bytes of a name `text` begins with.
pub(super) fn name_length(text: &str) -> usize {
    // A table, because this is asked of every byte of every tag.
    const IN_NAMES: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            #[expect(clippy::cast_possible_truncation, reason = "it counts to 255")]
            let candidate = byte as u8;
            table[byte] = candidate.is_ascii_alphanumeric()
                || matches!(candidate, b'_' | b':' | b'-' | b'.' | 0x80..);
            byte += 1;
        }
        table
    };
    text.bytes().position(|byte| !IN_NAMES[usize::from(byte)]).unwrap_or(text.len())
}

/// `text` from its first byte that is no white space.
pub(super) fn after_white(text: &str) -> &str {
    &text[text.bytes().position(|byte| !is_white(byte)).unwrap_or(text.len())..]
}

/// The prefix of a qualified name (empty when it has none) and its local part.
pub(super) fn split_name(name: &str) -> (&str, &str) {
    // Names are short: a search that gets ready first takes longer.
    match name.bytes().position(|byte| byte == b':') {
        Some(colon) => (&name[..colon], &name[colon + 1..]),
        None => ("", name),
    }
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
    if let Some(character) = numbered(name) {
        return character.ok_or_else(|| ParseError::Malformed {
            offset,
            detail: format!("`&{};` is no character of XML", excerpt(name)),
        });
    }
    if is_name(name) {
        return Err(ParseError::Entity { offset, found: format!("&{};", excerpt(name)) });
    }
    Err(lone_ampersand(offset))
}

/// The character that a reference names by its number, `None` inside when XML has none of this number; `None` when it
/// is no such reference.
pub(super) fn numbered(name: &str) -> Option<Option<char>> {
    let number = name.strip_prefix('#')?;
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix).ok();
    Some(code.and_then(char::from_u32).filter(|character| is_allowed(*character)))
}

pub(super) fn lone_ampersand(offset: usize) -> ParseError {
    ParseError::Malformed { offset, detail: "`&` begins no reference".to_owned() }
}

/// Whether XML 1.0 has a place for the character.
pub(super) const fn is_allowed(character: char) -> bool {
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
}
