//! `pmh status`: what a store holds and how far each harvest got.

use owo_colors::OwoColorize as _;
use pmh_harvest::OpenTraversal;
use pmh_store::{KeyStatus, SqliteStore};
use serde_json::json;

use crate::args::StoreArguments;
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(arguments: &StoreArguments) -> anyhow::Result<Exit> {
    let store = SqliteStore::open_read_only(&arguments.store)?;
    let keys = store.keys()?;
    if keys.is_empty() && !arguments.json {
        output::line(format!("{}: nothing harvested yet", arguments.store.display()));
    }
    for status in &keys {
        if arguments.json {
            output::line(as_json(status).to_string());
        } else {
            describe(status);
        }
    }
    Ok(Exit::Done)
}

fn describe(status: &KeyStatus) {
    let known = &status.known;
    output::line(status.key.to_string().bold().to_string());
    output::line(format!("  holds      {}", output::counted(known.held_live, "live record")));
    let upto = match (known.watermark, known.floor) {
        (None, _) => "no list of it was ever complete".to_owned(),
        (Some(watermark), None) => format!("complete up to {watermark}"),
        (Some(watermark), Some(floor)) => format!("complete from {floor} to {watermark}"),
    };
    output::line(format!("  watermark  {upto}"));
    if let Some(list) = &known.last_complete {
        let (records, pages) =
            (output::counted(list.distinct, "record"), output::counted(list.pages, "page"));
        output::line(format!("  last list  {records} on {pages}"));
    }
    if let Some(open) = &known.open {
        output::line(format!("  open       {}", describe_open(open)));
    }
    if status.staged > 0 {
        let staged = output::counted(status.staged, "tombstone");
        output::line(format!("  staged     {staged}, waiting for a complete list"));
    }
    if known.errors > 0 {
        let failed = output::counted(u64::from(known.errors), "failed run");
        output::line(format!("  errors     {} since the last complete one", failed.red()));
    }
    if let Some(reason) = &status.last_reason {
        output::line(format!("  last run   {reason}"));
    }
}

fn describe_open(open: &OpenTraversal) -> String {
    let tally = &open.tally;
    let (records, pages) =
        (output::counted(tally.distinct, "record"), output::counted(tally.pages, "page"));
    let next = match &open.cursor {
        Some(cursor) => format!("goes on with token `{}`", cursor.token),
        None => "will be read again from its beginning".to_owned(),
    };
    format!("window `{}`: {records} on {pages}; {next}", open.traversal.window)
}

fn as_json(status: &KeyStatus) -> serde_json::Value {
    let known = &status.known;
    json!({
        "source": status.key.source,
        "prefix": status.key.prefix,
        "set": status.key.set,
        "held_live": known.held_live,
        "watermark": known.watermark.map(|stamp| stamp.to_string()),
        "floor": known.floor.map(|stamp| stamp.to_string()),
        "errors": known.errors,
        "staged": status.staged,
        "last_opened_at": status.last_opened_at.map(|stamp| stamp.to_string()),
        "last_closed_at": status.last_closed_at.map(|stamp| stamp.to_string()),
        "last_reason": status.last_reason,
        "open": known.open.as_ref().map(|open| json!({
            "window": open.traversal.window.to_string(),
            "pages": open.tally.pages,
            "distinct": open.tally.distinct,
            "restarts": open.traversal.restarts,
            "token": open.cursor.as_ref().map(|cursor| &cursor.token),
        })),
    })
}
