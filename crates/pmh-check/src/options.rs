//! What is asked for, and the bounds that a run keeps.

use std::sync::Arc;
use std::time::Duration;

use pmh_protocol::{BODY_BYTES_MAX, Headers};

use crate::outcome::Examined;

/// One examination as the operator wants it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The repository.
    pub base_url: String,
    /// Other base URLs that it may rightly call itself: a staging host knows itself by its public name.
    pub aliases: Vec<String>,
    /// Fields sent with each request. What lets us in is the driver's to add.
    pub headers: Headers,
    /// Globs of ids that are run; empty for all.
    pub select: Vec<String>,
    /// Globs of ids that are not.
    pub exclude: Vec<String>,
    /// The guideline whose checks are run beside those of the protocol.
    pub profile: Profile,
    /// Seconds that the repository's clock may differ from ours; `None`: it is not compared.
    pub clock_skew_seconds: Option<i64>,
    /// Which records are looked at closely.
    pub seed: u64,
    /// Whether the driver can have the repository changed: [`Step::Change`](crate::Step::Change).
    pub changes: bool,
    /// An earlier run against the same repository, to compare with.
    pub previous: Option<Arc<Examined>>,
    /// The bounds.
    pub limits: Limits,
}

impl Options {
    /// What a bare `pmh check BASE_URL` stands for.
    #[must_use]
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            aliases: Vec::new(),
            headers: Headers::default(),
            select: Vec::new(),
            exclude: Vec::new(),
            profile: Profile::Protocol,
            clock_skew_seconds: Some(300),
            seed: 0,
            changes: false,
            previous: None,
            limits: Limits::default(),
        }
    }

    /// Whether the check of this id was asked for.
    #[must_use]
    pub fn selects(&self, id: &str) -> bool {
        let any = |globs: &[String]| globs.iter().any(|glob| glob_matches(glob, id));
        (self.select.is_empty() || any(&self.select)) && !any(&self.exclude)
    }
}

/// What a run may use up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests, redirects and second tries included.
    pub requests_max: u32,
    /// Bytes of all answers together.
    pub bytes_max: u64,
    /// Bytes of one answer, packed or unpacked.
    pub page_bytes_max: usize,
    /// Pages of one list.
    pub pages_max: usize,
    /// Records that are looked at closely.
    pub sample: usize,
    /// Time that answers and waits may take together.
    pub duration_max: Duration,
    /// The longest wait that a busy repository may ask for.
    pub busy_wait_max: Duration,
    /// Pause between two requests.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests_max: 300,
            bytes_max: 256 << 20,
            page_bytes_max: BODY_BYTES_MAX,
            pages_max: 20,
            sample: 3,
            duration_max: Duration::from_secs(30 * 60),
            busy_wait_max: Duration::from_secs(60),
            pause: Duration::from_millis(500),
        }
    }
}

/// A community's guideline. None of them changes what the protocol's checks say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The protocol and the companion guidelines alone.
    Protocol,
    /// What the aggregator BASE asks of its sources.
    Base,
    /// The DRIVER guidelines.
    Driver,
    /// The DINI certificate.
    Dini,
    /// The OpenAIRE guidelines for literature repositories.
    OpenAire,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Protocol, Self::Base, Self::Driver, Self::Dini, Self::OpenAire];

    /// Its name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Base => "base",
            Self::Driver => "driver",
            Self::Dini => "dini",
            Self::OpenAire => "openaire-lit",
        }
    }

    /// The profile of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == name)
    }
}

/// Whether a glob, in which `*` stands for any characters, matches all of `text`. Also a group alone matches what is
/// in it: `errors` is `errors.*`.
fn glob_matches(glob: &str, text: &str) -> bool {
    if text.strip_prefix(glob).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
        return true;
    }
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = glob.contains('*').then(|| glob.rsplit('*').next()).flatten() else {
        return rest.is_empty();
    };
    let between: Vec<&str> = parts.collect();
    for part in between.iter().take(between.len().saturating_sub(1)) {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_an_id_a_group_or_has_stars() {
        for glob in ["errors.text", "errors", "*", "errors.*", "*text", "e*.t*t"] {
            assert!(glob_matches(glob, "errors.text"), "{glob}");
        }
        for glob in ["", "error", "errors.t", "*.texts", "x*", "e*x*x*"] {
            assert!(!glob_matches(glob, "errors.text"), "{glob}");
        }
    }

    #[test]
    fn what_is_excluded_is_not_run_although_it_was_selected() {
        let mut options = Options::new("http://x/oai");
        assert!(options.selects("errors.text"));
        options.select = vec!["errors".to_owned()];
        options.exclude = vec!["*.text".to_owned()];
        assert!(options.selects("errors.code-known"));
        assert!(!options.selects("errors.text") && !options.selects("xml.root"));
    }
}
