//! How a list is read: what an answer means for it, and what comes of it when it ends.

use pmh_protocol::{Body, Datestamp, ErrorCode, Granularity, OaiError, Page, Request, Stamp, Verb};

use super::offers::is_in;
use super::singles::Because;
use super::{Awaited, Harvest, Stage};
use crate::entry::Entry;
use crate::errand::Errand;
use crate::fetched::Answered;
use crate::guard::{Reopening, Trip};
use crate::outcome::{End, Refusal, Stop, Trouble, for_people};
use crate::time::Instant;
use crate::token_loop::{Conclusion, Halt, Next};
use crate::window::Window;

/// More records of other sets than this share of a page mean that the set is ignored.
const FOREIGN_PERCENT_MAX: u64 = 5;

impl Harvest {
    pub(super) fn take_answer(&mut self, answered: Answered, time: Stamp, now: Instant) {
        let parsed = answered.parsed;
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
        let page = match self.of_the_set(page) {
            Ok(mut page) => {
                self.disbelieve_size(&mut page);
                page
            }
            Err(trip) => return self.halt(Halt::Trip(trip)),
        };
        if let Err(trip) = self.keeps_to_its_dates(&page) {
            return self.halt(Halt::Trip(trip));
        }
        let list = self.list.as_mut().expect("a page answers a request of the list");
        if list.ask_after_gap(&page) {
            let text = "the announced offset jumped over more than was delivered".to_owned();
            self.complain("offset-gap", text);
            return;
        }
        self.items_taken += page.items.len() as u64;
        match list.take(page, unreadable, time, clock) {
            Ok(batch) => {
                let next = match list.next() {
                    Next::Token(token) => Some(token.clone()),
                    Next::Opening | Next::Ended { .. } => None,
                };
                self.pages_taken += 1;
                self.stopping |= self.plan.limit.is_some_and(|limit| self.items_taken >= limit);
                self.hand_out(Entry::Page(batch), Awaited::Page);
                match next {
                    Some(token) => self.ask(Request::Resume { verb: Verb::ListRecords, token }),
                    None => self.errand = None,
                }
            }
            Err(halt) => self.halt(halt),
        }
    }

    /// Takes away a size that says nothing: where the operator says so, and where that of a selection is that of
    /// everything there is (F021).
    fn disbelieve_size(&mut self, page: &mut Page) {
        let Some(token) = page.token.as_mut().filter(|token| token.announced_size.is_some()) else {
            return;
        };
        let selects = self.plan.key.set.is_some()
            || self.list.as_ref().is_some_and(|list| !list.traversal().window.is_everything());
        let is_of_everything = selects && token.announced_size == self.known.whole_size;
        if self.plan.compat.ignore_size || is_of_everything {
            token.announced_size = None;
        }
        if is_of_everything {
            if let Some((list, size)) = self.list.as_mut().zip(self.known.whole_size) {
                list.disbelieve(size);
            }
            let text = "a selection announced the size of the whole repository".to_owned();
            self.complain("size-of-everything", text);
        }
    }

    /// The page without the records of other sets; many of them mean that the set is ignored.
    fn of_the_set(&mut self, mut page: Page) -> Result<Page, Trip> {
        let Some(set) = self.plan.key.set.clone() else { return Ok(page) };
        let of = page.items.len() as u64;
        // A header without any setSpec says nothing about its sets.
        page.items.retain(|item| {
            let sets = &item.header().sets;
            sets.is_empty() || sets.iter().any(|spec| is_in(spec, &set))
        });
        let foreign = of - page.items.len() as u64;
        if foreign * 100 > of * FOREIGN_PERCENT_MAX {
            return Err(Trip::FilterIgnored { foreign, of });
        }
        if foreign > 0 {
            self.complain("foreign-set", format!("{foreign} of {of} records were of other sets"));
        }
        Ok(page)
    }

    fn take_errors(&mut self, errors: &[OaiError], time: Stamp, now: Instant) {
        let mut error = errors
            .iter()
            .find(|error| error.code == ErrorCode::BadResumptionToken)
            .or_else(|| errors.first())
            .cloned()
            .unwrap_or_else(|| OaiError::new(ErrorCode::Other(String::new()), ""));
        error.text = for_people(&error.text);
        if self.is_opening() {
            self.refuse_opening(error, time, now);
            return;
        }
        let list = self.list.as_mut().expect("an error answers a request of the list");
        let ends = matches!(error.code, ErrorCode::BadResumptionToken | ErrorCode::NoRecordsMatch);
        if ends && list.counts_say_complete() {
            list.end_by_counts();
            self.errand = None;
            self.complain(
                "token-after-end",
                format!("the last token was answered with `{}`", error.code),
            );
            return;
        }
        match error.code {
            // An empty answer in other words: a slip, or the end (H12).
            ErrorCode::NoRecordsMatch if list.is_unsized() => {
                if list.is_next_doubtful() {
                    self.halt(Halt::Reopen(Reopening::ResumeDoubtful));
                } else if list.ask_last_again() {
                    self.complain(
                        "asked-last-again",
                        "a token brought `noRecordsMatch`".to_owned(),
                    );
                } else {
                    list.end_by_counts();
                    self.errand = None;
                    self.complain(
                        "token-after-end",
                        "the last token brought `noRecordsMatch`".to_owned(),
                    );
                }
            }
            ErrorCode::BadResumptionToken => {
                if self.errand.as_ref().is_some_and(Errand::was_lost) && !self.memory.single_use {
                    // The answer that was lost on its way has spent the token (H17).
                    self.memory.single_use = true;
                    self.complain("single-use", "a token worked only once".to_owned());
                }
                self.complain("list-restarted", Reopening::TokenRefused.as_str().to_owned());
                self.stage = Stage::Reopen(Reopening::TokenRefused);
            }
            _ => self.trouble(Trouble::Oai(error), now),
        }
    }

