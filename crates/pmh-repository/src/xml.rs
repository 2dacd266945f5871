//! A document damaged in the way an effect asks for, as text, whatever it says.

use std::ops::Range;

use pmh_scenario::{Label, XmlEffect};

use crate::http::HTML;

const NAMESPACE: &str = "xmlns=\"http://www.openarchives.org/OAI/2.0/\"";
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
const WARNING: &str =
    "<br />\n<b>Warning</b>:  Undefined index: set in <b>oai.php</b> on line <b>42</b><br />\n";
const ABORTED: &str = "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\">\n\
                       <responseDate>2025-01-01T00:00:00Z</responseDate>\n<ListRecords><error code=\"\">the search \
                       engine timed out</error></OAI-PMH>\n";
/// Entities of HTML for characters that payloads have.
const ENTITIES: [(char, &str); 16] = [
    ('Å', "Aring"),
    ('ö', "ouml"),
    ('ü', "uuml"),
    ('í', "iacute"),
    ('Ç', "Ccedil"),
    ('ø', "oslash"),
    ('é', "eacute"),
    ('É', "Eacute"),
    ('ß', "szlig"),
    ('ï', "iuml"),
    ('æ', "aelig"),
    ('Þ', "THORN"),
    ('ó', "oacute"),
    ('á', "aacute"),
    ('°', "deg"),
    ('–', "ndash"),
];
/// How often an entity of the bomb stands in the next.
const BOMB_WIDTH: usize = 10;
const BOMB_DEPTH: usize = 10;

/// The bytes of `document` with this effect.
pub(crate) fn damage(effect: &XmlEffect, mut document: String) -> Vec<u8> {
    let page = LiveRecords::of(&document);
    match effect {
        XmlEffect::ControlChar(number) => {
            insert(&mut document, page.find(*number, "<about>"), about("a form\u{b}feed"));
        }
        XmlEffect::HugeNode(bytes) => {
            insert(&mut document, page.find(1, "<about>"), about(&"x".repeat(*bytes as usize)));
        }
        XmlEffect::Deep(depth) => {
            let depth = *depth as usize;
            let nested = format!("{}{}", "<d>".repeat(depth), "</d>".repeat(depth));
            insert(&mut document, page.find(1, "<about>"), about(&nested));
        }
        XmlEffect::BadUtf8(number) => {
            let is_latin = |character: char| matches!(character, '\u{A0}'..='\u{FF}');
            let Some(found) = page.find_character(&document, *number, is_latin) else {
                return document.into_bytes();
            };
            let byte = document[found.clone()]
                .chars()
                .next()
                .map_or(b'?', |character| u8::try_from(u32::from(character)).unwrap_or(b'?'));
            let mut bytes = document.into_bytes();
            bytes.splice(found, [byte]);
            return bytes;
        }
        XmlEffect::UndefinedEntity(number) => {
            let name = |character: char| ENTITIES.iter().find(|(known, _)| *known == character);
            let found =
                page.find_character(&document, *number, |character| name(character).is_some());
            if let Some(found) = found {
                let entity = document[found.clone()].chars().next().and_then(name);
                let entity = entity.map_or("", |(_, entity)| entity);
                document.replace_range(found, &format!("&{entity};"));
            }
        }
        XmlEffect::BareAmpersand(number) => {
            replace(&mut document, page.range(*number, "&amp;"), "&")
        }
        XmlEffect::UnclosedTag(number) => {
            replace(&mut document, page.range(*number, "</dc:title>"), "");
        }
        XmlEffect::BadRecord(number) => {
            replace(&mut document, page.between(*number, "<identifier>", "</identifier>"), "");
        }
        XmlEffect::Cdata(number) => {
            if let Some(payload) = page.inside(*number, "<metadata>", "</metadata>") {
                document.insert_str(payload.end, "]]>");
                document.insert_str(payload.start, "<![CDATA[");
            }
        }
        XmlEffect::DeclarationInsideMetadata(number) => {
            let place =
                page.inside(*number, "<metadata>", "</metadata>").map(|payload| payload.start);
            insert(&mut document, place, DECLARATION.to_owned());
        }
        XmlEffect::Truncate(at) => {
            let mut bytes = document.into_bytes();
            bytes.truncate(at.offset(&bytes));
            return bytes;
        }
        XmlEffect::Doctype => document.insert_str(after_declaration(&document), &bomb()),
        XmlEffect::Bom => document.insert(0, '\u{FEFF}'),
        XmlEffect::Utf16 => {
            let text = document.replacen("UTF-8", "UTF-16", 1);
            let units = ['\u{FEFF}'].into_iter().chain(text.chars());
            return units.collect::<String>().encode_utf16().flat_map(u16::to_le_bytes).collect();
        }
        XmlEffect::Latin1(label) => return latin_1(&document, *label),
        XmlEffect::WrongNamespace => {
            document = document.replacen(NAMESPACE, &NAMESPACE.replace("http:", "https:"), 1);
        }
        XmlEffect::NoNamespace => document = document.replacen(&format!(" {NAMESPACE}"), "", 1),
        XmlEffect::Prefixes => document = with_prefixes(&document),
        XmlEffect::NamespacesOnRoot => document = with_namespaces_on_root(&document),
        XmlEffect::JunkBefore => document.insert_str(0, WARNING),
        XmlEffect::JunkAfter => document.push_str(WARNING),
        XmlEffect::TwoDocuments => {
            document.insert_str(0, &format!("{DECLARATION}\n{ABORTED}"));
        }
        XmlEffect::Html => document = HTML.to_owned(),
        XmlEffect::Empty => document.clear(),
    }
    document.into_bytes()
}

