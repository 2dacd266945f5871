//! Whether announced offsets leave something out.
//!
//! An offset proves nothing: some repositories count pages, begin at one, stay at zero or run down (F011, F030).
//! So its step is learned from the list itself, and only a jump over at least a whole page counts.

/// The announced offsets of one list, page after page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offsets {
    last: Option<Page>,
    step: Option<u64>,
    /// They do not grow: nothing can be told from them.
    is_odd: bool,
}

#[derive(Clone, Copy, Debug)]
struct Page {
    offset: u64,
    items: u64,
}

impl Offsets {
    /// Whether a page with this offset leaves out more than a page after the last one noted.
    pub(crate) fn jump_to(&self, offset: Option<u64>, items: u64) -> bool {
        let (Some(offset), Some(last), false) = (offset, self.last, self.is_odd) else {
            return false;
        };
        let step = offset.saturating_sub(last.offset);
        // A page may be longer or shorter than the one before, and what is filtered out after paging is no gap.
        let two_pages = 2 * last.items.max(items).max(1);
        match self.step {
            // They count pages.
            Some(1) => step > 1,
            Some(learned) => step >= 2 * learned && step >= two_pages,
            None => step > 1 && step >= two_pages,
        }
    }

    /// Notes a page that was taken.
    pub(crate) fn note(&mut self, offset: Option<u64>, items: u64) {
        if let (Some(offset), Some(last)) = (offset, self.last) {
            self.is_odd |= offset <= last.offset;
            let step = offset.saturating_sub(last.offset);
            let is_jump = self.jump_to(Some(offset), items);
            self.step.get_or_insert(if is_jump { last.items.max(1) } else { step });
        }
        self.last = offset.map(|offset| Page { offset, items });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages are (offset, items); what is expected are the pages, from 1, before which something is left out.
    fn check(pages: &[(u64, u64)], expected: &[usize]) {
        let mut offsets = Offsets::default();
        let mut jumps = Vec::new();
        for (number, &(offset, items)) in (1..).zip(pages) {
            if offsets.jump_to(Some(offset), items) {
                jumps.push(number);
            }
            offsets.note(Some(offset), items);
        }
        assert_eq!(jumps, expected, "{pages:?}");
    }

    #[test]
    fn a_page_that_is_left_out_shows_whatever_the_unit() {
        check(&[(0, 20), (20, 20), (60, 20), (80, 7)], &[3]);
        check(&[(0, 20), (40, 20), (60, 20)], &[2]);
        check(&[(1, 20), (21, 20), (61, 20)], &[3]);
        check(&[(0, 20), (1, 20), (3, 20)], &[3]);
        check(&[(20, 20), (40, 20), (80, 20)], &[3]);
        check(&[(0, 1), (1, 1), (3, 1)], &[3]);
    }

    #[test]
    fn odd_but_harmless_offsets_show_nothing() {
        check(&[(0, 20), (20, 20), (40, 7)], &[]);
        check(&[(0, 20), (1, 20), (2, 20)], &[]);
        check(&[(0, 20), (0, 20), (0, 20)], &[]);
        check(&[(40, 20), (20, 20), (0, 20)], &[]);
        check(&[(0, 20), (20, 20), (0, 20), (500, 20)], &[]);
        check(&[(0, 18), (20, 15), (40, 20), (60, 11)], &[]);
        check(&[(0, 50), (50, 100), (150, 100)], &[]);
    }
}
