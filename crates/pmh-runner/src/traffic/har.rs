//! HTTP archives, as browsers and proxies save them.

use jiff::Timestamp;
use serde_json::Value;

use super::conversation::{Asked, Conversation};

pub(super) fn read(text: &str) -> Result<Conversation, String> {
    let archive: Value =
        serde_json::from_str(text).map_err(|error| format!("no HAR file: no JSON: {error}"))?;
    let mut conversation = Conversation::new();
    let entries = archive["log"]["entries"].as_array();
    let entries = entries.ok_or("no HAR file: its JSON has no list `log.entries`")?;
    for (index, entry) in entries.iter().enumerate() {
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

/// One entry; nothing where it lacks what every entry has.
fn take(entry: &Value, conversation: &mut Conversation) -> Option<()> {
    let request = &entry["request"];
    let (address, query) = {
        let url = request["url"].as_str()?;
        url.split_once('?').unwrap_or((url, ""))
    };
    let form = request["postData"]["text"].as_str();
    let time = entry["startedDateTime"].as_str()?;
    let moment: Timestamp = time.parse().ok()?;
    let response = &entry["response"];
    let retry_after = response["headers"].as_array().into_iter().flatten().find_map(|field| {
        let is_it = field["name"].as_str()?.eq_ignore_ascii_case("retry-after");
        field["value"].as_str().filter(|_| is_it)
    });
    let content = &response["content"];
    // What is packed as base64 is none of ours to unpack: such a body counts as not kept.
    let body = content["text"].as_str().filter(|_| content["encoding"].is_null());
    conversation.take(Asked {
        client: address.to_owned(),
        arguments: form.unwrap_or(query),
        millis: u64::try_from(moment.as_millisecond()).ok()?,
        time: time.to_owned(),
        status: u16::try_from(response["status"].as_u64()?).ok()?,
        retry_after_seconds: retry_after.and_then(|value| value.trim().parse().ok()),
        body: body.map(str::as_bytes),
    });
    Some(())
}
