//! One request on its way: what is sent, how often it was tried, and how long to wait before the next try (H15).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pmh_protocol::{Headers, HttpRequest, Method, Request, Selection, Verb, encode_arguments};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::plan::{Limits, Plan};
use crate::redirect::redirected;
use crate::window::Window;

const BACKOFF_FIRST: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_secs(120);

/// A request, and what has become of it so far.
#[derive(Clone, Debug)]
pub(crate) struct Errand {
    request: Request,
    http: Arc<HttpRequest>,
    /// Its arguments as they are sent.
    query: String,
    /// Tries that failed.
    failures: u32,
    /// Polite refusals.
    refusals: u32,
    redirects: u32,
    /// The other method was tried because the first is not allowed.
    method_switched: bool,
    /// An answer was lost on its way.
    was_lost: bool,
}

impl Errand {
    /// The errand of `request` to the plan's source, with the cookies of its traversal, which asks for `window`.
    pub(crate) fn new(
        request: Request,
        plan: &Plan,
        window: Window,
        cookies: &BTreeMap<String, String>,
    ) -> Self {
        let mut http = http_request(&request, plan, window);
        if !cookies.is_empty() {
            let pairs: Vec<String> =
                cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            http.headers.push("Cookie", pairs.join("; "));
        }
        Self {
            query: query_of(&request, plan, window),
            request,
            http: Arc::new(http),
            failures: 0,
            refusals: 0,
            redirects: 0,
            method_switched: false,
            was_lost: false,
        }
    }

    /// An answer was lost on its way: the repository may have taken the request as answered.
    pub(crate) const fn lose(&mut self) {
        self.was_lost = true;
    }

    /// Whether an answer to this request was lost.
    pub(crate) const fn was_lost(&self) -> bool {
        self.was_lost
    }

    /// Whether the answer that came is not the first.
    pub(crate) const fn was_asked_again(&self) -> bool {
        self.failures > 0 || self.refusals > 0
    }

