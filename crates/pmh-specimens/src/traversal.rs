//! What one reading of a list has shown so far, and the guards that follow from it.

use std::collections::BTreeSet;

use pmh_protocol::Page;

use crate::defect::Defect;

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
#[derive(Debug)]
pub(crate) struct Traversal {
    defect: Defect,
    pages: u32,
    /// Entries of the last page.
    page_size: usize,
    /// Whether it had fewer than the one before.
    has_shrunk: bool,
    /// Entries that were delivered, each time they were.
    deliveries: u64,
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
    pub(crate) const fn opened(defect: Defect) -> Self {
        Self {
            defect,
            pages: 0,
            page_size: 0,
            has_shrunk: false,
            deliveries: 0,
            identifiers: BTreeSet::new(),
            tokens: BTreeSet::new(),
            unreadable: 0,
            barren: 0,
            empty: 0,
            empty_with_seen_token: 0,
            skipped: Some(0),
            announced_first: None,
            announced_last: None,
        }
    }

    pub(crate) fn resumed_with(defect: Defect, token: &str) -> Self {
        let tokens = BTreeSet::from([token.to_owned()]);
        Self { tokens, skipped: None, ..Self::opened(defect) }
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
        // Defect: the last page often announces nothing.
        if self.defect == Defect::SizeOfLastPage {
            self.announced_last = announced_size(page);
            self.announced_first = self.announced_last;
        }
        self.has_shrunk = page.items.len() < self.page_size;
        self.page_size = page.items.len();
        self.deliveries = self.deliveries.saturating_add(page.items.len() as u64);
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

    /// The guard that a list trips which ended and was not all that it announced, or named not all that it brought.
    pub(crate) fn lack(&self) -> Option<&'static str> {
        if self.is_short() {
            return Some("short-list");
        }
        // Where the size fell, records may have been pulled over the edge of a page; but a size may also count what is
        // left, and then as many have come as were announced at first.
        let seen = self.distinct().map(|distinct| distinct.saturating_add(self.unreadable));
        if seen.is_some_and(|seen| self.announced_first.is_some_and(|first| seen < first)) {
            return Some("list-changed");
        }
        (self.unreadable > 0).then_some("unreadable-records")
    }

    /// Whether everything that was announced has come.
    pub(crate) fn is_whole(&self) -> bool {
        self.announced_last.is_some() && self.distinct() == self.announced_last
    }

    /// Whether the list ended before it had shown as much as it announced.
    fn is_short(&self) -> bool {
        let least = self.announced_first.into_iter().chain(self.announced_last).min();
        match (self.distinct(), least) {
            (Some(distinct), Some(announced)) => {
                distinct.saturating_add(self.unreadable) < announced
            }
            _ => false,
        }
    }

    /// Identifiers of the list up to here; `None` when a resume hides how many there were before.
    fn distinct(&self) -> Option<u64> {
        // Defect: a record that comes twice is one record.
        if self.defect == Defect::CountsDeliveries {
            return self.skipped.map(|skipped| skipped.saturating_add(self.deliveries));
        }
        self.skipped.map(|skipped| skipped.saturating_add(self.identifiers.len() as u64))
    }

    /// Whether the last page, which is this one, completes what it announces.
    pub(crate) fn has_all(&self, page: &Page) -> bool {
        announced_size(page).is_some_and(|size| self.distinct() >= Some(size))
    }

    /// Whether the last page was shorter than the one before.
    pub(crate) const fn has_shrunk(&self) -> bool {
        self.has_shrunk
    }

    /// Whether this page, which has not been read yet, announces another size than those before it.
    pub(crate) fn announces_anew(&self, page: &Page) -> bool {
        announced_size(page)
            .is_some_and(|size| self.announced_last.is_some_and(|before| before != size))
    }

    /// Whether the cursor of this page, which has not been read yet, is the number of entries that came before.
    pub(crate) fn adds_up(&self, page: &Page) -> bool {
        let offset = page.token.as_ref().and_then(|token| token.announced_offset);
        offset == self.skipped.map(|skipped| skipped.saturating_add(self.deliveries))
    }

    /// Moves the identifiers into `window`; whether one of them was new there.
    pub(crate) fn add_to(self, window: &mut BTreeSet<String>) -> bool {
        let before = window.len();
        window.extend(self.identifiers);
        window.len() > before
    }
}

/// The size that this page announces.
pub(crate) fn announced_size(page: &Page) -> Option<u64> {
    page.token.as_ref().and_then(|token| token.announced_size)
}
