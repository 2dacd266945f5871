//! The token loop: one list, page after page, until the repository says it is finished.
//!
//! Knows nothing of HTTP, waiting or windows. Early guards judge a page before the next request leaves; late
//! guards judge the receipt of its commit, because only the store knows which identifiers were new. The loop
//! says when an outstanding receipt could still forbid the next request ([`TokenLoop::may_fetch`]), so that no
//! request leaves that a one-at-a-time harvester would not send.

use std::collections::VecDeque;

use pmh_protocol::{Item, Page, ResumptionToken, Stamp};

use crate::entry::{Batch, CompleteList, Cursor, Progress, Sizes, Traversal};
use crate::guard::{Reopening, Trip, over_record_ceiling, pages_plausible};
use crate::offsets::Offsets;
use crate::plan::{Limits, RepeatedToken};
use crate::seen::SeenTokens;
use crate::store::{OpenTraversal, Receipt, Tally};

/// Pages that must be durable for each further one that may be outstanding.
const PAGES_FOR_ONE_AHEAD: u64 = 16;
/// A record dated so shortly before its list was opened may have been edited since: a day is the coarsest datestamp.
const RECENT_SECONDS: i64 = 86_400;

/// The machine of one traversal.
#[derive(Clone, Debug)]
pub(crate) struct TokenLoop {
    traversal: Traversal,
    limits: Limits,
    repeated_token: RepeatedToken,
    last_complete: Option<CompleteList>,
    progress: Progress,
    /// As the last receipt had it.
    tally: Tally,
    /// Pages whose receipts are outstanding, oldest first.
    outstanding: VecDeque<PageFacts>,
    next: Next,
    /// The token that the last page taken was asked with.
    asked_with: Option<String>,
    seen: SeenTokens,
    /// Pages with items in a row that brought nothing new and carried a token seen before.
    repeats: u64,
    /// Pages without items in a row that carried a token seen before.
    empty_repeats: u64,
    /// The next page taken is the first since the traversal was resumed.
    first_after_resume: bool,
    /// A page of this traversal was asked for a second time, or the traversal was resumed.
    asked_twice: bool,
    /// The last token was asked once more because the list had ended too early.
    asked_last_again: bool,
    /// The next page taken was asked for before, and why.
    second_answer: Option<SecondAnswer>,
    /// Every size announced so far counts what is left rather than the whole (F027).
    counts_the_rest: bool,
    /// Tombstones that wait, as the last receipt had it.
    staged: u64,
    /// The last page taken had no items.
    ended_empty_handed: bool,
    /// A size that was announced and not believed, because it may count more than the list (F021).
    disbelieved_size: Option<u64>,
    /// The list ended where it might have been forgotten as well; only counting can say.
    ended_in_doubt: bool,
    /// Records came that are dated when the list was opened or later, or shortly before: they may have been edited since.
    has_recent: bool,
    offsets: Offsets,
}

/// How the list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It has not begun.
    Opening,
    /// With this token.
    Token(String),
    /// It has ended.
    Ended {
        /// With an empty token rather than with none.
        empty_token: bool,
    },
}

/// Why a page was asked for a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SecondAnswer {
    /// The first answer would not do.
    AfterTrouble,
    /// The list had ended too early.
    LastAgain,
    /// The page seemed to leave records out.
    AfterGap,
}

/// What is remembered of a page until its receipt comes.
#[derive(Clone, Copy, Debug)]
struct PageFacts {
    page: u64,
    items: u64,
    /// Of payloads and abouts: what the page takes in memory.
    bytes: u64,
    /// Sizes of the list as this page left them: a later page must not change how it is judged.
    sizes: Option<Sizes>,
    /// The page that first gave the token this one carries, if it was given before.
    token_first_page: Option<u64>,
    /// The list goes on after it.
    goes_on: bool,
    first_after_resume: bool,
}

/// What a page or a receipt can bring about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// A guard.
    Trip(Trip),
    /// The window has to be opened again.
    Reopen(Reopening),
}

/// What comes of a list that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Conclusion {
    /// The list is proven complete.
    Complete(CompleteList),
    /// It seems short; its last token is to be asked once more.
    AskAgain(String),
    /// Nobody can say whether this was its end.
    Reopen(Reopening),
    /// It is short.
    Trip(Trip),
}

