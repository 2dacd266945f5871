//! Cutting a window that cannot be read as one list into slices that can (H14).

use pmh_protocol::{Datestamp, Granularity, Stamp};

use crate::window::Window;

/// Datestamps kept of a window at the most.
const SAMPLE_MAX: usize = 1_024;

/// Datestamps seen, evenly thinned out as they become many: enough to know where the middle is.
#[derive(Clone, Debug)]
struct Sample {
    stamps: Vec<Stamp>,
    /// Every so manyth is kept.
    stride: usize,
    seen: usize,
}

impl Sample {
    fn note(&mut self, stamp: Stamp) {
        if self.seen.is_multiple_of(self.stride) {
            if self.stamps.len() == SAMPLE_MAX {
                let mut index = 0;
                self.stamps.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
            self.stamps.push(stamp);
        }
        self.seen += 1;
    }
}

/// What is sliced, and what is left of it.
#[derive(Clone, Debug)]
pub(crate) struct Slices {
    sample: Sample,
    /// The slices after the one in hand, the next one last.
    pending: Vec<Window>,
    /// `None` while the window is whole.
    cut: Option<Cut>,
    cuts: u32,
}

/// A window that was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Number of the first slice's traversal.
    pub(crate) since: u64,
    /// When the whole window was opened first, on the repository's clock.
    pub(crate) opening: Stamp,
}

impl Default for Slices {
    fn default() -> Self {
        Self {
            sample: Sample { stamps: Vec::new(), stride: 1, seen: 0 },
            pending: Vec::new(),
            cut: None,
            cuts: 0,
        }
    }
}

impl Slices {
    /// A datestamp that the window holds.
    pub(crate) fn note(&mut self, datestamp: Option<Datestamp>) {
        if let Some(datestamp) = datestamp {
            self.sample.note(datestamp.stamp);
        }
    }

    /// Cuts `window` at the median datestamp seen in it: the older slice, to be worked now; the other waits. Both hold
    /// the boundary. `None` when it cannot be cut any smaller, or was cut too often.
    pub(crate) fn cut(
        &mut self,
        window: Window,
        cut: Cut,
        granularity: Granularity,
        cuts_max: u32,
    ) -> Option<Window> {
        if self.cuts >= cuts_max {
            return None;
        }
        let opening = self.cut.map_or(cut.opening, |cut| cut.opening);
        let boundary = self.boundary(window, opening, granularity)?;
        self.cuts += 1;
        self.cut.get_or_insert(cut);
        self.pending.push(Window { from: Some(boundary), until: window.until });
        Some(Window { from: window.from, until: Some(boundary) })
    }

    fn boundary(
        &self,
        window: Window,
        opening: Stamp,
        granularity: Granularity,
    ) -> Option<Datestamp> {
        let in_form = |stamp| Datestamp::new(stamp, granularity).stamp;
        let end = in_form(window.until.map_or(opening, |until| until.stamp.min(opening)));
        let start = window.from.map(|from| in_form(from.stamp));
        let mut seen: Vec<Stamp> = self.sample.stamps.iter().map(|&stamp| in_form(stamp)).collect();
        seen.retain(|&stamp| start.is_none_or(|start| start <= stamp) && stamp <= end);
        seen.sort_unstable();
        let median = *seen.get(seen.len() / 2)?;
        // Either slice must be smaller than the whole: something seen lies before the boundary, and the boundary before
        // the end.
        let first = seen[0];
        seen.retain(|&stamp| first < stamp && stamp < end);
        let later = seen.iter().find(|&&stamp| stamp >= median);
        let boundary = later.or_else(|| seen.last())?;
        Some(Datestamp::new(*boundary, granularity))
    }

    /// What was cut, if the window was.
    pub(crate) const fn cut_of(&self) -> Option<Cut> {
        self.cut
    }

    /// Whether slices wait after the one in hand.
    pub(crate) fn is_last(&self) -> bool {
        self.pending.is_empty()
    }

    /// The next slice.
    pub(crate) fn next(&mut self) -> Option<Window> {
        self.pending.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Stamp {
        Stamp::parse("2024-05-01T00:00:00Z").unwrap().plus_seconds(day * 86_400)
    }

    fn days(from: Option<i64>, until: Option<i64>) -> Window {
        let day = |day| Datestamp::new(at(day), Granularity::Day);
        Window { from: from.map(day), until: until.map(day) }
    }

    fn slices(seen: &[i64]) -> Slices {
        let mut slices = Slices::default();
        seen.iter().for_each(|&day| slices.note(Some(Datestamp::new(at(day), Granularity::Day))));
        slices
    }

    fn check(seen: &[i64], window: Window, expected: Option<(Window, Window)>) {
        let mut slices = slices(seen);
        let cut = Cut { since: 7, opening: at(30) };
        let older = slices.cut(window, cut, Granularity::Day, 9);
        assert_eq!(older.zip(slices.next()), expected, "{seen:?} in {window}");
    }

    #[test]
    fn a_window_is_cut_at_the_median_seen() {
        let all = days(None, None);
        check(&[1, 2, 3, 4, 5], all, Some((days(None, Some(3)), days(Some(3), None))));
        check(&[5, 1, 1, 1, 9], all, Some((days(None, Some(5)), days(Some(5), None))));
        let window = days(Some(2), Some(9));
        check(&[1, 3, 5, 20], window, Some((days(Some(2), Some(5)), days(Some(5), Some(9)))));
    }

    #[test]
    fn either_slice_is_smaller_than_the_whole_or_nothing_is_cut() {
        let window = days(Some(2), Some(4));
        check(&[2, 2, 2, 3], window, Some((days(Some(2), Some(3)), days(Some(3), Some(4)))));
        check(&[3, 4, 4, 4], window, None);
        check(&[1, 1, 1], days(None, None), None);
        check(&[2, 2, 4], window, None);
        check(&[], days(None, None), None);
        check(&[1, 9], days(Some(2), Some(4)), None);
        check(&[30, 31], days(None, None), None);
    }

    #[test]
    fn cutting_ends() {
        let mut slices = slices(&(0..30).collect::<Vec<_>>());
        let cut = Cut { since: 7, opening: at(40) };
        let mut window = days(None, None);
        let mut cuts = 0;
        while let Some(older) = slices.cut(window, cut, Granularity::Day, 1_000) {
            window = older;
            cuts += 1;
        }
        assert!(cuts < 10, "{cuts}");
        assert_eq!(window, days(None, Some(1)));
        assert_eq!(slices.cut(days(None, None), cut, Granularity::Day, cuts), None, "is bounded");
    }

    #[test]
    fn a_long_list_leaves_a_sample_of_all_of_it() {
        let mut slices = Slices::default();
        for second in 0..100_000 {
            let stamp = at(0).plus_seconds(second);
            slices.note(Some(Datestamp::new(stamp, Granularity::Second)));
        }
        assert!(slices.sample.stamps.len() <= SAMPLE_MAX);
        let cut = Cut { since: 1, opening: at(30) };
        let older = slices.cut(Window::default(), cut, Granularity::Second, 9).unwrap();
        let boundary = older.until.unwrap().stamp.seconds() - at(0).seconds();
        assert!((45_000..=55_000).contains(&boundary), "{boundary}");
    }
}
