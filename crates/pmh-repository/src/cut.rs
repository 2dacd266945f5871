//! How a list is cut into pages: which records a page holds, and whether another follows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use pmh_protocol::{Datestamp, Granularity, Selection, Stamp};
use pmh_scenario::{
    Cap, CapEnd, Ignored, ListKind, Order, Paging, Protocol, UntilDay, World, payload_digest,
};

/// A list with the knife: everything that decides what its pages hold.
#[derive(Clone, Copy)]
pub(crate) struct Cutter<'a> {
    pub(crate) protocol: &'a Protocol,
    pub(crate) world: &'a World,
    pub(crate) page_size: usize,
    /// What the list was opened with.
    pub(crate) selection: &'a Selection,
    /// Its records by number, as they were when it was opened; only a frozen list keeps to them.
    pub(crate) entries: &'a [u32],
    /// The datestamp that each page ended with.
    pub(crate) last_stamps: &'a BTreeMap<u32, Stamp>,
    /// What an unstable order is shuffled by, besides the page.
    pub(crate) serial: u32,
    /// How often live lists got another order.
    pub(crate) shuffles: u32,
}

/// One page of a list.
pub(crate) struct Cut {
    /// Its records by number, hidden ones included.
    pub(crate) numbers: Vec<u32>,
    /// How many entries came before.
    pub(crate) offset: usize,
    /// How many the list has.
    pub(crate) size: usize,
    /// Whether a page follows.
    pub(crate) has_next: bool,
}

impl Cutter<'_> {
    /// The page of this number, from 1. A page that does not exist is empty.
    pub(crate) fn cut(&self, page: u32) -> Cut {
        let entries = self.entries(page);
        let offset = self.start(&entries, page);
        let end = self.end(&entries).min(offset.saturating_add(self.page_size));
        let numbers = entries.get(offset..end).unwrap_or_default().to_vec();
        let has_next = page.checked_add(1).is_some_and(|next| self.has(next));
        Cut { numbers, offset, size: entries.len(), has_next }
    }

    /// Whether the list has this page.
    pub(crate) fn has(&self, page: u32) -> bool {
        let entries = self.entries(page);
        page > 0 && self.start(&entries, page) < self.reach(&entries)
    }

    /// Whether the page reaches beyond what the repository is able to count.
    pub(crate) fn is_refused(&self, page: u32) -> bool {
        let entries = self.entries(page);
        let end = self.start(&entries, page).saturating_add(self.page_size).min(entries.len());
        self.paging()
            .cap
            .is_some_and(|cap| cap.then == CapEnd::Refused && end > cap.records as usize)
    }

    fn paging(&self) -> &Paging {
        &self.protocol.paging
    }

    /// The list as it is when this page is cut.
    fn entries(&self, page: u32) -> Cow<'_, [u32]> {
        let is_forgotten = self.protocol.filter.forgotten_after.is_some_and(|after| page > after);
        let mut entries = if is_forgotten {
            let prefix = self.selection.prefix.clone();
            let everything = Selection { prefix, from: None, until: None, set: None };
            Cow::Owned(select(self.world, &everything, self.protocol))
        } else if self.paging().list == ListKind::Frozen {
            Cow::Borrowed(self.entries)
        } else {
            Cow::Owned(select(self.world, self.selection, self.protocol))
        };
        if self.shuffles > 0 && self.paging().list == ListKind::Live {
            let key = |number: &u32| payload_digest(&format!("order {} {number}", self.shuffles));
            entries.to_mut().sort_by_cached_key(key);
        }
        if self.paging().order == Order::Unstable {
            let serial = self.serial;
            let key = |number: &u32| payload_digest(&format!("{serial} {page} {number}"));
            entries.to_mut().sort_by_cached_key(key);
        }
        entries
    }

    /// Where the page begins; beyond the list for a page that does not exist.
    fn start(&self, entries: &[u32], page: u32) -> usize {
        let before = page.saturating_sub(1) as usize;
        if self.paging().list != ListKind::KeySet {
            // A new program may have made pages shorter than what they repeat.
            let step = self.page_size.saturating_sub(self.paging().overlap).max(1);
            return before.saturating_mul(step);
        }
        let stamp = |number: &u32| self.world.records.get(number).map(|record| record.stamp);
        let mut start = 0;
        for earlier in 1..page {
            let Some(last) =
                entries.get(start..).and_then(|rest| rest.iter().take(self.page_size).next_back())
            else {
                return entries.len();
            };
            let key = self.last_stamps.get(&earlier).copied().or_else(|| stamp(last));
            start = entries.partition_point(|number| stamp(number) <= key);
        }
        start
    }

    /// Where the last page that is shown ends.
    fn end(&self, entries: &[u32]) -> usize {
        match self.paging().cap {
            Some(Cap { records, .. }) => entries.len().min(records as usize),
            None => entries.len(),
        }
    }

    /// Up to where pages exist: where the list ends, or, when pages beyond the cap are refused, as if there were no cap.
    /// An overlap alone is no page.
    fn reach(&self, entries: &[u32]) -> usize {
        let is_refused = self.paging().cap.is_some_and(|cap| cap.then == CapEnd::Refused);
        let end = if is_refused { entries.len() } else { self.end(entries) };
        if end > self.page_size { end - self.paging().overlap } else { end.min(1) }
    }
}

/// Numbers of the records that a list with these criteria holds, in its order.
pub(crate) fn select(world: &World, selection: &Selection, protocol: &Protocol) -> Vec<u32> {
    let mut selection = selection.clone();
    for ignored in &protocol.filter.ignores {
        match ignored {
            Ignored::From => selection.from = None,
            Ignored::Until => selection.until = None,
            Ignored::Set => selection.set = None,
        }
    }
    if protocol.filter.until_day == UntilDay::Midnight {
        let midnight = |until: Datestamp| Datestamp { granularity: Granularity::Second, ..until };
        selection.until = selection.until.map(midnight);
    }
    let mut found = world.selection(&selection, protocol.deleted_records);
    if protocol.paging.order == Order::Id {
        found.sort_unstable();
    }
    found
}
