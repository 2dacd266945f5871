//! Records fetched one by one, where no list brings them (H14): a slice whose pages fail, records that a list lost while
//! it was read, records that slices left out, and holes of earlier runs.

use std::collections::VecDeque;

use pmh_protocol::{
    Body, Datestamp, ErrorCode, Header, Item, Page, Request, Selection, Stamp, Tombstone, Verb,
};

use super::{Awaited, Harvest, Stage};
use crate::entry::{Comparison, Entry, Hole, Lacking, Mending};
use crate::errand::Errand;
use crate::fetched::Answered;
use crate::guard::Trip;
use crate::outcome::{End, Trouble, for_people};
use crate::seen::SeenTokens;
use crate::time::Instant;
use crate::token_loop::Halt;

/// Pages of ListIdentifiers that are read at the most: twice what brings as many headers as may be fetched, one a page.
const PAGES_MAX: u64 = 2_000;

/// Records that are asked for at the most before all that a whole list does not show are taken as deleted.
const ABSENT_ASKED_MAX: usize = 200;
/// Name of the complaint that a whole list left out a record.
const LIST_LEFT_OUT: &str = "list-left-out";

/// Why records are fetched one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Because {
    /// A slice cannot be read as a list and cannot be cut; how the run ends if this does not help either.
    Fails(Box<End>),
    /// Records were deleted while the list was read, so that others may have been skipped (F041).
    Changed(Trip),
    /// The slices left out what the whole window had.
    Gap,
    /// They are holes of earlier runs.
    Holes,
    /// A whole list does not show them any more: they are asked for before they are taken as deleted.
    Absence,
}

/// Records on their way, one by one.
#[derive(Clone, Debug)]
pub(crate) struct Singles {
    because: Because,
    /// Those to be asked for.
    wanted: VecDeque<Wanted>,
    /// Those that could not be had.
    lacking: Vec<Hole>,
    /// Those that the repository does not have any more, though a whole list is all that says so.
    absent: Vec<String>,
    /// More that a whole list does not show.
    unasked: Vec<String>,
    /// Headers whose comparison is outstanding.
    compared: Vec<Header>,
    tokens: SeenTokens,
    pages: u64,
    /// Headers that were listed, and the size of their list as it was announced last.
    listed: u64,
    size: Option<u64>,
    /// When the repository answered first.
    opening: Option<Stamp>,
}

#[derive(Clone, Debug)]
struct Wanted {
    identifier: String,
    datestamp: Option<Datestamp>,
}

impl Singles {
    fn new(because: Because, wanted: VecDeque<Wanted>) -> Self {
        Self {
            because,
            wanted,
            lacking: Vec::new(),
            absent: Vec::new(),
            unasked: Vec::new(),
            compared: Vec::new(),
            tokens: SeenTokens::default(),
            pages: 0,
            listed: 0,
            size: None,
            opening: None,
        }
    }
}

impl Harvest {
    /// Reads the headers of the window, to fetch what is lacking.
    pub(super) fn list_singles(&mut self, because: Because) {
        let window = self.list.as_ref().expect("a window is open").traversal().window;
        self.complain("one-by-one", "records are fetched one by one".to_owned());
        self.singles = Some(Singles::new(because, VecDeque::new()));
        self.stage = Stage::Singles;
        self.ask(Request::ListIdentifiers(Selection {
            prefix: self.plan.key.prefix.clone(),
            from: window.from,
            until: window.until,
            set: self.plan.key.set.clone(),
        }));
    }

    /// Fetches the records that the slices left out.
    pub(super) fn fetch_left_out(&mut self, identifiers: Vec<String>) {
        if identifiers.len() > self.plan.limits.singles_max {
            self.halt(Halt::Trip(gap_of(&identifiers)));
            return;
        }
        let wanted = identifiers.into_iter();
        let wanted = wanted.map(|identifier| Wanted { identifier, datestamp: None }).collect();
        self.singles = Some(Singles::new(Because::Gap, wanted));
        self.stage = Stage::Singles;
        self.next_single();
    }

    /// Asks for the holes of earlier runs again.
    pub(super) fn fetch_holes(&mut self, now: Instant) {
        let accepted = &self.plan.accepted_holes;
        let (accepted, open): (Vec<Hole>, Vec<Hole>) =
            self.known.holes.iter().cloned().partition(|hole| accepted.contains(&hole.identifier));
        let asked = self.plan.limits.singles_max.min(open.len());
        let wanted = open[..asked]
            .iter()
            .map(|hole| Wanted { identifier: hole.identifier.clone(), datestamp: hole.datestamp });
        let mut singles = Singles::new(Because::Holes, wanted.collect());
        singles.lacking = open[asked..].to_vec();
        self.singles = Some(singles);
        self.stage = Stage::Singles;
        if !accepted.is_empty() {
            let closed = accepted.into_iter().map(|hole| hole.identifier).collect();
            self.mend(Vec::new(), closed, now);
        }
        self.next_single();
    }

