//! Lists and their tokens.

use super::{Defect, UNKNOWN_TOKEN, announce, is_of_everything, is_valid, unannounced};

pub(super) const DEFECTS: &[Defect] = &[
    (
        "bad-token-empty-list",
        |p| {
            if p.has("resumptionToken", UNKNOWN_TOKEN) {
                let verb = p.argument("verb").expect("a verb").to_owned();
                p.edit(|text| {
                    let start = text.find("<error").expect("an error");
                    format!("{}<{verb}></{verb}></OAI-PMH>", &text[..start])
                });
            }
        },
        &["paging.no-empty-page", "paging.unknown-token"],
    ),
    (
        "bad-token-restarts",
        |p| {
            if p.has("resumptionToken", UNKNOWN_TOKEN) && !p.asks("ListSets") {
                let verb = p.argument("verb").expect("a verb").to_owned();
                p.instead(&[("verb", &verb), ("metadataPrefix", "oai_dc")]);
            }
        },
        &["paging.unknown-token"],
    ),
    (
        "bad-token-wrong-code",
        |p| {
            if p.has("resumptionToken", UNKNOWN_TOKEN) {
                p.error("badArgument");
            }
        },
        &["paging.unknown-token"],
    ),
    ("cursor-not-zero", |p| announce(p, "cursor", |cursor| cursor + 1), &["paging.cursor"]),
    (
        "empty-list-instead-of-noRecordsMatch",
        |p| {
            if p.says("noRecordsMatch") {
                let verb = p.argument("verb").expect("a verb").to_owned();
                p.edit(|text| {
                    let start = text.find("<error").expect("an error");
                    format!("{}<{verb}></{verb}></OAI-PMH>", &text[..start])
                });
            }
        },
        &[
            "sets.unknown-set",
            "dates.far-future",
            "paging.no-empty-page",
            "errors.no-records-match",
        ],
    ),
    (
        "deleted-omitted-in-list",
        |p| {
            if p.asks("ListRecords") {
                p.without("status=\"deleted\"");
                unannounced(p);
                if p.says("<ListRecords>\n</ListRecords>") {
                    p.error("noRecordsMatch");
                }
            }
        },
        &["records.lists-agree", "deleted.in-range", "deleted.lists-agree", "paging.complete"],
    ),
    (
        "listids-misses-record",
        |p| {
            if p.asks("ListIdentifiers") {
                p.without(":000010<");
                unannounced(p);
            }
        },
        &["records.lists-agree"],
    ),
    (
        "no-final-empty-token",
        |p| {
            p.edit_lines(|line| {
                match line.starts_with("<resumptionToken") && line.contains("></") {
                    true => String::new(),
                    false => line,
                }
            });
        },
        &["paging.final-empty"],
    ),
    ("cursor-page-number", |p| announce(p, "cursor", |cursor| cursor / 5), &["paging.cursor"]),
    (
        "expiration-format",
        |p| p.replace("<resumptionToken ", "<resumptionToken expirationDate=\"2035-01-01\" "),
        &["paging.expiration-form"],
    ),
    (
        "token-expired-at-issue",
        |p| {
            p.replace(
                "<resumptionToken ",
                "<resumptionToken expirationDate=\"2024-01-01T00:00:00Z\" ",
            )
        },
        &["paging.expiration-future"],
    ),
    (
        "page-gap",
        |p| {
            let is_later =
                p.argument("resumptionToken").is_some_and(|token| token.contains("|oai_dc||||"));
            if is_later {
                p.without(":000006<");
                p.without(":000011<");
            }
            if p.is_list() {
                unannounced(p);
            }
        },
        &["paging.complete"],
    ),
    (
        "page-overlap",
        |p| {
            if !is_of_everything(p) {
                return;
            }
            unannounced(p);
            let verb = p.argument("verb").expect("a verb").to_owned();
            let text = p.text();
            if let Some(first) = text.lines().find(|line| line.contains(":000001<")) {
                p.memory.push(format!("{verb}\t{first}\n"));
            } else if let Some(first) =
                p.memory.iter().find_map(|line| line.strip_prefix(&format!("{verb}\t")))
            {
                let again = format!("<{verb}>\n{first}");
                p.replace(&format!("<{verb}>\n"), &again);
            }
        },
        &["paging.no-overlap"],
    ),
    (
        "token-dropped-midway",
        |p| {
            if p.asks("ListRecords") && p.says(":000007<") && p.says(":000008<") {
                p.without("<resumptionToken");
            }
        },
        &["records.lists-agree", "paging.final-empty", "paging.complete", "paging.size"],
    ),
    (
        "token-never-advances",
        |p| {
            if p.argument("resumptionToken").is_some() && is_valid(p) && !p.asks("ListSets") {
                let token = p.argument("resumptionToken").expect("a token").to_owned();
                p.edit(|text| {
                    match (text.find("<resumptionToken"), text.find("</resumptionToken>")) {
                        (Some(start), Some(end)) => {
                            let start = start + text[start..].find('>').expect("its end") + 1;
                            format!("{}{token}{}", &text[..start], &text[end..])
                        }
                        _ => text,
                    }
                });
            }
        },
        &["paging.progress"],
    ),
    (
        "token-not-exclusive",
        |p| {
            if p.argument("resumptionToken").is_some() && p.arguments.len() > 2 {
                let (verb, token) = (
                    p.argument("verb").expect("a verb").to_owned(),
                    p.argument("resumptionToken").expect("a token").to_owned(),
                );
                p.instead(&[("verb", &verb), ("resumptionToken", &token)]);
            }
        },
        &["paging.exclusive"],
    ),
    (
        "token-cross-verb-accepted",
        |p| {
            if p.asks("ListIdentifiers")
                && p.argument("resumptionToken")
                    .is_some_and(|token| token.starts_with("ListRecords"))
            {
                p.instead(&[("verb", "ListIdentifiers"), ("metadataPrefix", "oai_dc")]);
            }
        },
        &["paging.cross-verb"],
    ),
    (
        "token-single-use",
        |p| {
            let Some(token) = p.argument("resumptionToken").map(str::to_owned) else { return };
            if p.memory.contains(&token) && is_valid(p) {
                p.error("badResumptionToken");
            }
            p.memory.push(token);
        },
        &["paging.reissue-same"],
    ),
    (
        "duplicate-record",
        |p| {
            if p.is_list() {
                unannounced(p);
                p.edit_lines(|line| match line.contains(":000010<") {
                    true => line.repeat(2),
                    false => line,
                });
            }
        },
        &["identifiers.unique-in-list"],
    ),
    ("list-size-wrong", |p| announce(p, "completeListSize", |size| size + 3), &["paging.size"]),
];
