//! `pmh status`: what a store holds and how far each harvest got.

use owo_colors::OwoColorize as _;
use pmh_harvest::{Known, OpenTraversal};
use pmh_store::{KeyStatus, SqliteStore};
use serde_json::json;

use crate::args::StatusArguments;
use crate::exit::Exit;
use crate::output::{self, plain};

pub(crate) fn run(arguments: &StatusArguments) -> anyhow::Result<Exit> {
    let store = SqliteStore::open_read_only(&arguments.store.path)?;
    let keys = store.keys()?;
    if keys.is_empty() && !arguments.json {
        output::line(format!("{}: nothing harvested yet", arguments.store.path.display()));
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
    output::line(plain(&status.key.to_string()).bold().to_string());
    output::line(format!("  holds      {}", output::counted(known.held_live, "live record")));
    let upto = match (known.watermark, known.floor) {
        (None, _) => "no list of it was ever complete".to_owned(),
        (Some(watermark), None) => format!("complete up to {watermark}"),
        (Some(watermark), Some(floor)) => format!("complete from {floor} to {watermark}"),
    };
    output::line(format!("  watermark  {upto}"));
    for span in &known.coverage {
        let from = span.from.map_or_else(|| "the beginning".to_owned(), |from| from.to_string());
        output::line(format!("  covers     {from} to {} beside it", span.until));
    }
    if let Some(list) = &known.last_complete {
        let (records, pages) =
            (output::counted(list.distinct, "record"), output::counted(list.pages, "page"));
        output::line(format!("  last list  {records} on {pages}"));
    }
    if let Some(open) = &known.open {
        output::line(format!("  open       {}", describe_open(open)));
    }
    for (word, text) in due(status).into_iter().chain(remembered(known)) {
        output::line(format!("  {word:<10} {}", plain(&text)));
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
        output::line(format!("  last run   {}", plain(reason)));
    }
}

/// What somebody should do about the key.
fn due(status: &KeyStatus) -> Vec<(&'static str, String)> {
    let refresh = status.known.refresh_due.as_ref();
    refresh
        .map(|why| ("due", format!("a full harvest, because {why}: `pmh harvest … --full`")))
        .into_iter()
        .collect()
}

/// What is remembered of how the source behaves, where it is something.
fn remembered(known: &Known) -> Vec<(&'static str, String)> {
    let memory = &known.memory;
    let mut remembered = Vec::new();
    if let Some(hole) = known.holes.first() {
        let text = format!("{}, such as {} ({})", known.holes.len(), hole.identifier, hole.reason);
        remembered.push(("holes", text));
    }
    if let Some(until) = memory.not_before {
        remembered.push(("not before", format!("{until}, as the source asked")));
    }
    if memory.single_use {
        remembered.push(("tokens", "work once: nothing is asked ahead of the store".to_owned()));
    }
    if memory.pause_millis > 0 {
        let text = format!("{} ms at least, because the source was busy", memory.pause_millis);
        remembered.push(("pause", text));
    }
    if known.lag_seconds > 0 {
        let text = format!(
            "records came up to {} s late; windows reach back twice as far",
            known.lag_seconds
        );
        remembered.push(("lag", text));
    }
    remembered
}

fn describe_open(open: &OpenTraversal) -> String {
    let tally = &open.tally;
    let (records, pages) =
        (output::counted(tally.distinct, "record"), output::counted(tally.pages, "page"));
    let next = match &open.cursor {
        Some(cursor) => format!("goes on with token `{}`", plain(&cursor.token)),
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
        "coverage": known.coverage.iter().map(|span| json!({
            "from": span.from.map(|from| from.to_string()),
            "until": span.until.to_string(),
        })).collect::<Vec<_>>(),
        "holes": known.holes.iter().map(|hole| json!({
            "identifier": hole.identifier,
            "datestamp": hole.datestamp.map(|datestamp| datestamp.to_string()),
            "reason": hole.reason,
        })).collect::<Vec<_>>(),
        "refresh_due": known.refresh_due,
        "not_before": known.memory.not_before.map(|stamp| stamp.to_string()),
        "single_use_tokens": known.memory.single_use,
        "pause_millis": known.memory.pause_millis,
        "lag_seconds": known.lag_seconds,
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
