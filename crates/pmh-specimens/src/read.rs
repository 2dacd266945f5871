//! An answer to a document.

use std::io::Read as _;

use flate2::read::GzDecoder;
use pmh_protocol::{
    BODY_BYTES_MAX, Body, Document, Echo, Headers, HttpPage, Item, Page, Parsed, Verb, decode_body,
    read_document,
};

use crate::defect::Defect;

/// What every gzip stream begins with.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The longest text that an XML library takes unless it is told otherwise.
const TEXT_BYTES_MAX: usize = 10_000_000;
/// The namespace of OAI-PMH as it stands in a document.
const NAMESPACE: &str = "\"http://www.openarchives.org/OAI/2.0/\"";

/// Reads the document in an answer, or says why it holds none.
pub(crate) fn read(defect: Defect, answer: &HttpPage) -> Result<Parsed, String> {
    check_to_the_letter(defect, answer)?;
    let parsed = match defect {
        // Defect: the document knows better.
        Defect::CharsetFromField if names_latin_1(answer) => {
            let text: String = plain_bytes(answer).iter().copied().map(char::from).collect();
            read_text(text)
        }
        // Defect: a byte that cannot be read was a letter.
        Defect::DropsBadBytes => {
            let bytes = plain_bytes(answer);
            let text: String = bytes.utf8_chunks().map(|chunk| chunk.valid()).collect();
            read_text(text)
        }
        _ => read_as_it_is(answer),
    };
    match parsed {
        Ok(parsed) => judge(defect, answer, parsed),
        Err(detail) => recover(defect, answer).ok_or(detail),
    }
}

/// A last page without anything on it.
pub(crate) fn empty_list() -> Parsed {
    let page = Page { verb: Verb::ListRecords, items: Vec::new(), token: None };
    let document =
        Document { response_date: None, request: Echo::default(), body: Body::List(page) };
    Parsed { document, complaints: Vec::new(), unreadable: 0 }
}

fn read_as_it_is(answer: &HttpPage) -> Result<Parsed, String> {
    read_document(answer, BODY_BYTES_MAX).map_err(|error| error.to_string())
}

fn read_text(text: String) -> Result<Parsed, String> {
    let body = text.into_bytes();
    read_as_it_is(&HttpPage { status: 200, headers: Headers::default(), body })
}

/// The body without its content encoding; as it came where that cannot be undone.
fn plain_bytes(answer: &HttpPage) -> Vec<u8> {
    decode_body(answer, BODY_BYTES_MAX).map_or_else(|_| answer.body.clone(), Vec::from)
}

/// The body with one layer of gzip taken off, if it has any.
fn unpacked_once(answer: &HttpPage) -> Vec<u8> {
    let mut plain = Vec::new();
    let unpacked =
        GzDecoder::new(answer.body.as_slice()).take(BODY_BYTES_MAX as u64).read_to_end(&mut plain);
    if unpacked.is_ok() { plain } else { answer.body.clone() }
}

fn field<'a>(answer: &'a HttpPage, name: &str) -> &'a str {
    answer.headers.get(name).unwrap_or_default()
}

fn names_latin_1(answer: &HttpPage) -> bool {
    field(answer, "Content-Type").to_ascii_lowercase().contains("iso-8859-1")
}

