//! The harvest of one key: Identify, one window, its traversals, and the closing.
//!
//! A machine that a driver polls. Requests, waits and entries for the store come out of [`Harvest::step`];
//! answers and receipts go in. It runs one page ahead of the store and never further than it may.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use pmh_protocol::{
    Body, DeletedRecords, ErrorCode, Granularity, HttpRequest, Identify, OaiError, Page, Phase,
    Request, Selection, Stamp, Verb,
};

use crate::entry::{Closing, CompleteList, Completion, Ending, Entry, SourceFacts, Traversal};
use crate::errand::Errand;
use crate::fetched::{Answered, Fetched};
use crate::guard::{Reopening, Trip};
use crate::outcome::{Complained, End, Outcome, Refusal, Stop, StoreFault, Trouble};
use crate::pace::Pace;
use crate::plan::Plan;
use crate::store::{Counts, Known, OpenTraversal, Receipt, Tally};
use crate::time::Instant;
use crate::token_loop::{Conclusion, Halt, Next, TokenLoop};
use crate::watermark;
use crate::window::Window;

/// What a harvest needs next. A driver supplies it and reports back; it decides nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send this and report to [`Harvest::fetched`].
    Fetch(Arc<HttpRequest>),
    /// Ask again at this moment, or after a receipt.
    Wait {
        /// The moment.
        until: Instant,
    },
    /// Commit this after all that was handed out before, and report to [`Harvest::committed`]. Consecutive entries
    /// may share a transaction.
    Store(Arc<Entry>),
    /// Nothing until a receipt arrives.
    Idle,
    /// The run is over.
    Finish(Box<Outcome>),
}

/// One run over one key.
#[derive(Clone, Debug)]
pub struct Harvest {
    plan: Plan,
    known: Known,
    started: Stamp,
    stage: Stage,
    source: SourceFacts,
    list: Option<TokenLoop>,
    errand: Option<Errand>,
    /// When the request in flight left.
    asked: Option<Instant>,
    pace: Pace,
    busy_waited: Duration,
    /// Entries not yet handed out.
    ready: VecDeque<Arc<Entry>>,
    /// Entries whose receipts have not come, handed out or not.
    unacknowledged: VecDeque<Awaited>,
    stopping: bool,
    last_traversal: u64,
    requests: u64,
    counts: Counts,
    watermark: Option<Stamp>,
    complaints: BTreeMap<String, Complained>,
}

/// Where the run stands.
#[derive(Clone, Debug)]
enum Stage {
    /// Asking who the repository is.
    Identify,
    /// The traversal is being made durable; its first request waits for that.
    Open,
    /// Reading the list.
    List,
    /// Waiting for receipts before the window is opened again.
    Reopen(Reopening),
    /// Waiting for receipts before the traversal is closed.
    End { end: End, keep_cursor: bool },
    /// The closing is being made durable.
    Close(End),
    /// Over.
    Finished(End),
}

/// A kind of receipt that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Open,
    Page,
    Close,
}

impl Harvest {
    /// The run of `plan` on what the store knows, begun at `now` on our clock.
    #[must_use]
    pub fn resume(plan: Plan, known: Known, now: Stamp) -> Self {
        let source = known.source.unwrap_or(SourceFacts {
            granularity: Granularity::Day,
            deleted_records: DeletedRecords::No,
        });
        Self {
            errand: Some(Errand::new(Request::Identify, &plan)),
            pace: Pace::new(&plan.key.source, plan.pause),
            last_traversal: known.last_traversal,
            watermark: known.watermark,
            plan,
            known,
            started: now,
            stage: Stage::Identify,
            source,
            list: None,
            asked: None,
            busy_waited: Duration::ZERO,
            ready: VecDeque::new(),
            unacknowledged: VecDeque::new(),
            stopping: false,
            requests: 0,
            counts: Counts::default(),
            complaints: BTreeMap::new(),
        }
    }

