//! What stands around every answer.

use super::{Defect, is_valid};

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new("error-unknown-code", |p| p.replace("idDoesNotExist", "noSuchItem")),
    Defect::new("no-schemalocation", |p| {
        p.replace(
                " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\"",
                "",
            );
    }),
    Defect::new("responsedate-fraction", |p| p.replace("Z</responseDate>", ".25Z</responseDate>")),
    Defect::new("responsedate-offset", |p| p.replace("Z</responseDate>", "+00:00</responseDate>")),
    Defect::new("wrong-root-ns", |p| {
        p.replace(
            "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"",
            "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0\"",
        )
    }),
    Defect::new("request-no-attributes", |p| {
        p.edit_lines(|line| match (line.starts_with("<request "), line.find('>')) {
            (true, Some(end)) => format!("<request{}", &line[end..]),
            _ => line,
        });
    }),
    Defect::new("request-attr-wrong-value", |p| {
        p.edit_lines(|line| match line.starts_with("<request ") {
            true => line.replace("metadataPrefix=\"oai_dc\"", "metadataPrefix=\"dc\""),
            false => line,
        });
    }),
    Defect::new("request-wrong-baseurl", |p| {
        p.replace(">http://repository.example/oai</request>", ">http://other.example/oai</request>")
    }),
    Defect::new("request-full-url", |p| {
        let query = p.query().replace('&', "&amp;");
        let full = format!(">http://repository.example/oai?{query}</request>");
        p.replace(">http://repository.example/oai</request>", &full);
    }),
    Defect::new("badverb-echoes-attributes", |p| {
        if p.says("code=\"badVerb\"") && p.asks("Identify") {
            p.replace("<request>", "<request verb=\"Identify\">");
        }
    }),
    Defect::new("badargument-echoes-attributes", |p| {
        if p.says("code=\"badArgument\"") {
            let verb = p.verb();
            p.replace("<request>", &format!("<request verb=\"{verb}\">"));
        }
    }),
    Defect::new("responsedate-missing-on-error", |p| {
        if !is_valid(p) {
            p.without("<responseDate>");
        }
    }),
    Defect::new("responsedate-stale", |p| {
        p.edit_lines(|line| match line.starts_with("<responseDate>") {
            true => "<responseDate>2025-01-01T00:00:00Z</responseDate>\n".to_owned(),
            false => line,
        });
    }),
    Defect::new("error-no-text", |p| {
        p.edit_lines(|line| match (line.starts_with("<error"), line.find('>')) {
            (true, Some(at)) => format!("{}></error>\n", &line[..at]),
            _ => line,
        });
    }),
];