    /// Asks for records that a whole list does not show any more, the first of them.
    pub(super) fn fetch_absent(&mut self, mut identifiers: Vec<String>) {
        let asked = ABSENT_ASKED_MAX.min(identifiers.len());
        let unasked = identifiers.split_off(asked);
        let wanted = identifiers.into_iter();
        let wanted = wanted.map(|identifier| Wanted { identifier, datestamp: None }).collect();
        self.singles = Some(Singles { unasked, ..Singles::new(Because::Absence, wanted) });
        self.stage = Stage::Singles;
        self.next_single();
    }

    /// Takes what a whole list does not show any more as deleted: what was asked for is not there, and nothing that was
    /// asked for spoke against the list.
    fn infer(&mut self, singles: Singles, now: Instant) {
        let mut absent = singles.absent;
        if singles.lacking.is_empty() && !self.complaints.contains_key(LIST_LEFT_OUT) {
            absent.extend(singles.unasked);
        }
        let Some(first) = absent.first() else { return };
        let count = absent.len() as u64;
        self.complain_often("deletion-inferred", count, first.clone());
        let datestamp = self
            .concluded
            .as_ref()
            .map(|(opening, _)| Datestamp::new(*opening, self.source.granularity));
        let tombstone = |identifier| {
            let header = Header { identifier, datestamp, sets: Vec::new() };
            Item::Tombstone(Tombstone { header })
        };
        let items = absent.into_iter().map(tombstone).collect();
        let taken_at = self.clock(now);
        let mending = Mending { items, inferred: true, closed: Vec::new(), taken_at };
        self.hand_out(Entry::Mend(mending), Awaited::Mend);
    }

    fn mend(&mut self, items: Vec<Item>, closed: Vec<String>, now: Instant) {
        self.known.holes.retain(|hole| !closed.contains(&hole.identifier));
        let taken_at = self.clock(now);
        let mending = Mending { items, inferred: false, closed, taken_at };
        self.hand_out(Entry::Mend(mending), Awaited::Mend);
    }

    /// An answer to a request for headers or for one record.
    pub(super) fn take_single(&mut self, answered: Answered, time: Stamp, now: Instant) {
        let request = self.errand.as_ref().expect("an answer to a request").request().clone();
        let singles = self.singles.as_mut().expect("records are fetched one by one");
        singles.opening.get_or_insert(time);
        match (request, answered.parsed.document.body) {
            (Request::GetRecord { .. }, Body::Record(item)) => self.take_record(*item, now),
            (Request::GetRecord { .. }, Body::Errors(errors)) => match errors.first() {
                Some(error) if error.code == ErrorCode::IdDoesNotExist => self.does_not_exist(now),
                // Some repositories have other words for it; the list is what counts.
                Some(_) if singles.because == Because::Absence => self.does_not_exist(now),
                Some(error) => self.lack(format!("the repository answered `{}`", error.code)),
                None => self.lack("the repository answered with an error".to_owned()),
            },
            (Request::GetRecord { .. }, _) => self.lack("another document came".to_owned()),
            (_, Body::List(_)) if answered.parsed.unreadable > 0 => {
                self.give_up("some headers cannot be read");
            }
            (_, Body::List(page)) if page.verb == Verb::ListIdentifiers => {
                self.take_headers(page, now)
            }
            // A window that has delivered something is not empty, and neither is a list that has begun.
            (Request::ListIdentifiers(_), Body::Errors(errors))
                if !self.has_delivered()
                    && errors.iter().any(|error| error.code == ErrorCode::NoRecordsMatch) =>
            {
                self.errand = None;
            }
            (_, Body::Errors(errors)) => {
                let error = errors.into_iter().next();
                let code = error.map_or_else(String::new, |error| error.code.to_string());
                self.give_up(&format!("ListIdentifiers brought `{}`", for_people(&code)));
            }
            _ => self.give_up("the answer to ListIdentifiers is another document"),
        }
    }

    /// Whether the window in hand has brought anything.
    fn has_delivered(&self) -> bool {
        self.list.as_ref().is_some_and(|list| list.tally().delivered > 0)
    }

    /// What could not be asked for in any number of tries.
    pub(super) fn single_failed(&mut self, trouble: &Trouble) {
        let request = self.errand.as_ref().map(|errand| errand.request().clone());
        match request {
            Some(Request::GetRecord { .. }) => self.lack(trouble.to_string()),
            _ => self.give_up(&trouble.to_string()),
        }
    }