    /// Sends the same by the other method from now on; whether that was not done before (405, 414).
    pub(crate) fn switch_method(&mut self, plan: &Plan) -> bool {
        if std::mem::replace(&mut self.method_switched, true) {
            return false;
        }
        let other = match self.http.method {
            Method::Get => Method::Post,
            Method::Post => Method::Get,
        };
        let headers = self.http.headers.clone();
        let http = http_of(&plan.key.source, other, &self.query);
        self.http = Arc::new(HttpRequest { headers, ..http });
        true
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

    /// Follows a redirect for this request alone, of which there may be so many; the configured base URL stays what it is.
    pub(crate) fn follow(
        &mut self,
        status: u16,
        location: &str,
        limits: &Limits,
    ) -> Result<(), String> {
        self.redirects += 1;
        if self.redirects > limits.redirects_max {
            return Err(format!(
                "more than {} redirects, the last to `{location}`",
                limits.redirects_max
            ));
        }
        self.http = Arc::new(redirected(&self.http, &self.request, status, location)?);
        Ok(())
    }
}

/// `request` as it is sent to the plan's source when a list of `window` is asked for: by the method, in the form and
/// with the fields that the plan wants, but without cookies. The same for a harvest and for a single question.
#[must_use]
pub fn http_request(request: &Request, plan: &Plan, window: Window) -> HttpRequest {
    let method = if plan.compat.post { Method::Post } else { Method::Get };
    let mut http = http_of(&plan.key.source, method, &query_of(request, plan, window));
    http.headers.push("User-Agent", plan.user_agent.clone());
    if let Some(contact) = &plan.contact {
        http.headers.push("From", contact.clone());
    }
    http.headers.push("Accept", "text/xml, application/xml;q=0.9, */*;q=0.1");
    http.headers.push("Accept-Encoding", "gzip, zstd, br, deflate, identity;q=0.5");
    http.headers.extend(&plan.credentials);
    http
}

/// The query of a request, with the departures that the source needs. A source that wants the prefix beside the token
/// also forgets dates and set that do not stand there.
fn query_of(request: &Request, plan: &Plan, window: Window) -> String {
    let Request::Resume { verb, token } = request else { return request.query() };
    let mut query = match plan.compat.token_raw {
        true => format!("verb={verb}&resumptionToken={token}"),
        false => request.query(),
    };
    if plan.compat.prefix_with_token && *verb != Verb::ListSets {
        let selection = Request::ListRecords(Selection {
            prefix: plan.key.prefix.clone(),
            from: window.from,
            until: window.until,
            set: plan.key.set.clone(),
        });
        let beside: Vec<_> =
            selection.arguments().into_iter().filter(|(name, _)| *name != "verb").collect();
        query.push('&');
        query.push_str(&encode_arguments(&beside));
    }
    query
}

fn http_of(source: &str, method: Method, query: &str) -> HttpRequest {
    match method {
        Method::Get => HttpRequest::get(source, query),
        Method::Post => HttpRequest {
            method,
            url: source.to_owned(),
            headers: Headers::default(),
            body: Some(query.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use pmh_protocol::Datestamp;

    use super::*;
    use crate::key::Key;

    fn errand(url: &str) -> Errand {
        let key = Key { source: url.into(), prefix: "oai_dc".into(), set: None };
        Errand::new(Request::Identify, &Plan::new(key), Window::default(), &BTreeMap::new())
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
            errand.follow(301, location, &Limits::default()).unwrap();
            assert_eq!(errand.http().url, expected);
        }
        assert!(
            errand("http://x/oai").follow(301, "file:///etc/passwd", &Limits::default()).is_err()
        );
    }

    #[test]
    fn a_circle_of_redirects_ends() {
        let mut errand = errand("http://x/oai");
        let followed =
            (0..9).take_while(|_| errand.follow(301, "/oai", &Limits::default()).is_ok()).count();
        assert_eq!(followed, 5);
    }

    /// The second page of a list, asked for as the switches say.
    fn resumed(turn_on: &[&str]) -> Arc<HttpRequest> {
        let key = Key { source: "http://x/oai".into(), prefix: "oai_dc".into(), set: None };
        let mut plan = Plan::new(key);
        assert!(turn_on.iter().all(|name| plan.compat.turn_on(name)));
        let request = Request::Resume { verb: Verb::ListRecords, token: "a/b".into() };
        let from = Datestamp::parse("2024-01-02").expect("a day");
        let window = Window { from: Some(from), until: None };
        let cookies = BTreeMap::from([("session".to_owned(), "7".to_owned())]);
        Errand::new(request, &plan, window, &cookies).http()
    }

    #[test]
    fn switches_change_what_a_request_says() {
        let url = |turn_on: &[&str]| resumed(turn_on).url.clone();
        assert_eq!(url(&[]), "http://x/oai?verb=ListRecords&resumptionToken=a%2Fb");
        assert_eq!(url(&["token-raw"]), "http://x/oai?verb=ListRecords&resumptionToken=a/b");
        assert_eq!(
            url(&["prefix-with-token"]),
            "http://x/oai?verb=ListRecords&resumptionToken=a%2Fb&metadataPrefix=oai_dc&from=2024-01-02"
        );
        let post = resumed(&["post"]);
        assert_eq!((post.method, post.url.as_str()), (Method::Post, "http://x/oai"));
        assert_eq!(post.body.as_deref(), Some("verb=ListRecords&resumptionToken=a%2Fb"));
    }

    #[test]
    fn a_post_becomes_a_get_unless_the_redirect_says_otherwise() {
        let key = Key { source: "http://x/oai".into(), prefix: "oai_dc".into(), set: None };
        let mut plan = Plan::new(key);
        plan.compat.post = true;
        for (status, method, url) in [
            (301, Method::Get, "https://x/oai?verb=Identify"),
            (308, Method::Post, "https://x/oai"),
        ] {
            let mut errand =
                Errand::new(Request::Identify, &plan, Window::default(), &BTreeMap::new());
            errand.follow(status, "https://x/oai", &Limits::default()).unwrap();
            assert_eq!((errand.http().method, errand.http().url.as_str()), (method, url));
        }
    }

    #[test]
    fn cookies_go_to_no_other_host() {
        let key = Key { source: "https://x/oai".into(), prefix: "oai_dc".into(), set: None };
        let cookies = BTreeMap::from([("session".to_owned(), "7".to_owned())]);
        for (location, expected) in
            [("/oai2", Some("session=7")), ("https://y/oai", None), ("http://x/oai", None)]
        {
            let mut errand = Errand::new(
                Request::Identify,
                &Plan::new(key.clone()),
                Window::default(),
                &cookies,
            );
            errand.follow(302, location, &Limits::default()).unwrap();
            assert_eq!(errand.http().headers.get("cookie"), expected, "{location}");
        }
    }

    #[test]
    fn credentials_go_to_the_server_that_they_are_for() {
        let sent = |source: &str, location: Option<&str>| {
            let mut plan =
                Plan::new(Key { source: source.into(), prefix: "oai_dc".into(), set: None });
            plan.credentials.push_secret("X-Api-Key", "s3cret");
            let none = BTreeMap::new();
            let mut errand = Errand::new(Request::Identify, &plan, Window::default(), &none);
            if let Some(location) = location {
                errand.follow(302, location, &Limits::default()).unwrap();
            }
            errand.http().headers.get("x-api-key").is_some()
        };
        assert!(sent("https://x/oai", None));
        for location in ["/oai2", "https://X:443/oai2"] {
            assert!(sent("https://x/oai", Some(location)), "{location}");
        }
        for location in ["https://y/oai", "http://x/oai", "http://x:443/oai", "https://x:8443/oai"]
        {
            assert!(!sent("https://x/oai", Some(location)), "{location}");
        }
        assert!(sent("http://x/oai", Some("https://x/oai")), "the same server, only safer");
        assert!(!sent("http://x:8080/oai", Some("https://x/oai")));
    }

    #[test]
    fn the_other_method_is_tried_once() {
        let plan = Plan::new(Key { source: "http://x/oai".into(), prefix: "p".into(), set: None });
        let mut errand = errand("http://x/oai");
        assert!(errand.switch_method(&plan));
        assert_eq!(errand.http().body.as_deref(), Some("verb=Identify"));
        assert!(!errand.switch_method(&plan));
    }
}