    /// What is needed next.
    pub fn step(&mut self, now: Instant) -> Step {
        self.advance(now);
        if let Some(entry) = self.ready.pop_front() {
            return Step::Store(entry);
        }
        match &self.stage {
            Stage::Finished(end) => return Step::Finish(Box::new(self.outcome(end.clone()))),
            Stage::Identify => {}
            Stage::List if self.list.as_ref().is_some_and(TokenLoop::may_fetch) => {}
            _ => return Step::Idle,
        }
        let Some(errand) = &self.errand else {
            return Step::Idle;
        };
        let until = self.pace.not_before();
        if now < until {
            return Step::Wait { until };
        }
        self.asked = Some(now);
        Step::Fetch(errand.http())
    }

    /// The answer to the last [`Step::Fetch`].
    pub fn fetched(&mut self, fetched: Fetched, now: Instant) {
        self.requests += 1;
        let asked = self.asked.take().unwrap_or(now);
        self.pace.answered(asked, now);
        match fetched {
            Fetched::Document(answered) => {
                self.note_complaints(&answered);
                match self.stage {
                    Stage::Identify => self.take_identify(*answered),
                    _ => self.take_answer(*answered, now),
                }
            }
            Fetched::Busy { status: _, retry_after } => self.busy(retry_after, now),
            Fetched::Redirect { status, location } => self.redirected(status, &location, now),
            Fetched::Blocked { status } => {
                self.end_early(Stop::Blocked { status }, Refusal::Blocked { status }, true);
            }
            Fetched::Status { status } => self.trouble(Trouble::Status(status), now),
            Fetched::Unreadable(error) => self.trouble(Trouble::Unreadable(error), now),
            Fetched::Lost(lost) => self.trouble(Trouble::Lost(lost), now),
        }
    }

    /// The receipt of the oldest entry that has none yet.
    pub fn committed(&mut self, receipt: &Receipt) {
        let awaited = self
            .unacknowledged
            .pop_front()
            .expect("a receipt belongs to an entry that was handed out");
        self.counts += receipt.counts;
        match (awaited, &self.stage) {
            (Awaited::Open, Stage::Open) => self.stage = Stage::List,
            (Awaited::Close, Stage::Close(end)) => self.stage = Stage::Finished(end.clone()),
            (Awaited::Page, _) => {
                let list = self.list.as_mut().expect("a page belongs to a list");
                if let Err(halt) = list.committed(receipt)
                    && matches!(self.stage, Stage::List)
                {
                    self.halt(halt);
                }
            }
            (Awaited::Open | Awaited::Close, _) => {}
        }
    }

    /// The store failed: the run is over, and what had its receipt is durable.
    pub fn commit_failed(&mut self, fault: StoreFault) {
        self.ready.clear();
        self.unacknowledged.clear();
        self.stage = Stage::Finished(End::Failed(fault));
    }

    /// Asks the run to end in order: a page in hand is stored, the cursor stays good (H23).
    pub const fn stop(&mut self) {
        self.stopping = true;
    }

    /// The traversal as it was counted last, and the size announced: from commits only, for those who watch.
    #[must_use]
    pub fn progress(&self) -> (Tally, Option<u64>) {
        self.list.as_ref().map_or((Tally::default(), None), |list| {
            (*list.tally(), list.progress().sizes.map(|sizes| sizes.last))
        })
    }

    /// Transitions that wait until nothing is outstanding at the store.
    fn advance(&mut self, now: Instant) {
        if !self.unacknowledged.is_empty() {
            return;
        }
        match self.stage.clone() {
            Stage::Identify | Stage::List if self.stopping && !self.list_has_ended() => {
                self.end_early(Stop::Operator, Refusal::Operator, true);
                self.advance(now);
            }
            Stage::List if self.list_has_ended() => {
                self.conclude(now);
                self.advance(now);
            }
            Stage::Reopen(because) => self.reopen(because, now),
            Stage::End { end, keep_cursor } => {
                let reason = end.to_string();
                self.close(Ending::Incomplete { keep_cursor, reason }, end, now);
            }
            _ => {}
        }
    }

