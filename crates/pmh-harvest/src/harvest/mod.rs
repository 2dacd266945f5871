//! The harvest of one key: Identify, one window, its traversals, and the closing.
//!
//! A machine that a driver polls. Requests, waits and entries for the store come out of [`Harvest::step`];
//! answers and receipts go in. It runs a page or a few ahead of the store and never further than it may.

mod drift; // what the source said about itself before, and says now
mod offers; // which sets and formats there are
mod opening; // how a run gets to its first page
mod reading; // how a list is read
mod singles; // records fetched one by one, where no list brings them
mod slicing; // windows that cannot be read as one list
mod trouble; // answers that will not do

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use pmh_protocol::{Datestamp, HttpRequest, OaiError, Request, Stamp};

use crate::entry::{
    Closing, CompleteList, Completion, Ending, Entry, Hole, Refresh, SourceFacts, SourceMemory,
    Traversal,
};
use crate::errand::Errand;
use crate::fetched::{Answered, Fetched};
use crate::guard::{Reopening, Trip};
use crate::outcome::{Complained, End, Outcome, Refusal, Stop, StoreFault, Trouble, for_people};
use crate::pace::Pace;
use crate::plan::Plan;
use crate::slices::Slices;
use crate::store::{Counts, Known, Receipt, Tally};
use crate::time::Instant;
use crate::token_loop::{Next, TokenLoop};
use crate::watermark::{self, Reached};
use crate::window::Window;
use singles::Singles;

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
    /// How the source behaves, as it will be remembered.
    memory: SourceMemory,
    /// Address of the format's schema.
    schema: Option<String>,
    refresh: Option<Refresh>,
    /// Prefixes that there are; `None` until ListMetadataFormats has said so.
    offered: Option<Vec<String>>,
    list: Option<TokenLoop>,
    errand: Option<Errand>,
    /// Of this traversal (F026).
    cookies: BTreeMap<String, String>,
    /// The other form of dates was tried because the first was refused.
    granularity_switched: bool,
    /// When the request in flight left.
    asked: Option<Instant>,
    pace: Pace,
    busy_waited: Duration,
    /// Entries not yet handed out.
    ready: VecDeque<Arc<Entry>>,
    /// Entries whose receipts have not come, handed out or not.
    unacknowledged: VecDeque<Awaited>,
    stopping: bool,
    /// Items that earlier traversals of the window delivered.
    window_delivered: u64,
    slices: Slices,
    singles: Option<Singles>,
    /// What the slices left out of the whole, once that was compared.
    left_out: Option<Vec<String>>,
    /// What the whole list does not show of what is held, once that was compared.
    absent: Option<Vec<String>>,
    /// The list in hand is there: when it was opened, and what is remembered of it.
    concluded: Option<(Stamp, Option<CompleteList>)>,
    /// Records of the list in hand that could not be had.
    new_holes: Vec<Hole>,
    /// The traversal in hand was begun by an earlier run.
    was_resumed: bool,
    /// Holes of earlier runs were asked for.
    holes_asked: bool,
    /// The window in hand was left open by an earlier run and has an end: what is new comes after it.
    then_new: bool,
    /// Pages taken in this run.
    pages_taken: u64,
    /// Items taken in this run.
    items_taken: u64,
    /// The earliest datestamp of rows that this run made, changed or revived.
    earliest_noticed: Option<Datestamp>,
    cursor_kept: bool,
    last_traversal: u64,
    requests: u64,
    counts: Counts,
    watermark: Option<Stamp>,
    floor: Option<Stamp>,
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
    /// An empty list was answered with nothing: asking whether there is such a set.
    Sets { time: Stamp, pages: u32 },
    /// Asking which formats there are; after the format was refused, so that the refusal can name them.
    Formats { refusal: Option<OaiError> },
    /// Fetching records one by one.
    Singles,
    /// Waiting for receipts before the window is worked in smaller pieces; how the run ends if that does not help.
    Pieces(Box<End>),
    /// Waiting for an answer of the store before the list is closed.
    Settle,
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
    Compare,
    Mend,
    Close,
}

