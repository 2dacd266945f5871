//! The machine: it judges checks in turn, and says what must be asked before it can go on.
//!
//! One request at a time, with a pause between two. Redirects, polite refusals and lost answers are dealt with here, so
//! that a check only ever sees the answer that counts. Whatever a repository does, the run ends: requests, bytes, time,
//! redirects, second tries and silent answers are bounded.

use std::collections::BTreeMap;
use std::time::Duration;

use pmh_protocol::{HttpPage, HttpRequest, Lost, Method, Phase, Stamp, Verb};
use url::Url;

use crate::ask::Ask;
use crate::bench::{Bench, Stop};
use crate::check::{Check, When};
use crate::checks::all_checks;
use crate::exchange::{Exchange, Exchanged, Part};
use crate::finding::Found;
use crate::options::Options;
use crate::outcome::{Examined, Outcome, Verdict};

/// Redirects of one request that are followed (rule 75).
const REDIRECTS_MAX: u32 = 5;
/// How often one request is sent again, after a refusal or a lost answer.
const TRIES_MAX: u32 = 3;
/// The wait of a refusal that names none (rule 240), and the one after a lost answer.
const UNNAMED_WAIT: Duration = Duration::from_secs(10);
const LOST_WAIT: Duration = Duration::from_secs(1);
/// Questions in a row without an answer after which nobody is asked any more.
const SILENT_MAX: u32 = 3;

/// What the driver does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send this, and hand what comes to [`Examination::fetched`].
    Fetch(Box<HttpRequest>),
    /// Wait so long.
    Wait(Duration),
    /// Have the repository changed, best of all a record withdrawn; asked for once, and only where
    /// [`Options::changes`] says that it can be.
    Change,
    /// It is over.
    Finish,
}

/// A question that is being asked.
struct Errand {
    ask: Ask,
    request: HttpRequest,
    redirects: u32,
    tries: u32,
}

/// An examination of one repository.
pub struct Examination {
    options: Options,
    /// The checks in the order in which they are judged.
    checks: Vec<&'static Check>,
    next: usize,
    exchanges: Vec<Exchange>,
    answers: BTreeMap<Ask, usize>,
    errand: Option<Errand>,
    owed: Duration,
    spent: Duration,
    bytes: u64,
    silent: u32,
    is_changed: bool,
    outcomes: Vec<Outcome>,
}

