//! A request over HTTP, and its answer.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use pmh_protocol::Method as OaiMethod;
use pmh_repository::{AskedRequest, BytePlan, PATH, Reply, Repository};
use pmh_scenario::Exchange;

use crate::access::Access;
use crate::hooks::Hooks;
use crate::journal_file::JournalFile;
use crate::packed::{gzip, takes_gzip};
use crate::wall_dates::tell_by;
use crate::wire::{Taken, WholeBody};

const FORM: &str = "application/x-www-form-urlencoded";
/// The longest path and query.
const URL_BYTES_MAX: usize = 16 << 10;
/// The largest form.
const FORM_BYTES_MAX: usize = 1 << 20;
/// How long a form may be on its way.
const FORM_WAIT: Duration = Duration::from_secs(60);

/// An answer that the HTTP layer must not touch.
pub(crate) struct Planned {
    pub(crate) plan: BytePlan,
    pub(crate) exchange: Exchange,
    /// What is waited for before the connection ends.
    pub(crate) wait: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    pub(crate) in_flight: InFlight,
}

/// What all connections share.
pub(crate) struct Service {
    pub(crate) repository: Arc<Mutex<Repository>>,
    pub(crate) hooks: Hooks,
    pub(crate) journal: Option<Mutex<JournalFile>>,
    pub(crate) address: SocketAddr,
    /// Requests that wait for their answers.
    pub(crate) waiting: Arc<AtomicU32>,
}

/// One request that waits for its answer, for as long as this lives.
pub(crate) struct InFlight(Arc<AtomicU32>);

