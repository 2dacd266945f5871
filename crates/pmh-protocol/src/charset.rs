//! Bytes to text.
//!
//! The protocol knows UTF-8 only, so this is a matter of repair, and of whom to believe. A byte order mark comes
//! first, then what the bytes show of themselves: text of another charset is hardly ever valid UTF-8. Only what that
//! leaves open is decided by the labels, the XML declaration before the Content-Type field. The default that HTTP
//! once had for `text/xml` (ISO-8859-1) is nobody's intention.

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::error::{Complaint, ComplaintKind, ParseError};

/// How far into the bytes an XML declaration is looked for: some servers print warnings before it.
const DECLARATION_WITHIN_BYTES: usize = 1024;
/// How much of a label is looked at.
const LABEL_BYTES_MAX: usize = 40;

/// The text in `bytes`, at most `limit` bytes of it, and what was wrong with it.
pub(crate) fn decode_text<'a>(
    bytes: &'a [u8],
    content_type: Option<&str>,
    limit: usize,
) -> Result<(Cow<'a, str>, Vec<Complaint>), ParseError> {
    let in_header = content_type.and_then(label_in_field);
    let (read, declared) = match (utf_16(bytes), str::from_utf8(bytes)) {
        (Some(encoding), _) => {
            let read = Read::in_encoding(encoding, bytes);
            let declared = declared_label(read.text.as_bytes());
            (read, declared)
        }
        (None, Ok(text)) => (Read::whole(text), declared_label(bytes)),
        (None, Err(_)) => {
            let declared = declared_label(bytes);
            (read_other(bytes, [&declared, &in_header], limit), declared)
        }
    };
    if read.text.len() > limit {
        return Err(ParseError::Limit { what: "bytes of the text", limit });
    }
    let labels = judge_labels(declared.as_deref(), in_header.as_deref(), &read);
    let complaints = labels.into_iter().chain(read.bad.complaint()).collect();
    Ok((read.text, complaints))
}

/// Bytes, read.
struct Read<'a> {
    text: Cow<'a, str>,
    encoding: &'static Encoding,
    bad: Bad,
}

impl<'a> Read<'a> {
    fn whole(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), encoding: UTF_8, bad: Bad::default() }
    }

    fn in_encoding(encoding: &'static Encoding, bytes: &'a [u8]) -> Self {
        let (text, had_errors) = encoding.decode_with_bom_removal(bytes);
        let mut bad = Bad::default();
        if had_errors {
            // The decoder does not say where. A replacement character that was meant is counted along.
            for (at, _) in text.match_indices('\u{FFFD}') {
                bad.note(1, at, || encoding.name().to_owned());
            }
        }
        Self { text, encoding, bad }
    }
}

/// Bytes that no character could be made of: how many, where the first came to stand, and what it was.
#[derive(Default)]
struct Bad {
    count: usize,
    first: Option<(usize, String)>,
}

impl Bad {
    fn note(&mut self, count: usize, offset: usize, found: impl FnOnce() -> String) {
        self.count += count;
        self.first.get_or_insert_with(|| (offset, found()));
    }

    fn complaint(self) -> Option<Complaint> {
        let (offset, first) = self.first?;
        let found = format!("{}, the first in {first}", self.count);
        Some(Complaint { offset, kind: ComplaintKind::BadBytes, found })
    }
}

/// UTF-16, by its byte order mark or by an ASCII `<` of sixteen bits: no document begins so in anything else.
fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [0xFF, 0xFE, ..] | [b'<', 0, 1..=u8::MAX, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] | [0, b'<', 0, 1..=u8::MAX, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// What is not valid UTF-8: something else throughout, where a label says so, or UTF-8 with bad bytes in it.
fn read_other<'a>(bytes: &'a [u8], labels: [&Option<String>; 2], limit: usize) -> Read<'a> {
    let (mut beyond_ascii, mut bad_sequences) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        beyond_ascii += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        bad_sequences += usize::from(!chunk.invalid().is_empty());
    }
    let mut others = labels.into_iter().flatten().filter_map(|label| encoding_of(label));
    match others.find(|encoding| ![UTF_8, UTF_16LE, UTF_16BE].contains(encoding)) {
        // One field that was cut inside a character does not make a page in UTF-8 one in Latin-1.
        Some(encoding) if beyond_ascii <= bad_sequences => Read::in_encoding(encoding, bytes),
        _ => repair_bytes(bytes, beyond_ascii > 0, limit),
    }
}

