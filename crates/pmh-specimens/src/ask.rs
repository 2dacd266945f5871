//! Asking until a document comes.

use pmh_protocol::{HttpPage, HttpRequest, Parsed, Stamp};

use crate::defect::Defect;
use crate::harvest::Harvest;
use crate::read::{empty_list, read};
use crate::wire::{Halt, Redirects};

/// How often one page is asked for before it is given up.
const TRIES_MAX: u32 = 5;
/// How often it is asked for by the specimen that never gives up: more than any budget allows.
const TRIES_HARD_MAX: u32 = 100_000;
/// The longest pause before another try that nobody asked for.
const PAUSE_MAX_SECONDS: u64 = 64;
/// What a busy repository is given when it names no time.
const RETRY_AFTER_DEFAULT_SECONDS: u64 = 60;
/// How long the one without patience waits for an answer.
const PATIENCE_SECONDS: i64 = 10;
/// More cookies than any session has.
const COOKIES_MAX: usize = 50;
/// The longest wait that is sat out.
const RETRY_AFTER_MAX_SECONDS: u64 = 3_600;

/// What came of asking.
pub(crate) enum Asked {
    /// A document, whatever it says.
    Document(Parsed),
    /// Nothing: given up, and why.
    Nothing(String),
}

/// What to do after an answer that is no document.
enum Next {
    /// Ask again, after so many seconds.
    AskAgain(u64),
    GiveUp,
    /// The answer is taken for this one all the same.
    Take(Parsed),
}