    /// An error to the opening request.
    fn refuse_opening(&mut self, error: OaiError, time: Stamp, now: Instant) {
        match error.code {
            ErrorCode::NoRecordsMatch => self.nothing_new(time, now),
            ErrorCode::BadArgument if self.switch_granularity() => {}
            ErrorCode::CannotDisseminateFormat if self.pages_taken == 0 => {
                self.format_refused(error);
            }
            _ => self.end_early(Stop::Oai(error.clone()), Refusal::Oai(error), false),
        }
    }

    /// Opens the window once more with its dates in the other form, when it has any: the announced granularity may be
    /// wrong (H16). Whether that was done.
    fn switch_granularity(&mut self) -> bool {
        let traversal = self.list.as_ref().expect("a list was asked for").traversal().clone();
        if traversal.window.is_everything()
            || std::mem::replace(&mut self.granularity_switched, true)
        {
            return false;
        }
        let other = match self.source.granularity {
            Granularity::Day => Granularity::Second,
            Granularity::Second => Granularity::Day,
        };
        self.complain(
            "granularity",
            format!("dates were refused in the form {}", self.source.granularity.pattern()),
        );
        self.source.granularity = other;
        let in_form = |date: Datestamp| Datestamp::new(date.stamp, other);
        let window = Window {
            from: traversal.window.from.map(in_form),
            until: traversal.window.until.map(in_form),
        };
        self.open(
            window,
            Some(traversal.window_number),
            traversal.restarts_in_row,
            traversal.restarts,
        );
        true
    }

    /// noRecordsMatch to the opening request (H11).
    fn nothing_new(&mut self, time: Stamp, now: Instant) {
        let traversal = self.list.as_ref().expect("a list was asked for").traversal().clone();
        let whole = if traversal.window.is_everything() { self.known.held_live } else { 0 };
        // A window that has delivered something cannot be empty when it is opened again.
        let held = whole.max(self.window_delivered);
        if held > 0 {
            self.halt(Halt::Trip(Trip::Shrink { held }));
            return;
        }
        let is_slice = self.slices.cut_of().is_some();
        if self.plan.key.set.is_some() && self.known.last_complete.is_none() && !is_slice {
            // An empty set and a set that does not exist look alike here.
            self.ask(Request::ListSets);
            self.stage = Stage::Sets { time, pages: 0 };
            return;
        }
        self.settle_list(time, None, now);
    }

    /// The list has ended and every receipt is in.
    pub(super) fn conclude(&mut self, now: Instant) {
        let list = self.list.as_mut().expect("a list has ended");
        match list.conclude() {
            Conclusion::Complete(facts) => {
                let opening = list
                    .progress()
                    .opening_response_date
                    .expect("a list that has ended has had a first answer");
                self.settle_list(opening, Some(facts), now);
            }
            Conclusion::AskAgain(token) => {
                self.complain("asked-last-again", "the list seemed to end too early".to_owned());
                self.ask(Request::Resume { verb: Verb::ListRecords, token });
            }
            Conclusion::Reopen(because) => self.halt(Halt::Reopen(because)),
            // What was skipped can be found, because it is still there (F041).
            Conclusion::Trip(trip @ (Trip::ListChanged { .. } | Trip::ListMoved { .. }))
                if self.plan.limits.singles_max > 0 =>
            {
                self.list_singles(Because::Changed(trip));
            }
            Conclusion::Trip(trip) => self.halt(Halt::Trip(trip)),
        }
    }

    /// Where the source needs it, ends a list whose announced size has come, or that begins with an empty page (it has
    /// no other way of saying that there is nothing), whatever its token says (H21).
    pub(super) fn end_by_count(&mut self) {
        if let Some(list) = self.list.as_mut().filter(|list| {
            self.plan.compat.end_by_count
                && matches!(list.next(), Next::Token(_))
                && (list.counts_say_complete() || list.is_empty_so_far())
        }) {
            list.end_by_counts();
            self.errand = None;
            self.complain("ended-by-count", "all that was announced had come".to_owned());
        }
    }

    pub(super) fn halt(&mut self, halt: Halt) {
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
}