/// What a specimen insists on before it reads.
fn check_to_the_letter(defect: Defect, answer: &HttpPage) -> Result<(), String> {
    let text = || String::from_utf8_lossy(&plain_bytes(answer)).into_owned();
    let refused = match defect {
        // Defect: what was packed twice by mistake is still a document.
        Defect::UnpacksOnce => unpacked_once(answer).starts_with(&GZIP_MAGIC),
        // Defect: the end of a connection may be the end of a body.
        Defect::NeedsLength => {
            let is_announced = ["Content-Length", "Transfer-Encoding"]
                .iter()
                .any(|name| answer.headers.get(name).is_some());
            !is_announced && field(answer, "Connection").eq_ignore_ascii_case("close")
        }
        // Defect: proxies and frameworks add fields that are there already.
        Defect::RefusesDoubledFields => {
            answer.headers.iter().any(|(name, _)| answer.headers.all(name).count() > 1)
        }
        // Defect: a text may be as long as it likes.
        Defect::LimitsTexts => {
            text().split(['<', '>']).any(|between| between.len() > TEXT_BYTES_MAX)
        }
        // Defect: the bytes know better.
        Defect::EncodingByField => {
            let says_so = field(answer, "Content-Encoding").contains("gzip");
            says_so != answer.body.starts_with(&GZIP_MAGIC)
        }
        // Defect: many servers call XML something else.
        Defect::TypeMustBeXml => !field(answer, "Content-Type").starts_with("text/xml"),
        // Defect: XML may be in any charset that it names.
        Defect::Utf8Only => str::from_utf8(&plain_bytes(answer)).is_err(),
        // Defect: envelopes come without their namespace, and with nearly the right one.
        Defect::NamespaceToTheLetter => !text().contains(NAMESPACE),
        // Defect: an element has the same name with any prefix.
        Defect::NamesWithoutPrefix => !text().contains("<OAI-PMH"),
        _ => false,
    };
    if refused { Err(format!("not read by `{}`", defect.name())) } else { Ok(()) }
}

/// What a specimen makes of a document that was read.
fn judge(defect: Defect, answer: &HttpPage, mut parsed: Parsed) -> Result<Parsed, String> {
    match defect {
        // Defect: what can be repaired is no reason to lose a page.
        Defect::RefusesRepairs if !parsed.complaints.is_empty() => {
            return Err("there is something wrong with it".to_owned());
        }
        // Defect: one entry is not the page.
        Defect::RefusesPageOfBadRecord if parsed.unreadable > 0 => {
            return Err("an entry cannot be read".to_owned());
        }
        // Defect: what was not read is not there.
        Defect::SkipsUnreadable => parsed.unreadable = 0,
        // Defect: a payload needs the declarations of its ancestors.
        Defect::LosesNamespaces => cut_payloads(answer, &mut parsed),
        _ => {}
    }
    Ok(parsed)
}

/// What a specimen makes of an answer that holds no document.
fn recover(defect: Defect, answer: &HttpPage) -> Option<Parsed> {
    let is_empty = answer.body.iter().all(u8::is_ascii_whitespace);
    match defect {
        // Defect: a page for people says nothing about records.
        Defect::HtmlIsSuccess => (answer.status == 200 && !is_empty).then(empty_list),
        // Defect: nor does an empty body.
        Defect::EmptyIsSuccess => (answer.status < 300 && is_empty).then(empty_list),
        // Defect: an error says that the rest is not what was meant.
        Defect::PassesOverErrors => {
            let text = String::from_utf8(plain_bytes(answer)).ok()?;
            let (before, rest) = text.split_once("<error")?;
            let (_, after) = rest.split_once("</error>")?;
            read_text(format!("{before}{after}")).ok()
        }
        // Defect: the token has been lost with the rest of the document.
        Defect::RecoversTruncated => {
            let text = String::from_utf8(plain_bytes(answer)).ok()?;
            let end = text.rfind("</record>")? + "</record>".len();
            read_text(format!("{}</ListRecords></OAI-PMH>", &text[..end])).ok()
        }
        _ => None,
    }
}

/// Puts what stands between the tags of metadata in place of each payload, letter by letter.
fn cut_payloads(answer: &HttpPage, parsed: &mut Parsed) {
    let Body::List(page) = &mut parsed.document.body else { return };
    let text = String::from_utf8_lossy(&plain_bytes(answer)).into_owned();
    let mut rest = text.as_str();
    for item in &mut page.items {
        let Item::Record(record) = item else { continue };
        let Some((_, after)) = rest.split_once("<metadata>") else { return };
        let Some((payload, after)) = after.split_once("</metadata>") else { return };
        record.payload = Some(payload.trim().to_owned());
        rest = after;
    }
}
