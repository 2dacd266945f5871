//! HTTP archives, as browsers and proxies save them.

use std::time::UNIX_EPOCH;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use serde_json::Value;

use super::conversation::{Asked, Conversation, Fields};

pub(super) fn read(text: &str) -> Result<Conversation, String> {
    let archive: Value =
        serde_json::from_str(text).map_err(|error| format!("no HAR file: no JSON: {error}"))?;
    let mut conversation = Conversation::new();
    let entries = archive["log"]["entries"].as_array();
    let entries = entries.ok_or("no HAR file: its JSON has no list `log.entries`")?;
    let mut entries: Vec<(usize, &Value)> = entries.iter().enumerate().collect();
    // Whoever writes an archive need not keep the order of time. One without a time is told of in its place.
    entries.sort_by_key(|(_, entry)| moment(entry));
    for (index, entry) in entries {
        let is_likely = entry["request"]["url"].as_str().is_some_and(|url| url.contains("verb="));
        match take(entry, &mut conversation) {
            Some(()) => {}
            None if is_likely => {
                let why = "it lacks a `startedDateTime` or the `status` of its response";
                conversation.give_up_on(format!("entry {}", index + 1), why);
            }
            None => conversation.pass_over(),
        }
    }
    Ok(conversation)
}

fn moment(entry: &Value) -> Option<Timestamp> {
    entry["startedDateTime"].as_str()?.parse().ok()
}

/// The field of an answer, by its name in small letters.
fn field<'a>(response: &'a Value, wanted: &str) -> Option<&'a str> {
    response["headers"].as_array().into_iter().flatten().find_map(|field| {
        let is_it = field["name"].as_str()?.eq_ignore_ascii_case(wanted);
        field["value"].as_str().filter(|_| is_it)
    })
}

/// The seconds that an answer asks to wait: a number, or a date that is held against the answer's own.
fn retry_after(response: &Value, moment: Timestamp) -> Option<u64> {
    let value = field(response, "retry-after")?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(seconds);
    }
    let seconds = |value: &str| {
        let date = httpdate::parse_http_date(value).ok()?;
        Some(date.duration_since(UNIX_EPOCH).ok()?.as_secs())
    };
    let told = field(response, "date").and_then(seconds);
    let began = told.or_else(|| u64::try_from(moment.as_second()).ok())?;
    Some(seconds(value)?.saturating_sub(began))
}

/// The body, where the archive has it.
fn body(content: &Value) -> Option<Vec<u8>> {
    let text = content["text"].as_str()?;
    match content["encoding"].as_str() {
        None => Some(text.as_bytes().to_vec()),
        Some("base64") => BASE64_STANDARD.decode(text).ok(),
        Some(_) => None,
    }
}

/// One entry; nothing where it lacks what every entry has.
fn take(entry: &Value, conversation: &mut Conversation) -> Option<()> {
    let request = &entry["request"];
    let (address, query) = {
        let url = request["url"].as_str()?;
        url.split_once('?').unwrap_or((url, ""))
    };
    let form = request["postData"]["text"].as_str();
    let time = entry["startedDateTime"].as_str()?;
    let moment = moment(entry)?;
    let response = &entry["response"];
    conversation.take(Asked {
        client: address.to_owned(),
        arguments: form.unwrap_or(query),
        millis: u64::try_from(moment.as_millisecond()).ok()?,
        time: time.to_owned(),
        status: u16::try_from(response["status"].as_u64()?).ok()?,
        fields: Fields::Known { retry_after_seconds: retry_after(response, moment) },
        body: body(&response["content"]),
    });
    Some(())
}