    fn list_has_ended(&self) -> bool {
        self.list.as_ref().is_some_and(|list| matches!(list.next(), Next::Ended { .. }))
    }

    // ---- Identify

    fn take_identify(&mut self, answered: Answered) {
        match answered.parsed.document.body {
            Body::Identify(identify)
                if identify.protocol_version != "2.0" && !identify.protocol_version.is_empty() =>
            {
                let refusal = Refusal::Version(identify.protocol_version);
                self.stage = Stage::End { end: End::Refused(refusal), keep_cursor: true };
            }
            Body::Identify(identify) => {
                self.learn(&identify);
                self.begin();
            }
            _ => {
                self.complain("identify", "the answer to Identify is another document".to_owned());
                self.begin();
            }
        }
    }

    fn learn(&mut self, identify: &Identify) {
        if let Some(granularity) = identify.granularity {
            self.source.granularity = granularity;
        }
        if let Some(deleted_records) = identify.deleted_records {
            self.source.deleted_records = deleted_records;
        }
    }

    /// Goes on with the unfinished traversal, or opens a window.
    fn begin(&mut self) {
        let wanted = self.wanted_window();
        if let Some(open) = self.known.open.clone()
            && wanted.is_none_or(|wanted| wanted == open.traversal.window)
        {
            if let Some(token) = self.token_worth_trying(&open) {
                self.list = Some(TokenLoop::resume(
                    &open,
                    &token,
                    self.plan.limits,
                    self.plan.repeated_token,
                    self.known.last_complete,
                ));
                self.ask(Request::Resume { verb: Verb::ListRecords, token });
                self.stage = Stage::List;
                return;
            }
            // The rows are kept; the counts of restarts begin anew with every run.
            self.open(open.traversal.window, Some(open.traversal.window_number), 0, 0);
            return;
        }
        let window = wanted.unwrap_or_else(|| {
            self.known.watermark.map_or_else(Window::default, |watermark| {
                Window::since(watermark, self.plan.limits.overlap_seconds, self.source.granularity)
            })
        });
        self.open(window, None, 0, 0);
    }

    /// The span that the operator names, if one is named.
    fn wanted_window(&self) -> Option<Window> {
        let Plan { from, until, .. } = self.plan;
        (from.is_some() || until.is_some()).then_some(Window { from, until })
    }

    /// The stored token, unless it has outlived what it was promised, or an hour (H18).
    fn token_worth_trying(&self, open: &OpenTraversal) -> Option<String> {
        let cursor = open.cursor.as_ref()?;
        let life = cursor.life_seconds.unwrap_or(self.plan.limits.resume_age_seconds);
        let age = self.started.seconds() - cursor.given_at.seconds();
        (!open.progress.session_bound && age < life).then(|| cursor.token.clone())
    }

    fn open(
        &mut self,
        window: Window,
        window_number: Option<u64>,
        restarts_in_row: u32,
        restarts: u32,
    ) {
        self.last_traversal += 1;
        let traversal = Traversal {
            number: self.last_traversal,
            window_number: window_number.unwrap_or(self.last_traversal),
            window,
            opened_at: self.started,
            restarts_in_row,
            restarts,
            source: self.source,
        };
        self.list = Some(TokenLoop::open(
            traversal.clone(),
            self.plan.limits,
            self.plan.repeated_token,
            self.known.last_complete,
        ));
        self.hand_out(Entry::Open(traversal), Awaited::Open);
        self.stage = Stage::Open;
        self.ask(Request::ListRecords(Selection {
            prefix: self.plan.key.prefix.clone(),
            from: window.from,
            until: window.until,
            set: self.plan.key.set.clone(),
        }));
    }

    // ---- the list

