//! Requests out, bounded answers in.

use std::time::Duration;

use pmh_protocol::{BODY_BYTES_MAX, Headers, HttpPage, HttpRequest, Lost, Method, Phase};
use reqwest::redirect::Policy;
use thiserror::Error;

/// Name look-up, connection and TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Silence, before the first byte and between any two: some repositories think for minutes (F118).
const SILENCE_TIMEOUT: Duration = Duration::from_secs(300);
/// A whole page.
const PAGE_TIMEOUT: Duration = Duration::from_secs(3_600);
/// Memory that a body gets because it is announced, before any of it has come.
const BODY_BYTES_AHEAD: usize = 4 << 20;

/// The transport could not be set up.
#[derive(Debug, Error)]
#[error("failed to set up the HTTP client")]
pub struct TransportError(#[source] reqwest::Error);

/// An HTTP client that does what it is told and nothing of its own: no redirects, no cookies, no decoding, no
/// second tries.
#[derive(Clone, Debug)]
pub struct Transport {
    client: reqwest::Client,
}

impl Transport {
    /// The transport. Proxies are taken from the environment.
    ///
    /// # Errors
    /// When the system's certificates or proxy settings cannot be used.
    pub fn new() -> Result<Self, TransportError> {
        // Err means that a provider is installed already, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = reqwest::Client::builder()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(SILENCE_TIMEOUT)
            .timeout(PAGE_TIMEOUT)
            .build()
            .map_err(TransportError)?;
        Ok(Self { client })
    }

    /// Sends `request`; the answer whole, or how far it got.
    pub(crate) async fn send(&self, request: &HttpRequest) -> Result<HttpPage, Lost> {
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
        let mut response = sending.send().await.map_err(|error| {
            let phase =
                if error.is_connect() || error.is_builder() { Phase::Connect } else { Phase::Head };
            lost(phase, 0, &error)
        })?;
        let mut headers = Headers::default();
        for (name, value) in response.headers() {
            headers.push(name.as_str(), String::from_utf8_lossy(value.as_bytes()));
        }
        let status = response.status().as_u16();
        let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
        let mut body = Vec::with_capacity(announced.unwrap_or(0).min(BODY_BYTES_AHEAD));
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > BODY_BYTES_MAX => {
                    return Err(Lost {
                        phase: Phase::TooLarge,
                        received: (body.len() + chunk.len()) as u64,
                        detail: format!("over {BODY_BYTES_MAX} bytes"),
                    });
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) => return Err(lost(Phase::Body, body.len() as u64, &error)),
            }
        }
        Ok(HttpPage { status, headers, body })
    }
}

/// The error as the innermost cause has it: the outer layers only repeat the URL.
fn lost(phase: Phase, received: u64, error: &reqwest::Error) -> Lost {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    Lost { phase, received, detail: cause.to_string() }
}