impl TokenLoop {
    /// The loop of a traversal about to be opened.
    pub(crate) fn open(
        traversal: Traversal,
        limits: Limits,
        repeated_token: RepeatedToken,
        last_complete: Option<CompleteList>,
    ) -> Self {
        Self {
            traversal,
            limits,
            repeated_token,
            last_complete,
            progress: Progress::default(),
            tally: Tally::default(),
            outstanding: VecDeque::new(),
            next: Next::Opening,
            asked_with: None,
            seen: SeenTokens::default(),
            repeats: 0,
            empty_repeats: 0,
            first_after_resume: false,
            asked_twice: false,
            asked_last_again: false,
            second_answer: None,
            counts_the_rest: true,
            staged: 0,
            ended_empty_handed: false,
            disbelieved_size: None,
            ended_in_doubt: false,
            has_recent: false,
            offsets: Offsets::default(),
        }
    }

    /// The loop of a traversal that goes on where the last commit left it, with `token`.
    pub(crate) fn resume(
        open: &OpenTraversal,
        token: &str,
        limits: Limits,
        repeated_token: RepeatedToken,
        last_complete: Option<CompleteList>,
    ) -> Self {
        let mut list = Self::open(open.traversal.clone(), limits, repeated_token, last_complete);
        list.progress = open.progress;
        list.tally = open.tally;
        list.next = Next::Token(token.to_owned());
        list.first_after_resume = true;
        list.asked_twice = true;
        list.seen.note(token, open.tally.pages);
        list
    }

    pub(crate) const fn traversal(&self) -> &Traversal {
        &self.traversal
    }

    pub(crate) const fn tally(&self) -> &Tally {
        &self.tally
    }

    pub(crate) const fn progress(&self) -> &Progress {
        &self.progress
    }

    pub(crate) const fn next(&self) -> &Next {
        &self.next
    }

    /// The number of the next page.
    pub(crate) fn next_page(&self) -> u64 {
        self.tally.pages + self.outstanding.len() as u64 + 1
    }

    /// Whether nothing of this list may be asked a second time (H17).
    pub(crate) const fn is_session_bound(&self) -> bool {
        self.progress.session_bound
    }

    /// A request of this list is about to be sent again.
    pub(crate) const fn asking_again(&mut self) {
        self.asked_twice = true;
        self.second_answer = Some(SecondAnswer::AfterTrouble);
    }

    /// A page announces this size, which is not to be believed.
    pub(crate) const fn disbelieve(&mut self, size: u64) {
        self.disbelieved_size = Some(size);
    }

    /// Whether a page seems to leave out records before it, and may be asked for once more because of that.
    pub(crate) fn ask_after_gap(&mut self, page: &Page) -> bool {
        let may_ask = self.second_answer.is_none() && !self.progress.session_bound;
        if !may_ask || !self.leaves_out(page) || self.next == Next::Opening {
            return false;
        }
        self.asked_twice = true;
        // The last page is asked for once more for one reason or the other, not for both.
        self.asked_last_again |= page.next_token().is_none();
        self.second_answer = Some(SecondAnswer::AfterGap);
        true
    }

    /// Whether the offset that a page announces jumped over more than a page.
    pub(crate) fn leaves_out(&self, page: &Page) -> bool {
        self.offsets.jump_to(offset_of(page), page.items.len() as u64)
    }

    /// Takes a page: early guards, then what is to be stored.
    pub(crate) fn take(
        &mut self,
        page: Page,
        unreadable: u32,
        repository_time: Stamp,
        now: Stamp,
    ) -> Result<Batch, Halt> {
        let number = self.next_page();
        let sizes = page
            .token
            .as_ref()
            .and_then(|token| token.announced_size)
            .map_or(self.progress.sizes, |size| Some(Sizes::and(self.progress.sizes, size)));
        let pages_max =
            pages_plausible(&self.limits, &self.expected(), sizes, self.last_complete.as_ref());
        if number > pages_max {
            return Err(Halt::Trip(Trip::PageCeiling { pages_max }));
        }
        let items = page.items.len() as u64;
        let token_first_page = match page.next_token() {
            Some(token) => self.note_token(&token.value, number)?,
            None => None,
        };
        if self.is_next_doubtful() && number > 1 && page.next_token().is_none() && sizes.is_none() {
            // Nothing tells a list that was continued to its end from one that was forgotten, or from a session
            // that moved on when the first answer was lost (H17, H18); but for a size that, if it is of the list
            // after all, has come.
            if self.disbelieved_size.is_none() {
                return Err(Halt::Reopen(Reopening::ResumeDoubtful));
            }
            self.ended_in_doubt = true;
        }
        self.note_size(&page);
        self.progress.offset_gaps += u64::from(self.leaves_out(&page));
        self.offsets.note(offset_of(&page), items);
        self.progress.sizes = sizes;
        let opening = *self.progress.opening_response_date.get_or_insert(repository_time);
        let recent = opening.plus_seconds(-RECENT_SECONDS);
        let dates = page.items.iter().filter_map(|item| item.header().datestamp);
        self.has_recent |= dates.map(|date| date.stamp).any(|stamp| stamp >= recent);
        if self.second_answer.take() != Some(SecondAnswer::LastAgain) {
            // The last page asked once more has the same entries; they must not count twice.
            self.progress.unreadable += u64::from(unreadable);
        }
        self.ended_empty_handed = items == 0;
        self.asked_with = match std::mem::replace(&mut self.next, next_of(&page)) {
            Next::Token(token) => Some(token),
            Next::Opening | Next::Ended { .. } => None,
        };
        self.outstanding.push_back(PageFacts {
            page: number,
            items,
            bytes: page.items.iter().map(bytes_of).sum(),
            sizes,
            token_first_page,
            goes_on: page.next_token().is_some(),
            first_after_resume: std::mem::take(&mut self.first_after_resume),
        });
        Ok(Batch {
            traversal: self.traversal.number,
            page: number,
            cursor: page.next_token().map(|token| cursor_of(token, repository_time, now)),
            items: page.items,
            progress: self.progress,
            taken_at: now,
        })
    }

