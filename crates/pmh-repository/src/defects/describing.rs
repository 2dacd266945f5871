//! What a repository says about itself, its formats and its sets.

use super::{Defect, is_valid};

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new("baseurl-mismatch", |p| {
        p.replace("<baseURL>http://repository.example/oai", "<baseURL>http://other.example/oai")
    }),
    Defect::new("earliest-granularity", |p| {
        p.replace("T00:00:00Z</earliestDatestamp>", "</earliestDatestamp>")
    }),
    Defect::new("earliest-too-late", |p| {
        p.edit(|text| match text.find("</earliestDatestamp>") {
            Some(at) if at >= 20 && text.is_char_boundary(at - 20) => {
                format!("{}2024-01-03T00:00:00Z{}", &text[..at - 20], &text[at..])
            }
            _ => text,
        });
    }),
    Defect::new("email-bad", |p| {
        p.edit(|text| match (text.find("<adminEmail>"), text.find("</adminEmail>")) {
            (Some(start), Some(end)) => {
                format!("{}<adminEmail>the admin{}", &text[..start], &text[end..])
            }
            _ => text,
        });
    }),
    Defect::new("no-oai-dc", |p| {
        if p.has("metadataPrefix", "oai_dc") && is_valid(p) {
            p.error("cannotDisseminateFormat");
        } else if p.has("metadataPrefix", "dublin") {
            p.instead_with("metadataPrefix", "oai_dc");
        }
        p.replace("<metadataPrefix>oai_dc<", "<metadataPrefix>dublin<");
    }),
    Defect::new("no-sets-empty-list", |p| {
        if p.asks("ListSets") {
            p.without("<set>");
        }
    }),
    Defect::new("setspec-omitted-in-header", |p| {
        if !p.asks("ListSets") {
            for set in ["art", "art:paint", "maps"] {
                p.replace(&format!("<setSpec>{set}</setSpec>"), "");
            }
        }
    }),
    Defect::new("identify-no-name", |p| p.without("<repositoryName>")),
    Defect::new("identify-schema-order", |p| {
        p.edit(|text| {
            let Some(at) = text.find("<repositoryName>") else { return text };
            let mut lines = text[at..].splitn(3, '\n');
            let (Some(name), Some(next), Some(rest)) = (lines.next(), lines.next(), lines.next())
            else {
                return text;
            };
            format!("{}{next}\n{name}\n{rest}", &text[..at])
        });
    }),
    Defect::new("set-ignored", |p| {
        if p.argument("set").is_some() && p.argument("resumptionToken").is_none() {
            p.instead_without(&["set"]);
        }
    }),
    Defect::new("set-not-recursive", |p| {
        let is_of_art = p.has("set", "art")
            || p.argument("resumptionToken").is_some_and(|token| token.contains("|art|"));
        if is_of_art {
            p.without("<setSpec>art:paint</setSpec>");
        }
    }),
    Defect::new("setspec-duplicate", |p| {
        p.edit_lines(|line| match line.contains("<set><setSpec>maps<") {
            true => line.repeat(2),
            false => line,
        });
    }),
    Defect::new("setspec-syntax", |p| {
        p.replace("<setSpec>maps</setSpec>", "<setSpec>old maps</setSpec>")
    }),
    Defect::new("deleted-policy-no-but-deleted", |p| {
        p.replace("<deletedRecord>persistent<", "<deletedRecord>no<")
    }),
    Defect::new("oai-dc-wrong-ns", |p| {
        p.replace("oai_dc/</metadataNamespace>", "oai_dc</metadataNamespace>")
    }),
    Defect::new("oai-dc-wrong-schema", |p| p.replace("oai_dc.xsd</schema>", "dc.xsd</schema>")),
    Defect::new("oai-identifier-mismatch", |p| {
        p.replace(
            "repository.example</repositoryIdentifier>",
            "other.example</repositoryIdentifier>",
        );
        p.replace(
            "<sampleIdentifier>oai:repository.example:",
            "<sampleIdentifier>oai:other.example:",
        );
    }),
    Defect::new("setspec-ancestor-listed", |p| {
        if !p.asks("ListSets") {
            p.replace(
                "<setSpec>art:paint</setSpec>",
                "<setSpec>art</setSpec><setSpec>art:paint</setSpec>",
            );
        }
    }),
    Defect::new("setspec-undeclared", |p| {
        if p.asks("ListSets") {
            p.without("<setSpec>maps<");
        }
    }),
];
