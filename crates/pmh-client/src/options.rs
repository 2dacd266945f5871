//! What a transport is told: ways, trust and patience.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use pmh_protocol::{BODY_BYTES_MAX, Lost, Phase};

use crate::capture::Capture;

/// How a transport reaches a repository.
#[derive(Clone, Debug)]
pub struct TransportOptions {
    /// The way there.
    pub proxying: Proxying,
    /// Certificates in PEM that are trusted beside those of the system; empty for none.
    pub extra_roots_pem: Vec<u8>,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// Most bytes of a page, both as it comes off the wire and unpacked. Reading one takes up to three times as much
    /// memory.
    pub page_bytes_max: usize,
    /// Where exchanges are written down, if anywhere.
    pub capture: Option<Arc<Capture>>,
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            proxying: Proxying::default(),
            extra_roots_pem: Vec::new(),
            timeouts: Timeouts::default(),
            page_bytes_max: BODY_BYTES_MAX,
            capture: None,
        }
    }
}

/// The way to a repository.
#[derive(Clone, Default)]
pub enum Proxying {
    /// As the environment says (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).
    #[default]
    Environment,
    /// No proxy, whatever the environment says.
    Direct,
    /// The proxy at this URL, which may hold user and password.
    Through(String),
}

impl fmt::Debug for Proxying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Environment => "Environment",
            Self::Direct => "Direct",
            Self::Through(_) => "Through(..)",
        })
    }
}

/// How long each part of an exchange may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Name look-up, connection and TLS.
    pub connect: Duration,
    /// From the beginning, connecting included, to the answer's head.
    pub first_byte: Duration,
    /// Silence inside the body.
    pub idle: Duration,
    /// A whole page, from the beginning to its last byte.
    pub page: Duration,
}

impl Default for Timeouts {
    /// Patient: some repositories think for minutes before their first byte (F118).
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(300),
            page: Duration::from_secs(3_600),
        }
    }
}

impl Timeouts {
    pub(crate) fn lost_connecting(self) -> Lost {
        let detail = within(self.connect, "not connected", "`--timeout-connect`");
        Lost { phase: Phase::Connect, received: 0, detail }
    }

    pub(crate) fn lost_first_byte(self) -> Lost {
        let detail = within(self.first_byte, "no first byte", "`--timeout-first-byte`");
        Lost { phase: Phase::Head, received: 0, detail }
    }

    pub(crate) fn lost_idle(self, received: u64) -> Lost {
        let detail = within(self.idle, "no further byte", "`--timeout-idle`");
        Lost { phase: Phase::Body, received, detail }
    }

    pub(crate) fn lost_page(self, phase: Phase, received: u64) -> Lost {
        let detail = within(self.page, "not whole", "`--timeout-page`");
        Lost { phase, received, detail }
    }
}

/// What did not happen in time, and which flag gives it more.
fn within(time: Duration, what: &str, flag: &str) -> String {
    format!("{what} within {} s ({flag} allows more)", time.as_secs_f64())
}