/// Reads a bad byte as windows-1252, which is what old content pasted into UTF-8 is in. Several in a row that begin
/// a character are one that was cut, where the page otherwise knows UTF-8.
fn repair_bytes(bytes: &[u8], knows_utf_8: bool, limit: usize) -> Read<'_> {
    let upper_half: Vec<u8> = (0x80..=0xFF).collect();
    let (upper_half, _) = WINDOWS_1252.decode_without_bom_handling(&upper_half);
    // Five places of windows-1252 are empty.
    let upper_half: Vec<char> = upper_half
        .chars()
        .map(|character| if character.is_control() { '\u{FFFD}' } else { character })
        .collect();
    let mut text = String::with_capacity(bytes.len());
    let mut bad = Bad::default();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let invalid = chunk.invalid();
        if let Some(first) = invalid.first() {
            bad.note(invalid.len(), text.len(), || {
                let before: Vec<char> = chunk.valid().chars().rev().take(20).collect();
                let before: String = before.into_iter().rev().collect();
                format!("{before}\\x{first:02X}")
            });
        }
        if invalid.len() > 1 && knows_utf_8 {
            text.push('\u{FFFD}');
        } else {
            text.extend(invalid.iter().map(|byte| upper_half[usize::from(byte & 0x7F)]));
        }
        // The caller refuses it.
        if text.len() > limit {
            break;
        }
    }
    Read { text: Cow::Owned(text), encoding: UTF_8, bad }
}

/// The complaint that two labels deserve together.
fn judge_labels(
    declared: Option<&str>,
    in_header: Option<&str>,
    read: &Read<'_>,
) -> Option<Complaint> {
    let used = read.encoding;
    let is_ascii = used == UTF_8 && read.text.is_ascii();
    let known = || [declared, in_header].into_iter().flatten().filter_map(encoding_of);
    let is_same = |one: &'static Encoding, other: &'static Encoding| {
        // `utf-16` alone leaves the order of the bytes to the mark.
        one == other || [one, other].iter().all(|each| [UTF_16LE, UTF_16BE].contains(each))
    };
    let fits = |encoding: &'static Encoding| {
        is_same(encoding, used) || (is_ascii && encoding.is_ascii_compatible())
    };
    let all_known = [declared, in_header].into_iter().flatten().count() == known().count();
    let agree = known().zip(known().skip(1)).all(|(one, other)| is_same(one, other));
    let kind = if !agree || !known().all(fits) {
        ComplaintKind::CharsetConflict
    } else if used != UTF_8 || !all_known || known().any(|encoding| encoding != UTF_8) {
        ComplaintKind::Charset
    } else {
        return None;
    };
    let mut found = String::new();
    for (place, label) in [("declared", declared), ("Content-Type", in_header)] {
        if let Some(label) = label {
            found += &format!("{place} {label}, ");
        }
    }
    found += &format!("read as {}", used.name());
    Some(Complaint { offset: 0, kind, found })
}

/// The encoding that a label names. By the practice of browsers ISO-8859-1 and ASCII are windows-1252, whose
/// additional characters are what is meant by bytes that those two have no printable character for.
fn encoding_of(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != REPLACEMENT)
}

/// What an XML declaration near the front says about the encoding.
fn declared_label(bytes: &[u8]) -> Option<String> {
    let front = &bytes[..bytes.len().min(DECLARATION_WITHIN_BYTES)];
    let declaration =
        after(front, b"<?xml").filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))?;
    let end = declaration.windows(2).position(|window| window == b"?>")?;
    let value = after(&declaration[..end], b"encoding")?.trim_ascii_start();
    let value = value.strip_prefix(b"=")?.trim_ascii_start();
    let quote = value.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    label(value[1..].split(|byte| byte == quote).next()?)
}

