//! Answers word for word: which one fits, what is filled into it, and where in a list the request stands.

mod answering; // beside a modelled repository
mod lists; // lists that nobody models
mod template; // what is filled in

pub(crate) use lists::LiteralLists;
pub(crate) use template::Filling;

use pmh_protocol::{BODY_BYTES_MAX, Body, Headers, HttpPage, decode_body, parse_document};
use pmh_scenario::{Answer, Content, LiteralReply, Script, WireEffect};

use crate::outgoing::Draft;
use crate::repository::{BASE_URL, summary};
use crate::trigger::Situation;

/// The replies of a script and how often each has answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replies {
    answered: Vec<u32>,
}

/// An answer word for word, filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    /// The reply it comes from; none where none fitted.
    pub(crate) reply: Option<String>,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// How its bytes travel, where that is not well.
    pub(crate) wire: Option<WireEffect>,
}

impl Replies {
    pub(crate) fn new(script: &Script) -> Self {
        Self { answered: vec![0; script.replies.len()] }
    }

    /// The first reply that fits, filled in, and counted as given.
    pub(crate) fn answer(
        &mut self,
        script: &Script,
        situation: &Situation<'_>,
        filling: Filling,
    ) -> Option<Written> {
        let index = script.replies.iter().zip(&self.answered).position(|(reply, answered)| {
            reply.times.is_none_or(|times| *answered < times)
                && situation.fits(&reply.when, &reply.name)
        })?;
        self.answered[index] = self.answered[index].saturating_add(1);
        Some(write(&script.replies[index], situation, filling))
    }
}

/// Fills a reply in.
fn write(reply: &LiteralReply, situation: &Situation<'_>, filling: Filling) -> Written {
    let body = match &reply.content {
        Content::Body(bytes) => filling.fill(bytes),
        Content::Inside(bytes) => envelope(&filling.fill(bytes), situation.arguments(), filling),
    };
    let text = |value: &str| String::from_utf8_lossy(&filling.fill(value.as_bytes())).into_owned();
    Written {
        reply: Some(reply.name.clone()),
        status: reply.status,
        headers: reply.headers.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
        body,
        wire: reply.wire.clone(),
    }
}

/// The answer to a request that no reply fits and nobody else answers.
pub(crate) fn nothing_fits(arguments: &[(String, String)]) -> Written {
    let query: Vec<String> =
        arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Written {
        reply: None,
        status: 404,
        headers: vec![("content-type".to_owned(), "text/plain; charset=utf-8".to_owned())],
        body: format!("No reply of this scenario fits `{}`.\n", query.join("&")).into_bytes(),
        wire: None,
    }
}

/// What stands around the content of a document.
fn envelope(inside: &[u8], arguments: &[(String, String)], filling: Filling) -> Vec<u8> {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\">\n\
         <responseDate>{}</responseDate>\n<request",
        filling.now()
    );
    const NAMES: [&str; 7] =
        ["verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"];
    for (name, value) in arguments.iter().filter(|(name, _)| NAMES.contains(&name.as_str())) {
        let value: String = value.chars().filter(|c| !c.is_control()).map(escaped).collect();
        text.push_str(&format!(" {name}=\"{value}\""));
    }
    text.push_str(&format!(">{BASE_URL}</request>\n"));
    let mut document = text.into_bytes();
    document.extend_from_slice(inside);
    document.extend_from_slice(b"\n</OAI-PMH>\n");
    document
}

fn escaped(c: char) -> String {
    match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '"' => "&quot;".to_owned(),
        c => c.to_string(),
    }
}

impl Written {
    /// The answer before anything is done to it.
    pub(crate) fn draft(self) -> Draft {
        Draft { answer: self.summary(), headers: self.headers, body: self.body }
    }

    /// What the journal says of it, as far as it can be read at all.
    fn summary(&self) -> Answer {
        let mut headers = Headers::default();
        for (name, value) in &self.headers {
            headers.push(name.clone(), value.clone());
        }
        let retry_after = headers.get("retry-after").and_then(|value| value.trim().parse().ok());
        let page = HttpPage { status: self.status, headers, body: self.body.clone() };
        let document = decode_body(&page, BODY_BYTES_MAX)
            .and_then(|body| parse_document(&body))
            .map(|parsed| parsed.document.body);
        Answer {
            status: self.status,
            retry_after_seconds: retry_after,
            bytes: self.body.len(),
            ..document.map_or_else(
                |_| Answer { unread: true, ..Answer::default() },
                |body| summary(&body),
            )
        }
    }

    /// The token it carries, if it can be read and is one.
    pub(crate) fn next_token(&self) -> Option<String> {
        let page =
            HttpPage { status: self.status, headers: Headers::default(), body: self.body.clone() };
        let body = decode_body(&page, BODY_BYTES_MAX).ok()?;
        match parse_document(&body).ok()?.document.body {
            Body::List(page) => page.next_token().map(|token| token.value.clone()),
            _ => None,
        }
    }
}
