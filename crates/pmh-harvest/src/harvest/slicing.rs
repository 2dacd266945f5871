//! What is done about a window that cannot be read as one list (H14): it is cut into slices, and what a slice does not
//! bring is fetched one by one.

use super::singles::Because;
use super::{Awaited, Harvest, Stage};
use crate::entry::{Comparison, CompleteList, Entry, Lacking, Traversal};
use crate::guard::{ClosingFacts, Trip, closing_trip};
use crate::outcome::{End, Stop};
use crate::slices::{Cut, Slices};
use crate::time::Instant;
use crate::token_loop::{Halt, TokenLoop};
use crate::watermark;
use crate::window::Window;
use pmh_protocol::{Page, Stamp};

/// Restarts in a row without anything new, after which a window is cut.
pub(super) const RESTARTS_BEFORE_CUT: u32 = 2;
/// More records of other dates than this share of a page mean that dates are ignored.
const FOREIGN_PERCENT_MAX: u64 = 5;
/// Records that one run takes as deleted at the most because a list does not show them.
const ABSENT_MAX: usize = 100_000;
/// So far beside its dates a record may lie: repositories differ about where a day ends (F062, F072).
const TOLERANCE_SECONDS: i64 = 86_400;

impl Harvest {
    /// Cuts the window in hand and opens its first slice; whether it could be cut.
    pub(super) fn cut(&mut self) -> bool {
        let Some(list) = &self.list else { return false };
        let traversal = list.traversal().clone();
        let before = self.slices.cut_of().map(|cut| cut.opening);
        let Some(opening) = before.or(list.progress().opening_response_date) else { return false };
        let cut = Cut { since: self.last_traversal + 1, opening };
        let cuts_max = self.plan.limits.cuts_max;
        let slice = self.slices.cut(traversal.window, cut, self.source.granularity, cuts_max);
        let Some(slice) = slice else { return false };
        self.complain(
            "sliced",
            format!("`{}` is read in slices, first `{slice}`", traversal.window),
        );
        self.open_slice(slice, traversal.window_number);
        true
    }

    fn open_slice(&mut self, slice: Window, window_number: u64) {
        self.window_delivered = 0;
        self.open(slice, Some(window_number), 0, 0);
    }

    /// Goes on in smaller pieces, once nothing is outstanding; without success the run ends as `end`.
    pub(super) fn work_in_pieces(&mut self, end: End) {
        if self.cut() {
            return;
        }
        let began = self.list.as_ref().is_some_and(|list| {
            list.progress().opening_response_date.is_some() || self.slices.cut_of().is_some()
        });
        match began && self.plan.limits.singles_max > 0 {
            true => self.list_singles(Because::Fails(Box::new(end))),
            false => self.stage = Stage::End { end, keep_cursor: false },
        }
    }

    /// Notes the dates of a page, and whether they lie between those that a slice asked for.
    pub(super) fn keeps_to_its_dates(&mut self, page: &Page) -> Result<(), Trip> {
        for item in &page.items {
            self.slices.note(item.header().datestamp);
        }
        if self.slices.cut_of().is_none() {
            return Ok(());
        }
        let window =
            self.list.as_ref().map_or_else(Window::default, |list| list.traversal().window);
        let is_foreign = |stamp: Stamp| {
            window.from.is_some_and(|from| stamp < from.stamp.plus_seconds(-TOLERANCE_SECONDS))
                || window
                    .until
                    .is_some_and(|until| stamp > until.stamp.plus_seconds(TOLERANCE_SECONDS))
        };
        let stamps = page.items.iter().filter_map(|item| item.header().datestamp);
        let foreign = stamps.filter(|datestamp| is_foreign(datestamp.stamp)).count() as u64;
        let of = page.items.len() as u64;
        match foreign * 100 > of * FOREIGN_PERCENT_MAX {
            true => Err(Trip::SpanIgnored { foreign, of }),
            false => Ok(()),
        }
    }

    /// The list is there as far as it can be had: closing guards, and then what comes before the closing.
    pub(super) fn settle_list(
        &mut self,
        opening: Stamp,
        facts: Option<CompleteList>,
        now: Instant,
    ) {
        let list = self.list.as_ref().expect("a window is open");
        let closing = ClosingFacts {
            staged: list.staged(),
            held: self.known.held_live,
            new: self.counts.new,
            distinct: facts.map_or(0, |facts| facts.distinct),
            before: self
                .known
                .last_complete
                .filter(|last| last.everything && facts.is_some_and(|facts| facts.everything))
                .map(|last| last.distinct),
        };
        let trip = closing_trip(&closing, self.plan.limits.mass_delete_share);
        if let Some(trip) = trip.filter(|_| !self.plan.allow_mass_delete) {
            self.halt(Halt::Trip(trip));
            return;
        }
        // A window's list says nothing about how long the whole one is, or how it ends.
        let known_whole = self.known.last_complete.is_some_and(|list| list.everything);
        let is_telling = |facts: &CompleteList| {
            facts.everything || (!known_whole && self.slices.cut_of().is_none())
        };
        self.concluded = Some((opening, facts.filter(is_telling)));
        self.settle(now);
    }

