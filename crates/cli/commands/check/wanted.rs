//! What an operator wanted of a run, kept beside its recording: who plays it again wants the same.

use pmh_check::{Options, Profile};
use serde::{Deserialize, Serialize};

/// Everything that a verdict depends on besides the answers.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Wanted {
    base_url_alias: Vec<String>,
    select: Vec<String>,
    exclude: Vec<String>,
    profile: String,
    clock_skew_seconds: Option<i64>,
    seed: u64,
    sample: usize,
    max_requests: u32,
    max_list_pages: usize,
}

impl Wanted {
    pub(super) fn of(options: &Options) -> Self {
        Self {
            base_url_alias: options.aliases.clone(),
            select: options.select.clone(),
            exclude: options.exclude.clone(),
            profile: options.profile.as_str().to_owned(),
            clock_skew_seconds: options.clock_skew_seconds,
            seed: options.seed,
            sample: options.limits.sample,
            max_requests: options.limits.requests_max,
            max_list_pages: options.limits.pages_max,
        }
    }

    /// Fills in what is not asked for otherwise now.
    pub(super) fn fill(&self, options: &mut Options) {
        let plain = Options::new("");
        fill(&mut options.aliases, &plain.aliases, &self.base_url_alias);
        fill(&mut options.select, &plain.select, &self.select);
        fill(&mut options.exclude, &plain.exclude, &self.exclude);
        if let Some(profile) = Profile::from_name(&self.profile) {
            fill(&mut options.profile, &plain.profile, &profile);
        }
        fill(&mut options.clock_skew_seconds, &plain.clock_skew_seconds, &self.clock_skew_seconds);
        fill(&mut options.seed, &plain.seed, &self.seed);
        let (limits, plain) = (&mut options.limits, &plain.limits);
        fill(&mut limits.sample, &plain.sample, &self.sample);
        fill(&mut limits.requests_max, &plain.requests_max, &self.max_requests);
        fill(&mut limits.pages_max, &plain.pages_max, &self.max_list_pages);
    }
}

fn fill<T: Clone + PartialEq>(now: &mut T, plain: &T, then: &T) {
    if now == plain {
        now.clone_from(then);
    }
}
