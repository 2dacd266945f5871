//! `pmh identify`: who a repository is.

use owo_colors::OwoColorize as _;
use pmh_protocol::{Body, Identify, Request};
use serde_json::json;

use crate::args::AskArguments;
use crate::asking::Asking;
use crate::exit::Exit;
use crate::output::{self, plain};

pub(crate) fn run(arguments: &AskArguments) -> anyhow::Result<Exit> {
    let asking = Asking::of(&arguments.base_url, &arguments.source)?;
    let ask = asking.transport.ask(&asking.plan, &Request::Identify);
    let parsed = asking.runtime.block_on(ask)?;
    if let Body::Identify(identify) = &parsed.document.body {
        if arguments.json {
            output::line(as_json(identify).to_string());
        } else {
            describe(identify);
        }
    }
    output::complaints(&parsed.complaints);
    Ok(Exit::Done)
}

/// What a repository says about itself, for people.
pub(crate) fn describe(identify: &Identify) {
    output::line(plain(&identify.repository_name).bold().to_string());
    let unknown = || "not said".to_owned();
    let lines = [
        ("base URL", plain(&identify.base_url)),
        ("protocol", plain(&identify.protocol_version)),
        ("since", identify.earliest_datestamp.map_or_else(unknown, |date| date.to_string())),
        (
            "datestamps",
            identify.granularity.map_or_else(unknown, |granularity| granularity.pattern().into()),
        ),
        (
            "deletions",
            identify.deleted_records.map_or_else(unknown, |deleted| deleted.as_str().to_owned()),
        ),
        ("contact", plain(&identify.admin_emails.join(", "))),
        ("encodings", plain(&identify.compressions.join(", "))),
    ];
    for (name, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
        output::line(format!("  {name:10}  {text}"));
    }
}

fn as_json(identify: &Identify) -> serde_json::Value {
    json!({
        "repository_name": identify.repository_name,
        "base_url": identify.base_url,
        "protocol_version": identify.protocol_version,
        "earliest_datestamp": identify.earliest_datestamp.map(|date| date.to_string()),
        "granularity": identify.granularity.map(pmh_protocol::Granularity::pattern),
        "deleted_records": identify.deleted_records.map(pmh_protocol::DeletedRecords::as_str),
        "admin_emails": identify.admin_emails,
        "compressions": identify.compressions,
        "descriptions": identify.descriptions,
    })
}