fn after<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    bytes.get(at + mark.len()..)
}

/// The charset parameter of a Content-Type field.
fn label_in_field(field: &str) -> Option<String> {
    let mut parameters = field.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, value) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    label(value.trim().trim_matches(['"', '\'']).as_bytes())
}

fn label(bytes: &[u8]) -> Option<String> {
    let label = bytes[..bytes.len().min(LABEL_BYTES_MAX)].trim_ascii();
    (!label.is_empty()).then(|| String::from_utf8_lossy(label).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_found_however_it_is_written() {
        for (field, expected) in [
            ("text/xml; charset=UTF-8", Some("UTF-8")),
            ("text/xml;version=1.0; Charset = \"latin1\"", Some("latin1")),
            ("text/xml", None),
            ("text/xml; charset=", None),
            ("charset=utf-8", None),
        ] {
            assert_eq!(label_in_field(field).as_deref(), expected, "in `{field}`");
        }
        for (front, expected) in [
            ("<?xml version='1.0' encoding='UTF-8'?>", Some("UTF-8")),
            ("Warning!\n<?xml version=\"1.0\"\nencoding = \"a'b\" ?>", Some("a'b")),
            ("<?xml version='1.0'?><a encoding='x'/>", None),
            ("<?xml-stylesheet encoding='x'?>", None),
            ("<?xml version='1.0' encoding=x?>", None),
            ("<?xml version='1.0' encoding='x'", None),
            ("<a>encoding='x'</a>", None),
        ] {
            assert_eq!(declared_label(front.as_bytes()).as_deref(), expected, "in `{front}`");
        }
    }

    #[test]
    fn labels_of_plain_ascii_are_judged_by_each_other_only() {
        let kind = |declared: &str, in_header: Option<&str>| {
            let text = format!("<?xml version='1.0' encoding='{declared}'?>");
            let field = in_header.map(|label| format!("text/xml; charset={label}"));
            let (read, complaints) = decode_text(text.as_bytes(), field.as_deref(), 1000).unwrap();
            assert_eq!(read, text);
            complaints.first().map(|complaint| complaint.kind)
        };
        assert_eq!(kind("utf-8", None), None);
        assert_eq!(kind("UTF-8", Some("utf8")), None);
        assert_eq!(kind("us-ascii", None), Some(ComplaintKind::Charset));
        assert_eq!(kind("iso-8859-1", Some("windows-1252")), Some(ComplaintKind::Charset));
        assert_eq!(kind("nonsense", None), Some(ComplaintKind::Charset));
        assert_eq!(kind("utf-8", Some("iso-8859-1")), Some(ComplaintKind::CharsetConflict));
        assert_eq!(kind("utf-16", None), Some(ComplaintKind::CharsetConflict));
    }

    #[test]
    fn a_charset_of_several_bytes_is_read_by_its_label_and_counts_what_it_has_not() {
        let mut bytes = b"<a>".to_vec();
        // Two characters of GBK, then a byte that begins none.
        bytes.extend(b"\xB5\xD8\xCD\xBC\xFF</a>");
        let (text, complaints) = decode_text(&bytes, Some("text/xml; charset=gbk"), 1000).unwrap();
        assert_eq!(text, "<a>地图\u{FFFD}</a>");
        let found: Vec<String> = complaints.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "charset at byte 0: `Content-Type gbk, read as GBK`",
                "bad-bytes at byte 9: `1, the first in GBK`",
            ]
        );
    }

    #[test]
    fn a_label_that_is_longer_than_any_is_cut() {
        let front = format!("<?xml version='1.0' encoding='{}'?>", "x".repeat(500));
        assert_eq!(
            declared_label(front.as_bytes()).map(|label| label.len()),
            Some(LABEL_BYTES_MAX)
        );
    }
}
