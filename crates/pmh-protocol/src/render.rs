//! A document to text that keeps every rule (86 to 106).
//!
//! Departures are made elsewhere, by editing the values before or the text after. One entry stands on one
//! line, for people who look at what went over the wire.

use crate::error::ErrorCode;
use crate::identify::{Identify, MetadataFormat, Set};
use crate::page::{Body, Document, Echo, Header, Item, Page};
use crate::request::Verb;
use crate::token::ResumptionToken;

const PROLOG: &str = concat!(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
    "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"",
    " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"",
    " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/",
    " http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\">\n",
);

/// The arguments of the protocol: what the request element may carry (rule 99).
const ARGUMENTS: [&str; 7] =
    ["verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"];

/// The document as XML. Payloads and descriptions are written as they are; they must be well-formed.
#[must_use]
pub fn render_document(document: &Document) -> String {
    let mut out = String::from(PROLOG);
    if let Some(stamp) = document.response_date {
        element(&mut out, "responseDate", &stamp.to_string());
        out.push('\n');
    }
    request(&mut out, &document.request, &document.body);
    match &document.body {
        Body::Errors(errors) => {
            for error in errors {
                out.push_str("<error");
                attribute(&mut out, "code", error.code.as_str());
                out.push('>');
                push_escaped(&mut out, &error.text);
                out.push_str("</error>\n");
            }
        }
        Body::Identify(body) => within(&mut out, Verb::Identify, |out| identify(out, body)),
        Body::Formats(formats) => within(&mut out, Verb::ListMetadataFormats, |out| {
            formats.iter().for_each(|each| format(out, each));
        }),
        Body::Sets { sets, token } => within(&mut out, Verb::ListSets, |out| {
            sets.iter().for_each(|each| set(out, each));
            resumption_token(out, token.as_ref());
        }),
        Body::List(page) => within(&mut out, page.verb, |out| list(out, page)),
        Body::Record(item) => within(&mut out, Verb::GetRecord, |out| record(out, item)),
    }
    out.push_str("</OAI-PMH>\n");
    out
}

/// Text with the characters escaped that XML gives a meaning, for element content and attribute values alike.
///
/// White space other than blanks and line feeds becomes character references, so that it is read back as it
/// is. Characters that XML has no place for become replacement characters: nothing else can stand for them.
#[must_use]
pub fn escape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_escaped(&mut out, text);
    out
}

fn push_escaped(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\n' => out.push_str("&#10;"),
            '\0'..='\x1F' | '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            plain => out.push(plain),
        }
    }
}

fn element(out: &mut String, name: &str, text: &str) {
    container(out, name, |out| push_escaped(out, text));
}

fn container(out: &mut String, name: &str, content: impl FnOnce(&mut String)) {
    out.push('<');
    out.push_str(name);
    out.push('>');
    content(out);
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

fn attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push_escaped(out, value);
    out.push('"');
}

fn within(out: &mut String, verb: Verb, content: impl FnOnce(&mut String)) {
    container(out, verb.as_str(), |out| {
        out.push('\n');
        content(out);
    });
    out.push('\n');
}

fn request(out: &mut String, echo: &Echo, body: &Body) {
    // What was wrong with the arguments must not be repeated as if it were right (rule 102).
    let is_bad_request = matches!(body, Body::Errors(errors) if errors.iter().any(|error| {
        matches!(error.code, ErrorCode::BadVerb | ErrorCode::BadArgument)
    }));
    out.push_str("<request");
    if !is_bad_request {
        for (name, value) in &echo.arguments {
            if ARGUMENTS.contains(&name.as_str()) {
                attribute(out, name, value);
            }
        }
    }
    out.push('>');
    push_escaped(out, &echo.base_url);
    out.push_str("</request>\n");
}

fn identify(out: &mut String, identify: &Identify) {
    element(out, "repositoryName", &identify.repository_name);
    out.push('\n');
    element(out, "baseURL", &identify.base_url);
    out.push('\n');
    element(out, "protocolVersion", &identify.protocol_version);
    out.push('\n');
    for email in &identify.admin_emails {
        element(out, "adminEmail", email);
        out.push('\n');
    }
    if let Some(datestamp) = identify.earliest_datestamp {
        element(out, "earliestDatestamp", &datestamp.to_string());
        out.push('\n');
    }
    if let Some(level) = identify.deleted_records {
        element(out, "deletedRecord", level.as_str());
        out.push('\n');
    }
    if let Some(granularity) = identify.granularity {
        element(out, "granularity", granularity.pattern());
        out.push('\n');
    }
    for compression in &identify.compressions {
        element(out, "compression", compression);
        out.push('\n');
    }
    for description in &identify.descriptions {
        container(out, "description", |out| out.push_str(description));
        out.push('\n');
    }
}