impl Harvest {
    /// The run of `plan` on what the store knows, begun at `now` on our clock.
    #[must_use]
    pub fn resume(plan: Plan, known: Known, now: Stamp) -> Self {
        let source = known.source.clone().unwrap_or_default();
        let not_yet = known.memory.not_before.filter(|until| *until > now);
        let stage = match not_yet.filter(|_| !plan.ignore_not_before) {
            Some(until) => {
                Stage::End { end: End::Refused(Refusal::NotBefore { until }), keep_cursor: true }
            }
            None => Stage::Identify,
        };
        let earned = Duration::from_millis(known.memory.pause_millis);
        Self {
            errand: Some(Errand::new(
                Request::Identify,
                &plan,
                Window::default(),
                &BTreeMap::new(),
            )),
            cookies: BTreeMap::new(),
            granularity_switched: false,
            pace: Pace::new(&plan.key.source, plan.pause, earned),
            memory: known.memory,
            schema: None,
            refresh: None,
            offered: None,
            last_traversal: known.last_traversal,
            watermark: known.watermark,
            floor: known.floor,
            plan,
            known,
            started: now,
            stage,
            source,
            list: None,
            asked: None,
            busy_waited: Duration::ZERO,
            ready: VecDeque::new(),
            unacknowledged: VecDeque::new(),
            stopping: false,
            window_delivered: 0,
            slices: Slices::default(),
            singles: None,
            left_out: None,
            absent: None,
            was_resumed: false,
            concluded: None,
            new_holes: Vec::new(),
            holes_asked: false,
            then_new: false,
            pages_taken: 0,
            items_taken: 0,
            earliest_noticed: None,
            cursor_kept: true,
            requests: 0,
            counts: Counts::default(),
            complaints: BTreeMap::new(),
        }
    }

    /// What is needed next.
    pub fn step(&mut self, now: Instant) -> Step {
        let end = self.ends_at();
        self.stopping |= end.is_some_and(|end| now >= end);
        self.advance(now);
        if let Some(entry) = self.ready.pop_front() {
            return Step::Store(entry);
        }
        match &self.stage {
            Stage::Finished(end) => return Step::Finish(Box::new(self.outcome(end.clone()))),
            Stage::Identify | Stage::Sets { .. } | Stage::Formats { .. } => {}
            Stage::Singles if self.unacknowledged.is_empty() => {}
            // What is in hand is stored, and nothing more is asked for.
            Stage::List if self.stopping => return Step::Idle,
            Stage::List if self.list.as_ref().is_some_and(TokenLoop::may_fetch) => {}
            _ => return Step::Idle,
        }
        let Some(errand) = &self.errand else {
            return Step::Idle;
        };
        let until = self.pace.not_before();
        if now < until {
            return Step::Wait { until: end.map_or(until, |end| until.min(end)) };
        }
        self.asked = Some(now);
        Step::Fetch(errand.http())
    }

