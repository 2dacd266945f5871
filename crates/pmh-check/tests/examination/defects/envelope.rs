//! What stands around every answer.

use super::{Defect, is_valid};

pub(super) const DEFECTS: &[Defect] = &[
    (
        "error-unknown-code",
        |p| p.replace("idDoesNotExist", "noSuchItem"),
        &["errors.id-unknown", "errors.code-known"],
    ),
    (
        "no-schemalocation",
        |p| {
            p.replace(
                " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\"",
                "",
            );
        },
        &["xml.schema-location"],
    ),
    (
        "responsedate-fraction",
        |p| p.replace("Z</responseDate>", ".25Z</responseDate>"),
        &["envelope.response-date-form"],
    ),
    (
        "responsedate-offset",
        |p| p.replace("Z</responseDate>", "+00:00</responseDate>"),
        &["envelope.response-date-form"],
    ),
    (
        "wrong-root-ns",
        |p| {
            p.replace(
                "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"",
                "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0\"",
            )
        },
        &["xml.root"],
    ),
    (
        "request-no-attributes",
        |p| {
            p.edit_lines(|line| match line.find("<request ") {
                Some(at) => {
                    format!("<request{}", &line[at + line[at..].find('>').expect("its end")..])
                }
                None => line,
            });
        },
        &["envelope.request-attributes", "envelope.request-attributes-on-error"],
    ),
    (
        "request-attr-wrong-value",
        |p| {
            p.edit_lines(|line| match line.starts_with("<request ") {
                true => line.replace("metadataPrefix=\"oai_dc\"", "metadataPrefix=\"dc\""),
                false => line,
            });
        },
        &["envelope.request-attributes"],
    ),
    (
        "request-wrong-baseurl",
        |p| {
            p.replace(
                ">http://repository.example/oai</request>",
                ">http://other.example/oai</request>",
            )
        },
        &["envelope.request-base-url"],
    ),
    (
        "request-full-url",
        |p| {
            let query = p.query().replace('&', "&amp;");
            let full = format!(">http://repository.example/oai?{query}</request>");
            p.replace(">http://repository.example/oai</request>", &full);
        },
        &["envelope.request-base-url"],
    ),
    (
        "badverb-echoes-attributes",
        |p| {
            if p.says("code=\"badVerb\"") && p.asks("Identify") {
                p.replace("<request>", "<request verb=\"Identify\">");
            }
        },
        &["envelope.request-bare"],
    ),
    (
        "badargument-echoes-attributes",
        |p| {
            if p.says("code=\"badArgument\"") {
                let verb = p.argument("verb").expect("a verb").to_owned();
                p.replace("<request>", &format!("<request verb=\"{verb}\">"));
            }
        },
        &["envelope.request-bare"],
    ),
    (
        "responsedate-missing-on-error",
        |p| {
            if !is_valid(p) {
                p.without("<responseDate>");
            }
        },
        &["envelope.children"],
    ),
    (
        "responsedate-stale",
        |p| {
            p.edit_lines(|line| match line.starts_with("<responseDate>") {
                true => "<responseDate>2025-01-01T00:00:00Z</responseDate>\n".to_owned(),
                false => line,
            });
        },
        &["envelope.response-date-clock"],
    ),
    (
        "error-no-text",
        |p| {
            p.edit_lines(|line| match (line.starts_with("<error"), line.find('>')) {
                (true, Some(at)) => format!("{}></error>\n", &line[..at]),
                _ => line,
            });
        },
        &["errors.text"],
    ),
];
