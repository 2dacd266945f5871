//! What an effect of HTTP makes of an answer.

use std::time::{Duration, UNIX_EPOCH};

use pmh_protocol::Stamp;
use pmh_scenario::{Answer, HttpBody, HttpEffect};

use crate::outgoing::Draft;
use crate::reply::AskedRequest;

/// A page for people where a document should be.
pub(crate) const HTML: &str = "<!DOCTYPE html>\n<html><head><title>Maintenance</title></head>\n<body><h1>We will be \
                               back soon</h1><p>This service is being looked after.</body></html>\n";

/// The answer with this effect: the draft is what belongs there.
pub(crate) fn dress(
    effect: &HttpEffect,
    draft: Option<Draft>,
    request: &AskedRequest<'_>,
    clock: Stamp,
) -> Draft {
    let typed = |text: &str| vec![("content-type".to_owned(), text.to_owned())];
    let plain = || typed("text/plain; charset=utf-8");
    let unread = Answer { unread: true, ..Answer::default() };
    let sentence = format!("The scenario answers with status {} here.\n", effect.status);
    let (answer, mut headers, body) = match (&effect.body, draft) {
        (HttpBody::Document, Some(draft)) => (draft.answer, draft.headers, draft.body),
        (HttpBody::Document | HttpBody::Sentence, _) => (unread, plain(), sentence.into_bytes()),
        (HttpBody::Html, _) => {
            (unread, typed("text/html; charset=utf-8"), HTML.as_bytes().to_vec())
        }
        (HttpBody::Empty, _) => (unread, typed("text/xml; charset=utf-8"), Vec::new()),
        (HttpBody::Text(text), _) => (unread, plain(), text.clone().into_bytes()),
    };
    if let Some(wrong_type) = &effect.content_type {
        headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        if !wrong_type.is_empty() {
            headers.extend(typed(wrong_type));
        }
    }
    let mut push = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
    if let Some(text) = &effect.retry_after {
        push("retry-after", text);
    }
    if let Some(seconds) = effect.retry_after_date {
        push("date", &http_date(clock));
        push("retry-after", &http_date(clock.plus_seconds(seconds)));
    }
    if let Some(location) = &effect.location {
        let location = location.replace("{base-url}", request.base_url);
        push("location", &location.replace("{query}", request.query()));
    }
    for (name, value) in &effect.headers {
        push(name, value);
    }
    headers.retain(|(name, _)| !effect.without.iter().any(|gone| gone.eq_ignore_ascii_case(name)));
    let asked = effect.retry_after.as_ref().and_then(|text| text.trim().parse().ok());
    let until = effect.retry_after_date.map(|seconds| u64::try_from(seconds).unwrap_or(0));
    let retry_after_seconds = asked.or(until);
    Draft { answer: Answer { status: effect.status, retry_after_seconds, ..answer }, headers, body }
}

/// A moment as HTTP writes it; one before 1970 is 1970.
fn http_date(stamp: Stamp) -> String {
    let seconds = u64::try_from(stamp.seconds()).unwrap_or(0);
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds))
}
