//! Requests out, bounded answers in.

use std::sync::Arc;
use std::time::Duration;

use pmh_harvest::{Fetched, interpret_within, too_large};
use pmh_protocol::{Headers, HttpPage, HttpRequest, Lost, Method, Phase, Stamp};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Proxy};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use thiserror::Error;
use tokio::time::{Instant, timeout_at};

use crate::body::ArrivingBody;
use crate::capture::Capture;
use crate::clock::Clock;
use crate::lost::{Way, lost};
use crate::options::{Proxying, Timeouts, TransportOptions};

/// The transport could not be set up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TransportError {
    /// No proxy has such a URL. The URL is not repeated: a password may be in it.
    #[error("expected a proxy such as `http://proxy.example.org:3128`, found something else")]
    Proxy,
    /// What should be certificates are none; says why.
    #[error("failed to read PEM certificates: {0}")]
    Roots(String),
    /// The system's certificates cannot be used.
    #[error("failed to set up the HTTP client")]
    Client(#[source] reqwest::Error),
}

/// What came of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchanged {
    /// The page whole, or how far it got.
    pub answer: Result<HttpPage, Lost>,
    /// When the request was sent, on our clock.
    pub at: Stamp,
    /// How long it took.
    pub took: Duration,
}

/// An HTTP client that does what it is told and nothing of its own: no redirects, no cookies, no decoding, no
/// second tries.
#[derive(Clone, Debug)]
pub struct Transport {
    client: reqwest::Client,
    way: Arc<Way>,
    timeouts: Timeouts,
    page_bytes_max: usize,
    capture: Option<Arc<Capture>>,
}

impl Transport {
    /// The transport that `options` describe.
    ///
    /// # Errors
    /// When the options cannot be used, or the system's certificates cannot.
    pub fn new(options: &TransportOptions) -> Result<Self, TransportError> {
        // Err means that a provider is installed already, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(options.timeouts.connect)
            .tls_certs_merge(certificates(&options.extra_roots_pem)?);
        match &options.proxying {
            Proxying::Environment => {}
            Proxying::Direct => builder = builder.no_proxy(),
            Proxying::Through(url) => builder = builder.proxy(proxy(url)?),
        }
        let client = builder.build().map_err(TransportError::Client)?;
        let TransportOptions { timeouts, page_bytes_max, .. } = *options;
        let way = Arc::new(Way::of(&options.proxying));
        Ok(Self { client, way, timeouts, page_bytes_max, capture: options.capture.clone() })
    }

    /// What the answer to `request` turns out to be.
    pub(crate) async fn fetch(&self, request: &HttpRequest) -> Fetched {
        interpret_within(self.exchange(request).await.answer, self.page_bytes_max)
    }

    /// Sends `request` as it is; what comes, unread: for whoever judges how a repository answers.
    pub async fn exchange(&self, request: &HttpRequest) -> Exchanged {
        self.exchange_within(request, Duration::MAX).await
    }

    /// The same, and given up when the run's time is over, of which so much is left.
    pub async fn exchange_within(&self, request: &HttpRequest, left: Duration) -> Exchanged {
        let (at, started) = (Clock::today(), Instant::now());
        let answer = self.send(request, left).await;
        let took = started.elapsed();
        if let Some(capture) = &self.capture {
            capture.keep(request, &answer, at, took);
        }
        Exchanged { answer, at, took }
    }

