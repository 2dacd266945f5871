//! The loop over lists and pages.

use std::collections::{BTreeMap, BTreeSet};

use pmh_protocol::{Body, Datestamp, ErrorCode, Granularity, OaiError, Page};

use crate::ask::Asked;
use crate::dates::Dates;
use crate::defect::Defect;
use crate::end::End;
use crate::specimen::Task;
use crate::traversal::{Traversal, announced_size};
use crate::wire::{Halt, Shelf, Wire};

/// Restarts in a row that bring no new identifier.
const RESTARTS_MAX: u32 = 3;
/// The end of patience even for the specimen that has no guard.
const PAGES_HARD_MAX: u32 = 100_000;

/// One run of a specimen.
pub(crate) struct Harvest<'a> {
    pub(crate) defect: Defect,
    pub(crate) task: &'a Task,
    pub(crate) wire: &'a mut dyn Wire,
    pub(crate) shelf: &'a mut dyn Shelf,
    /// Those that the repository has set in this run.
    pub(crate) cookies: BTreeMap<String, String>,
    /// The only granularity of datestamps that is read, where there is one.
    pub(crate) granularity: Option<Granularity>,
}

/// How one reading of the list ended.
enum ListEnd {
    Run(End),
    /// The token was refused: the list must be opened again.
    TokenRefused,
}