    fn take_answer(&mut self, answered: Answered, now: Instant) {
        let parsed = answered.parsed;
        let time = watermark::repository_time(
            parsed.document.response_date,
            answered.date,
            self.clock(now),
        );
        match parsed.document.body {
            Body::List(page) if page.verb == Verb::ListRecords => {
                self.take_page(page, parsed.unreadable, time, now);
            }
            Body::Errors(errors) => self.take_errors(&errors, time, now),
            _ => {
                let text = "the answer to ListRecords is another document".to_owned();
                self.trouble(Trouble::Answer(text), now);
            }
        }
    }

    fn take_page(&mut self, page: Page, unreadable: u32, time: Stamp, now: Instant) {
        let clock = self.clock(now);
        let list = self.list.as_mut().expect("a page answers a request of the list");
        match list.take(page, unreadable, time, clock) {
            Ok(batch) => {
                let next = match list.next() {
                    Next::Token(token) => Some(token.clone()),
                    Next::Opening | Next::Ended { .. } => None,
                };
                self.hand_out(Entry::Page(batch), Awaited::Page);
                match next {
                    Some(token) => self.ask(Request::Resume { verb: Verb::ListRecords, token }),
                    None => self.errand = None,
                }
            }
            Err(halt) => self.halt(halt),
        }
    }

    fn take_errors(&mut self, errors: &[OaiError], time: Stamp, now: Instant) {
        let error = errors
            .iter()
            .find(|error| error.code == ErrorCode::BadResumptionToken)
            .or_else(|| errors.first())
            .cloned()
            .unwrap_or_else(|| OaiError::new(ErrorCode::Other(String::new()), ""));
        let opening = self.is_opening();
        let list = self.list.as_mut().expect("an error answers a request of the list");
        let ends = matches!(error.code, ErrorCode::BadResumptionToken | ErrorCode::NoRecordsMatch);
        if !opening && ends && list.counts_say_complete() {
            list.end_by_counts();
            self.errand = None;
            self.complain(
                "token-after-end",
                format!("the last token was answered with `{}`", error.code),
            );
            return;
        }
        match (opening, &error.code) {
            (true, ErrorCode::NoRecordsMatch) => self.nothing_new(time, now),
            (true, _) => {
                self.stage =
                    Stage::End { end: End::Refused(Refusal::Oai(error)), keep_cursor: false };
            }
            (false, ErrorCode::BadResumptionToken) => {
                self.complain("list-restarted", Reopening::TokenRefused.as_str().to_owned());
                self.stage = Stage::Reopen(Reopening::TokenRefused);
            }
            (false, code) => {
                let text = format!("the repository answered a token with `{code}`: {}", error.text);
                self.trouble(Trouble::Answer(text), now);
            }
        }
    }

    /// noRecordsMatch to the opening request (H11).
    fn nothing_new(&mut self, time: Stamp, now: Instant) {
        let traversal = self.list.as_ref().expect("a list was asked for").traversal().clone();
        let held = self.known.held_live;
        if traversal.window.is_everything() && held > 0 {
            self.halt(Halt::Trip(Trip::Shrink { held }));
            return;
        }
        let list = CompleteList {
            pages: 0,
            distinct: 0,
            size: None,
            ended_empty: false,
            everything: traversal.window.is_everything(),
        };
        self.complete(&traversal, time, list, now);
    }

    /// The list has ended and every receipt is in.
    fn conclude(&mut self, now: Instant) {
        let list = self.list.as_mut().expect("a list has ended");
        match list.conclude() {
            Conclusion::Complete(facts) => {
                let traversal = list.traversal().clone();
                let opening = list
                    .progress()
                    .opening_response_date
                    .expect("a list that has ended has had a first answer");
                self.complete(&traversal, opening, facts, now);
            }
            Conclusion::AskAgain(token) => {
                self.complain(
                    "asked-last-again",
                    "the list ended before its announced size".to_owned(),
                );
                self.ask(Request::Resume { verb: Verb::ListRecords, token });
            }
            Conclusion::Trip(trip) => self.halt(Halt::Trip(trip)),
        }
    }

