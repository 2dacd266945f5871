//! What is changed in a document after it was rendered, because no value of the protocol can say it.
//!
//! The text is our own rendering: elements of the envelope have no attributes, and one entry stands on one line.

use pmh_protocol::{Document, Stamp, escape_text, render_document};

/// Seconds between UTC and the other time zone that dates are written in.
const OFFSET_SECONDS: i64 = 7_200;

/// One change in a rendered document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Another text in every element of this name.
    Text(&'static str, String),
    /// Every element of this name, which holds a moment, gets it written in another form.
    Moment(&'static str, MomentForm),
    /// The resumptionToken element gets one more attribute.
    TokenAttribute(&'static str, String),
    /// Error elements with these codes and texts, at the beginning of the verb's element.
    ErrorsInside(Vec<(String, String)>),
    /// Every header stands in a record, and its datestamp under another name.
    WrappedHeaders,
    /// The entry of this index, from 0, loses its header.
    NoHeader(usize),
    /// The entry of this index, from 0, loses its identifier.
    NoIdentifier(usize),
}

/// How a moment can be written that the protocol does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MomentForm {
    /// With a fraction of a second.
    Fractions,
    /// In another time zone.
    Offset,
}

impl MomentForm {
    fn write(self, text: &str) -> String {
        let Ok(stamp) = Stamp::parse(text) else { return text.to_owned() };
        let (moment, zone) = match self {
            Self::Fractions => (stamp, ".789Z"),
            Self::Offset => (stamp.plus_seconds(OFFSET_SECONDS), "+02:00"),
        };
        moment.to_string().replace('Z', zone)
    }
}

/// The document as text, edited.
pub(crate) fn render(document: &Document, edits: &[Edit]) -> String {
    edits.iter().fold(render_document(document), |text, edit| match edit {
        Edit::Text(name, inner) => rewrite(&text, name, |_| escape_text(inner)),
        Edit::Moment(name, form) => rewrite(&text, name, |inner| form.write(inner)),
        Edit::TokenAttribute(name, value) => {
            let attribute = format!("<resumptionToken {name}=\"{}\"", escape_text(value));
            text.replacen("<resumptionToken", &attribute, 1)
        }
        Edit::ErrorsInside(errors) => {
            let Some((head, rest)) = text.split_once("</request>\n") else { return text };
            let Some((verb, content)) = rest.split_once('\n') else { return text };
            let errors: String = errors
                .iter()
                .map(|(code, text)| {
                    format!("<error code=\"{}\">{}</error>\n", escape_text(code), escape_text(text))
                })
                .collect();
            format!("{head}</request>\n{verb}\n{errors}{content}")
        }
        Edit::WrappedHeaders => text
            .replace("<header", "<record><header")
            .replace("</header>", "</header></record>")
            .replace("datestamp>", "dateStamp>"),
        Edit::NoHeader(entry) => edit_entry(&text, *entry, |line| without(line, "header")),
        Edit::NoIdentifier(entry) => edit_entry(&text, *entry, |line| without(line, "identifier")),
    })
}

/// Edits the line of an entry.
fn edit_entry(text: &str, entry: usize, edit: impl Fn(&str) -> String) -> String {
    let mut entries = 0..;
    text.split_inclusive('\n')
        .map(|line| {
            let is_entry = line.starts_with("<record>") || line.starts_with("<header");
            if is_entry && entries.next() == Some(entry) { edit(line) } else { line.to_owned() }
        })
        .collect()
}

/// The line without its first element of this name.
fn without(line: &str, name: &str) -> String {
    let close = format!("</{name}>");
    match (line.find(&format!("<{name}")), line.find(&close)) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{}", &line[..from], &line[to + close.len()..])
        }
        _ => line.to_owned(),
    }
}

/// Rewrites what is in every element of this name.
fn rewrite(text: &str, name: &str, with: impl Fn(&str) -> String) -> String {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(&open) {
        let Some((inner, after)) = after.split_once(&close) else { break };
        out.push_str(before);
        out.push_str(&open);
        out.push_str(&with(inner));
        out.push_str(&close);
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_stays_the_same_in_every_form() {
        for (form, expected) in [
            (MomentForm::Fractions, "2024-05-01T23:00:00.789Z"),
            (MomentForm::Offset, "2024-05-02T01:00:00+02:00"),
        ] {
            let text = form.write("2024-05-01T23:00:00Z");
            assert_eq!(text, expected);
            let stamp = Stamp::parse_lenient(&text).unwrap();
            assert_eq!(stamp.to_string(), "2024-05-01T23:00:00Z");
        }
    }

    #[test]
    fn every_element_of_a_name_is_rewritten_and_nothing_else() {
        let text = rewrite("<a>1</a><b>2</b><a></a><a>open", "a", |inner| format!("{inner}!"));
        assert_eq!(text, "<a>1!</a><b>2</b><a>!</a><a>open");
    }
}