impl Harvest<'_> {
    pub(crate) fn run(mut self) -> End {
        match self.window() {
            Ok(end) => end,
            Err(Halt::Killed) => End::Killed,
            Err(Halt::OverBudget) => End::OverBudget,
            // Asking again is dealt with where the asking is; only a wire that loses a wait comes here.
            Err(Halt::Lost(lost)) => End::incomplete(lost.to_string()),
        }
    }

    pub(crate) fn has(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    /// Whether it takes for a page what is none: such a page has no date.
    const fn makes_pages_up(&self) -> bool {
        matches!(self.defect, Defect::EndsAtCut | Defect::HtmlIsSuccess | Defect::EmptyIsSuccess)
    }

    /// Reads the list until it has an end, opening it again while that brings something.
    fn window(&mut self) -> Result<End, Halt> {
        if self.is_turned_away()? {
            return Ok(End::refused("robots are to stay away".to_owned()));
        }
        // Defect: many repositories announce one granularity and write another.
        if self.has(Defect::DatestampsToTheLetter) {
            self.granularity = self.identify()?.and_then(|identify| identify.granularity);
        }
        let from = self.from()?;
        let mut held = BTreeSet::new();
        let mut restarts = 0;
        let mut token = self.shelf.cursor();
        loop {
            let mut traversal = match &token {
                None => Traversal::opened(self.defect),
                Some(token) => Traversal::resumed_with(self.defect, token),
            };
            match self.list(from, token.take(), &mut traversal)? {
                ListEnd::Run(end) => return Ok(end),
                ListEnd::TokenRefused => {}
            }
            self.shelf.put_cursor(None)?;
            if traversal.add_to(&mut held) {
                restarts = 0;
            }
            restarts += 1;
            // Defect: nothing keeps count, so the list is opened again for ever.
            let counts = !self.has(Defect::NeverCounts) && !self.has(Defect::ReopensForEver);
            if restarts > RESTARTS_MAX && counts {
                return Ok(End::stopped_by("restart-ceiling"));
            }
        }
    }

    /// Reads one list, page after page.
    fn list(
        &mut self,
        from: Option<Datestamp>,
        mut token: Option<String>,
        traversal: &mut Traversal,
    ) -> Result<ListEnd, Halt> {
        let mut dates = token.as_ref().map_or_else(Dates::opened, |_| Dates::resumed());
        while traversal.pages() < PAGES_HARD_MAX {
            let query = self.query(from, token.as_deref());
            let parsed = match self.ask(&query, token.is_some())? {
                Asked::Document(parsed) => parsed,
                Asked::Nothing(reason) => return Ok(given_up(reason, token.is_some())),
            };
            dates.answered(parsed.document.response_date);
            let is_made_up = self.makes_pages_up() && parsed.document.response_date.is_none();
            let mut page = match parsed.document.body {
                Body::List(page) => page,
                Body::Errors(errors) => {
                    return self.errors(&errors, token.as_deref(), traversal, &dates);
                }
                // Defect: a document without a list says nothing of the list.
                _ if token.is_some() && self.has(Defect::AnotherVerbIsTheEnd) => {
                    self.shelf.put_cursor(None)?;
                    return self.complete(&dates).map(ListEnd::Run);
                }
                _ => {
                    let reason = "the answer is to another verb".to_owned();
                    return Ok(given_up(reason, token.is_some()));
                }
            };
            if let Some(granularity) = self.granularity {
                page.items.retain(|item| {
                    item.header().datestamp.is_none_or(|date| date.granularity == granularity)
                });
            }
            dates.brought(&page);
            let next = self.next_token(&page, &dates);
            let stop = self.reason_to_stop(&page, next.as_deref(), traversal);
            let guard = stop.or_else(|| traversal.read(&page, parsed.unreadable));
            if let Some(guard) = guard.filter(|_| !self.has(Defect::NeverCounts)) {
                // Where a guard raised, the next run must start afresh and not go on into the same trap.
                self.store(&page, None)?;
                return self.stopped_by(guard, &dates).map(ListEnd::Run);
            }
            let is_end = next.is_none() || self.takes_for_the_end(&page, traversal);
            self.store(&page, next.as_deref().filter(|_| !is_end))?;
            if is_end {
                // Defect: it never counts, so no list is too short. And a page that was made up is believed to be the
                // last one, whatever others have announced.
                let counts = next.is_none() && !self.has(Defect::NeverCounts) && !is_made_up;
                return match traversal.lack().filter(|_| counts) {
                    Some(guard) => self.stopped_by(guard, &dates),
                    None => self.complete(&dates),
                }
                .map(ListEnd::Run);
            }
            token = next;
        }
        Ok(ListEnd::Run(End::OverBudget))
    }

    /// Why a page must not be followed by another, besides the guards.
    fn reason_to_stop(
        &self,
        page: &Page,
        next: Option<&str>,
        traversal: &Traversal,
    ) -> Option<&'static str> {
        match self.defect {
            // Defect: a token that was seen before ends the list, though a session has one token for all its pages.
            Defect::EndsAtSeenToken if next.is_some_and(|next| traversal.has_seen(next)) => {
                Some("repeated-token")
            }
            // Defect: what a list announces is only said by the way, and need not be there.
            Defect::NeedsSize if announced_size(page).is_none() && next.is_some() => {
                Some("short-list")
            }
            // Defect: repositories change while they are read.
            Defect::SizeMustStand if traversal.announces_anew(page) => Some("list-changed"),
            // Defect: many repositories just stop, and what was announced is there.
            Defect::NeedsLastToken if page.token.is_none() && traversal.pages() > 0 => {
                Some("short-list")
            }
            // Defect: the cursor may count pages, or from one.
            Defect::CursorMustAddUp if !traversal.adds_up(page) => Some("offset-gap"),
            _ => None,
        }
    }

    /// Whether a page is taken for the last one although a token came with it.
    fn takes_for_the_end(&self, page: &Page, traversal: &Traversal) -> bool {
        match self.defect {
            // Defect: a page without records may stand anywhere.
            Defect::EndsAtEmptyPage => page.items.is_empty(),
            // Defect: so may a page that is shorter than others.
            Defect::EndsAtShortPage => traversal.has_shrunk(),
            // Defect: an announced size may mean *at least*.
            Defect::EndsAtAnnouncedSize => traversal.has_all(page),
            _ => false,
        }
    }

    /// What comes of errors in place of a page.
    fn errors(
        &mut self,
        errors: &[OaiError],
        token: Option<&str>,
        traversal: &Traversal,
        dates: &Dates,
    ) -> Result<ListEnd, Halt> {
        let is = |code: &ErrorCode| errors.iter().any(|error| error.code == *code);
        let words: Vec<String> =
            errors.iter().map(|error| format!("{}: {}", error.code, error.text)).collect();
        let Some(token) = token else {
            // Defect: nothing new is not a failure.
            let is_nothing = is(&ErrorCode::NoRecordsMatch) && !self.has(Defect::NothingIsAnError);
            return match is_nothing {
                true => self.complete(dates),
                false => Ok(End::refused(words.join("; "))),
            }
            .map(ListEnd::Run);
        };
        let is_refused = is(&ErrorCode::BadResumptionToken);
        let takes_for_the_end = match self.defect {
            // Defect: a token that is refused in mid-list has not ended it.
            Defect::EndsAtRefusedToken => is_refused,
            // Defect: nor has any other error.
            Defect::EndsAtAnyError => !is_refused,
            _ => false,
        };
        // When everything that was announced has come, whatever is wrong with the next token is the end.
        let is_whole = traversal.is_whole() && !self.has(Defect::ErrorAfterAll);
        if takes_for_the_end || (!token.trim().is_empty() && is_whole) {
            self.shelf.put_cursor(None)?;
            return self.complete(dates).map(ListEnd::Run);
        }
        // Defect: a list whose token has died can be opened again.
        if is_refused && !self.has(Defect::NeverReopens) {
            return Ok(ListEnd::TokenRefused);
        }
        Ok(ListEnd::Run(End::incomplete(words.join("; "))))
    }

    fn complete(&mut self, dates: &Dates) -> Result<End, Halt> {
        self.move_watermark(dates)?;
        Ok(End::complete())
    }

    fn stopped_by(&mut self, guard: &'static str, dates: &Dates) -> Result<End, Halt> {
        // Defect: what was not seen is below the watermark from now on.
        if self.has(Defect::WatermarkWithoutEnd) {
            self.move_watermark(dates)?;
        }
        Ok(End::stopped_by(guard))
    }

    /// Moves the watermark, unless the run was asked for a span of its own or cannot know when the list was opened.
    fn move_watermark(&mut self, dates: &Dates) -> Result<(), Halt> {
        let held = self.shelf.watermark();
        let next = dates.watermark(self.defect, self.wire.now());
        let next = next.filter(|_| !self.has_span_of_its_own()).or(held);
        self.shelf.put_watermark(next)
    }
}

const fn given_up(reason: String, is_follow_up: bool) -> ListEnd {
    ListEnd::Run(if is_follow_up { End::incomplete(reason) } else { End::refused(reason) })
}