    fn take_headers(&mut self, page: Page, now: Instant) {
        let was_asked_again = self.errand.as_ref().is_some_and(Errand::was_asked_again);
        let singles = self.singles.as_mut().expect("records are fetched one by one");
        singles.pages += 1;
        singles.listed += page.items.len() as u64;
        singles.size = page.token.as_ref().and_then(|token| token.announced_size).or(singles.size);
        let is_end = page.next_token().is_none();
        let size = singles.size.filter(|_| !self.plan.compat.ignore_size);
        if is_end && size.is_some_and(|size| singles.listed < size) {
            self.give_up("the list of identifiers is shorter than it announced");
            return;
        }
        // A session that moved on when the first answer was lost ends too early, and nothing but counting tells (H17).
        if is_end && was_asked_again && singles.pages > 1 && size.is_none() {
            self.give_up(
                "the list of identifiers ended after trouble, and no size says that it was whole",
            );
            return;
        }
        let singles = self.singles.as_mut().expect("records are fetched one by one");
        let next = page.next_token().map(|token| token.value.clone());
        let is_ring =
            next.as_ref().is_some_and(|token| singles.tokens.note(token, singles.pages).is_some());
        let (tombstones, live): (Vec<Item>, Vec<Item>) =
            page.items.into_iter().partition(|item| matches!(item, Item::Tombstone(_)));
        let headers: Vec<Header> = live.iter().map(|item| item.header().clone()).collect();
        for header in &headers {
            self.slices.note(header.datestamp);
        }
        let clock = self.clock(now);
        let list = self.list.as_mut().expect("a window is open");
        let traversal = list.traversal().number;
        if !tombstones.is_empty() {
            // A deletion needs no more than its header.
            let batch = list.take_singles(tombstones, clock);
            self.hand_out(Entry::Page(batch), Awaited::Page);
        }
        let singles = self.singles.as_mut().expect("records are fetched one by one");
        singles.compared.extend(headers.iter().cloned());
        let too_many = singles.wanted.len() + singles.compared.len() > self.plan.limits.singles_max;
        if too_many || is_ring || singles.pages > PAGES_MAX {
            self.too_many();
            return;
        }
        let of = Lacking::Headers(headers);
        self.hand_out(Entry::Compare(Comparison { traversal, of }), Awaited::Compare);
        match next {
            Some(token) => self.ask(Request::Resume { verb: Verb::ListIdentifiers, token }),
            None => self.errand = None,
        }
    }

    /// The receipt of a comparison.
    pub(super) fn compared(&mut self, lacking: &[String]) {
        let Some(singles) = &mut self.singles else {
            // Asked before the closing: what the slices left out, or what the whole list does not show.
            let answer = match self.slices.cut_of() {
                Some(_) => &mut self.left_out,
                None => &mut self.absent,
            };
            *answer = Some(lacking.to_vec());
            return;
        };
        let headers = std::mem::take(&mut singles.compared);
        let wanted = headers.into_iter().filter(|header| lacking.contains(&header.identifier));
        singles.wanted.extend(
            wanted.map(|header| Wanted {
                identifier: header.identifier,
                datestamp: header.datestamp,
            }),
        );
    }

    /// The slice holds more records than may be fetched one by one: it is cut once more, now that their datestamps are
    /// known.
    fn too_many(&mut self) {
        let because = self.singles.take().map(|singles| singles.because);
        self.errand = None;
        match because {
            Some(Because::Fails(end)) => match self.cut() {
                true => {}
                false => self.stage = Stage::End { end: *end, keep_cursor: false },
            },
            Some(Because::Changed(trip)) => self.halt(Halt::Trip(trip)),
            _ => unreachable!("only a window is listed"),
        }
    }

    /// The headers of the window cannot be had either.
    fn give_up(&mut self, why: &str) {
        let because = self.singles.take().map(|singles| singles.because);
        self.errand = None;
        self.complain("identifiers", why.to_owned());
        match because {
            Some(Because::Fails(end)) => self.stage = Stage::End { end: *end, keep_cursor: false },
            Some(Because::Changed(trip)) => self.halt(Halt::Trip(trip)),
            _ => unreachable!("only a window is listed"),
        }
    }

    /// Asks for the next record, or for nothing when none is left.
    pub(super) fn next_single(&mut self) {
        let singles = self.singles.as_ref().expect("records are fetched one by one");
        match singles.wanted.front().map(|wanted| wanted.identifier.clone()) {
            Some(identifier) => {
                let prefix = self.plan.key.prefix.clone();
                self.ask(Request::GetRecord { identifier, prefix });
            }
            None => self.errand = None,
        }
    }

