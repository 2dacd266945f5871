//! How a run gets to its first page: who the repository is, what to go on with, which window to open.

use pmh_protocol::{Body, Datestamp, Granularity, Request, Selection, Verb};

use super::slicing::RESTARTS_BEFORE_CUT;
use super::{Awaited, Harvest, Stage};
use crate::entry::{Entry, Opening, Traversal};
use crate::fetched::Answered;
use crate::guard::{Reopening, Trip};
use crate::outcome::{End, Refusal, Stop};
use crate::plan::Limits;
use crate::store::OpenTraversal;
use crate::time::Instant;
use crate::token_loop::TokenLoop;
use crate::window::Window;

impl Harvest {
    pub(super) fn take_identify(&mut self, answered: Answered) {
        match answered.parsed.document.body {
            Body::Identify(identify)
                if identify.protocol_version != "2.0" && !identify.protocol_version.is_empty() =>
            {
                let refusal = Refusal::Version(identify.protocol_version);
                self.stage = Stage::End { end: End::Refused(refusal), keep_cursor: true };
            }
            Body::Identify(identify) => {
                self.learn(&identify);
                self.ask(Request::ListMetadataFormats { identifier: None });
                self.stage = Stage::Formats { refusal: None };
            }
            _ => {
                self.complain("identify", "the answer to Identify is another document".to_owned());
                self.begin();
            }
        }
    }

    /// Goes on with the unfinished traversal, or opens a window.
    pub(super) fn begin(&mut self) {
        let wanted = self.wanted_window();
        if let Some(open) = self.known.open.clone()
            && wanted.is_none_or(|wanted| wanted == open.traversal.window)
        {
            self.then_new = wanted.is_none() && open.traversal.window.until.is_some();
            if let Some(token) = self.token_worth_trying(&open) {
                self.list = Some(TokenLoop::resume(
                    &open,
                    &token,
                    self.limits(),
                    self.plan.repeated_token,
                    self.known.last_complete,
                ));
                self.was_resumed = true;
                self.ask(Request::Resume { verb: Verb::ListRecords, token });
                self.stage = Stage::List;
                return;
            }
            // The rows are kept; the counts of restarts begin anew with every run.
            self.window_delivered = open.tally.delivered;
            self.open(open.traversal.window, Some(open.traversal.window_number), 0, 0);
            return;
        }
        let window = wanted.unwrap_or_else(|| self.window_of_news());
        self.open(window, None, 0, 0);
    }

    /// The span that the operator names, if one is named, in a form that the repository takes (H2).
    fn wanted_window(&self) -> Option<Window> {
        if self.plan.full {
            return Some(Window::default());
        }
        // Where seconds are taken a day is written out to its last one: some repositories read a bare day as its first
        // second and leave the rest of it out (F062).
        let form = self.source.granularity;
        let last_second = |date: Datestamp| match date.granularity {
            Granularity::Day => date.stamp.plus_seconds(86_399),
            Granularity::Second => date.stamp,
        };
        let from = self.plan.from.map(|date| Datestamp::new(date.stamp, form));
        let until = self.plan.until.map(|date| Datestamp::new(last_second(date), form));
        (from.is_some() || until.is_some()).then_some(Window { from, until })
    }

    /// The stored token, unless it has outlived what it was promised, or an hour (H18).
    fn token_worth_trying(&self, open: &OpenTraversal) -> Option<String> {
        let cursor = open.cursor.as_ref()?;
        let life = cursor.life_seconds.unwrap_or(self.plan.limits.resume_age_seconds);
        let age = self.started.seconds() - cursor.given_at.seconds();
        (!open.progress.session_bound && age < life).then(|| cursor.token.clone())
    }

    pub(super) fn open(
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
        };
        self.list = Some(TokenLoop::open(
            traversal.clone(),
            self.limits(),
            self.plan.repeated_token,
            self.known.last_complete,
        ));
        self.cookies.clear();
        self.was_resumed = false;
        let opening = Opening {
            traversal,
            source: self.source.clone(),
            schema: self.schema.clone(),
            refresh: self.refresh,
        };
        self.hand_out(Entry::Open(opening), Awaited::Open);
        self.stage = Stage::Open;
        self.ask(Request::ListRecords(Selection {
            prefix: self.plan.key.prefix.clone(),
            from: window.from,
            until: window.until,
            set: self.plan.key.set.clone(),
        }));
    }

    /// The bounds of a list. Where a token works once, one that is asked with before the page it came on is durable may
    /// be spent for nothing (H17).
    const fn limits(&self) -> Limits {
        let mut limits = self.plan.limits;
        if self.memory.single_use {
            limits.pages_ahead_max = 0;
        }
        limits
    }

    /// Opens the window again, unless that has not helped too often (H13).
    pub(super) fn reopen(&mut self, because: Reopening, now: Instant) {
        let list = self.list.as_ref().expect("a window is reopened from a list");
        let traversal = list.traversal().clone();
        // A traversal that brought something new to the window was worth it: the count begins again.
        let in_row =
            if list.tally().fresh_in_window > 0 { 1 } else { traversal.restarts_in_row + 1 };
        let restarts = traversal.restarts + 1;
        self.window_delivered += list.tally().delivered;
        if in_row > RESTARTS_BEFORE_CUT && self.cut() {
            return;
        }
        let limits = &self.plan.limits;
        if in_row > limits.restarts_in_row_max || restarts > limits.restarts_max {
            let trip = Trip::RestartCeiling { restarts: traversal.restarts, because };
            self.work_in_pieces(End::Incomplete(Stop::Guard(trip)));
            self.advance(now);
            return;
        }
        self.open(traversal.window, Some(traversal.window_number), in_row, restarts);
    }
}
