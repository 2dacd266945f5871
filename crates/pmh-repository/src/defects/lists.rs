//! Lists and their tokens.

use super::{Defect, UNKNOWN_TOKEN, announce, is_of_everything, is_valid, unannounced};

/// The token of a repository that keeps one list for each caller.
const SESSION_TOKEN: &str = "session";

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new("bad-token-empty-list", |p| {
        if p.has("resumptionToken", UNKNOWN_TOKEN) {
            let verb = p.verb();
            p.instead_of_error(&format!("<{verb}></{verb}>"));
        }
    }),
    Defect::new("bad-token-restarts", |p| {
        if p.has("resumptionToken", UNKNOWN_TOKEN) && !p.asks("ListSets") {
            let verb = p.verb();
            p.instead(&[("verb", &verb), ("metadataPrefix", "oai_dc")]);
        }
    }),
    Defect::new("bad-token-wrong-code", |p| {
        if p.has("resumptionToken", UNKNOWN_TOKEN) {
            p.error("badArgument");
        }
    }),
    Defect::new("cursor-not-zero", |p| announce(p, "cursor", |cursor| cursor + 1)),
    Defect::new("empty-list-instead-of-noRecordsMatch", |p| {
        if p.says("noRecordsMatch") {
            let verb = p.verb();
            p.instead_of_error(&format!("<{verb}></{verb}>"));
        }
    }),
    Defect::new("deleted-omitted-in-list", |p| {
        if p.asks("ListRecords") {
            p.without("status=\"deleted\"");
            unannounced(p);
            if p.says("<ListRecords>\n</ListRecords>") {
                p.error("noRecordsMatch");
            }
        }
    }),
    Defect::new("listids-misses-record", |p| {
        if p.asks("ListIdentifiers") {
            p.without(":000010<");
            unannounced(p);
        }
    }),
    Defect::new("no-final-empty-token", |p| {
        p.edit_lines(|line| match line.starts_with("<resumptionToken") && line.contains("></") {
            true => String::new(),
            false => line,
        });
    }),
    Defect::new("cursor-page-number", |p| announce(p, "cursor", |cursor| cursor / 5)),
    Defect::new("expiration-format", |p| {
        p.replace("<resumptionToken ", "<resumptionToken expirationDate=\"2035-01-01\" ")
    }),
    Defect::new("token-expired-at-issue", |p| {
        p.replace("<resumptionToken ", "<resumptionToken expirationDate=\"2024-01-01T00:00:00Z\" ")
    }),
    Defect::new("page-gap", |p| {
        let is_later =
            p.argument("resumptionToken").is_some_and(|token| token.contains("|oai_dc||||"));
        if is_later {
            p.without(":000006<");
            p.without(":000011<");
        }
        if p.is_list() {
            unannounced(p);
        }
    }),
    Defect::new("page-overlap", |p| {
        if !is_of_everything(p) {
            return;
        }
        unannounced(p);
        let verb = p.verb();
        let text = p.text();
        if let Some(first) = text.lines().find(|line| line.contains(":000001<")) {
            p.memory.push(format!("{verb}\t{first}\n"));
        } else if let Some(first) =
            p.memory.iter().find_map(|line| line.strip_prefix(&format!("{verb}\t")))
        {
            let again = format!("<{verb}>\n{first}");
            p.replace(&format!("<{verb}>\n"), &again);
        }
    }),
    Defect::new("token-dropped-midway", |p| {
        if p.asks("ListRecords") && p.says(":000007<") && p.says(":000008<") {
            p.without("<resumptionToken");
        }
    }),
    Defect::new("token-never-advances", |p| {
        let Some(token) = p.argument("resumptionToken").map(str::to_owned) else { return };
        if is_valid(p) && !p.asks("ListSets") {
            p.edit(|text| match (text.find("<resumptionToken"), text.find("</resumptionToken>")) {
                (Some(start), Some(end)) if start < end => {
                    let given = text[start..end].find('>').map_or(end, |at| start + at + 1);
                    format!("{}{token}{}", &text[..given], &text[end..])
                }
                _ => text,
            });
        }
    }),
    Defect::new("token-not-exclusive", |p| {
        let Some(token) = p.argument("resumptionToken").map(str::to_owned) else { return };
        if p.arguments.len() > 2 {
            let verb = p.verb();
            p.instead(&[("verb", &verb), ("resumptionToken", &token)]);
        }
    }),
    Defect::new("token-cross-verb-accepted", |p| {
        if p.asks("ListIdentifiers")
            && p.argument("resumptionToken").is_some_and(|token| token.starts_with("ListRecords"))
        {
            p.instead(&[("verb", "ListIdentifiers"), ("metadataPrefix", "oai_dc")]);
        }
    }),
    Defect::new("token-single-use", |p| {
        let Some(token) = p.argument("resumptionToken").map(str::to_owned) else { return };
        if p.memory.contains(&token) && is_valid(p) {
            p.error("badResumptionToken");
        }
        p.memory.push(token);
    }),
    Defect::new("duplicate-record", |p| {
        if p.is_list() {
            unannounced(p);
            p.edit_lines(|line| match line.contains(":000010<") {
                true => line.repeat(2),
                false => line,
            });
        }
    }),
    Defect::new("list-size-wrong", |p| announce(p, "completeListSize", |size| size + 3)),
    Defect::new("empty-token-on-complete-list", |p| {
        let is_first = p.is_list() && p.argument("resumptionToken").is_none();
        if is_first && is_valid(p) && !p.says("<resumptionToken") {
            let end = format!("</{}>", p.verb());
            p.replace(&end, &format!("<resumptionToken/>{end}"));
        }
    }),
    Defect::new("token-session-stateful", |p| {
        // One token for all: it stands for what comes next in the list that was asked last.
        let own = format!("{}\t", p.verb());
        if p.has("resumptionToken", SESSION_TOKEN) && p.is_list() {
            let next = p.memory.iter().find_map(|line| line.strip_prefix(&own)).map(str::to_owned);
            p.instead_with("resumptionToken", next.as_deref().unwrap_or_default());
        }
        let text = p.text();
        let token = text.split_once("<resumptionToken").and_then(|(_, rest)| rest.split_once('>'));
        let token = token.and_then(|(_, rest)| rest.split_once("</resumptionToken>"));
        if let Some((token, _)) = token.filter(|(token, _)| !token.is_empty() && p.is_list()) {
            p.memory.retain(|line| !line.starts_with(&own));
            p.memory.push(format!("{own}{token}"));
            p.replace(
                &format!("{token}</resumptionToken>"),
                &format!("{SESSION_TOKEN}</resumptionToken>"),
            );
        }
    }),
];
