//! Headers, records and what is in them.

use super::{Defect, is_of_everything};

pub(super) const DEFECTS: &[Defect] = &[
    (
        "ds-day-in-seconds-repo",
        |p| {
            p.edit_lines(|line| match line.find("000010</identifier><datestamp>") {
                None => line,
                Some(at) => {
                    let time = at + line[at..].find('T').expect("a time");
                    let end = time + line[time..].find('<').expect("an end");
                    format!("{}{}", &line[..time], &line[end..])
                }
            });
        },
        &["records.datestamp-form"],
    ),
    ("ds-fraction", |p| p.replace("Z</datestamp>", ".5Z</datestamp>"), &["records.datestamp-form"]),
    (
        "getrecord-datestamp-differs",
        |p| {
            if p.asks("GetRecord") {
                p.edit(|text| match text.find("</datestamp>") {
                    None => text,
                    Some(at) => format!("{}9Z{}", &text[..at - 2], &text[at..]),
                });
            }
        },
        &["records.list-equals-get"],
    ),
    (
        "identifier-not-uri",
        |p| {
            if p.is_list() {
                p.replace("oai:repository.example:000004", "000004");
            }
        },
        &["identifiers.uri"],
    ),
    (
        "unknown-id-empty",
        |p| {
            if p.asks("GetRecord") && p.says("idDoesNotExist") {
                p.edit(|text| {
                    let start = text.find("<error").expect("an error");
                    format!("{}<GetRecord></GetRecord></OAI-PMH>", &text[..start])
                });
            }
        },
        &["records.shape", "errors.id-unknown"],
    ),
    (
        "ds-before-earliest",
        |p| {
            if is_of_everything(p) {
                p.edit_lines(|line| match line.find("000010</identifier><datestamp>") {
                    None => line,
                    Some(at) => {
                        let date = at + "000010</identifier><datestamp>".len();
                        format!("{}1999{}", &line[..date], &line[date + 4..])
                    }
                });
            }
        },
        &["identify.earliest-bound"],
    ),
    (
        "deleted-with-metadata",
        |p| {
            p.edit_lines(|line| match line.contains("<record><header status=\"deleted\">") {
                true => line.replace(
                    "</header></record>",
                    "</header><metadata><oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd\"><dc:identifier>x</dc:identifier></oai_dc:dc></metadata></record>",
                ),
                false => line,
            });
        },
        &["deleted.header-only"],
    ),
    (
        "getrecord-deleted-unknown",
        |p| {
            if p.asks("GetRecord") && p.says("status=\"deleted\"") {
                p.error("idDoesNotExist");
            }
        },
        &["deleted.get-record"],
    ),
    (
        "live-without-metadata",
        |p| {
            if p.asks("ListRecords") {
                p.edit_lines(|line| match (line.contains(":000010<"), line.find("<metadata>")) {
                    (true, Some(at)) => format!("{}</record>\n", &line[..at]),
                    _ => line,
                });
            }
        },
        &["records.live-has-metadata"],
    ),
    (
        "md-wrong-root-ns",
        |p| {
            p.replace(
                "xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\"",
                "xmlns:oai_dc=\"http://www.openarchives.org/OAI/1.1/dc\"",
            );
        },
        &["records.payload-namespace"],
    ),
    (
        "md-no-schemalocation",
        |p| {
            p.replace(
                " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd\"",
                "",
            );
        },
        &["records.payload-schema-location"],
    ),
    (
        "md-wrong-schemalocation",
        |p| p.replace("OAI/2.0/oai_dc.xsd\"><dc:", "OAI/2.0/other.xsd\"><dc:"),
        &["records.payload-schema-location"],
    ),
    (
        "md-schema-invalid",
        |p| {
            p.replace("<dc:title>", "<dc:titel>");
            p.replace("</dc:title>", "</dc:titel>");
        },
        &["records.payload-valid"],
    ),
    (
        "ds-future",
        |p| {
            if is_of_everything(p) {
                p.edit_lines(|line| match line.find("000010</identifier><datestamp>") {
                    None => line,
                    Some(at) => {
                        let date = at + "000010</identifier><datestamp>".len();
                        format!("{}2035{}", &line[..date], &line[date + 4..])
                    }
                });
            }
        },
        &["records.datestamp-not-future"],
    ),
];