    /// What comes before the closing of a list: the slices are compared with the whole, and holes of earlier runs are
    /// asked for.
    pub(super) fn settle(&mut self, now: Instant) {
        let list = self.list.as_ref().expect("a window is open");
        let traversal = list.traversal().clone();
        if let Some(cut) = self.slices.cut_of().filter(|_| self.slices.is_last()) {
            match self.left_out.as_mut().map(std::mem::take) {
                None => {
                    let most = self.plan.limits.singles_max + 1;
                    let of = Lacking::SinceSliced { since: cut.since, most };
                    let comparison = Comparison { traversal: traversal.number, of };
                    self.hand_out(Entry::Compare(comparison), Awaited::Compare);
                    self.stage = Stage::Settle;
                    return;
                }
                Some(left_out) if !left_out.is_empty() => {
                    self.fetch_left_out(left_out);
                    return;
                }
                Some(_) => {}
            }
        }
        if self.plan.infer_deletions && !self.settle_absences(&traversal) {
            return;
        }
        let is_last = self.slices.is_last() && !self.then_new;
        if is_last
            && !self.known.holes.is_empty()
            && !std::mem::replace(&mut self.holes_asked, true)
        {
            self.fetch_holes(now);
            return;
        }
        let (opening, facts) = self.concluded.take().expect("a list was concluded");
        let opening = match self.slices.cut_of() {
            Some(cut) if self.slices.is_last() => cut.opening,
            _ => opening,
        };
        self.complete(&traversal, opening, facts, now);
    }

    /// What the list does not show of what is held (F085); whether that is settled.
    fn settle_absences(&mut self, traversal: &Traversal) -> bool {
        let staged = self.list.as_ref().map_or(0, TokenLoop::staged);
        let held = self.known.held_live;
        match self.absent.as_mut().map(std::mem::take) {
            None => {
                if let Err(why) = self.may_infer() {
                    self.absent = Some(Vec::new());
                    self.complain("deletions-not-inferred", why.to_owned());
                    return true;
                }
                let of = Lacking::Unseen { most: ABSENT_MAX };
                let comparison = Comparison { traversal: traversal.number, of };
                self.hand_out(Entry::Compare(comparison), Awaited::Compare);
                self.stage = Stage::Settle;
                false
            }
            Some(absent) if !absent.is_empty() => {
                let closing = ClosingFacts {
                    staged: staged + absent.len() as u64,
                    held,
                    ..ClosingFacts::default()
                };
                let trip = closing_trip(&closing, self.plan.limits.mass_delete_share);
                match trip.filter(|_| !self.plan.allow_mass_delete) {
                    Some(trip) => self.halt(Halt::Trip(trip)),
                    None => self.fetch_absent(absent),
                }
                false
            }
            Some(_) => true,
        }
    }

    /// Whether the list is proof enough that what it does not show is not there.
    fn may_infer(&self) -> Result<(), &'static str> {
        let list = self.list.as_ref().expect("a window is open");
        let facts = list.facts();
        match () {
            () if self.slices.cut_of().is_some() || !facts.everything => {
                Err("only a whole list, read in one piece, shows what is not there any more")
            }
            () if self.was_resumed => Err("the list was begun by an earlier run"),
            () if facts.size.is_none() => Err("the list announced no size that proves it whole"),
            () if facts.size != Some(facts.distinct) => Err("the list is not as long as announced"),
            () => Ok(()),
        }
    }

    /// After a closing: the next slice, or what is new since a window that was left open by an earlier run; whether
    /// there is any.
    pub(super) fn go_on(&mut self) -> bool {
        let window_number = self.list.as_ref().map_or(0, |list| list.traversal().window_number);
        if let Some(slice) = self.slices.next() {
            self.open_slice(slice, window_number);
            return true;
        }
        if !std::mem::take(&mut self.then_new) || self.stopping {
            return false;
        }
        self.slices = Slices::default();
        self.left_out = None;
        self.window_delivered = 0;
        let window = self.window_of_news();
        self.open(window, None, 0, 0);
        true
    }

    /// The window that brings what is new since everything that was read.
    pub(super) fn window_of_news(&self) -> Window {
        let reach = watermark::reach(self.known.watermark, &self.known.coverage);
        reach.map_or_else(Window::default, |reach| {
            let overlap = watermark::overlap_seconds(
                self.plan.limits.overlap_seconds,
                self.known.lag_seconds,
            );
            Window::since(reach, overlap, self.source.granularity)
        })
    }

    /// How a complete list ends the run: not quite, while there are holes.
    pub(super) fn end_with_holes(&self) -> End {
        let holes = &self.known.holes;
        match holes.first() {
            None => End::Complete,
            Some(hole) => End::Incomplete(Stop::Holes {
                records: holes.len(),
                identifier: hole.identifier.clone(),
            }),
        }
    }
}