impl Harvest<'_> {
    /// Asks until an OAI-PMH document comes, at most [`TRIES_MAX`] times.
    pub(crate) fn ask(&mut self, query: &str, is_follow_up: bool) -> Result<Asked, Halt> {
        let mut request = HttpRequest::get(&self.base_url(), query);
        let tries_max = match self.defect {
            // Defect: what fails once may succeed the next time.
            Defect::RetriesNothing => 1,
            // Defect: what fails every time will not succeed.
            Defect::RetriesForEver => TRIES_HARD_MAX,
            _ => TRIES_MAX,
        };
        let mut trouble = String::new();
        for attempt in 1..=tries_max {
            let pause = 1_u64
                .checked_shl(attempt - 1)
                .map_or(PAUSE_MAX_SECONDS, |pause| pause.min(PAUSE_MAX_SECONDS));
            self.add_cookies(&mut request);
            let asked_at = self.wire.now();
            let next = match self.wire.send(&request, self.redirects()) {
                // Defect: a slow answer is an answer.
                Ok(_) if self.has(Defect::Impatient) && self.is_late(asked_at) => {
                    trouble = "it took too long".to_owned();
                    Next::AskAgain(pause)
                }
                Ok(answer) => {
                    self.keep_cookies(&answer);
                    match self.document(&answer) {
                        Ok(parsed) => return Ok(Asked::Document(parsed)),
                        Err(detail) => {
                            trouble = format!("status {}: {detail}", answer.status);
                            self.after(&answer, pause)
                        }
                    }
                }
                // Defect: what was lost with the rest of the answer is lost for good.
                Err(Halt::Lost(_)) if is_follow_up && self.has(Defect::EndsAtCut) => {
                    Next::Take(empty_list())
                }
                Err(Halt::Lost(lost)) => {
                    trouble = lost.to_string();
                    Next::AskAgain(pause)
                }
                Err(halt) => return Err(halt),
            };
            match next {
                Next::Take(parsed) => return Ok(Asked::Document(parsed)),
                Next::GiveUp => break,
                Next::AskAgain(pause) if attempt < tries_max => self.wire.wait(pause)?,
                Next::AskAgain(_) => {}
            }
        }
        Ok(Asked::Nothing(trouble))
    }

    /// Where it asks.
    fn base_url(&self) -> String {
        let base_url = &self.task.base_url;
        // Defect: a server may know the path without the slash and not with it.
        if !self.has(Defect::AddsSlash) {
            return base_url.clone();
        }
        match base_url.split_once('?') {
            Some((path, query)) => format!("{path}/?{query}"),
            None => format!("{base_url}/"),
        }
    }

    fn is_late(&self, asked_at: Stamp) -> bool {
        self.wire.now().seconds() - asked_at.seconds() > PATIENCE_SECONDS
    }

    fn add_cookies(&self, request: &mut HttpRequest) {
        // Defect: a session is known by its cookie.
        if self.cookies.is_empty() || self.has(Defect::ForgetsCookies) {
            return;
        }
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        request.headers = request.headers.without("Cookie");
        request.headers.push("Cookie", cookies.join("; "));
    }

    fn keep_cookies(&mut self, answer: &HttpPage) {
        for set in answer.headers.all("Set-Cookie") {
            let pair = set.split(';').next().and_then(|pair| pair.split_once('='));
            if let Some((name, value)) = pair.filter(|_| self.cookies.len() < COOKIES_MAX) {
                self.cookies.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
    }

    /// Whether robots are told to stay away, and this one listens.
    pub(crate) fn is_turned_away(&mut self) -> Result<bool, Halt> {
        // Defect: a base URL is given out for robots.
        if !self.has(Defect::ObeysRobots) {
            return Ok(false);
        }
        let server = self.task.base_url.split('/').take(3).collect::<Vec<_>>().join("/");
        let url = format!("{server}/robots.txt");
        let request = HttpRequest { url, ..HttpRequest::get("", "") };
        match self.wire.send(&request, Redirects::Follow) {
            Ok(answer) => {
                let text = String::from_utf8_lossy(&answer.body);
                Ok(answer.status == 200 && text.lines().any(|line| line.trim() == "Disallow: /"))
            }
            Err(Halt::Lost(_)) => Ok(false),
            Err(halt) => Err(halt),
        }
    }

    const fn redirects(&self) -> Redirects {
        match self.defect {
            // Defect: a repository that moved is still the same.
            Defect::FollowsNoRedirect => Redirects::Ignore,
            // Defect: many web servers redirect without the query.
            Defect::RedirectLosesArguments => Redirects::ToTheLetter,
            // Defect: some lead round in a circle.
            Defect::RedirectsForEver => Redirects::ForEver,
            _ => Redirects::Follow,
        }
    }

    /// The document in an answer, judged by what it says, whatever its status.
    fn document(&self, answer: &HttpPage) -> Result<Parsed, String> {
        let is_unseen = match self.defect {
            // Defect: some repositories say what is the matter in a document, under a status of HTTP.
            Defect::StatusBeforeDocument => answer.status >= 400,
            Defect::AnyClientErrorIsFatal => matches!(answer.status, 400..=499),
            _ => false,
        };
        if is_unseen {
            return Err("not looked at".to_owned());
        }
        read(self.defect, answer)
    }

    fn after(&self, answer: &HttpPage, pause: u64) -> Next {
        let status = answer.status;
        // Defect: nobody should ask again who was told not to.
        if matches!(status, 401 | 403) && !self.has(Defect::AsksForbiddenAgain) {
            return Next::GiveUp;
        }
        // Defect: 408 and 429 pass, and gateways say 404 for a moment.
        if matches!(status, 400..=499) && self.has(Defect::AnyClientErrorIsFatal) {
            return Next::GiveUp;
        }
        // Nobody followed it, or it leads on and on.
        if matches!(status, 300..=399) {
            return Next::GiveUp;
        }
        // Defect: Retry-After is a request.
        if !matches!(status, 429 | 503) || self.has(Defect::IgnoresRetryAfter) {
            return Next::AskAgain(pause);
        }
        let named = answer.headers.get("Retry-After").map(str::trim);
        let is_number = named.is_none_or(|text| text.parse::<u64>().is_ok());
        // Defect: Retry-After has two forms, and servers make up others.
        if self.has(Defect::DiesOfRetryAfterDate) && !is_number {
            return Next::GiveUp;
        }
        let asked = retry_after_seconds(answer);
        // Defect: nobody waits for a year.
        if asked > RETRY_AFTER_MAX_SECONDS && !self.has(Defect::WaitsForAYear) {
            return Next::GiveUp;
        }
        Next::AskAgain(asked)
    }
}

/// What a busy repository asks for; a date is read by the clock that the server shows.
fn retry_after_seconds(answer: &HttpPage) -> u64 {
    let Some(text) = answer.headers.get("Retry-After").map(str::trim) else {
        return RETRY_AFTER_DEFAULT_SECONDS;
    };
    let date = |text: &str| httpdate::parse_http_date(text).ok();
    let until = date(text).zip(answer.headers.get("Date").and_then(date));
    text.parse().unwrap_or_else(|_| {
        until.map_or(RETRY_AFTER_DEFAULT_SECONDS, |(until, now)| {
            until.duration_since(now).map_or(0, |wait| wait.as_secs())
        })
    })
}
