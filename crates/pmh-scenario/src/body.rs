//! Payloads: a pure function of seed, identifier and version, so that any process can recompute them and the
//! truth never has to be shipped.

use pmh_protocol::escape_text;
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use crate::chance::generator;

/// Namespace of unqualified Dublin Core in OAI-PMH (rule 129).
const NAMESPACE: &str = "http://www.openarchives.org/OAI/2.0/oai_dc/";
/// Its schema (rule 129).
const SCHEMA: &str = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd";

const FAMILIES: [&str; 12] = [
    "Ångström",
    "Müller",
    "Nowak",
    "O&apos;Brien",
    "García",
    "Çelik",
    "Dvořák",
    "Ивáнова",
    "田中",
    "Smith",
    "Rossi",
    "Þórsdóttir",
];
const GIVEN: [&str; 10] =
    ["Anna", "Søren", "José", "Łucja", "Mary", "Olga", "Jürgen", "健", "Chiara", "Björk"];
const OPENINGS: [&str; 8] = [
    "Notes on",
    "A survey of",
    "Letters about",
    "Zur Geschichte von",
    "Études sur",
    "The theory of",
    "Photographs of",
    "An atlas of",
];
// Kept escaped: these go into the document as they stand.
const SUBJECTS: [&str; 14] = [
    "rivers &amp; lakes",
    "the case p &lt; 0.05",
    "naïve set theory",
    "river ice",
    "Gregorian chant",
    "the market at Kraków",
    "R&amp;D in glass",
    "moths",
    "tide tables",
    "a &gt; b orderings",
    "Græco-Roman coins",
    "dialects of the coast",
    "μ-recursive functions",
    "church bells",
];
const SENTENCES: [&str; 9] = [
    "Contains the drawings of the second voyage.",
    "Digitised from the only known copy; pages 12–14 are missing.",
    "The author replies to &quot;On Moths&quot; and to its critics.",
    "Mit einem Anhang über Maße &amp; Gewichte.",
    "Résumé en français.",
    "Measurements were repeated at −4 °C and +30 °C.",
    "Part of the collection given to the library in 1921.",
    "См. также том II.",
    "Includes an index of places.",
];

/// The oai_dc payload of one version of a record: a self-contained fragment of 300 to 1,500 bytes, with
/// characters outside ASCII and characters that had to be escaped.
#[must_use]
pub fn payload(seed: u64, identifier: &str, version: u32) -> String {
    let mut random = generator(seed, &["payload", identifier, &version.to_string()]);
    let mut text = String::with_capacity(1024);
    text.push_str("<oai_dc:dc xmlns:oai_dc=\"");
    text.push_str(NAMESPACE);
    text.push_str("\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" ");
    text.push_str("xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"");
    text.push_str(NAMESPACE);
    text.push(' ');
    text.push_str(SCHEMA);
    text.push_str("\">");
    let title = format!("{} {}", pick(&mut random, &OPENINGS), pick(&mut random, &SUBJECTS));
    element(&mut text, "title", &title);
    for _ in 0..random.random_range(1..=2) {
        let name = format!("{}, {}", pick(&mut random, &FAMILIES), pick(&mut random, &GIVEN));
        element(&mut text, "creator", &name);
    }
    element(&mut text, "date", &random.random_range(1850..2020).to_string());
    element(&mut text, "identifier", &escape_text(identifier));
    let sentences = random.random_range(0..8);
    if sentences > 0 {
        let description: Vec<&str> =
            (0..sentences).map(|_| pick(&mut random, &SENTENCES)).collect();
        element(&mut text, "description", &description.join(" "));
    }
    text.push_str("</oai_dc:dc>");
    text
}

/// The payload of a record in a format: Dublin Core for `oai_dc`, a geographic record for `iso19139`.
#[must_use]
pub fn payload_in(prefix: &str, seed: u64, identifier: &str, version: u32) -> String {
    if prefix != "iso19139" {
        return payload(seed, identifier, version);
    }
    let mut random = generator(seed, &["iso19139", identifier, &version.to_string()]);
    let title = format!("{} {}", pick(&mut random, &OPENINGS), pick(&mut random, &SUBJECTS));
    let year = random.random_range(1990..2020);
    let text = |name: &str, text: &str| {
        format!("<gmd:{name}><gco:CharacterString>{text}</gco:CharacterString></gmd:{name}>")
    };
    format!(
        "<gmd:MD_Metadata xmlns:gmd=\"http://www.isotc211.org/2005/gmd\" \
         xmlns:gco=\"http://www.isotc211.org/2005/gco\">{}<gmd:dateStamp><gco:Date>{year}-06-01</gco:Date>\
         </gmd:dateStamp><gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>{}\
         </gmd:CI_Citation></gmd:citation>{}</gmd:MD_DataIdentification></gmd:identificationInfo>\
         </gmd:MD_Metadata>",
        text("fileIdentifier", &escape_text(identifier)),
        text("title", &title),
        text("abstract", pick(&mut random, &SENTENCES)),
    )
}

/// What a payload is compared by: the first 16 hexadecimal digits of its SHA-256.
#[must_use]
pub fn payload_digest(payload: &str) -> String {
    let [a, b, c, d, e, f, g, h, ..] = Sha256::digest(payload.as_bytes()).0;
    format!("{:016x}", u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}

fn element(text: &mut String, name: &str, content: &str) {
    text.push_str("<dc:");
    text.push_str(name);
    text.push('>');
    text.push_str(content);
    text.push_str("</dc:");
    text.push_str(name);
    text.push('>');
}

fn pick<'a>(random: &mut ChaCha8Rng, words: &[&'a str]) -> &'a str {
    words.choose(random).expect("no list of words is empty")
}

