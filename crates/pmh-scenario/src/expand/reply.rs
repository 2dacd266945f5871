//! Answers word for word.

use std::sync::Arc;

use super::value;
use super::when::when;
use crate::http_file::HttpFile;
use crate::load::Taped;
use crate::model;
use crate::script::{Content, Holdings, LiteralReply, WireEffect};

const ARGUMENTS: [&str; 7] =
    ["from", "identifier", "metadataPrefix", "resumptionToken", "set", "until", "verb"];

/// What a reply is called: by its own name, by its file, or by its number, from 1.
pub(crate) fn reply_name(written: &model::Reply, number: usize) -> String {
    let file = written.file.as_ref().or(written.tape.as_ref()).map(|file| file.get_ref().clone());
    let name = written.name.as_ref().map(|name| name.get_ref().clone());
    name.or(file.map(|file| format!("reply {number}, {file}")))
        .unwrap_or_else(|| format!("reply {number}"))
}

/// `bytes` is what its file holds, or its text.
pub(super) fn reply(written: &model::Reply, number: usize, bytes: &Arc<[u8]>) -> LiteralReply {
    let file = written.file.as_ref().map_or("", |file| file.get_ref().as_str());
    let whole = file.ends_with(".http").then(|| HttpFile::parse(bytes)).and_then(Result::ok);
    let mut headers: Vec<(String, String)> = written
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), value.get_ref().clone()))
        .collect();
    let mut status = 200;
    let mut content = match written.xml {
        Some(_) => Content::Inside(Arc::clone(bytes)),
        None => Content::Body(Arc::clone(bytes)),
    };
    match whole {
        Some(whole) => {
            status = whole.status;
            headers.splice(0..0, whole.headers);
            content = Content::Body(whole.body.into());
        }
        None if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) => {
            let kind = match file.rsplit_once('.') {
                Some((_, "html")) => "text/html; charset=UTF-8",
                Some((_, "txt")) => "text/plain; charset=UTF-8",
                _ => "text/xml; charset=UTF-8",
            };
            headers.insert(0, ("content-type".to_owned(), kind.to_owned()));
        }
        None => {}
    }
    LiteralReply {
        name: reply_name(written, number),
        when: when(written.when.as_ref()),
        content,
        status: value(&written.status).unwrap_or(status),
        headers,
        wire: wire(written),
        times: value(&written.times),
        optional: written.optional.unwrap_or_default(),
    }
}

fn wire(written: &model::Reply) -> Option<WireEffect> {
    written.wire.as_ref().map(|wire| wire.get_ref().clone())
}

/// The replies of a recording: each request is answered as it was, and the last answer to it stays.
pub(super) fn replies(written: &model::Reply, number: usize, taped: &[Taped]) -> Vec<LiteralReply> {
    let name = reply_name(written, number);
    let asked: Vec<Vec<(String, String)>> =
        taped.iter().map(|taped| of_protocol(&taped.arguments)).collect();
    let reply = |(index, taped): (usize, &Taped)| {
        let args = asked[index].clone();
        let mut when = when(written.when.as_ref());
        let absent = ARGUMENTS.iter().filter(|name| args.iter().all(|(sent, _)| sent != *name));
        when.matching.absent.extend(absent.map(|name| (*name).to_owned()));
        let is_asked_again = asked[index + 1..].contains(&args);
        when.args.extend(args);
        LiteralReply {
            name: format!("{name}, exchange {}", taped.number),
            when,
            content: Content::Body(taped.body.as_slice().into()),
            status: taped.status,
            headers: taped.headers.clone(),
            wire: wire(written),
            times: is_asked_again.then_some(1),
            optional: written.optional.unwrap_or_default(),
        }
    };
    taped.iter().enumerate().map(reply).collect()
}

/// The arguments that belong to the protocol, in the order of the alphabet; others belong to a base URL.
fn of_protocol(arguments: &[(String, String)]) -> Vec<(String, String)> {
    let mut asked: Vec<_> =
        arguments.iter().filter(|(name, _)| ARGUMENTS.contains(&name.as_str())).cloned().collect();
    asked.sort_unstable();
    asked
}

pub(super) fn holdings(written: &model::Holdings) -> Holdings {
    let prefix = written.prefix.as_deref().unwrap_or("");
    let whole = |names: &[toml::Spanned<String>]| {
        names.iter().map(|name| format!("{prefix}{}", name.get_ref())).collect()
    };
    Holdings {
        present: whole(written.present.as_deref().unwrap_or_default()),
        deleted: whole(&written.deleted),
        absent: whole(&written.absent),
        is_whole: written.present.is_some(),
    }
}