    fn halt(&mut self, halt: Halt) {
        self.errand = None;
        match halt {
            Halt::Trip(trip) => {
                self.stage =
                    Stage::End { end: End::Incomplete(Stop::Guard(trip)), keep_cursor: false };
            }
            Halt::Reopen(because) => {
                self.complain("list-restarted", because.as_str().to_owned());
                self.stage = Stage::Reopen(because);
            }
        }
    }

    /// Opens the window again, unless that has not helped too often (H13).
    fn reopen(&mut self, because: Reopening, now: Instant) {
        let list = self.list.as_ref().expect("a window is reopened from a list");
        let traversal = list.traversal().clone();
        // A traversal that brought something new to the window was worth it: the count begins again.
        let in_row =
            if list.tally().fresh_in_window > 0 { 1 } else { traversal.restarts_in_row + 1 };
        let restarts = traversal.restarts + 1;
        let limits = &self.plan.limits;
        if in_row > limits.restarts_in_row_max || restarts > limits.restarts_max {
            let trip = Trip::RestartCeiling { restarts: traversal.restarts, because };
            self.halt(Halt::Trip(trip));
            self.advance(now);
            return;
        }
        self.open(traversal.window, Some(traversal.window_number), in_row, restarts);
    }

    // ---- trouble

    /// An answer that will not do: the same request again, while that is allowed and may help (H15).
    fn trouble(&mut self, trouble: Trouble, now: Instant) {
        let identifying = matches!(self.stage, Stage::Identify);
        if identifying && !matches!(trouble, Trouble::Lost(_) | Trouble::Status(500..=599)) {
            // What answers Identify like this answers it so again; the opening request decides (H1).
            self.complain("identify", trouble.to_string());
            self.begin();
            return;
        }
        let opening = self.is_opening();
        let refused_for_good =
            matches!(trouble, Trouble::Status(404 | 410) | Trouble::Redirects(_))
                || matches!(&trouble, Trouble::Lost(lost) if lost.phase == Phase::TooLarge);
        if !identifying && !opening && self.list.as_ref().is_some_and(TokenLoop::is_session_bound) {
            self.complain("list-restarted", trouble.to_string());
            self.stage = Stage::Reopen(Reopening::SessionLost);
            return;
        }
        let errand = self.errand.as_mut().expect("trouble answers a request");
        let wait = if opening && refused_for_good {
            None
        } else {
            errand.fail(&self.plan.limits, self.plan.seed)
        };
        if let Some(wait) = wait {
            self.pace.wait(wait, now);
            if let Some(list) = &mut self.list
                && !opening
            {
                list.asking_again();
            }
            self.complain("asked-again", trouble.to_string());
            return;
        }
        if identifying && !matches!(&trouble, Trouble::Lost(lost) if lost.phase == Phase::Connect) {
            self.complain("identify", trouble.to_string());
            self.begin();
            return;
        }
        if let (false, false, Trouble::Status(400 | 404 | 410 | 422 | 500)) =
            (identifying, opening, &trouble)
        {
            self.complain("list-restarted", trouble.to_string());
            self.stage = Stage::Reopen(Reopening::TokenFails);
            return;
        }
        let keep_cursor = matches!(trouble, Trouble::Lost(_));
        let page = self.list.as_ref().map_or(1, TokenLoop::next_page);
        self.end_early(
            Stop::RetryExhausted { page, trouble: trouble.clone() },
            Refusal::Unreachable(trouble),
            keep_cursor,
        );
    }

