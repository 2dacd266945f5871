//! Requests that must be refused, and dates.

use super::{Defect, is_valid, shifted};

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new("bad-date-accepted", |p| {
        if p.has("from", "junk") {
            p.instead_without(&["from"]);
        }
    }),
    Defect::new("badverb-wrong-code", |p| p.replace("code=\"badVerb\"", "code=\"badArgument\"")),
    Defect::new("dates-ignored", |p| {
        let is_ranged = p.argument("from").is_some() || p.argument("until").is_some();
        if is_ranged && (is_valid(p) || p.says("noRecordsMatch")) {
            p.instead_without(&["from", "until"]);
        }
    }),
    Defect::new("from-exclusive", |p| {
        if let Some(from) = p.argument("from").filter(|from| from.ends_with('Z')).map(str::to_owned)
            && is_valid(p)
        {
            p.instead_with("from", &shifted(&from, 1));
        }
    }),
    Defect::new("missing-prefix-accepted", |p| {
        if p.is_list() && p.arguments.len() == 1 {
            let verb = p.verb();
            p.instead(&[("verb", &verb), ("metadataPrefix", "oai_dc")]);
        }
    }),
    Defect::new("mixed-granularity-accepted", |p| {
        let length = |name| p.argument(name).map(str::len);
        if let (Some(from), Some(until)) = (length("from"), length("until"))
            && from != until
        {
            p.instead_without(&["from", "until"]);
        }
    }),
    Defect::new("until-exclusive", |p| {
        if let Some(until) =
            p.argument("until").filter(|until| until.ends_with('Z')).map(str::to_owned)
            && is_valid(p)
        {
            p.instead_with("until", &shifted(&until, -1));
        }
    }),
    Defect::new("illegal-arg-accepted", |p| {
        if p.argument("foo").is_some() {
            p.instead_without(&["foo"]);
        }
    }),
    Defect::new("repeated-arg-accepted", |p| {
        if p.says("is repeated") && !p.says("badVerb") {
            let mut once: Vec<(String, String)> = Vec::new();
            for (name, value) in p.arguments.clone() {
                if !once.iter().any(|(each, _)| *each == name) {
                    once.push((name, value));
                }
            }
            let once: Vec<(&str, &str)> =
                once.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            p.instead(&once);
        }
    }),
    Defect::new("repeated-verb-accepted", |p| {
        if p.says("`verb` is repeated") {
            p.instead(&[("verb", "Identify")]);
        }
    }),
    Defect::new("from-after-until-accepted", |p| {
        if p.says("`from` is later than `until`") {
            p.instead_without(&["from"]);
        }
    }),
    Defect::new("from-after-until-wrong-code", |p| {
        if p.says("`from` is later than `until`") {
            p.error("noRecordsMatch");
        }
    }),
    Defect::new("month-date-accepted", |p| {
        if p.has("from", "2001-01") {
            p.instead_with("from", "2001-01-01");
        }
    }),
    Defect::new("impossible-date-accepted", |p| {
        if p.has("from", "2001-02-30") {
            p.instead_with("from", "2001-03-02");
        }
    }),
    Defect::new("unknown-prefix-accepted", |p| {
        if p.has("metadataPrefix", "no_such_prefix") {
            p.instead_with("metadataPrefix", "oai_dc");
        }
    }),
    Defect::new("unknown-prefix-wrong-code", |p| {
        if p.has("metadataPrefix", "no_such_prefix") {
            p.error("badArgument");
        }
    }),
    Defect::new("lmf-unknown-id-ok", |p| {
        if p.asks("ListMetadataFormats") && p.says("idDoesNotExist") {
            p.instead_without(&["identifier"]);
        }
    }),
    Defect::new("day-dates-rejected", |p| {
        let is_day = |name| p.argument(name).is_some_and(|date| date.len() == 10);
        if is_day("from") || is_day("until") {
            p.error("badArgument");
        }
    }),
    Defect::new("until-day-exclusive", |p| {
        if let Some(until) =
            p.argument("until").filter(|until| until.len() == 10).map(str::to_owned)
            && is_valid(p)
        {
            let from = format!("{}T00:00:00Z", p.argument("from").unwrap_or("2000-01-01"));
            p.instead(&[
                ("verb", "ListIdentifiers"),
                ("metadataPrefix", "oai_dc"),
                ("from", &from),
                ("until", &format!("{until}T00:00:00Z")),
            ]);
        }
    }),
];
