//! The loop of all specimens. Every departure from the sound one stands under a comment that begins with `Defect`.

use std::collections::BTreeSet;

use pmh_protocol::{
    BODY_BYTES_MAX, Body, ErrorCode, HttpPage, HttpRequest, Item, OaiError, Page, Parsed, Request,
    Selection, Verb, encode_arguments, read_document,
};

use crate::end::End;
use crate::specimen::Defect;
use crate::traversal::Traversal;
use crate::wire::{Halt, Row, Shelf, Wire};

/// How often one page is asked for before it is given up.
const TRIES_MAX: u32 = 5;
/// Restarts in a row that bring no new identifier.
const RESTARTS_MAX: u32 = 3;
/// What a busy repository is given when it names no time.
const RETRY_AFTER_DEFAULT_SECONDS: u64 = 60;
/// The longest wait that is sat out.
const RETRY_AFTER_MAX_SECONDS: u64 = 3_600;
/// The end of patience even for the specimen that has no guard.
const PAGES_HARD_MAX: u32 = 100_000;

/// One run of a specimen.
pub(crate) struct Harvest<'a> {
    pub(crate) defect: Defect,
    pub(crate) base_url: &'a str,
    pub(crate) selection: &'a Selection,
    pub(crate) wire: &'a mut dyn Wire,
    pub(crate) shelf: &'a mut dyn Shelf,
}

/// How one reading of the list ended.
enum ListEnd {
    Run(End),
    /// The token was refused: the list must be opened again.
    TokenRefused,
}

/// What came of asking for one page.
enum Asked {
    Page {
        page: Page,
        unreadable: u32,
    },
    Errors(Vec<OaiError>),
    /// Given up.
    Nothing(String),
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

    /// Reads the list until it has an end, opening it again while that brings something.
    fn window(&mut self) -> Result<End, Halt> {
        let mut held = BTreeSet::new();
        let mut restarts = 0;
        let mut token = self.shelf.cursor();
        loop {
            let mut traversal =
                token.as_deref().map_or_else(Traversal::opened, Traversal::resumed_with);
            match self.list(token.take(), &mut traversal)? {
                ListEnd::Run(end) => return Ok(end),
                ListEnd::TokenRefused => {}
            }
            self.shelf.put_cursor(None)?;
            if traversal.add_to(&mut held) {
                restarts = 0;
            }
            restarts += 1;
            // Defect: it never counts, so it opens the list again for ever.
            if restarts > RESTARTS_MAX && self.defect != Defect::NeverCounts {
                return Ok(End::stopped_by("restart-ceiling"));
            }
        }
    }

    /// Reads one list, page after page.
    fn list(
        &mut self,
        mut token: Option<String>,
        traversal: &mut Traversal,
    ) -> Result<ListEnd, Halt> {
        while traversal.pages() < PAGES_HARD_MAX {
            let (page, unreadable) = match self.ask(token.as_deref())? {
                Asked::Page { page, unreadable } => (page, unreadable),
                // Everything that was announced has come: whatever is wrong with the next token, this is the end.
                Asked::Errors(_)
                    if token.as_deref().is_some_and(|token| !token.trim().is_empty())
                        && traversal.is_whole() =>
                {
                    self.shelf.put_cursor(None)?;
                    return Ok(ListEnd::Run(End::complete()));
                }
                Asked::Errors(errors) => return Ok(judge_errors(&errors, token.is_some())),
                Asked::Nothing(reason) if token.is_some() => {
                    return Ok(ListEnd::Run(End::incomplete(reason)));
                }
                Asked::Nothing(reason) => return Ok(ListEnd::Run(End::refused(reason))),
            };
            let next = self.next_token(&page);
            // Defect: a token that was seen before ends the list, though a session has one token for all its pages.
            if self.defect == Defect::EndsAtSeenToken
                && next.as_deref().is_some_and(|next| traversal.has_seen(next))
            {
                self.store(&page, None)?;
                return Ok(ListEnd::Run(End::stopped_by("repeated-token")));
            }
            let guard = traversal.read(&page, unreadable);
            // Defect: it never counts, so nothing stops it and no list is too short.
            let counts = self.defect != Defect::NeverCounts;
            if let (true, Some(guard)) = (counts, guard) {
                // Where a guard raised, the next run must start afresh and not go on into the same trap.
                self.store(&page, None)?;
                return Ok(ListEnd::Run(End::stopped_by(guard)));
            }
            self.store(&page, next.as_deref())?;
            // Defect: a page without records is taken for the end, whatever token it carries.
            if self.defect == Defect::EndsAtEmptyPage && page.items.is_empty() {
                self.shelf.put_cursor(None)?;
                return Ok(ListEnd::Run(End::complete()));
            }
            if next.is_none() {
                let end = match traversal.lack().filter(|_| counts) {
                    Some(guard) => End::stopped_by(guard),
                    None => End::complete(),
                };
                return Ok(ListEnd::Run(end));
            }
            token = next;
        }
        Ok(ListEnd::Run(End::OverBudget))
    }

