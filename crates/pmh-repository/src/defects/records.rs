//! Headers, records and what is in them.

use super::{Defect, is_of_everything};

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new("ds-day-in-seconds-repo", |p| {
        p.edit_lines(|line| match line.find("000010</identifier><datestamp>") {
            None => line,
            Some(at) => {
                let date = at + "000010</identifier><datestamp>".len();
                match (line[date..].find('T'), line[date..].find('<')) {
                    (Some(time), Some(end)) if time < end => {
                        format!("{}{}", &line[..date + time], &line[date + end..])
                    }
                    _ => line,
                }
            }
        });
    }),
    Defect::new("ds-fraction", |p| p.replace("Z</datestamp>", ".5Z</datestamp>")),
    Defect::new("getrecord-datestamp-differs", |p| {
        if p.asks("GetRecord") {
            p.edit(|text| match text.find("</datestamp>") {
                None => text,
                Some(at) => format!("{}9Z{}", &text[..at - 2], &text[at..]),
            });
        }
    }),
    Defect::new("identifier-not-uri", |p| {
        if p.is_list() {
            p.replace("oai:repository.example:000004", "000004");
        }
    }),
    Defect::new("unknown-id-empty", |p| {
        if p.asks("GetRecord") && p.says("idDoesNotExist") {
            p.instead_of_error("<GetRecord></GetRecord>");
        }
    }),
    Defect::new("ds-before-earliest", |p| {
        if is_of_everything(p) {
            p.edit_lines(|line| match line.find("000010</identifier><datestamp>") {
                None => line,
                Some(at) => {
                    let date = at + "000010</identifier><datestamp>".len();
                    format!("{}1999{}", &line[..date], &line[date + 4..])
                }
            });
        }
    }),
    Defect::new("deleted-with-metadata", |p| {
        p.edit_lines(|line| match line.contains("<record><header status=\"deleted\">") {
                true => line.replace(
                    "</header></record>",
                    "</header><metadata><oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd\"><dc:identifier>x</dc:identifier></oai_dc:dc></metadata></record>",
                ),
                false => line,
            });
    }),
    Defect::new("getrecord-deleted-unknown", |p| {
        if p.asks("GetRecord") && p.says("status=\"deleted\"") {
            p.error("idDoesNotExist");
        }
    }),
    Defect::new("live-without-metadata", |p| {
        if p.asks("ListRecords") {
            p.edit_lines(|line| match (line.contains(":000010<"), line.find("<metadata>")) {
                (true, Some(at)) => format!("{}</record>\n", &line[..at]),
                _ => line,
            });
        }
    }),
    Defect::new("md-wrong-root-ns", |p| {
        p.replace(
            "xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\"",
            "xmlns:oai_dc=\"http://www.openarchives.org/OAI/1.1/dc\"",
        );
    }),
    Defect::new("md-no-schemalocation", |p| {
        p.replace(
                " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd\"",
                "",
            );
    }),
    Defect::new("md-wrong-schemalocation", |p| {
        p.replace("OAI/2.0/oai_dc.xsd\"><dc:", "OAI/2.0/other.xsd\"><dc:")
    }),
    Defect::new("md-schema-invalid", |p| {
        p.replace("<dc:title>", "<dc:titel>");
        p.replace("</dc:title>", "</dc:titel>");
    }),
    Defect::new("ds-future", |p| {
        if is_of_everything(p) {
            p.edit_lines(|line| match line.find("000010</identifier><datestamp>") {
                None => line,
                Some(at) => {
                    let date = at + "000010</identifier><datestamp>".len();
                    format!("{}2035{}", &line[..date], &line[date + 4..])
                }
            });
        }
    }),
];