/// A payload with a comment at the end of its outermost element: what stands behind that is no part of it.
pub(crate) fn with_comment(payload: &str, comment: &str) -> String {
    if let Some((body, end)) = payload.rsplit_once("</") {
        return format!("{body}{comment}</{end}");
    }
    // An element without content is opened for it.
    let open = payload.trim_end().trim_end_matches("/>");
    let name = open.trim_start_matches('<').split_whitespace().next().unwrap_or_default();
    format!("{open}>{comment}</{name}>")
}

/// A payload of at least so many bytes: a comment behind its last element fills it up.
pub(crate) fn filled(payload: String, least: usize) -> String {
    const AROUND: usize = "<!-- -->".len();
    match least.checked_sub(payload.len() + AROUND) {
        Some(missing) if missing > 0 => {
            with_comment(&payload, &format!("<!-- {} -->", "·".repeat(missing.div_ceil(2))))
        }
        _ => payload,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::identifier;

    #[test]
    fn an_identifier_is_escaped_in_its_payload() {
        for prefix in ["oai_dc", "iso19139"] {
            let payload = payload_in(prefix, 1, "oai:x:a&b<c", 1);
            assert!(payload.contains(">oai:x:a&amp;b&lt;c<"), "{payload}");
        }
    }

    #[test]
    fn a_payload_depends_on_seed_identifier_and_version_and_on_nothing_else() {
        let one = payload(1, "oai:repository.example:000001", 1);
        assert_eq!(one, payload(1, "oai:repository.example:000001", 1));
        assert_ne!(one, payload(2, "oai:repository.example:000001", 1));
        assert_ne!(one, payload(1, "oai:repository.example:000002", 1));
        assert_ne!(one, payload(1, "oai:repository.example:000001", 2));
    }

    #[test]
    fn payloads_keep_their_size_and_have_awkward_characters_among_them() {
        let payloads: Vec<String> =
            (1..=500).map(|number| payload(7, &identifier(number), 1)).collect();
        for payload in &payloads {
            assert!((300..=1500).contains(&payload.len()), "{} bytes: {payload}", payload.len());
        }
        assert!(payloads.iter().any(|payload| !payload.is_ascii()));
        assert!(payloads.iter().any(|payload| payload.contains("&amp;")));
    }

    #[test]
    fn a_digest_is_the_same_on_every_platform() {
        assert_eq!(payload_digest(""), "e3b0c44298fc1c14");
        assert_eq!(
            payload_digest(&payload(1, "oai:repository.example:000001", 1)),
            "7109448d6f8c89ef"
        );
    }

    #[test]
    fn a_new_version_of_a_literal_payload_is_another_payload() {
        for (text, expected) in [
            ("<a><b/></a>\n", "<a><b/><!-- x --></a>\n"),
            ("<a:b c='d'/>", "<a:b c='d'><!-- x --></a:b>"),
        ] {
            assert_eq!(with_comment(text, "<!-- x -->"), expected);
        }
    }
}