    fn take_record(&mut self, item: Item, now: Instant) {
        let singles = self.singles.as_mut().expect("records are fetched one by one");
        let wanted = singles.wanted.front().map(|wanted| wanted.identifier.clone());
        if wanted.as_ref() != Some(&item.header().identifier) {
            self.lack("another record came".to_owned());
            return;
        }
        singles.wanted.pop_front();
        match singles.because {
            Because::Fails(_) | Because::Changed(_) => {
                let clock = self.clock(now);
                let list = self.list.as_mut().expect("a window is open");
                let batch = list.take_singles(vec![item], clock);
                self.hand_out(Entry::Page(batch), Awaited::Page);
            }
            Because::Gap | Because::Holes => {
                self.mend(vec![item], wanted.into_iter().collect(), now);
            }
            Because::Absence => {
                if let Item::Record(record) = &item {
                    let text =
                        format!("`{}` is there, but not in the list", record.header.identifier);
                    self.complain(LIST_LEFT_OUT, text);
                }
                self.mend(vec![item], Vec::new(), now);
            }
        }
        self.next_single();
    }

    fn does_not_exist(&mut self, now: Instant) {
        let singles = self.singles.as_mut().expect("records are fetched one by one");
        match singles.because {
            // It was listed a moment ago.
            Because::Fails(_) => {
                self.lack("the repository lists it and says that it does not exist".to_owned());
                return;
            }
            Because::Changed(_) | Because::Gap => {
                singles.wanted.pop_front();
            }
            Because::Absence => {
                let absent = singles.wanted.pop_front().map(|wanted| wanted.identifier);
                singles.absent.extend(absent);
            }
            Because::Holes => {
                let closed = singles.wanted.pop_front().map(|wanted| wanted.identifier);
                self.complain("hole-gone", "a record that could not be had is gone".to_owned());
                self.mend(Vec::new(), closed.into_iter().collect(), now);
            }
        }
        self.next_single();
    }

    /// The record in hand could not be had.
    fn lack(&mut self, why: String) {
        let singles = self.singles.as_mut().expect("records are fetched one by one");
        if let Some(Wanted { identifier, datestamp }) = singles.wanted.pop_front() {
            singles.lacking.push(Hole { identifier, datestamp, reason: for_people(&why) });
        }
        self.next_single();
    }

    fn unreadable(&self) -> u64 {
        self.list.as_ref().map_or(0, |list| list.progress().unreadable)
    }

    /// Goes on when nothing is outstanding: with the records that the headers named, or with what comes after them.
    pub(super) fn conclude_singles(&mut self, now: Instant) {
        let Some(singles) = self.singles.as_ref().filter(|_| self.errand.is_none()) else {
            return;
        };
        if !singles.wanted.is_empty() {
            return self.next_single();
        }
        let singles = self.singles.take().expect("it was just there");
        match singles.because.clone() {
            // Entries that name no record came on the pages that could be read: nobody can say what they are.
            Because::Fails(_) if self.unreadable() > 0 => {
                self.halt(Halt::Trip(Trip::UnreadableRecords { records: self.unreadable() }));
            }
            Because::Fails(_) => {
                self.new_holes.extend(singles.lacking);
                let opening = singles.opening.unwrap_or(self.started);
                self.settle_list(opening, None, now);
            }
            Because::Changed(trip) if !singles.lacking.is_empty() => self.halt(Halt::Trip(trip)),
            Because::Changed(_) => {
                let list = self.list.as_ref().expect("a window is open");
                let (opening, facts) = (list.progress().opening_response_date, list.facts());
                self.settle_list(opening.unwrap_or(self.started), Some(facts), now);
            }
            Because::Gap if !singles.lacking.is_empty() => {
                let lacking = singles.lacking.into_iter().map(|hole| hole.identifier);
                self.halt(Halt::Trip(gap_of(&lacking.collect::<Vec<_>>())));
            }
            Because::Gap => self.settle(now),
            Because::Absence => {
                self.infer(singles, now);
                self.settle(now);
            }
            Because::Holes => {
                // What was asked for in vain stays a hole, with its latest reason.
                self.known.holes.clear();
                self.new_holes.extend(singles.lacking);
                self.settle(now);
            }
        }
    }
}

fn gap_of(identifiers: &[String]) -> Trip {
    let identifier = identifiers.first().map(|identifier| for_people(identifier));
    Trip::SliceGap { records: identifiers.len(), identifier: identifier.unwrap_or_default() }
}
