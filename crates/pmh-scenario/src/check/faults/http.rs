//! Answers: whether HTTP can carry them.

use toml::Spanned;

use crate::expand;
use crate::finding::Finding;
use crate::model::HttpEffect;
use crate::script::HttpBody;

/// Answers that have no body, by HTTP's own rules.
const BODILESS: [u16; 3] = [204, 205, 304];
/// Fields that say how an answer is framed, and what says it here.
const FRAMING: [&str; 3] = ["content-length", "transfer-encoding", "connection"];

pub(super) fn check(http: &HttpEffect, findings: &mut Vec<Finding>) {
    if let Some(status) = &http.status {
        let number = *status.get_ref();
        let bodiless = BODILESS.contains(&number) && http.body() != HttpBody::Empty;
        if !(200..=599).contains(&number) || bodiless {
            let message = format!("an answer with a body cannot have the status {number}");
            let label = "200 to 599, but for 204, 205 and 304";
            let finding = Finding::error(status.span(), message, label);
            findings.push(if bodiless {
                finding.help("with `body = \"empty\"` it can")
            } else {
                finding
            });
        }
    }
    for value in [&http.retry_after, &http.location, &http.content_type].into_iter().flatten() {
        check_value(value, value.get_ref(), findings);
    }
    if let Some(date) = &http.retry_after_date {
        if expand::signed_seconds(date.get_ref()).is_none() {
            let message = format!("`{}` is no time from now", date.get_ref());
            let label = "expected a duration such as \"2m\", or \"-2m\" for the past";
            findings.push(Finding::error(date.span(), message, label));
        }
        if let Some(value) = &http.retry_after {
            let message = "a busy server names one time";
            findings.push(
                Finding::error(date.span(), message, "")
                    .related(value.span(), "another is named here"),
            );
        }
    }
    for field in &http.headers {
        let (name, value) = field.get_ref();
        check_value(field, value, findings);
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            let message = format!("no header field can be called `{name}`");
            findings.push(Finding::error(field.span(), message, "letters, digits and hyphens"));
        }
        if FRAMING.contains(&name.to_ascii_lowercase().as_str()) {
            let message = format!("`{name}` is said by whoever frames the answer");
            let help = "effects of `do.wire` frame it wrongly, such as `do.wire.length`";
            findings.push(Finding::error(field.span(), message, "").help(help));
        }
    }
}

fn check_value<T>(place: &Spanned<T>, value: &str, findings: &mut Vec<Finding>) {
    if value.chars().any(char::is_control) {
        let message = "a header field cannot hold control characters";
        findings.push(Finding::error(place.span(), message, ""));
    }
}