impl InFlight {
    /// The request, and how many there are with it.
    fn begin(waiting: &Arc<AtomicU32>) -> (Self, u32) {
        let others = waiting.fetch_add(1, Ordering::Relaxed);
        (Self(Arc::clone(waiting)), others.saturating_add(1))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Service {
    /// Answers one request.
    ///
    /// # Errors
    /// When the answer is none that the HTTP layer could send.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
        peer: SocketAddr,
        taken: Taken,
    ) -> Result<Response<WholeBody>, Planned> {
        let (head, body) = request.into_parts();
        let access = Access::of_request(peer, &head);
        let answer = self.route(&head, body, taken).await;
        if let Some(tell) = &self.hooks.access {
            let (status, bytes) = match &answer {
                Ok(response) => (response.status().as_u16(), response.body().len()),
                Err(planned) => (planned.exchange.answer.status, planned.plan.bytes()),
            };
            tell(&Access { status, bytes, ..access });
        }
        answer
    }

    async fn route(
        &self,
        head: &Parts,
        body: Incoming,
        taken: Taken,
    ) -> Result<Response<WholeBody>, Planned> {
        let length = head.uri.path_and_query().map_or(0, |both| both.as_str().len());
        if length > URL_BYTES_MAX {
            return Ok(text(
                StatusCode::URI_TOO_LONG,
                format!("A URL may have up to {URL_BYTES_MAX} bytes here."),
            ));
        }
        Ok(match head.uri.path() {
            path if self.answers_at(path) => {
                if self.hooks.gone.as_ref().is_some_and(|gone| gone()) {
                    let sentence = "Nobody is listening any more.".to_owned();
                    return Ok(text(StatusCode::SERVICE_UNAVAILABLE, sentence));
                }
                let (in_flight, at_once) = InFlight::begin(&self.waiting);
                let mut reply = match self.ask(head, body, at_once).await {
                    Ok(reply) => reply,
                    Err(refusal) => return Ok(refusal),
                };
                if reply.delay_seconds > 0 {
                    let scale = self.hooks.pause_scale.unwrap_or(1.0);
                    let delay = Duration::from_secs(reply.delay_seconds).mul_f64(scale);
                    tokio::time::sleep(delay).await;
                }
                if self.hooks.wall_dates {
                    tell_by(&mut reply.headers, SystemTime::now());
                }
                if let Some(before) = &self.hooks.before {
                    before(&reply.exchange).await;
                }
                if let Some(plan) = reply.plan {
                    return Err(Planned { plan, exchange: reply.exchange, wait: None, in_flight });
                }
                let midway = self.hooks.midway.as_ref();
                if let Some(wait) = midway.and_then(|midway| midway(&reply.exchange)) {
                    let plan = BytePlan::half_of(&reply);
                    let exchange = reply.exchange;
                    return Err(Planned { plan, exchange, wait: Some(wait), in_flight });
                }
                // What a fault does to bytes is to be seen as it is.
                let packs = reply.exchange.faults.is_empty() && takes_gzip(&head.headers);
                framed(reply, packs, taken, in_flight)
            }
            "/" => text(StatusCode::OK, self.index()),
            _ => {
                let base = self.base_url();
                let meant = head.uri.query().map_or_else(
                    || format!("{base}?verb=Identify"),
                    |query| format!("{base}?{query}"),
                );
                text(
                    StatusCode::NOT_FOUND,
                    format!(
                        "There is nothing here; the repository is at {PATH}. Try:\n\n  curl '{meant}'"
                    ),
                )
            }
        })
    }

    /// What the repository says, or why it was not asked.
    async fn ask(
        &self,
        head: &Parts,
        body: Incoming,
        at_once: u32,
    ) -> Result<Reply, Response<WholeBody>> {
        let form = match head.method {
            Method::GET => None,
            Method::POST => {
                let sent = head
                    .headers
                    .get(CONTENT_TYPE)
                    .and_then(|value| value.to_str().ok())
                    .unwrap_or("");
                if !sent.split(';').next().unwrap_or("").trim().eq_ignore_ascii_case(FORM) {
                    return Err(text(
                        StatusCode::UNSUPPORTED_MEDIA_TYPE,
                        format!(
                            "A POST is a form of type {FORM}. With curl:\n\n  \
                             curl -d verb=Identify {}",
                            self.base_url()
                        ),
                    ));
                }
                match read_form(body).await {
                    Ok(form) => Some(form),
                    Err(refusal) => return Err(refusal),
                }
            }
            _ => {
                let mut refusal = text(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "OAI-PMH knows GET and POST, nothing else.".to_owned(),
                );
                refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST"));
                return Err(refusal);
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
            base_url: &self.base_url(),
            client_ms: self.hooks.client_clock.as_ref().map(|clock| clock()),
            in_flight: Some(at_once),
        };
        self.decide(&asked).map_err(|error| {
            text(
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("The journal cannot be written: {error}."),
            )
        })
    }

    fn base_url(&self) -> String {
        format!("http://{}{PATH}", self.address)
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

    /// Whether a request to this path is the repository's: everything else is a page for people, or nothing.
    fn answers_at(&self, path: &str) -> bool {
        self.repository.lock().unwrap_or_else(PoisonError::into_inner).is_at(path)
    }

    /// For a person with a browser.
    fn index(&self) -> String {
        let repository = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let script = repository.script();
        let base = self.base_url();
        let mut page = format!(
            "A mock of an OAI-PMH repository. It plays `{}`:\n{}\n\nThings to ask it:\n\n  \
             curl '{base}?verb=Identify'\n  \
             curl '{base}?verb=ListIdentifiers&metadataPrefix=oai_dc'\n  \
             curl '{base}?verb=ListRecords&metadataPrefix=oai_dc'\n  \
             pmh harvest {base}\n",
            script.id, script.title
        );
        if !script.faults.is_empty() {
            page.push_str("\nWhat goes wrong with it, and how often it has so far:\n\n");
        }
        for (fault, fired) in script.faults.iter().zip(repository.fired()) {
            page.push_str(&format!("  {fired:>4}  {}\n", fault.name));
        }
        page.truncate(page.trim_end().len());
        page
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

fn framed(mut reply: Reply, packs: bool, taken: Taken, in_flight: InFlight) -> Response<WholeBody> {
    if packs && let Some(packed) = gzip(&reply.body) {
        reply.body = packed;
        reply.headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
        reply.headers.push(("vary".to_owned(), "accept-encoding".to_owned()));
    }
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
    let mut response =
        Response::new(WholeBody::of_exchange(reply.body, reply.exchange, taken, in_flight));
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