/// Whether a document has a record that the effect could be seen in; `live` is how many it has.
pub(crate) fn shows(effect: &XmlEffect, live: usize) -> bool {
    effect.record().is_none_or(|number| number as usize <= live)
}

/// The records of a document that are not deleted, by their places.
struct LiveRecords {
    records: Vec<(Range<usize>, String)>,
}

impl LiveRecords {
    fn of(document: &str) -> Self {
        let records = document
            .match_indices("<record>")
            .filter_map(|(start, _)| {
                let end = start + document[start..].find("</record>")?;
                let text = &document[start..end];
                text.contains("<metadata>").then(|| (start..end, text.to_owned()))
            })
            .collect();
        Self { records }
    }

    /// The nth record and those after it, then those before it: what one does not have another may.
    fn from(&self, number: u32) -> impl Iterator<Item = &(Range<usize>, String)> {
        let first = (number as usize).saturating_sub(1).min(self.records.len());
        self.records[first..].iter().chain(&self.records[..first])
    }

    /// Where `mark` stands in the nth record, or would stand: at its end.
    fn find(&self, number: u32, mark: &str) -> Option<usize> {
        let (range, text) = self.from(number).next()?;
        Some(range.start + text.find(mark).unwrap_or(text.len()))
    }

    /// The first `text` at or after the nth record.
    fn range(&self, number: u32, wanted: &str) -> Option<Range<usize>> {
        let (range, at) =
            self.from(number).find_map(|(range, text)| Some((range, text.find(wanted)?)))?;
        Some(range.start + at..range.start + at + wanted.len())
    }

    /// From `opening` to `closing` in the nth record, both included.
    fn between(&self, number: u32, opening: &str, closing: &str) -> Option<Range<usize>> {
        let start = self.range(number, opening)?.start;
        Some(start..self.range(number, closing)?.end)
    }

    /// From `opening` to `closing` in the nth record, without them.
    fn inside(&self, number: u32, opening: &str, closing: &str) -> Option<Range<usize>> {
        let start = self.range(number, opening)?.end;
        Some(start..self.range(number, closing)?.start)
    }

    /// The first such character, with ASCII on both sides, at or after the nth record.
    fn find_character(
        &self,
        document: &str,
        number: u32,
        is_wanted: impl Fn(char) -> bool,
    ) -> Option<Range<usize>> {
        let is_ascii = |text: Option<&u8>| text.is_none_or(u8::is_ascii);
        let bytes = document.as_bytes();
        self.from(number).find_map(|(range, text)| {
            text.char_indices().find_map(|(at, character)| {
                let at = range.start + at;
                let end = at + character.len_utf8();
                let is_alone = is_ascii(bytes.get(at.wrapping_sub(1))) && is_ascii(bytes.get(end));
                (is_wanted(character) && is_alone).then_some(at..end)
            })
        })
    }
}

fn insert(document: &mut String, at: Option<usize>, text: String) {
    if let Some(at) = at {
        document.insert_str(at, &text);
    }
}

fn replace(document: &mut String, range: Option<Range<usize>>, text: &str) {
    if let Some(range) = range {
        document.replace_range(range, text);
    }
}

/// A part of a record that belongs to no payload.
fn about(content: &str) -> String {
    format!("<about><note xmlns=\"http://repository.example/note\">{content}</note></about>")
}

fn after_declaration(document: &str) -> usize {
    document.find("?>").map_or(0, |end| end + 2)
}

/// A document type whose last entity would fill every memory.
fn bomb() -> String {
    let mut text = String::from("\n<!DOCTYPE OAI-PMH [\n<!ENTITY e0 \"boom\">\n");
    for level in 1..BOMB_DEPTH {
        let inner = format!("&e{};", level - 1).repeat(BOMB_WIDTH);
        text.push_str(&format!("<!ENTITY e{level} \"{inner}\">\n"));
    }
    text.push_str("]>");
    text
}

fn latin_1(document: &str, label: Label) -> Vec<u8> {
    let labelled = match label {
        Label::Labelled => document.replacen("UTF-8", "ISO-8859-1", 1),
        Label::Mislabelled => document.to_owned(),
    };
    let mut bytes = Vec::with_capacity(labelled.len());
    for character in labelled.chars() {
        match u8::try_from(u32::from(character)) {
            Ok(byte) => bytes.push(byte),
            Err(_) => bytes.extend(format!("&#{};", u32::from(character)).bytes()),
        }
    }
    bytes
}