    fn busy(&mut self, retry_after: Option<Duration>, now: Instant) {
        let limits = self.plan.limits;
        let errand = self.errand.as_mut().expect("a refusal answers a request");
        let wait = errand.refused(retry_after, &limits);
        let asked = wait.or(retry_after).unwrap_or_default();
        match wait {
            Some(wait)
                if wait <= limits.retry_after_max
                    && self.busy_waited + wait <= limits.busy_wait_max =>
            {
                self.busy_waited += wait;
                self.pace.wait(wait, now);
                self.complain("busy", format!("the source asked to wait {} s", wait.as_secs()));
            }
            _ => {
                let seconds = asked.as_secs();
                self.end_early(Stop::TooBusy { seconds }, Refusal::TooBusy { seconds }, true);
            }
        }
    }

    fn redirected(&mut self, status: u16, location: &str, now: Instant) {
        let errand = self.errand.as_mut().expect("a redirect answers a request");
        match errand.follow(location, &self.plan.limits) {
            Ok(()) if matches!(status, 301 | 308) => {
                self.complain("moved-permanently", format!("redirected to `{location}`"));
            }
            Ok(()) => {}
            Err(text) => self.trouble(Trouble::Redirects(text), now),
        }
    }

    // ---- the end

    /// Ends as incomplete when something was read, in this run or the one that is resumed; else as refused.
    fn end_early(&mut self, stop: Stop, refusal: Refusal, keep_cursor: bool) {
        self.errand = None;
        let began = self.list.as_ref().is_some_and(|list| list.next_page() > 1);
        let end = if began { End::Incomplete(stop) } else { End::Refused(refusal) };
        self.stage = Stage::End { end, keep_cursor };
    }

    fn complete(
        &mut self,
        traversal: &Traversal,
        opening: Stamp,
        list: CompleteList,
        now: Instant,
    ) {
        let (watermark, floor) = watermark::after(traversal, opening, &self.known);
        self.watermark = watermark.or(self.watermark);
        self.errand = None;
        self.close(Ending::Complete(Completion { watermark, floor, list }), End::Complete, now);
    }

    fn close(&mut self, ending: Ending, end: End, now: Instant) {
        let resumable = self.known.open.as_ref().map(|open| open.traversal.number);
        let traversal = self.list.as_ref().map(|list| list.traversal().number).or(resumable);
        let closing = Closing { traversal, closed_at: self.clock(now), ending };
        self.hand_out(Entry::Close(closing), Awaited::Close);
        self.stage = Stage::Close(end);
    }

    fn outcome(&self, end: End) -> Outcome {
        let list = self.list.as_ref();
        Outcome {
            end,
            window: list.map(|list| list.traversal().window),
            tally: list.map(|list| *list.tally()).unwrap_or_default(),
            counts: self.counts,
            watermark: self.watermark,
            requests: self.requests,
            restarts: list.map_or(0, |list| list.traversal().restarts),
            complaints: self.complaints.clone(),
        }
    }

    // ---- small change

    fn ask(&mut self, request: Request) {
        self.errand = Some(Errand::new(request, &self.plan));
    }

    fn hand_out(&mut self, entry: Entry, awaited: Awaited) {
        self.ready.push_back(Arc::new(entry));
        self.unacknowledged.push_back(awaited);
    }

    /// Whether the request in hand opens the list.
    fn is_opening(&self) -> bool {
        self.errand
            .as_ref()
            .is_some_and(|errand| matches!(errand.request(), Request::ListRecords(_)))
    }

    /// Our clock at `now`.
    fn clock(&self, now: Instant) -> Stamp {
        self.started.plus_seconds(i64::try_from(now.millis() / 1_000).unwrap_or(i64::MAX))
    }

    fn note_complaints(&mut self, answered: &Answered) {
        for complaint in &answered.parsed.complaints {
            self.complain(complaint.kind.as_str(), complaint.to_string());
        }
    }

    fn complain(&mut self, name: &str, example: String) {
        self.complaints
            .entry(name.to_owned())
            .and_modify(|complained| complained.count += 1)
            .or_insert(Complained { count: 1, example });
    }
}