    /// The answer to the last [`Step::Fetch`].
    pub fn fetched(&mut self, fetched: Fetched, now: Instant) {
        self.requests += 1;
        let asked = self.asked.take().unwrap_or(now);
        self.pace.answered(asked, now);
        match self.stage.clone() {
            Stage::Sets { time, pages } => return self.take_sets(fetched, time, pages, now),
            Stage::Formats { refusal } => return self.take_formats(fetched, refusal, now),
            _ => {}
        }
        match fetched {
            Fetched::Document(answered) => {
                self.memory.not_before = None;
                if let Some(complaint) =
                    answered.parsed.complaints.first().filter(|_| self.plan.strict)
                {
                    let text = for_people(&complaint.to_string());
                    self.end_early(Stop::Strict(text.clone()), Refusal::Strict(text), true);
                    return;
                }
                self.note_complaints(&answered);
                self.cookies.extend(answered.cookies.iter().cloned());
                let time = watermark::repository_time(
                    answered.parsed.document.response_date,
                    answered.date,
                    self.clock(now),
                );
                match self.stage {
                    Stage::Identify => self.take_identify(*answered),
                    Stage::Singles => self.take_single(*answered, time, now),
                    _ => self.take_answer(*answered, time, now),
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
        self.earliest_noticed =
            [self.earliest_noticed, receipt.earliest_noticed].into_iter().flatten().min();
        if receipt.went_back > 0 {
            let text = "a record came with an earlier datestamp than before".to_owned();
            self.complain_often("datestamp-went-back", receipt.went_back, text);
        }
        match (awaited, &self.stage) {
            (Awaited::Open, Stage::Open) => self.stage = Stage::List,
            (Awaited::Close, Stage::Close(end)) => {
                let end = end.clone();
                if end != End::Complete || !self.go_on() {
                    self.stage = Stage::Finished(end);
                }
            }
            (Awaited::Compare, _) => self.compared(&receipt.lacking),
            (Awaited::Mend, _) => {}
            (Awaited::Page, _) => {
                let list = self.list.as_mut().expect("a page belongs to a list");
                if let Err(halt) = list.committed(receipt)
                    && matches!(self.stage, Stage::List)
                {
                    self.halt(halt);
                }
                self.mind_the_disk(receipt);
            }
            (Awaited::Open | Awaited::Close, _) => {}
        }
    }

    /// Stops a list that goes on while the disk is nearly full; what came is stored, and its cursor is good.
    fn mind_the_disk(&mut self, receipt: &Receipt) {
        let floor_bytes = self.plan.limits.disk_floor_bytes;
        let goes_on = matches!(self.stage, Stage::List) && !self.list_has_ended();
        if let Some(free_bytes) = receipt.free_bytes.filter(|free| goes_on && *free < floor_bytes) {
            let trip = Trip::DiskFloor { free_bytes, floor_bytes };
            self.errand = None;
            self.stage = Stage::End { end: End::Incomplete(Stop::Guard(trip)), keep_cursor: true };
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

    /// When the run is to end in order, where its plan bounds it: an answer that is not there by then is not worth
    /// waiting for much longer.
    #[must_use]
    pub fn ends_at(&self) -> Option<Instant> {
        self.plan.max_duration.map(|most| Instant::START.plus(most))
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
        if matches!(self.stage, Stage::List) {
            self.end_by_count();
        }
        match self.stage.clone() {
            Stage::Identify
            | Stage::List
            | Stage::Sets { .. }
            | Stage::Formats { .. }
            | Stage::Singles
                if self.stopping && !self.list_has_ended() =>
            {
                self.errand = None;
                self.stage = Stage::End { end: End::Incomplete(Stop::Operator), keep_cursor: true };
                self.advance(now);
            }
            Stage::List if self.list_has_ended() => {
                self.conclude(now);
                self.advance(now);
            }
            Stage::Singles => {
                self.conclude_singles(now);
                if !matches!(self.stage, Stage::Singles) {
                    self.advance(now);
                }
            }
            Stage::Settle => {
                self.settle(now);
                if !matches!(self.stage, Stage::Settle) {
                    self.advance(now);
                }
            }
            Stage::Pieces(end) => {
                self.work_in_pieces(*end);
                self.advance(now);
            }
            Stage::Reopen(because) => self.reopen(because, now),
            Stage::End { end, keep_cursor } => {
                let reason = end.to_string();
                self.cursor_kept = keep_cursor;
                self.close(Ending::Incomplete { keep_cursor, reason }, end, now);
            }
            _ => {}
        }
    }

    fn list_has_ended(&self) -> bool {
        self.list.as_ref().is_some_and(|list| matches!(list.next(), Next::Ended { .. }))
    }

    fn complete(
        &mut self,
        traversal: &Traversal,
        opening: Stamp,
        list: Option<CompleteList>,
        now: Instant,
    ) {
        let holes = std::mem::take(&mut self.new_holes);
        let mut open_holes = self.known.holes.clone();
        open_holes.extend(holes.iter().cloned());
        let Reached { watermark, floor, coverage } =
            watermark::after(traversal, opening, &self.known, &open_holes);
        let lag_seconds = self.lag_seconds(traversal.window);
        self.watermark = watermark.or(self.watermark);
        self.floor = floor;
        self.errand = None;
        // What the next window of this run starts from.
        self.known.watermark = self.watermark;
        self.known.floor = floor;
        self.known.coverage.extend(coverage);
        self.known.coverage.sort_unstable();
        self.known.holes = open_holes;
        let end = match self.slices.is_last() && !self.then_new {
            true => self.end_with_holes(),
            false => End::Complete,
        };
        let incomplete = Some(&end).filter(|end| **end != End::Complete).map(End::to_string);
        let completion =
            Completion { watermark, floor, list, coverage, lag_seconds, holes, incomplete };
        self.close(Ending::Complete(completion), end, now);
    }

    /// Seconds by which something came late, where the window was to bring what is new since the watermark.
    fn lag_seconds(&mut self, window: Window) -> i64 {
        let is_incremental = window.from.is_some() && window.until.is_none();
        let since = self.known.watermark.filter(|_| is_incremental && self.plan.from.is_none());
        let Some((watermark, datestamp)) = since.zip(self.earliest_noticed) else { return 0 };
        let lag = watermark::lag_seconds(watermark, datestamp);
        if lag > 0 {
            let text = format!("a record of {datestamp} was not there at {watermark}");
            self.complain("came-late", text);
        }
        lag
    }

    fn close(&mut self, ending: Ending, end: End, now: Instant) {
        let resumable = self.known.open.as_ref().map(|open| open.traversal.number);
        let traversal = self.list.as_ref().map(|list| list.traversal().number).or(resumable);
        self.memory.pause_millis =
            u64::try_from(self.pace.earned().as_millis()).unwrap_or(u64::MAX);
        let memory = self.memory;
        let closing = Closing { traversal, closed_at: self.clock(now), ending, memory };
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
            floor: self.floor,
            cursor_kept: self.cursor_kept && list.is_some_and(|list| list.next_page() > 1),
            requests: self.requests,
            restarts: list.map_or(0, |list| list.traversal().restarts),
            switches: self.plan.compat.names(),
            refresh_due: self.refresh_due(),
            holes: self.known.holes.clone(),
            complaints: self.complaints.clone(),
        }
    }

    fn ask(&mut self, request: Request) {
        let window =
            self.list.as_ref().map_or_else(Window::default, |list| list.traversal().window);
        self.errand = Some(Errand::new(request, &self.plan, window, &self.cookies));
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
        self.complain_often(name, 1, example);
    }

    fn complain_often(&mut self, name: &str, count: u64, example: String) {
        self.complaints
            .entry(name.to_owned())
            .and_modify(|complained| complained.count += count)
            .or_insert_with(|| Complained { count, example: for_people(&example) });
    }
}