/// Every element without a prefix gets one.
fn with_prefixes(document: &str) -> String {
    let mut text = String::with_capacity(document.len() * 2);
    let mut rest = document;
    while let Some(at) = rest.find('<') {
        let slash = usize::from(rest[at + 1..].starts_with('/'));
        let name = at + 1 + slash;
        text.push_str(&rest[..name]);
        rest = &rest[name..];
        let length = rest.find([' ', '>', '/', '\n']).unwrap_or(rest.len());
        if !rest.starts_with(['?', '!']) && !rest[..length].contains(':') {
            text.push_str("oai:");
        }
    }
    text.push_str(rest);
    text.replacen(NAMESPACE, &NAMESPACE.replace("xmlns=", "xmlns:oai="), 1)
}

/// The declarations of payloads move to the root, each once; what the root declares already stays with them.
fn with_namespaces_on_root(document: &str) -> String {
    let mut declarations: Vec<String> = Vec::new();
    let Some((head, tail)) = document.split_once("<OAI-PMH").and_then(|(head, rest)| {
        rest.split_once('>').map(|(root, tail)| (format!("{head}<OAI-PMH{root}"), tail))
    }) else {
        return document.to_owned();
    };
    let mut text = String::with_capacity(tail.len());
    let mut rest = tail;
    while let Some(at) = rest.find(" xmlns:") {
        text.push_str(&rest[..at]);
        let end =
            rest[at..].match_indices('"').nth(1).map_or(rest.len(), |(quote, _)| at + quote + 1);
        let declaration = rest[at..end].to_owned();
        if head.contains(&declaration) {
            text.push_str(&declaration);
        } else if !declarations.contains(&declaration) {
            declarations.push(declaration);
        }
        rest = &rest[end..];
    }
    format!("{head}{}>{text}{rest}", declarations.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"><ListRecords>\
        <record><header status=\"deleted\"><identifier>d</identifier></header></record>\
        <record><header><identifier>a</identifier></header><metadata><x:dc xmlns:x=\"u\"><dc:title>A &amp; \
        Z</dc:title></x:dc></metadata></record>\
        <record><header><identifier>b</identifier></header><metadata><x:dc xmlns:x=\"u\"><dc:title>caf\u{e9} \
        </dc:title></x:dc></metadata></record></ListRecords></OAI-PMH>";

    /// What stands there instead of what is gone.
    fn check(effect: &XmlEffect, gone: &str, there: &str) {
        let damaged = damage(effect, PAGE.to_owned());
        let text = String::from_utf8_lossy(&damaged);
        assert!(text.contains(there), "{effect:?}: {text}");
        assert!(gone.is_empty() || !text.contains(gone), "{effect:?}: {text}");
    }

    #[test]
    fn records_are_counted_without_the_deleted_ones() {
        check(&XmlEffect::BadRecord(1), "<identifier>a", "<identifier>d</identifier>");
        check(&XmlEffect::BadRecord(2), "<identifier>b", "<identifier>a</identifier>");
        check(
            &XmlEffect::Cdata(2),
            "<metadata><x:dc xmlns:x=\"u\"><dc:title>caf",
            "<metadata><![CDATA[<x:dc",
        );
        check(&XmlEffect::UnclosedTag(1), "Z</dc:title>", "\u{e9} </dc:title>");
    }

    #[test]
    fn what_the_record_has_not_is_taken_from_the_next() {
        check(&XmlEffect::BareAmpersand(2), "&amp;", "A & Z");
        check(&XmlEffect::UndefinedEntity(1), "\u{e9}", "caf&eacute; ");
        check(&XmlEffect::BadUtf8(1), "\u{e9}", "caf\u{FFFD} ");
    }

    #[test]
    fn an_envelope_is_written_in_another_way() {
        check(&XmlEffect::Prefixes, "<ListRecords", "<oai:OAI-PMH xmlns:oai=\"http:");
        check(&XmlEffect::Prefixes, "</record>", "</dc:title></x:dc></oai:metadata></oai:record>");
        check(&XmlEffect::NamespacesOnRoot, "<x:dc xmlns", "2.0/\" xmlns:x=\"u\"><ListRecords>");
        check(&XmlEffect::NoNamespace, "xmlns=", "<OAI-PMH><ListRecords>");
        check(&XmlEffect::WrongNamespace, "\"http:", "xmlns=\"https:");
    }

    #[test]
    fn a_document_is_written_in_another_charset() {
        let bytes = damage(&XmlEffect::Latin1(Label::Labelled), PAGE.replace('Z', "\u{394}"));
        assert!(bytes.windows(5).any(|window| window == b"caf\xE9 "));
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("encoding=\"ISO-8859-1\"") && text.contains("&#916;"), "{text}");
        let bytes = damage(&XmlEffect::Utf16, PAGE.to_owned());
        assert_eq!(bytes[..4], [0xFF, 0xFE, b'<', 0]);
    }
}
