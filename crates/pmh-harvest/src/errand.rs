//! One request on its way: what is sent, how often it was tried, and how long to wait before the next try (H15).

use std::sync::Arc;
use std::time::Duration;

use pmh_protocol::{HttpRequest, Request, encode_arguments};
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::plan::{Limits, Plan};

const BACKOFF_FIRST: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_secs(120);

/// A request, and what has become of it so far.
#[derive(Clone, Debug)]
pub(crate) struct Errand {
    request: Request,
    http: Arc<HttpRequest>,
    /// Tries that failed.
    failures: u32,
    /// Polite refusals.
    refusals: u32,
    redirects: u32,
}

impl Errand {
    /// The errand of `request` to the plan's source.
    pub(crate) fn new(request: Request, plan: &Plan) -> Self {
        let mut http = HttpRequest::get(&plan.key.source, &request.query());
        http.headers.push("User-Agent", plan.user_agent.clone());
        http.headers.push("Accept", "text/xml, application/xml;q=0.9, */*;q=0.1");
        http.headers.push("Accept-Encoding", "gzip, identity;q=0.5");
        Self { request, http: Arc::new(http), failures: 0, refusals: 0, redirects: 0 }
    }

    pub(crate) const fn request(&self) -> &Request {
        &self.request
    }

    pub(crate) fn http(&self) -> Arc<HttpRequest> {
        Arc::clone(&self.http)
    }

    /// After a failure: the wait before the next try, or `None` when there is none left. The wait doubles from
    /// one second and is drawn between nothing and its bound, so that harvesters do not come back in step.
    pub(crate) fn fail(&mut self, limits: &Limits, seed: u64) -> Option<Duration> {
        self.failures += 1;
        if self.failures >= limits.tries_max {
            return None;
        }
        let bound = BACKOFF_FIRST.saturating_mul(1 << (self.failures - 1).min(16)).min(BACKOFF_MAX);
        let drawn = xxh3_64_with_seed(
            self.http.url.as_bytes(),
            seed.wrapping_add(u64::from(self.failures)),
        );
        #[expect(
            clippy::cast_precision_loss,
            reason = "a share between 0 and 1 needs no more precision"
        )]
        let share = (drawn >> 11) as f64 / (1_u64 << 53) as f64;
        Some(bound.mul_f64(share))
    }

    /// After a polite refusal: how many there were, this one included.
    pub(crate) const fn refused(&mut self) -> u32 {
        self.refusals += 1;
        self.refusals
    }

    /// Follows a redirect for this request alone: arguments are kept, the configured base URL stays what it is.
    pub(crate) fn follow(&mut self, location: &str, limits: &Limits) -> Result<(), String> {
        self.redirects += 1;
        if self.redirects > limits.redirects_max {
            return Err(format!(
                "more than {} redirects, the last to `{location}`",
                limits.redirects_max
            ));
        }
        let mut target = Url::parse(&self.http.url)
            .and_then(|here| here.join(location))
            .map_err(|error| format!("redirected to `{location}`: {error}"))?;
        if !matches!(target.scheme(), "http" | "https") {
            return Err(format!("redirected to `{location}`, which is not HTTP"));
        }
        // What the target says itself is kept; arguments that were lost on the way are given back.
        let present: Vec<String> =
            target.query_pairs().map(|(name, _)| name.into_owned()).collect();
        let lost: Vec<_> = self
            .request
            .arguments()
            .into_iter()
            .filter(|(name, _)| !present.iter().any(|present| present == name))
            .collect();
        if !lost.is_empty() {
            let own = target.query().filter(|query| !query.is_empty());
            let lost = encode_arguments(&lost);
            target.set_query(Some(&own.map_or(lost.clone(), |own| format!("{own}&{lost}"))));
        }
        let mut http = HttpRequest::clone(&self.http);
        http.url = target.into();
        self.http = Arc::new(http);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Key;

    fn errand(url: &str) -> Errand {
        let key = Key { source: url.into(), prefix: "oai_dc".into(), set: None };
        Errand::new(Request::Identify, &Plan::new(key))
    }

    #[test]
    fn a_page_is_tried_five_times_with_growing_waits() {
        let mut errand = errand("http://x/oai");
        let limits = Limits::default();
        for bound in [1, 2, 4, 8] {
            let wait = errand.fail(&limits, 7).expect("a try is left");
            assert!(wait <= Duration::from_secs(bound), "{wait:?} is over {bound} s");
        }
        assert_eq!(errand.fail(&limits, 7), None);
    }

    #[test]
    fn a_redirect_keeps_the_arguments() {
        for (location, expected) in [
            ("https://y/oai", "https://y/oai?verb=Identify"),
            ("/oai2", "http://x/oai2?verb=Identify"),
            ("https://y/oai?verb=Identify", "https://y/oai?verb=Identify"),
            ("https://y/oai?repo=5", "https://y/oai?repo=5&verb=Identify"),
            ("https://y/oai?", "https://y/oai?verb=Identify"),
        ] {
            let mut errand = errand("http://x/oai");
            errand.follow(location, &Limits::default()).unwrap();
            assert_eq!(errand.http().url, expected);
        }
        assert!(errand("http://x/oai").follow("file:///etc/passwd", &Limits::default()).is_err());
    }

    #[test]
    fn a_circle_of_redirects_ends() {
        let mut errand = errand("http://x/oai");
        let followed =
            (0..9).take_while(|_| errand.follow("/oai", &Limits::default()).is_ok()).count();
        assert_eq!(followed, 5);
    }
}