    /// The tally as it will be once every outstanding page is committed, as far as that is certain: a page must be judged
    /// the same whether receipts are early or late.
    fn expected(&self) -> Tally {
        let mut tally = self.tally;
        for facts in &self.outstanding {
            tally.pages += 1;
            tally.delivered += facts.items;
            tally.empty_run = if facts.items == 0 { tally.empty_run + 1 } else { 0 };
        }
        tally
    }

    /// Notes whether the size that a page announces counts the whole list or what is left of it.
    fn note_size(&mut self, page: &Page) {
        let before = self.expected().delivered;
        let size = page.token.as_ref().and_then(|token| token.announced_size);
        if let (Some(size), Some(sizes)) = (size, self.progress.sizes) {
            self.counts_the_rest &= size + before == sizes.first;
        }
    }

    /// Notes the token that page `number` carries; the page that gave it first, if it came back.
    fn note_token(&mut self, token: &str, number: u64) -> Result<Option<u64>, Halt> {
        let first_page = self.seen.note(token, number);
        if let Some(first_page) = first_page {
            if self.repeated_token == RepeatedToken::Strict {
                return Err(Halt::Trip(Trip::RepeatedToken { page: number, first_page }));
            }
            if self.asked_twice && !self.progress.session_bound && !self.asked_last_again {
                // The list lives in a session, and something of it was asked twice before that showed: each
                // answer may have moved the session on, so a page may be missing (H17).
                self.progress.session_bound = true;
                return Err(Halt::Reopen(Reopening::ResumeDoubtful));
            }
            self.progress.session_bound = true;
        }
        Ok(first_page)
    }

    /// Takes the receipt of the oldest outstanding page: late guards.
    pub(crate) fn committed(&mut self, receipt: &Receipt) -> Result<(), Halt> {
        let facts =
            self.outstanding.pop_front().expect("a receipt belongs to a page that was handed out");
        self.tally = receipt.tally;
        self.staged = receipt.staged;
        let barren = facts.items > 0 && receipt.fresh == 0;
        if facts.first_after_resume && barren {
            return Err(Halt::Reopen(Reopening::ResumeDoubtful));
        }
        if facts.items == 0 {
            self.empty_repeats =
                if facts.token_first_page.is_some() { self.empty_repeats + 1 } else { 0 };
        } else {
            self.empty_repeats = 0;
            self.repeats =
                if barren && facts.token_first_page.is_some() { self.repeats + 1 } else { 0 };
        }
        if !facts.goes_on {
            return Ok(());
        }
        self.judge(&facts, barren).map_or(Ok(()), |trip| Err(Halt::Trip(trip)))
    }

    /// The late guards, on a page after which the list goes on.
    fn judge(&self, facts: &PageFacts, barren: bool) -> Option<Trip> {
        let tally = &self.tally;
        // All that was announced has come, so one page without anything new is enough.
        let all_there = facts.sizes.is_some_and(|sizes| sizes.last == tally.distinct);
        if let Some(first_page) = facts.token_first_page
            && (self.repeats >= self.limits.repeated_pages_max || (barren && all_there))
        {
            return Some(Trip::RepeatedToken { page: facts.page, first_page });
        }
        let no_progress =
            |pages| Trip::NoProgress { page: facts.page, pages, distinct: tally.distinct };
        if barren && (all_there || tally.barren_run >= self.limits.barren_pages_max) {
            return Some(no_progress(tally.barren_run));
        }
        if tally.empty_run >= self.limits.empty_pages_max
            || self.empty_repeats >= self.limits.empty_pages_seen_max
        {
            return Some(no_progress(tally.empty_run));
        }
        over_record_ceiling(&self.limits, tally, 0, facts.sizes, self.last_complete.as_ref())
            .then_some(Trip::RecordCeiling { delivered: tally.delivered, distinct: tally.distinct })
    }