impl Examination {
    /// The examination that `options` ask for.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let mut checks: Vec<&'static Check> = all_checks()
            .filter(|check| check.when != When::OfFile && check.is_in(options.profile))
            .filter(|check| options.selects(check.id) || check.when == When::First)
            .collect();
        checks.sort_by_key(|check| check.when as u8);
        Self::of(options, checks)
    }

    /// Examines the file of a static repository, which came of `request` (a URL that is not HTTP: from a disk).
    #[must_use]
    pub fn of_file(
        options: Options,
        request: HttpRequest,
        answer: Result<HttpPage, Lost>,
        at: Stamp,
    ) -> Examined {
        let checks = all_checks().filter(|check| check.when == When::OfFile);
        let checks = checks.filter(|check| options.selects(check.id)).collect();
        let page_bytes_max = options.limits.page_bytes_max;
        let mut examination = Self::of(options, checks);
        let exchange = Exchange::new(1, Ask::raw(""), request, answer, at, 0, page_bytes_max);
        examination.exchanges.push(exchange);
        while let Some(check) = examination.checks.get(examination.next) {
            let result = examination.judge(check);
            examination.conclude(check, result);
        }
        examination.finish()
    }

    /// Judges exchanges that somebody else had with the repository, in their order: what they show, and nothing is asked
    /// beside.
    #[must_use]
    pub fn of_exchanges(options: Options, exchanges: Vec<Exchanged>) -> Examined {
        let mut examination = Self::new(options);
        let mut openings: BTreeMap<Verb, String> = BTreeMap::new();
        for Exchanged { request, answer, at, took } in exchanges {
            let mut ask = Ask::of_request(&request, &examination.options.base_url);
            if let Some(verb) = ask.verb_asked() {
                if ask.argument("resumptionToken").is_some() {
                    ask.list = openings.get(&verb).cloned().unwrap_or_default();
                } else {
                    openings.insert(verb, ask.query.clone());
                }
            }
            let (number, millis) = (examination.exchanges.len() + 1, in_millis(took));
            let limit = examination.options.limits.page_bytes_max;
            let mut exchange = Exchange::new(number, ask, request, answer, at, millis, limit);
            exchange.part = exchange.part_alone();
            if exchange.part == Part::Answer {
                // What a check asks for is asked without naming an encoding. What came first counts.
                let ask = Ask { accept_encoding: None, ..exchange.ask.clone() };
                examination.answers.entry(ask).or_insert(examination.exchanges.len());
            }
            examination.exchanges.push(exchange);
        }
        while let Some(check) = examination.checks.get(examination.next) {
            let result = match examination.judge(check) {
                Err(Stop::Wait(_)) => Err(Stop::Skip("nobody asked for it".to_owned())),
                result => result,
            };
            examination.conclude(check, result);
        }
        examination.finish()
    }

    fn of(options: Options, checks: Vec<&'static Check>) -> Self {
        Self {
            options,
            checks,
            next: 0,
            exchanges: Vec::new(),
            answers: BTreeMap::new(),
            errand: None,
            owed: Duration::ZERO,
            spent: Duration::ZERO,
            bytes: 0,
            silent: 0,
            is_changed: false,
            outcomes: Vec::new(),
        }
    }

    /// What is to be done next.
    pub fn step(&mut self) -> Step {
        if !self.owed.is_zero() {
            let wait = std::mem::take(&mut self.owed);
            self.spent += wait;
            return Step::Wait(wait);
        }
        if let Some(errand) = &self.errand {
            return Step::Fetch(Box::new(errand.request.clone()));
        }
        while let Some(check) = self.checks.get(self.next) {
            match self.judge(check) {
                Err(Stop::Wait(ask)) => {
                    if let Some(reason) = self.refusal() {
                        self.conclude(check, Err(Stop::Skip(reason)));
                    } else if ask.after_change && !self.is_changed {
                        self.is_changed = true;
                        return Step::Change;
                    } else {
                        let request = ask.http(&self.options.base_url, &self.options.headers);
                        let errand = Errand { ask: *ask, request, redirects: 0, tries: 0 };
                        let step = Step::Fetch(Box::new(errand.request.clone()));
                        self.errand = Some(errand);
                        return step;
                    }
                }
                result => self.conclude(check, result),
            }
        }
        Step::Finish
    }

    /// Takes what came of the last request: when it was sent on our clock, and how long it took.
    pub fn fetched(&mut self, answer: Result<HttpPage, Lost>, at: Stamp, took: Duration) {
        let Some(mut errand) = self.errand.take() else { return };
        let millis = in_millis(took);
        self.spent += took;
        self.bytes += match &answer {
            Ok(page) => page.body.len() as u64,
            Err(lost) => lost.received,
        };
        let mut exchange = Exchange::new(
            self.exchanges.len() + 1,
            errand.ask.clone(),
            errand.request.clone(),
            answer,
            at,
            millis,
            self.options.limits.page_bytes_max,
        );
        self.owed = self.options.limits.pause;
        let next = self.next_try(&mut errand, &exchange);
        exchange.part = next.unwrap_or(Part::Answer);
        if next.is_none() {
            self.silent = if exchange.answer.is_ok() { 0 } else { self.silent + 1 };
            self.answers.insert(errand.ask, self.exchanges.len());
        } else if self.refusal().is_some() {
            // The bound was reached in the middle of a question: what came last is the answer.
            exchange.part = Part::Answer;
            self.answers.insert(errand.ask, self.exchanges.len());
            self.owed = Duration::ZERO;
        } else {
            self.errand = Some(errand);
        }
        self.exchanges.push(exchange);
    }

    /// How long the answer to the next request may take: what is left of the run's time.
    #[must_use]
    pub fn time_left(&self) -> Duration {
        self.options.limits.duration_max.saturating_sub(self.spent)
    }

    /// How many exchanges there were so far, and at which check it stands.
    #[must_use]
    pub fn progress(&self) -> (usize, usize, usize) {
        (self.exchanges.len(), self.next, self.checks.len())
    }

    /// What came of it.
    #[must_use]
    pub fn finish(mut self) -> Examined {
        // Judged where it stands; what was not asked any more says so.
        let is_cut_short = self.next < self.checks.len();
        while let Some(check) = self.checks.get(self.next) {
            self.conclude(check, Err(Stop::Skip("the run was ended before".to_owned())));
        }
        let order: BTreeMap<&str, usize> =
            all_checks().enumerate().map(|(at, check)| (check.id, at)).collect();
        let options = self.options;
        self.outcomes.retain(|outcome| options.selects(outcome.check.id));
        self.outcomes.sort_by_key(|outcome| order.get(outcome.check.id).copied());
        Examined { options, exchanges: self.exchanges, outcomes: self.outcomes, is_cut_short }
    }

    fn judge(&self, check: &Check) -> Result<Found, Stop> {
        if check.when.asks() && self.has_failed(REACHABLE) {
            return Err(Stop::Skip(format!("`{REACHABLE}` failed")));
        }
        if let Some(need) = check.needs.iter().find(|need| self.has_failed(need)) {
            return Err(Stop::Skip(format!("`{need}` failed")));
        }
        let bench =
            Bench { options: &self.options, exchanges: &self.exchanges, answers: &self.answers };
        // What asks by GET says nothing where not even Identify is answered so; HTTP is told by its own checks.
        if check.when.asks() && check.group() != "transport" {
            bench.identify()?;
        }
        (check.judge)(&bench)
    }

    fn has_failed(&self, id: &str) -> bool {
        self.outcomes
            .iter()
            .any(|outcome| outcome.check.id == id && outcome.verdict == Verdict::Fail)
    }

    fn conclude(&mut self, check: &'static Check, result: Result<Found, Stop>) {
        let (verdict, reason, found) = match result {
            Ok(found) if found.findings.is_empty() && found.looked_at == 0 => {
                let reason = "there was nothing to look at".to_owned();
                (Verdict::Skip, Some(reason), found)
            }
            Ok(found) => {
                let worst = found.findings.iter().map(|finding| finding.severity).max();
                (worst.map_or(Verdict::Pass, Verdict::from), None, found)
            }
            Err(Stop::Skip(reason)) => (Verdict::Skip, Some(reason), Found::default()),
            Err(Stop::Inconclusive(reason)) => {
                (Verdict::Inconclusive, Some(reason), Found::default())
            }
            Err(Stop::Wait(_)) => {
                let reason = "it asks although it may not".to_owned();
                (Verdict::Inconclusive, Some(reason), Found::default())
            }
        };
        let Found { findings, more, looked_at } = found;
        self.outcomes.push(Outcome {
            check,
            verdict,
            reason,
            findings,
            more,
            looked_at,
            is_expected: false,
        });
        self.next += 1;
    }

    /// Why nothing more may be asked, if so.
    fn refusal(&self) -> Option<String> {
        let limits = &self.options.limits;
        if self.has_failed(REACHABLE) {
            Some(format!("`{REACHABLE}` failed"))
        } else if self.exchanges.len() >= limits.requests_max as usize {
            Some(format!("the budget of {} requests is spent", limits.requests_max))
        } else if self.bytes >= limits.bytes_max {
            Some(format!("the budget of {} bytes is spent", limits.bytes_max))
        } else if self.spent >= limits.duration_max {
            Some(format!("the budget of {} s is spent", limits.duration_max.as_secs()))
        } else if self.silent >= SILENT_MAX {
            Some("the repository does not answer any more".to_owned())
        } else {
            None
        }
    }

    /// Prepares the errand's next request, if it needs one, and says what part this exchange then played.
    fn next_try(&mut self, errand: &mut Errand, exchange: &Exchange) -> Option<Part> {
        let page = match &exchange.answer {
            Err(lost) if lost.phase != Phase::TooLarge && errand.tries == 0 => {
                errand.tries += 1;
                self.owed = self.owed.max(LOST_WAIT);
                return Some(Part::Lost);
            }
            Err(_) => return None,
            Ok(page) => page,
        };
        if exchange.root().is_some() {
            return None;
        }
        match page.status {
            301 | 302 | 303 | 307 | 308 if errand.redirects < REDIRECTS_MAX => {
                let target = target(&errand.request.url, page.headers.get("location")?)?;
                errand.redirects += 1;
                errand.request.url = target;
                if !matches!(page.status, 307 | 308) {
                    (errand.request.method, errand.request.body) = (Method::Get, None);
                }
                Some(Part::Redirect)
            }
            429 | 503 if errand.tries < TRIES_MAX => {
                let named = page.headers.get("retry-after").map(str::trim);
                let wait = match named.map(str::parse) {
                    Some(Ok(seconds)) => Duration::from_secs(seconds),
                    _ => UNNAMED_WAIT,
                };
                if wait > self.options.limits.busy_wait_max || wait > self.time_left() {
                    return None;
                }
                errand.tries += 1;
                self.owed = self.owed.max(wait);
                Some(Part::Busy)
            }
            _ => None,
        }
    }
}

/// The check without which all others say nothing.
const REACHABLE: &str = "transport.reachable";

fn in_millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

/// Where a redirect leads, if it is HTTP.
fn target(here: &str, location: &str) -> Option<String> {
    let target = Url::parse(here).ok()?.join(location).ok()?;
    matches!(target.scheme(), "http" | "https").then(|| target.into())
}
