//! What was asked for: the operator's wishes and the bounds a run keeps.

use std::time::Duration;

use pmh_protocol::{Datestamp, Headers};

use crate::compat::Compat;
use crate::key::Key;

/// One harvest of one key, as the operator wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What is harvested.
    pub key: Key,
    /// Start of the span, where the operator names one; otherwise the watermark decides (H10).
    pub from: Option<Datestamp>,
    /// End of the span, where the operator names one.
    pub until: Option<Datestamp>,
    /// Whether everything is asked for again, whatever the watermark says; then `from` and `until` do not count.
    pub full: bool,
    /// Departures that the source needs (H21).
    pub compat: Compat,
    /// User-Agent, with a contact (H22).
    pub user_agent: String,
    /// From: the operator's address, where one is configured (H22).
    pub contact: Option<String>,
    /// Fields that let us in, secrets all of them: sent to the source, and dropped where a redirect leads to another
    /// server (H19).
    pub credentials: Headers,
    /// Pause between requests; `None`: a quarter of the last response time, none on loopback (H22).
    pub pause: Option<Duration>,
    /// How a token that comes back is judged.
    pub repeated_token: RepeatedToken,
    /// Deletions take effect however many they are, and a list may be as short as it likes.
    pub allow_mass_delete: bool,
    /// The run ends in order after this long.
    pub max_duration: Option<Duration>,
    /// The run ends in order after the page that brings so many records: for a sample.
    pub limit: Option<u64>,
    /// Whether every departure from the protocol that would be survived ends the run (H20).
    pub strict: bool,
    /// Whether a record that a whole list does not show any more is taken as deleted.
    pub infer_deletions: bool,
    /// Identifiers of holes that the operator accepts as they are (H14).
    pub accepted_holes: Vec<String>,
    /// Whether a source is asked that asked not to be asked yet (H15).
    pub ignore_not_before: bool,
    /// The bounds.
    pub limits: Limits,
    /// Seed of the jitter in waiting times.
    pub seed: u64,
}

impl Plan {
    /// The plan that a bare `pmh harvest BASE_URL` stands for.
    #[must_use]
    pub fn new(key: Key) -> Self {
        Self {
            key,
            from: None,
            until: None,
            full: false,
            compat: Compat::default(),
            contact: None,
            credentials: Headers::default(),
            user_agent: concat!("pmh/", env!("CARGO_PKG_VERSION")).to_owned(),
            pause: None,
            repeated_token: RepeatedToken::Evidence,
            allow_mass_delete: false,
            max_duration: None,
            limit: None,
            strict: false,
            infer_deletions: false,
            accepted_holes: Vec::new(),
            ignore_not_before: false,
            limits: Limits::default(),
            seed: 0,
        }
    }
}

/// How a token that comes back is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatedToken {
    /// It stops the harvest once three pages in a row brought nothing new: a constant session token is healthy.
    Evidence,
    /// The first repetition stops the harvest.
    Strict,
}

/// The bounds of a run. Each is a guard's threshold or a limit on trying.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Most pages of a traversal, instead of what is plausible.
    pub pages_max: Option<u64>,
    /// Most distinct identifiers of a traversal.
    pub records_max: Option<u64>,
    /// Pages in a row that bring nothing new and carry a token seen before.
    pub repeated_pages_max: u64,
    /// Pages with items in a row that bring nothing new, whatever the tokens.
    pub barren_pages_max: u64,
    /// Pages without items in a row, with fresh tokens.
    pub empty_pages_max: u64,
    /// Pages without items in a row, with tokens seen before.
    pub empty_pages_seen_max: u64,
    /// Repeated deliveries, beyond what the size of the list explains.
    pub repeats_slack: u64,
    /// Restarts of a window in a row that brought nothing new to it (H13).
    pub restarts_in_row_max: u32,
    /// Restarts of a window in all.
    pub restarts_max: u32,
    /// Most pages that may be outstanding at the store when the next one is asked for (H6); one, until a list has
    /// proven long.
    pub pages_ahead_max: usize,
    /// Bytes of payloads that may be outstanding with more than one page.
    pub bytes_ahead_max: u64,
    /// Seconds that a token without announced life may lie before it is not used any more (H18).
    pub resume_age_seconds: i64,
    /// Seconds that a window reaches back behind the watermark (H10).
    pub overlap_seconds: i64,
    /// How often a window may be cut into slices (H14).
    pub cuts_max: u32,
    /// Records that are fetched one by one at the most, where no list brings them (H14).
    pub singles_max: usize,
    /// Tries of one page, the first included (H15).
    pub tries_max: u32,
    /// Polite refusals (429, 503) of one page that are waited for.
    pub busy_max: u32,
    /// Waiting for a busy source in one run, in all.
    pub busy_wait_max: Duration,
    /// The longest single wait that a source may ask for.
    pub retry_after_max: Duration,
    /// Redirects of one request (H19).
    pub redirects_max: u32,
    /// Share (0 to 1) of the records held alive that one run may withdraw.
    pub mass_delete_share: f64,
    /// Bytes that stay free where the store lies.
    pub disk_floor_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pages_max: None,
            records_max: None,
            repeated_pages_max: 3,
            barren_pages_max: 10,
            empty_pages_max: 200,
            empty_pages_seen_max: 10,
            repeats_slack: 1_000,
            restarts_in_row_max: 3,
            restarts_max: 20,
            pages_ahead_max: 9,
            bytes_ahead_max: 8 << 20,
            resume_age_seconds: 3_600,
            overlap_seconds: 86_400,
            cuts_max: 64,
            singles_max: 1_000,
            tries_max: 5,
            busy_max: 100,
            busy_wait_max: Duration::from_secs(2 * 3_600),
            retry_after_max: Duration::from_secs(3_600),
            redirects_max: 5,
            mass_delete_share: 0.2,
            disk_floor_bytes: 200 << 20,
        }
    }
}
