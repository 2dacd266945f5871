//! Access logs of web servers, in the common or the combined format.

use jiff::fmt::strtime;

use super::conversation::{Asked, Conversation};

pub(super) fn read(text: &str) -> Conversation {
    let mut conversation = Conversation::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match take(line, &mut conversation) {
            Some(()) => {}
            None => conversation.pass_over(),
        }
    }
    conversation
}

/// `HOST - USER [TIME] "METHOD TARGET VERSION" STATUS BYTES "REFERER" "AGENT"`; nothing where it is not that.
fn take(line: &str, conversation: &mut Conversation) -> Option<()> {
    let (host, rest) = line.split_once(' ')?;
    let (_, rest) = rest.split_once('[')?;
    let (time, rest) = rest.split_once("] \"")?;
    let moment = strtime::parse("%d/%b/%Y:%H:%M:%S %z", time).ok()?.to_timestamp().ok()?;
    let (request, rest) = rest.split_once("\" ")?;
    let target = request.split(' ').nth(1)?;
    let (path, query) = target.split_once('?')?;
    let status = rest.split(' ').next()?.parse().ok()?;
    let agent = rest.rsplit('"').nth(1).filter(|agent| *agent != "-").unwrap_or_default();
    conversation.take(Asked {
        client: [host, agent, path].join(" ").replace("  ", " "),
        arguments: query,
        millis: u64::try_from(moment.as_millisecond()).ok()?,
        time: moment.to_string(),
        status,
        retry_after_seconds: None,
        body: None,
    });
    Some(())
}
