//! What a repository says about itself, its formats and its sets.

use super::{Defect, is_valid};

pub(super) const DEFECTS: &[Defect] = &[
    (
        "baseurl-mismatch",
        |p| {
            p.replace("<baseURL>http://repository.example/oai", "<baseURL>http://other.example/oai")
        },
        &["identify.base-url"],
    ),
    (
        "earliest-granularity",
        |p| p.replace("T00:00:00Z</earliestDatestamp>", "</earliestDatestamp>"),
        &["identify.earliest-form"],
    ),
    (
        "earliest-too-late",
        |p| {
            p.edit(|text| match text.find("</earliestDatestamp>") {
                None => text,
                Some(at) => format!("{}2024-01-03T00:00:00Z{}", &text[..at - 20], &text[at..]),
            });
        },
        &[
            "identify.earliest-bound",
            "dates.open-ended",
            "dates.before-earliest",
            "errors.no-records-match",
        ],
    ),
    (
        "email-bad",
        |p| {
            p.edit(|text| match (text.find("<adminEmail>"), text.find("</adminEmail>")) {
                (Some(start), Some(end)) => {
                    format!("{}<adminEmail>the admin{}", &text[..start], &text[end..])
                }
                _ => text,
            });
        },
        &["identify.admin-email"],
    ),
    (
        "no-oai-dc",
        |p| {
            if p.has("metadataPrefix", "oai_dc") && is_valid(p) {
                p.error("cannotDisseminateFormat");
            } else if p.has("metadataPrefix", "dublin") {
                p.instead_with("metadataPrefix", "oai_dc");
            }
            p.replace("<metadataPrefix>oai_dc<", "<metadataPrefix>dublin<");
        },
        &["formats.oai-dc"],
    ),
    (
        "no-sets-empty-list",
        |p| {
            if p.asks("ListSets") {
                p.without("<set>");
            }
        },
        &["sets.list-or-error"],
    ),
    (
        "setspec-omitted-in-header",
        |p| {
            if !p.asks("ListSets") {
                for set in ["art", "art:paint", "maps"] {
                    p.replace(&format!("<setSpec>{set}</setSpec>"), "");
                }
            }
        },
        &["sets.membership-shown"],
    ),
    ("identify-no-name", |p| p.without("<repositoryName>"), &["identify.elements"]),
    (
        "identify-schema-order",
        |p| {
            p.edit(|text| {
                let Some(at) = text.find("<repositoryName>") else { return text };
                let end = at + text[at..].find('\n').expect("a line") + 1;
                let (name, rest) = (text[at..end].to_owned(), &text[end..]);
                let next = rest.find('\n').expect("a line") + 1;
                format!("{}{}{name}{}", &text[..at], &rest[..next], &rest[next..])
            });
        },
        &["identify.elements"],
    ),
    (
        "set-ignored",
        |p| {
            if p.argument("set").is_some() && p.argument("resumptionToken").is_none() {
                p.instead_without(&["set"]);
            }
        },
        &["sets.members-only", "sets.unknown-set"],
    ),
    (
        "set-not-recursive",
        |p| {
            let is_of_art = p.has("set", "art")
                || p.argument("resumptionToken").is_some_and(|token| token.contains("|art|"));
            if is_of_art {
                p.without("<setSpec>art:paint</setSpec>");
            }
        },
        &["sets.descendants"],
    ),
    (
        "setspec-duplicate",
        |p| {
            p.edit_lines(|line| match line.contains("<set><setSpec>maps<") {
                true => line.repeat(2),
                false => line,
            });
        },
        &["sets.spec-unique"],
    ),
    (
        "setspec-syntax",
        |p| p.replace("<setSpec>maps</setSpec>", "<setSpec>old maps</setSpec>"),
        &["sets.spec-syntax"],
    ),
    (
        "deleted-policy-no-but-deleted",
        |p| p.replace("<deletedRecord>persistent<", "<deletedRecord>no<"),
        &["deleted.none-if-no"],
    ),
    (
        "oai-dc-wrong-ns",
        |p| p.replace("oai_dc/</metadataNamespace>", "oai_dc</metadataNamespace>"),
        &["formats.oai-dc-binding"],
    ),
    (
        "oai-dc-wrong-schema",
        |p| p.replace("oai_dc.xsd</schema>", "dc.xsd</schema>"),
        &["formats.oai-dc-binding"],
    ),
    (
        "oai-identifier-mismatch",
        |p| {
            p.replace(
                "repository.example</repositoryIdentifier>",
                "other.example</repositoryIdentifier>",
            );
            p.replace(
                "<sampleIdentifier>oai:repository.example:",
                "<sampleIdentifier>oai:other.example:",
            );
        },
        &["description.oai-identifier", "description.oai-identifier-sample"],
    ),
    (
        "setspec-ancestor-listed",
        |p| {
            if !p.asks("ListSets") {
                p.replace(
                    "<setSpec>art:paint</setSpec>",
                    "<setSpec>art</setSpec><setSpec>art:paint</setSpec>",
                );
            }
        },
        &["sets.minimal-headers"],
    ),
    (
        "setspec-undeclared",
        |p| {
            if p.asks("ListSets") {
                p.without("<setSpec>maps<");
            }
        },
        &["sets.declared"],
    ),
];