    /// Sends `request`; the answer whole, or how far it got.
    async fn send(&self, request: &HttpRequest, left: Duration) -> Result<HttpPage, Lost> {
        let mut sending = match request.method {
            Method::Get => self.client.get(&request.url),
            Method::Post => self.client.post(&request.url),
        };
        for (name, value) in request.headers.iter() {
            sending = sending.header(name, value);
        }
        if let Some(body) = &request.body {
            sending = sending
                .header("Content-Type", "application/x-www-form-urlencoded")
                .body(body.clone());
        }
        let started = Instant::now();
        let timeouts = self.timeouts;
        let page_end = started + timeouts.page.min(left);
        let out_of_time = |phase, received| {
            if left < timeouts.page {
                run_over(phase, received)
            } else {
                timeouts.lost_page(phase, received)
            }
        };
        let head_end = started + timeouts.first_byte;
        let mut response = match timeout_at(head_end.min(page_end), sending.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_connect() && error.is_timeout() => {
                return Err(self.way.named(timeouts.lost_connecting(), &request.url));
            }
            Ok(Err(error)) if error.is_connect() || error.is_builder() => {
                return Err(self.way.named(lost(Phase::Connect, 0, &error), &request.url));
            }
            Ok(Err(error)) => return Err(lost(Phase::Head, 0, &error)),
            Err(_) if head_end <= page_end => return Err(timeouts.lost_first_byte()),
            Err(_) => return Err(out_of_time(Phase::Head, 0)),
        };
        let mut headers = Headers::default();
        for (name, value) in response.headers() {
            headers.push(name.as_str(), String::from_utf8_lossy(value.as_bytes()));
        }
        let status = response.status().as_u16();
        let limit = self.page_bytes_max;
        let announced = response.content_length();
        if let Some(length) = announced.filter(|length| *length > limit as u64) {
            return Err(too_large(length, limit));
        }
        let mut body = ArrivingBody::new(announced);
        loop {
            let idle_end = Instant::now() + timeouts.idle;
            let received = body.received();
            match timeout_at(idle_end.min(page_end), response.chunk()).await {
                Ok(Ok(Some(chunk))) if received + chunk.len() as u64 > limit as u64 => {
                    return Err(too_large(received + chunk.len() as u64, limit));
                }
                Ok(Ok(Some(chunk))) => {
                    body.push(&chunk).map_err(|error| not_spooled(received, &error))?;
                }
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(lost(Phase::Body, received, &error)),
                Err(_) if idle_end <= page_end => return Err(timeouts.lost_idle(received)),
                Err(_) => return Err(out_of_time(Phase::Body, received)),
            }
        }
        let received = body.received();
        let body = body.finish().map_err(|error| not_spooled(received, &error))?;
        Ok(HttpPage { status, headers, body })
    }
}

/// What was not whole when the run's time was over.
fn run_over(phase: Phase, received: u64) -> Lost {
    let detail = "the time for the whole run was over (`--max-duration` allows more)".to_owned();
    Lost { phase, received, detail }
}

fn not_spooled(received: u64, error: &std::io::Error) -> Lost {
    let detail = format!("no room for it in a temporary file (TMPDIR): {error}");
    Lost { phase: Phase::Body, received, detail }
}

fn proxy(url: &str) -> Result<Proxy, TransportError> {
    // Others than these two are not built in, and would be passed by in silence.
    let is_http = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
    if !is_http {
        return Err(TransportError::Proxy);
    }
    Proxy::all(url).map_err(|_| TransportError::Proxy)
}

/// The certificates in a PEM text, which is empty or holds at least one.
fn certificates(pem: &[u8]) -> Result<Vec<Certificate>, TransportError> {
    let mut certificates = Vec::new();
    for (number, found) in CertificateDer::pem_slice_iter(pem).enumerate() {
        let which = number + 1;
        let roots = |error: &dyn std::fmt::Display| {
            TransportError::Roots(format!("certificate {which}: {error}"))
        };
        let der = found.map_err(|error| roots(&error))?;
        // Looked at here, where it can be said which one is broken.
        RootCertStore::empty().add(der.clone()).map_err(|error| roots(&error))?;
        certificates.push(Certificate::from_der(&der).map_err(|error| roots(&error))?);
    }
    if certificates.is_empty() && !pem.is_empty() {
        let text = "there is none, which would begin with `-----BEGIN CERTIFICATE-----`";
        return Err(TransportError::Roots(text.to_owned()));
    }
    Ok(certificates)
}
