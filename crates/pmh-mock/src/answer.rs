//! A request over HTTP, and its answer.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use pmh_protocol::Method as OaiMethod;
use pmh_repository::{AskedRequest, PATH, Reply, Repository};

use crate::hooks::Hooks;
use crate::journal_file::JournalFile;
use crate::wire::{Taken, WholeBody};

const FORM: &str = "application/x-www-form-urlencoded";
/// The longest path and query.
const URL_BYTES_MAX: usize = 16 << 10;
/// The largest form.
const FORM_BYTES_MAX: usize = 1 << 20;
/// How long a form may be on its way.
const FORM_WAIT: Duration = Duration::from_secs(60);

/// What all connections share.
pub(crate) struct Service {
    pub(crate) repository: Arc<Mutex<Repository>>,
    pub(crate) hooks: Hooks,
    pub(crate) journal: Option<Mutex<JournalFile>>,
    pub(crate) address: SocketAddr,
}

impl Service {
    /// Answers one request.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
        taken: Taken,
    ) -> Response<WholeBody> {
        let length = request
            .uri()
            .path_and_query()
            .map_or(0, |path_and_query| path_and_query.as_str().len());
        if length > URL_BYTES_MAX {
            return text(
                StatusCode::URI_TOO_LONG,
                format!("A URL may have up to {URL_BYTES_MAX} bytes here."),
            );
        }
        match request.uri().path() {
            PATH => self.ask(request, taken).await,
            path if self.answers_at(path) => self.ask(request, taken).await,
            "/" => text(StatusCode::OK, self.index()),
            _ => text(
                StatusCode::NOT_FOUND,
                format!("There is nothing here; the repository is at {PATH}."),
            ),
        }
    }

    async fn ask(&self, request: Request<Incoming>, taken: Taken) -> Response<WholeBody> {
        let (head, body) = request.into_parts();
        let form = match head.method {
            Method::GET => None,
            Method::POST => {
                let sent = head
                    .headers
                    .get(CONTENT_TYPE)
                    .and_then(|value| value.to_str().ok())
                    .unwrap_or("");
                if !sent.split(';').next().unwrap_or("").trim().eq_ignore_ascii_case(FORM) {
                    return text(
                        StatusCode::UNSUPPORTED_MEDIA_TYPE,
                        format!("A POST is a form of type {FORM}."),
                    );
                }
                match read_form(body).await {
                    Ok(form) => Some(form),
                    Err(refusal) => return refusal,
                }
            }
            _ => {
                let mut refusal = text(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "OAI-PMH knows GET and POST, nothing else.".to_owned(),
                );
                refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST"));
                return refusal;
            }
        };
        let headers: Vec<(String, String)> = head
            .headers
            .iter()
            .map(|(name, value)| {
                (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            })
            .collect();
        let asked = AskedRequest {
            path: head.uri.path(),
            headers: &headers,
            method: if form.is_some() { OaiMethod::Post } else { OaiMethod::Get },
            raw_query: head.uri.query().unwrap_or(""),
            form_body: form.as_deref(),
            client_ms: self.hooks.client_clock.as_ref().map(|clock| clock()),
        };
        let reply = match self.decide(&asked) {
            Ok(reply) => reply,
            Err(error) => {
                return text(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    format!("The journal cannot be written: {error}."),
                );
            }
        };
        if let Some(before) = &self.hooks.before {
            before(&reply.exchange).await;
        }
        framed(reply, taken)
    }

    /// One exchange, atomic: the lock is released before anybody waits for anything. What cannot be written down is
    /// not answered.
    fn decide(&self, asked: &AskedRequest<'_>) -> std::io::Result<Reply> {
        let mut repository = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = repository.answer(asked);
        if let Some(journal) = &self.journal {
            let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
            journal.record(repository.journal(), &reply.exchange)?;
        }
        Ok(reply)
    }

    /// Whether a reply of the script speaks of this path: everything else is a page for people, or nothing.
    fn answers_at(&self, path: &str) -> bool {
        let repository = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let paths = repository.script().replies.iter();
        paths.filter_map(|reply| reply.when.matching.path.as_deref()).any(|named| named == path)
    }

    /// For a person with a browser.
    fn index(&self) -> String {
        let repository = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let script = repository.script();
        let base = format!("http://{}{PATH}", self.address);
        format!(
            "A mock of an OAI-PMH repository. It plays `{}`:\n{}\n\nThings to ask it:\n\n  {base}?verb=Identify\n  \
             {base}?verb=ListIdentifiers&metadataPrefix=oai_dc\n  {base}?verb=ListRecords&metadataPrefix=oai_dc",
            script.id, script.title
        )
    }
}

async fn read_form(body: Incoming) -> Result<String, Response<WholeBody>> {
    let whole = Limited::new(body, FORM_BYTES_MAX).collect();
    match tokio::time::timeout(FORM_WAIT, whole).await {
        Ok(Ok(whole)) => Ok(String::from_utf8_lossy(&whole.to_bytes()).into_owned()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(text(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("A form may have up to {FORM_BYTES_MAX} bytes here."),
        )),
        Ok(Err(error)) => {
            Err(text(StatusCode::BAD_REQUEST, format!("The form did not arrive: {error}.")))
        }
        Err(_) => {
            Err(text(StatusCode::REQUEST_TIMEOUT, "The form took too long to arrive.".to_owned()))
        }
    }
}

fn framed(reply: Reply, taken: Taken) -> Response<WholeBody> {
    let mut fields = Vec::new();
    for (name, value) in &reply.headers {
        let field =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_bytes()));
        let (Ok(name), Ok(value)) = field else {
            return text(
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("The field `{name}` cannot be sent."),
            );
        };
        fields.push((name, value));
    }
    let Ok(status) = StatusCode::from_u16(reply.status) else {
        return text(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("The status {} cannot be sent.", reply.status),
        );
    };
    let mut response = Response::new(WholeBody::of_exchange(reply.body, reply.exchange, taken));
    *response.status_mut() = status;
    for (name, value) in fields {
        response.headers_mut().append(name, value);
    }
    response
}

/// An answer that the repository has no part in.
fn text(status: StatusCode, mut text: String) -> Response<WholeBody> {
    text.push('\n');
    let mut response = Response::new(WholeBody::text(text));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
