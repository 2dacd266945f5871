//! What one reading of a list has shown so far, and the guards that follow from it.

use std::collections::BTreeSet;

use pmh_protocol::Page;

/// More pages than any list of a scenario has.
const PAGES_MAX: u32 = 1_000;
/// Non-empty pages in a row without a new identifier, when a token seen before came with the last of them.
const BARREN_WITH_SEEN_TOKEN_MAX: u32 = 3;
/// The same, whatever the tokens.
const BARREN_MAX: u32 = 10;
/// Pages without entries, when the token was seen before.
const EMPTY_WITH_SEEN_TOKEN_MAX: u32 = 10;
/// The same, whatever the tokens.
const EMPTY_MAX: u32 = 200;

/// One reading of the list, from its opening or from a cursor.
#[derive(Debug, Default)]
pub(crate) struct Traversal {
    pages: u32,
    identifiers: BTreeSet<String>,
    tokens: BTreeSet<String>,
    unreadable: u64,
    barren: u32,
    empty: u32,
    empty_with_seen_token: u32,
    /// Entries before the first page read: none, or after a resume what the repository says, if it does.
    skipped: Option<u64>,
    announced_first: Option<u64>,
    announced_last: Option<u64>,
}

impl Traversal {
    pub(crate) fn opened() -> Self {
        Self { skipped: Some(0), ..Self::default() }
    }

    pub(crate) fn resumed_with(token: &str) -> Self {
        Self { tokens: BTreeSet::from([token.to_owned()]), ..Self::default() }
    }

    pub(crate) const fn pages(&self) -> u32 {
        self.pages
    }

    pub(crate) fn has_seen(&self, token: &str) -> bool {
        self.tokens.contains(token)
    }

    /// Takes a page in; the guard it trips, if it trips one.
    pub(crate) fn read(&mut self, page: &Page, unreadable: u32) -> Option<&'static str> {
        self.pages = self.pages.saturating_add(1);
        self.unreadable = self.unreadable.saturating_add(u64::from(unreadable));
        if let Some(token) = &page.token {
            if self.pages == 1 && self.skipped.is_none() {
                self.skipped = token.announced_offset;
            }
            self.announced_first = self.announced_first.or(token.announced_size);
            self.announced_last = token.announced_size.or(self.announced_last);
        }
        let mut brought_new = false;
        for item in &page.items {
            brought_new |= self.identifiers.insert(item.header().identifier.clone());
        }
        let next = page.next_token()?;
        let token_seen = !self.tokens.insert(next.value.clone());
        if self.pages >= PAGES_MAX {
            return Some("page-ceiling");
        }
        if page.items.is_empty() {
            self.empty += 1;
            self.empty_with_seen_token += u32::from(token_seen);
            let too_many =
                self.empty >= EMPTY_MAX || self.empty_with_seen_token >= EMPTY_WITH_SEEN_TOKEN_MAX;
            return too_many.then_some("no-progress");
        }
        self.empty = 0;
        self.empty_with_seen_token = 0;
        if brought_new {
            self.barren = 0;
            return None;
        }
        self.barren += 1;
        if self.distinct().is_some() && self.distinct() == self.announced_last {
            return Some("no-progress");
        }
        if token_seen && self.barren >= BARREN_WITH_SEEN_TOKEN_MAX {
            return Some("repeated-token");
        }
        (self.barren >= BARREN_MAX).then_some("no-progress")
    }

    /// Whether the list ended before it had shown as much as it announced.
    pub(crate) fn is_short(&self) -> bool {
        let least = self.announced_first.into_iter().chain(self.announced_last).min();
        match (self.distinct(), least) {
            (Some(distinct), Some(announced)) => {
                distinct.saturating_add(self.unreadable) < announced
            }
            _ => false,
        }
    }

    /// Whether entries came that name no record.
    pub(crate) const fn has_unreadable(&self) -> bool {
        self.unreadable > 0
    }

    /// Identifiers of the list up to here; `None` when a resume hides how many there were before.
    fn distinct(&self) -> Option<u64> {
        self.skipped.map(|skipped| skipped.saturating_add(self.identifiers.len() as u64))
    }

    /// Moves the identifiers into `window`; whether one of them was new there.
    pub(crate) fn add_to(self, window: &mut BTreeSet<String>) -> bool {
        let before = window.len();
        window.extend(self.identifiers);
        window.len() > before
    }
}
