//! What an effect of HTTP makes of an answer.

use std::time::{Duration, UNIX_EPOCH};

use pmh_protocol::Stamp;
use pmh_scenario::{HttpBody, HttpEffect};

use crate::reply::AskedRequest;

/// A page for people where a document should be.
pub(crate) const HTML: &str = "<!DOCTYPE html>\n<html><head><title>Maintenance</title></head>\n<body><h1>We will be \
                               back soon</h1><p>This service is being looked after.</body></html>\n";

/// An answer before it is framed.
pub(crate) struct Dressed {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Seconds that a Retry-After field asks for, as far as one can say.
    pub(crate) retry_after_seconds: Option<u64>,
}

/// The answer with this effect: `document` is what belongs there.
pub(crate) fn dress(
    effect: &HttpEffect,
    document: Option<Vec<u8>>,
    request: &AskedRequest<'_>,
    clock: Stamp,
) -> Dressed {
    let mut headers = Vec::new();
    let mut push = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
    let sentence = format!("The scenario answers with status {} here.\n", effect.status);
    let (right_type, body) = match (&effect.body, document) {
        (HttpBody::Document, Some(document)) => ("text/xml; charset=utf-8", document),
        (HttpBody::Document | HttpBody::Sentence, _) => {
            ("text/plain; charset=utf-8", sentence.into_bytes())
        }
        (HttpBody::Html, _) => ("text/html; charset=utf-8", HTML.as_bytes().to_vec()),
        (HttpBody::Empty, _) => ("text/xml; charset=utf-8", Vec::new()),
        (HttpBody::Text(text), _) => ("text/plain; charset=utf-8", text.clone().into_bytes()),
    };
    match effect.content_type.as_deref() {
        None => push("content-type", right_type),
        Some("") => {}
        Some(wrong_type) => push("content-type", wrong_type),
    }
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
    Dressed { headers, body, retry_after_seconds: asked.or(until) }
}

/// A moment as HTTP writes it; one before 1970 is 1970.
fn http_date(stamp: Stamp) -> String {
    let seconds = u64::try_from(stamp.seconds()).unwrap_or(0);
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds))
}
