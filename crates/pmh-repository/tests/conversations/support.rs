//! A harvester's side of a conversation, as short as a test needs it.

use std::sync::Arc;

use pmh_protocol::{Body, Document, Item, encode_arguments, parse_document};
use pmh_repository::{AskedRequest, Reply, Repository};
use pmh_scenario::Script;

/// The repository of a script in its first run.
pub(crate) fn repository(script: Script) -> Repository {
    let mut repository = Repository::new(Arc::new(script));
    repository.begin_run(0);
    repository
}

/// The document in a reply; it must be readable without a complaint.
pub(crate) fn document(reply: &Reply) -> Document {
    let text = String::from_utf8_lossy(&reply.body);
    let parsed = parse_document(&reply.body).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(parsed.complaints, [], "{text}");
    parsed.document
}

/// An answer in one line: `200 badVerb`, or `200 1-3 > token` for a page with these records and this token.
pub(crate) fn line(reply: &Reply) -> String {
    if reply.status != 200 {
        return reply.status.to_string();
    }
    let numbers = |items: &[Item]| {
        items
            .iter()
            .map(|item| {
                let local = item.header().identifier.rsplit(':').next();
                let number: u32 =
                    local.and_then(|local| local.parse().ok()).expect("a numbered record");
                let sign = if matches!(item, Item::Tombstone(_)) { "†" } else { "" };
                format!("{number}{sign}")
            })
            .collect::<Vec<_>>()
            .join(" ")
    };
    match document(reply).body {
        Body::Errors(errors) => errors[0].code.to_string(),
        Body::Identify(_) => "Identify".to_owned(),
        Body::Formats(formats) => format!("{} formats", formats.len()),
        Body::Sets { sets, .. } => format!("{} sets", sets.len()),
        Body::Record(item) => format!("record {}", numbers(&[*item])),
        Body::List(page) => match &page.token {
            None => numbers(&page.items),
            Some(token) => {
                format!("{} > {}", numbers(&page.items), token.value).trim_start().to_owned()
            }
        },
    }
}

/// Asks for the whole list as a harvester does, for at most `most` requests, and gives back the lines.
pub(crate) fn harvest(repository: &mut Repository, most: usize) -> Vec<String> {
    let mut query = "verb=ListRecords&metadataPrefix=oai_dc".to_owned();
    let mut lines = Vec::new();
    while lines.len() < most {
        let reply = repository.answer(&AskedRequest::get(&query));
        lines.push(line(&reply));
        match reply.exchange.answer.token.as_deref().map(str::trim) {
            Some(token) if !token.is_empty() => query = resume(token),
            _ => break,
        }
    }
    lines
}

/// The token that the last answer gave out.
pub(crate) fn last_token(repository: &Repository) -> String {
    let last = repository.journal().exchanges().last();
    last.and_then(|exchange| exchange.answer.token.clone()).expect("the last answer has a token")
}

/// The records of an answer, without its token.
pub(crate) fn records(reply: &Reply) -> String {
    line(reply).split('>').next().unwrap_or_default().trim().to_owned()
}

/// An answer as text.
pub(crate) fn text(reply: Reply) -> String {
    String::from_utf8(reply.body).expect("a document is UTF-8")
}

/// The query that goes on with a token.
pub(crate) fn resume(token: &str) -> String {
    encode_arguments(&[("verb", "ListRecords"), ("resumptionToken", token)])
}