    /// Whether the next request may leave although receipts are outstanding: not when one of them could forbid it.
    pub(crate) fn may_fetch(&self) -> bool {
        let pages = self.outstanding.len();
        if pages == 0 {
            return true;
        }
        let pages_more = pages as u64;
        let mut items = 0;
        let could_trip = self.outstanding.iter().any(|facts| {
            items += facts.items;
            facts.first_after_resume
                // Counting may say that all has come, and what could not be read counts too.
                || facts.sizes.is_some_and(|sizes| {
                    self.tally.distinct + items + self.progress.unreadable >= sizes.last
                })
                || over_record_ceiling(
                    &self.limits,
                    &self.tally,
                    items,
                    facts.sizes,
                    self.last_complete.as_ref(),
                )
        });
        // Where it is asked for, a list that begins with nothing may end there (H21).
        let brought_nothing = self.tally.delivered + items == 0 && self.progress.sizes.is_none();
        self.may_hold_more()
            && !self.progress.session_bound
            && !brought_nothing
            && self.tally.barren_run + pages_more < self.limits.barren_pages_max
            && self.tally.empty_run + pages_more < self.limits.empty_pages_max
            && !could_trip
    }

    /// Whether one more page may be outstanding: always a second one, more as the list proves long, so that what a
    /// crash repeats stays a small share of what is durable, and no more than fits the memory meant for it.
    fn may_hold_more(&self) -> bool {
        let pages = self.outstanding.len();
        let earned = 1 + usize::try_from(self.tally.pages / PAGES_FOR_ONE_AHEAD).unwrap_or(0);
        let bytes: u64 = self.outstanding.iter().map(|facts| facts.bytes).sum();
        pages <= self.limits.pages_ahead_max.min(earned)
            && (pages <= 1 || bytes <= self.limits.bytes_ahead_max)
    }

    /// Whether counting says that everything announced has come, so that trouble with the next token is the end
    /// of the list rather than a failure (H12).
    pub(crate) fn counts_say_complete(&self) -> bool {
        self.outstanding.is_empty()
            && self.progress.sizes.is_some_and(|sizes| {
                sizes.is_constant() && sizes.last == self.tally.distinct + self.progress.unreadable
            })
    }

    /// Whether the list has brought nothing at all, and no announced size says that it will.
    pub(crate) fn is_empty_so_far(&self) -> bool {
        self.outstanding.is_empty()
            && self.tally.pages > 0
            && self.tally.delivered == 0
            && self.progress.sizes.is_none()
    }

    /// Whether so many distinct records, enough for what was announced, may yet not be all of them.
    fn changed_while_read(&self, sizes: Sizes, delivered: u64) -> Option<Trip> {
        if self.counts_the_rest {
            return None;
        }
        // The size fell: with offsets, as many records were skipped as were deleted (F041).
        if sizes.least < sizes.first && delivered < sizes.first {
            return Some(Trip::ListChanged { from: sizes.first, to: sizes.least });
        }
        // It rose. What is new comes with the next window; but where records came twice they may have moved to the end, and
        // each of them has let another one slip over a page edge (F045).
        let has_repeated = self.tally.delivered > self.tally.distinct;
        (has_repeated && delivered < sizes.last)
            .then_some(Trip::ListChanged { from: sizes.first, to: sizes.last })
    }

    /// Ends the list because counting says so.
    pub(crate) fn end_by_counts(&mut self) {
        self.next = Next::Ended { empty_token: false };
    }

