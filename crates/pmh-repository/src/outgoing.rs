//! An answer on its way out, through the layers behind the document: how it is written, what HTTP says, how it travels.

use pmh_protocol::Stamp;
use pmh_scenario::{Answer, Effect, Length, WireEffect};

use crate::reply::AskedRequest;
use crate::wire::{self, BytePlan};
use crate::{http, xml};

/// What no document goes on behind.
const DOCUMENT_END: &[u8] = b"</OAI-PMH>";

/// An answer before anything is done to it.
pub(crate) struct Draft {
    /// What the journal says of it.
    pub(crate) answer: Answer,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// An answer as it leaves.
pub(crate) struct Outgoing {
    /// What the journal says of it.
    pub(crate) answer: Answer,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// How it travels, where that is not well.
    pub(crate) plan: Option<BytePlan>,
}

/// The answer with what is done to it. No draft and no effect: the budget is spent.
pub(crate) fn send(
    draft: Option<Draft>,
    effects: &[Effect],
    request: &AskedRequest<'_>,
    clock: Stamp,
) -> Outgoing {
    let (mut http, mut wire) = (None, None);
    let mut draft = draft;
    for effect in effects {
        match effect {
            Effect::Xml(effect) => draft = draft.map(|draft| written(draft, effect)),
            Effect::Http(effect) => http = Some(effect),
            Effect::Wire(effect) => wire = Some(effect),
            Effect::Repo(_) | Effect::Token(_) | Effect::Oai(_) | Effect::Time(_) => {}
        }
    }
    let Draft { mut answer, mut headers, mut body } = match (http, draft) {
        (Some(effect), draft) => http::dress(effect, draft, request, clock),
        (None, Some(draft)) => draft,
        (None, None) => Draft {
            answer: Answer { status: 503, unread: true, ..Answer::default() },
            headers: vec![("content-type".to_owned(), "text/plain; charset=utf-8".to_owned())],
            body: b"The budget of requests of this scenario is spent.\n".to_vec(),
        },
    };
    let plan = wire.and_then(|effect| {
        if !effect.delivers() && !spares_document(effect, &body) {
            answer = unread(&answer);
        }
        wire::travel(effect, answer.status, &mut headers, &mut body)
    });
    answer.bytes = body.len();
    Outgoing { answer, headers, body, plan }
}

/// Whether a length that is announced too small takes nothing of the document, but only what stands behind it.
fn spares_document(effect: &WireEffect, body: &[u8]) -> bool {
    let WireEffect::Length(Length::TooSmall(less)) = effect else { return false };
    let kept = body.len().saturating_sub(*less as usize);
    body[..kept].windows(DOCUMENT_END.len()).any(|end| end == DOCUMENT_END)
}

/// The draft with its document written in another way; what is no text already is left as it is.
fn written(draft: Draft, effect: &pmh_scenario::XmlEffect) -> Draft {
    let Draft { answer, headers, body } = draft;
    let body = match String::from_utf8(body) {
        Ok(text) => xml::damage(effect, text),
        Err(error) => error.into_bytes(),
    };
    let answer = if effect.delivers() { answer } else { unread(&answer) };
    Draft { answer, headers, body }
}

/// What the journal says of an answer that nobody can read: neither records nor a token have been given.
fn unread(answer: &Answer) -> Answer {
    let Answer { status, retry_after_seconds, .. } = *answer;
    Answer { status, retry_after_seconds, unread: true, ..Answer::default() }
}