    /// Makes a page durable: its records first, then the cursor that names the page after it.
    fn store(&mut self, page: &Page, next: Option<&str>) -> Result<(), Halt> {
        let rows: Vec<Row<'_>> = page.items.iter().map(|item| self.row(item)).collect();
        // Defect: the cursor first; who dies between the two has lost the page.
        if self.defect == Defect::NextTokenFirst {
            self.shelf.put_cursor(next)?;
            return self.shelf.put_rows(&rows);
        }
        self.shelf.put_rows(&rows)?;
        self.shelf.put_cursor(next)
    }

    const fn row<'i>(&self, item: &'i Item) -> Row<'i> {
        match (item, self.defect) {
            // Defect: a record that is held already gets a second row.
            (Item::Record(record), Defect::InsertNotUpsert) => Row::Insert(record),
            (Item::Record(record), _) => Row::Upsert(record),
            // Defect: the status of a header is not read.
            (Item::Tombstone(tombstone), Defect::InsertsTombstones) => {
                Row::Hollow(&tombstone.header)
            }
            (Item::Tombstone(tombstone), _) => Row::Withdraw(&tombstone.header),
        }
    }

    /// The token to go on with; none when the element is absent, empty or blank.
    fn next_token(&self, page: &Page) -> Option<String> {
        // Defect: any token element is a token.
        if self.defect == Defect::EmptyTokenAsToken {
            return page.token.as_ref().map(|token| token.value.clone());
        }
        page.next_token().map(|token| token.value.clone())
    }

    /// Asks for a page until an OAI-PMH document comes, at most [`TRIES_MAX`] times.
    fn ask(&mut self, token: Option<&str>) -> Result<Asked, Halt> {
        let request = HttpRequest::get(self.base_url, &self.query(token));
        let mut trouble = String::new();
        for attempt in 1..=TRIES_MAX {
            let mut pause = 1 << (attempt - 1);
            match self.wire.send(&request) {
                Ok(answer) => match read(&answer) {
                    // A document is judged by what it says, whatever its status.
                    Ok(parsed) => return Ok(judge_document(parsed)),
                    Err(detail) => {
                        trouble = format!("status {}: {detail}", answer.status);
                        if matches!(answer.status, 401 | 403) {
                            return Ok(Asked::Nothing(trouble));
                        }
                        if matches!(answer.status, 429 | 503) {
                            pause = retry_after_seconds(&answer);
                        }
                    }
                },
                Err(Halt::Lost(lost)) => trouble = lost.to_string(),
                Err(halt) => return Err(halt),
            }
            if pause > RETRY_AFTER_MAX_SECONDS {
                return Ok(Asked::Nothing(format!("asked to wait {pause} s")));
            }
            if attempt < TRIES_MAX {
                self.wire.wait(pause)?;
            }
        }
        Ok(Asked::Nothing(trouble))
    }

    fn query(&self, token: Option<&str>) -> String {
        match token {
            None => Request::ListRecords(self.selection.clone()).query(),
            // Defect: an exclusive argument that is not alone.
            Some(token) if self.defect == Defect::TokenBesideArguments => encode_arguments(&[
                ("verb", Verb::ListRecords.as_str()),
                ("metadataPrefix", &self.selection.prefix),
                ("resumptionToken", token),
            ]),
            Some(token) => {
                Request::Resume { verb: Verb::ListRecords, token: token.to_owned() }.query()
            }
        }
    }
}

fn read(answer: &HttpPage) -> Result<Parsed, String> {
    read_document(answer, BODY_BYTES_MAX).map_err(|error| error.to_string())
}

fn judge_document(parsed: Parsed) -> Asked {
    match parsed.document.body {
        Body::List(page) => Asked::Page { page, unreadable: parsed.unreadable },
        Body::Errors(errors) => Asked::Errors(errors),
        _ => Asked::Nothing("the answer is to another verb".to_owned()),
    }
}

fn judge_errors(errors: &[OaiError], to_a_token: bool) -> ListEnd {
    let is = |code: &ErrorCode| errors.iter().any(|error| error.code == *code);
    let words: Vec<String> =
        errors.iter().map(|error| format!("{}: {}", error.code, error.text)).collect();
    if to_a_token && is(&ErrorCode::BadResumptionToken) {
        ListEnd::TokenRefused
    } else if to_a_token {
        ListEnd::Run(End::incomplete(words.join("; ")))
    } else if is(&ErrorCode::NoRecordsMatch) {
        ListEnd::Run(End::complete())
    } else {
        ListEnd::Run(End::refused(words.join("; ")))
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