    /// What comes of the list: asked once it has ended and every receipt is in.
    pub(crate) fn conclude(&mut self) -> Conclusion {
        let Next::Ended { empty_token } = self.next else {
            unreachable!("a list is concluded once it has ended");
        };
        let delivered = self.tally.distinct + self.progress.unreadable;
        if std::mem::take(&mut self.ended_in_doubt) && self.disbelieved_size != Some(delivered) {
            return Conclusion::Reopen(Reopening::ResumeDoubtful);
        }
        let repeats = self.tally.delivered.saturating_sub(self.tally.distinct);
        let trip = match self.progress.sizes {
            Some(sizes) => {
                let announced = sizes.first.min(sizes.last);
                if delivered < announced {
                    Some(Trip::ShortList { delivered, announced })
                } else {
                    self.changed_while_read(sizes, delivered)
                }
            }
            None => {
                let used_to_end_empty =
                    self.last_complete.is_some_and(|list| list.ended_empty && list.size.is_none());
                match self.progress.offset_gaps {
                    // A list that is cut by offset and edited while it is read: each record that moved to its end has let
                    // another one slip over a page edge, and no size tells (F045).
                    0 if self.has_recent && repeats > 0 => Some(Trip::ListMoved { repeats }),
                    0 => (!empty_token && used_to_end_empty && self.tally.pages > 1)
                        .then_some(Trip::EndChanged { distinct: self.tally.distinct }),
                    pages => Some(Trip::OffsetGap { pages }),
                }
            }
        };
        // On a list without size the first empty answer may be a slip; the second is the end (H12).
        let may_be_a_slip = match &trip {
            Some(trip) => !matches!(trip, Trip::ListMoved { .. }),
            None => self.progress.sizes.is_none() && self.ended_empty_handed,
        };
        let asked_with = self.asked_with.clone().filter(|_| may_be_a_slip);
        if let Some(token) = asked_with
            && self.ask_last_again()
        {
            self.next = Next::Token(token.clone());
            return Conclusion::AskAgain(token);
        }
        if let Some(trip) = trip {
            return Conclusion::Trip(trip);
        }
        match self.progress.unreadable {
            0 => Conclusion::Complete(self.facts()),
            records => Conclusion::Trip(Trip::UnreadableRecords { records }),
        }
    }

    /// What is remembered of the list once it is complete.
    pub(crate) const fn facts(&self) -> CompleteList {
        CompleteList {
            pages: self.tally.pages,
            distinct: self.tally.distinct,
            size: match self.progress.sizes {
                Some(sizes) => Some(sizes.last),
                None => None,
            },
            ended_empty: matches!(self.next, Next::Ended { empty_token: true }),
            everything: self.traversal.window.is_everything(),
        }
    }

    /// Takes records that were fetched one by one, because no page of the list brings them.
    pub(crate) fn take_singles(&mut self, items: Vec<Item>, now: Stamp) -> Batch {
        let page = self.next_page();
        self.next = Next::Ended { empty_token: false };
        self.outstanding.push_back(PageFacts {
            page,
            items: items.len() as u64,
            bytes: items.iter().map(bytes_of).sum(),
            sizes: self.progress.sizes,
            token_first_page: None,
            goes_on: false,
            first_after_resume: false,
        });
        Batch {
            traversal: self.traversal.number,
            page,
            items,
            progress: self.progress,
            cursor: None,
            taken_at: now,
        }
    }

    /// Whether the last token may be asked once more; it may, once a traversal, and never in a session (F033).
    pub(crate) const fn ask_last_again(&mut self) -> bool {
        if self.asked_last_again || self.progress.session_bound {
            return false;
        }
        self.asked_last_again = true;
        self.asked_twice = true;
        self.second_answer = Some(SecondAnswer::LastAgain);
        true
    }

    /// Tombstones that wait for the closing.
    pub(crate) const fn staged(&self) -> u64 {
        self.staged
    }

    /// Whether no page of the list announced a size.
    pub(crate) const fn is_unsized(&self) -> bool {
        self.progress.sizes.is_none()
    }

    /// Whether the next answer is the first since the traversal was resumed, or a second one after trouble: then it says
    /// nothing of the end of a list without size (H18).
    pub(crate) fn is_next_doubtful(&self) -> bool {
        self.first_after_resume || self.second_answer == Some(SecondAnswer::AfterTrouble)
    }
}

fn bytes_of(item: &Item) -> u64 {
    match item {
        Item::Record(record) => {
            let payload = record.payload.as_ref().map_or(0, String::len);
            (payload + record.abouts.iter().map(String::len).sum::<usize>()) as u64
        }
        Item::Tombstone(_) => 0,
    }
}

fn offset_of(page: &Page) -> Option<u64> {
    page.token.as_ref().and_then(|token| token.announced_offset)
}

fn next_of(page: &Page) -> Next {
    match page.next_token() {
        Some(token) => Next::Token(token.value.clone()),
        None => Next::Ended { empty_token: page.token.is_some() },
    }
}

fn cursor_of(token: &ResumptionToken, repository_time: Stamp, now: Stamp) -> Cursor {
    Cursor {
        token: token.value.clone(),
        given_at: now,
        // Measured on the repository's own clock, which may differ from ours.
        life_seconds: token.expires.map(|expires| expires.seconds() - repository_time.seconds()),
    }
}