fn format(out: &mut String, format: &MetadataFormat) {
    container(out, "metadataFormat", |out| {
        element(out, "metadataPrefix", &format.prefix);
        element(out, "schema", &format.schema);
        element(out, "metadataNamespace", &format.namespace);
    });
    out.push('\n');
}

fn set(out: &mut String, set: &Set) {
    container(out, "set", |out| {
        element(out, "setSpec", &set.spec);
        element(out, "setName", &set.name);
        for description in &set.descriptions {
            container(out, "setDescription", |out| out.push_str(description));
        }
    });
    out.push('\n');
}

fn list(out: &mut String, page: &Page) {
    for item in &page.items {
        if page.verb == Verb::ListIdentifiers {
            header(out, item);
            out.push('\n');
        } else {
            record(out, item);
        }
    }
    resumption_token(out, page.token.as_ref());
}

fn record(out: &mut String, item: &Item) {
    container(out, "record", |out| {
        header(out, item);
        if let Item::Record(record) = item {
            if let Some(payload) = &record.payload {
                container(out, "metadata", |out| out.push_str(payload));
            }
            for about in &record.abouts {
                container(out, "about", |out| out.push_str(about));
            }
        }
    });
    out.push('\n');
}

fn header(out: &mut String, item: &Item) {
    let Header { identifier, datestamp, sets } = item.header();
    out.push_str("<header");
    if matches!(item, Item::Tombstone(_)) {
        attribute(out, "status", "deleted");
    }
    out.push('>');
    element(out, "identifier", identifier);
    if let Some(datestamp) = datestamp {
        element(out, "datestamp", &datestamp.to_string());
    }
    for set in sets {
        element(out, "setSpec", set);
    }
    out.push_str("</header>");
}

fn resumption_token(out: &mut String, token: Option<&ResumptionToken>) {
    let Some(token) = token else { return };
    out.push_str("<resumptionToken");
    if let Some(expires) = token.expires {
        attribute(out, "expirationDate", &expires.to_string());
    }
    if let Some(size) = token.announced_size {
        attribute(out, "completeListSize", &size.to_string());
    }
    if let Some(offset) = token.announced_offset {
        attribute(out, "cursor", &offset.to_string());
    }
    out.push('>');
    push_escaped(out, &token.value);
    out.push_str("</resumptionToken>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::OaiError;
    use crate::stamp::Stamp;

    fn error_document(code: ErrorCode) -> String {
        render_document(&Document {
            response_date: Some(Stamp::from_seconds(0)),
            request: Echo {
                base_url: "http://example.org/oai?a=1&b=2".into(),
                arguments: vec![
                    ("verb".into(), "ListRecords".into()),
                    ("made up".into(), "no argument".into()),
                    ("set".into(), "<\"".into()),
                ],
            },
            body: Body::Errors(vec![OaiError::new(code, "no & never")]),
        })
    }

    #[test]
    fn a_document_is_written_in_the_order_of_the_rules() {
        assert_eq!(
            error_document(ErrorCode::NoRecordsMatch),
            concat!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
                "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"",
                " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"",
                " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/",
                " http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\">\n",
                "<responseDate>1970-01-01T00:00:00Z</responseDate>\n",
                "<request verb=\"ListRecords\" set=\"&lt;&quot;\">http://example.org/oai?a=1&amp;b=2</request>\n",
                "<error code=\"noRecordsMatch\">no &amp; never</error>\n",
                "</OAI-PMH>\n",
            )
        );
    }

    #[test]
    fn a_bad_request_is_not_repeated() {
        for code in [ErrorCode::BadVerb, ErrorCode::BadArgument] {
            assert!(error_document(code).contains("<request>http://example.org/"));
        }
    }

    #[test]
    fn every_character_with_a_meaning_is_escaped() {
        assert_eq!(
            escape_text("<a b='\"'>&\r\t\u{1}ü"),
            "&lt;a b=&apos;&quot;&apos;&gt;&amp;&#13;&#9;\u{FFFD}ü"
        );
    }
}
