//! `pmh get`: one record of a repository.

use pmh_protocol::{Body, Item, Request};
use serde_json::json;

use crate::args::GetArguments;
use crate::asking::Asking;
use crate::exit::{Ended, Exit};
use crate::output::{self, plain};

pub(crate) fn run(arguments: &GetArguments) -> anyhow::Result<Exit> {
    let (base_url, identifier) = arguments.meant()?;
    let asking = Asking::of(&base_url, &arguments.source)?;
    let request =
        Request::GetRecord { identifier: identifier.to_owned(), prefix: arguments.prefix.clone() };
    let ask = asking.transport.ask(&asking.plan, &request);
    let parsed = asking.runtime.block_on(ask)?;
    output::complaints(&parsed.complaints);
    let Body::Record(item) = parsed.document.body else {
        return Ok(Exit::Done);
    };
    let found = &item.header().identifier;
    if *found != identifier {
        let text = format!("asked for `{identifier}`, was given `{}`", plain(found));
        return Err(Ended::impossible(text));
    }
    if arguments.json {
        output::line(as_json(&item).to_string());
    }
    match &*item {
        Item::Tombstone(_) => {
            output::note(format!("`{identifier}` was deleted"));
            Ok(Exit::No)
        }
        Item::Record(record) if !arguments.json => match &record.payload {
            Some(payload) => {
                output::line(payload);
                Ok(Exit::Done)
            }
            None => Err(Ended::impossible("the record has no metadata that could be read")),
        },
        Item::Record(_) => Ok(Exit::Done),
    }
}

fn as_json(item: &Item) -> serde_json::Value {
    let header = item.header();
    let (payload, abouts) = match item {
        Item::Record(record) => (record.payload.as_deref(), record.abouts.as_slice()),
        Item::Tombstone(_) => (None, [].as_slice()),
    };
    json!({
        "identifier": header.identifier,
        "datestamp": header.datestamp.map(|date| date.to_string()),
        "deleted": matches!(item, Item::Tombstone(_)),
        "sets": header.sets,
        "payload": payload,
        "abouts": abouts,
    })
}
