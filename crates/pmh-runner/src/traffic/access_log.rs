//! Access logs of web servers, in the common or the combined format.

use jiff::fmt::strtime;

use super::conversation::{Asked, Conversation, Fields};

pub(super) fn read(text: &str) -> Conversation {
    let mut conversation = Conversation::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match take(line, &mut conversation) {
            Ok(()) => {}
            Err(why) if line.contains("verb=") => {
                conversation.give_up_on(format!("line {}", index + 1), why);
            }
            Err(_) => conversation.pass_over(),
        }
    }
    conversation
}

/// `HOST - USER [TIME] "METHOD TARGET VERSION" STATUS BYTES "REFERER" "AGENT"`; what is missing where it is not that.
fn take(line: &str, conversation: &mut Conversation) -> Result<(), &'static str> {
    const FORM: &str = "not in the form HOST - USER [TIME] \"METHOD TARGET VERSION\" STATUS BYTES";
    const TIME: &str = "the time is not in the form 01/Feb/2024:10:00:01 +0000";
    let (host, rest) = line.split_once(' ').ok_or(FORM)?;
    let (_, rest) = rest.split_once('[').ok_or(FORM)?;
    let (time, rest) = rest.split_once("] \"").ok_or(FORM)?;
    let moment = strtime::parse("%d/%b/%Y:%H:%M:%S %z", time)
        .and_then(|time| time.to_timestamp())
        .map_err(|_| TIME)?;
    let (request, rest) = rest.split_once("\" ").ok_or(FORM)?;
    let target = request.split(' ').nth(1).ok_or(FORM)?;
    let (path, query) = target.split_once('?').ok_or(FORM)?;
    let status = rest.split(' ').next().and_then(|text| text.parse().ok()).ok_or(FORM)?;
    let agent = rest.rsplit('"').nth(1).filter(|agent| *agent != "-").unwrap_or_default();
    conversation.take(Asked {
        client: [host, agent, path].join(" ").replace("  ", " "),
        arguments: query,
        millis: u64::try_from(moment.as_millisecond()).map_err(|_| TIME)?,
        time: moment.to_string(),
        status,
        fields: Fields::Unknown,
        body: None,
    });
    Ok(())
}
