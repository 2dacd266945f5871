//! Up to where a key is known complete (H10).

use pmh_protocol::{Datestamp, Granularity, Stamp};

use crate::entry::{Hole, Span, Traversal};
use crate::store::Known;

/// A clock that is ahead of ours by more than this is not believed.
const AHEAD_SECONDS_MAX: i64 = 86_400;
/// Stands back this far from our own clock when the repository states no time at all.
const UNKNOWN_SECONDS: i64 = 86_400;

/// The repository's time of an answer: its responseDate; without one the Date field; without that our clock
/// less a day; and the least of the three when the statement lies in the future.
#[must_use]
pub(crate) fn repository_time(
    response_date: Option<Stamp>,
    date: Option<Stamp>,
    now: Stamp,
) -> Stamp {
    let stated = response_date.or(date).unwrap_or(now.plus_seconds(-UNKNOWN_SECONDS));
    if stated > now.plus_seconds(AHEAD_SECONDS_MAX) {
        return stated.min(date.unwrap_or(now)).min(now);
    }
    stated
}

/// A window never reaches back further than this because of what came late.
const OVERLAP_SECONDS_MAX: i64 = 30 * 86_400;

/// What completing a traversal does to what is known of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// The new watermark; `None` leaves it.
    pub(crate) watermark: Option<Stamp>,
    pub(crate) floor: Option<Stamp>,
    /// The span that was read, where floor and watermark cannot say so.
    pub(crate) coverage: Option<Span>,
}

/// Seconds that a window reaches back behind the watermark: what is asked for, or twice the largest lag that was
/// seen when that is more (F063).
#[must_use]
pub(crate) fn overlap_seconds(asked_for: i64, lag_seconds: i64) -> i64 {
    asked_for.max(lag_seconds.saturating_mul(2).min(OVERLAP_SECONDS_MAX))
}

/// Seconds by which a record came later than its datestamp says: it was not there when everything up to the
/// watermark was read.
#[must_use]
pub(crate) fn lag_seconds(watermark: Stamp, datestamp: Datestamp) -> i64 {
    let watermark = match datestamp.granularity {
        // A day begins before what is stamped with it.
        Granularity::Day => Datestamp::new(watermark, Granularity::Day).stamp,
        Granularity::Second => watermark,
    };
    (watermark.seconds() - datestamp.stamp.seconds()).max(0)
}

/// Up to where everything was read: the watermark, and every span that begins in what is read so far. Beyond the
/// watermark it is complete but for holes.
#[must_use]
pub(crate) fn reach(watermark: Option<Stamp>, coverage: &[Span]) -> Option<Stamp> {
    let mut reach = watermark;
    // In the order of their beginnings, so that one pass is enough.
    for span in coverage {
        let is_joined = span.from.is_none_or(|from| reach.is_some_and(|reach| from <= reach));
        if is_joined {
            reach = reach.max(Some(span.until));
        }
    }
    reach
}

/// What completing a traversal does to watermark, floor and coverage, while `holes` are open: the watermark stops
/// before the first of them.
#[must_use]
pub(crate) fn after(
    traversal: &Traversal,
    opening_response_date: Stamp,
    known: &Known,
    holes: &[Hole],
) -> Reached {
    let window = traversal.window;
    let bound =
        window.until.map_or(opening_response_date, |until| opening_response_date.min(until.stamp));
    let span = Span { from: window.from.map(|from| from.stamp), until: bound };
    let unmoved = Reached { watermark: None, floor: known.floor, coverage: None };
    // It begins after the repository's now: that nothing is there says nothing.
    if span.from.is_some_and(|from| from > span.until) {
        return unmoved;
    }
    let held = known.watermark.map(|until| Span { from: known.floor, until });
    let others: Vec<Span> = known.coverage.iter().copied().chain([span]).collect();
    let joined = join(held.unwrap_or(span), &others);
    if !joined.holds(&span) {
        return Reached { coverage: Some(span), ..unmoved };
    }
    let Some(first_hole) = holes.iter().map(|hole| hole.datestamp).min() else {
        return Reached { watermark: Some(joined.until), floor: joined.from, coverage: None };
    };
    let stop = first_hole.map(|datestamp| datestamp.stamp.plus_seconds(-1).min(joined.until));
    let watermark = stop.filter(|stop| Some(*stop) > known.watermark);
    // Between floor and watermark there is no hole, and a floor is where the watermark begins.
    let floor = match held {
        Some(held) if stop < Some(held.until) => held.from,
        Some(_) => joined.from,
        None => watermark.and(joined.from),
    };
    Reached { watermark, floor, coverage: Some(span) }
}

/// `span`, grown by all `others` that overlap it, or one that does.
fn join(mut span: Span, others: &[Span]) -> Span {
    loop {
        let before = span;
        for other in others {
            let begins = other.from.is_none_or(|from| from <= span.until);
            let ends = span.from.is_none_or(|from| from <= other.until);
            if begins && ends {
                // `None`, the beginning of everything, is the least.
                span = Span { from: span.from.min(other.from), until: span.until.max(other.until) };
            }
        }
        if span == before {
            return span;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::Window;

    fn at(day: i64) -> Stamp {
        Stamp::parse("2024-05-01T00:00:00Z").unwrap().plus_seconds(day * 86_400)
    }

    #[test]
    fn a_clock_in_the_future_is_not_believed() {
        let now = at(0);
        assert_eq!(repository_time(Some(at(-3)), Some(at(0)), now), at(-3));
        assert_eq!(repository_time(Some(at(400)), Some(at(-1)), now), at(-1));
        assert_eq!(repository_time(Some(at(400)), None, now), now);
        assert_eq!(repository_time(None, Some(at(-2)), now), at(-2));
        assert_eq!(repository_time(None, None, now), at(-1));
    }

    fn check(
        from: Option<i64>,
        until: Option<i64>,
        held: Option<i64>,
        expected: (Option<i64>, Option<i64>),
    ) {
        check_above(None, from, until, held, expected);
    }

    fn check_above(
        floor: Option<i64>,
        from: Option<i64>,
        until: Option<i64>,
        held: Option<i64>,
        expected: (Option<i64>, Option<i64>),
    ) {
        let day = |day| Datestamp::new(at(day), Granularity::Second);
        let traversal = Traversal {
            number: 1,
            window_number: 1,
            window: Window { from: from.map(day), until: until.map(day) },
            opened_at: at(10),
            restarts_in_row: 0,
            restarts: 0,
        };
        let known = Known { watermark: held.map(at), floor: floor.map(at), ..Known::default() };
        let reached = after(&traversal, at(10), &known, &[]);
        assert_eq!((reached.watermark, reached.floor), (expected.0.map(at), expected.1.map(at)));
        let read = Span { from: from.map(at), until: at(until.unwrap_or(10)) };
        let coverage = expected.0.is_none().then_some(read);
        assert_eq!(reached.coverage, coverage, "what moves nothing is kept beside");
    }

    #[test]
    fn the_watermark_stops_before_a_hole_and_goes_on_when_it_is_closed() {
        let span = |from: Option<i64>, until| Span { from: from.map(at), until: at(until) };
        let hole = |day: Option<i64>| Hole {
            identifier: "a".to_owned(),
            datestamp: day.map(|day| Datestamp::new(at(day), Granularity::Second)),
            reason: String::new(),
        };
        let traversal = |from: Option<i64>, until: Option<i64>| Traversal {
            number: 1,
            window_number: 1,
            window: Window {
                from: from.map(|day| Datestamp::new(at(day), Granularity::Second)),
                until: until.map(|day| Datestamp::new(at(day), Granularity::Second)),
            },
            opened_at: at(10),
            restarts_in_row: 0,
            restarts: 0,
        };
        let fresh = Known::default();
        let before = at(5).plus_seconds(-1);
        let reached =
            after(&traversal(None, None), at(10), &fresh, &[hole(Some(7)), hole(Some(5))]);
        let expected =
            Reached { watermark: Some(before), floor: None, coverage: Some(span(None, 10)) };
        assert_eq!(reached, expected);
        let unknown = after(&traversal(None, None), at(10), &fresh, &[hole(Some(5)), hole(None)]);
        assert_eq!(unknown, Reached { watermark: None, ..expected });

        let known = Known {
            watermark: Some(before),
            coverage: vec![span(None, 8), span(Some(7), 10), span(Some(12), 14)],
            ..fresh
        };
        assert_eq!(reach(known.watermark, &known.coverage), Some(at(10)));
        let later = after(&traversal(Some(9), None), at(11), &known, &[hole(Some(5))]);
        assert_eq!((later.watermark, later.coverage), (None, Some(span(Some(9), 11))));
        let closed = after(&traversal(Some(5), None), at(11), &known, &[]);
        assert_eq!((closed.watermark, closed.coverage), (Some(at(11)), None));
        let within = after(&traversal(Some(5), Some(6)), at(11), &known, &[]);
        assert_eq!(within.watermark, Some(at(10)), "what was read beyond the hole counts again");
    }

    #[test]
    fn what_comes_late_widens_the_overlap_within_bounds() {
        let watermark = at(3).plus_seconds(8 * 3_600);
        let stamped =
            |stamp, granularity| lag_seconds(watermark, Datestamp::new(stamp, granularity));
        assert_eq!(stamped(at(3), Granularity::Second), 8 * 3_600);
        assert_eq!(stamped(at(3), Granularity::Day), 0, "the day was not over");
        assert_eq!(stamped(at(1), Granularity::Day), 2 * 86_400);
        assert_eq!(stamped(at(4), Granularity::Second), 0, "it came after the watermark");
        assert_eq!(overlap_seconds(86_400, 0), 86_400);
        assert_eq!(overlap_seconds(86_400, 86_400), 2 * 86_400);
        assert_eq!(overlap_seconds(86_400, i64::MAX), 30 * 86_400);
        assert_eq!(overlap_seconds(40 * 86_400, i64::MAX), 40 * 86_400, "the operator decides");
    }

    #[test]
    fn the_watermark_moves_to_the_opening_answer_and_never_past_until() {
        check(None, None, None, (Some(10), None));
        check(None, Some(7), None, (Some(7), None));
        check(Some(3), None, Some(4), (Some(10), None));
        check(Some(3), Some(3), Some(4), (Some(4), None));
    }

    #[test]
    fn a_span_that_starts_beyond_the_watermark_leaves_it_alone() {
        check(Some(5), None, Some(4), (None, None));
    }

    #[test]
    fn a_first_harvest_with_a_from_keeps_it_as_its_floor() {
        check(Some(2), None, None, (Some(10), Some(2)));
    }

    #[test]
    fn an_earlier_beginning_is_the_new_floor_where_it_joins_what_is_known() {
        check_above(Some(4), Some(2), None, Some(6), (Some(10), Some(2)));
        check_above(Some(4), Some(2), Some(4), Some(6), (Some(6), Some(2)));
        check_above(Some(4), Some(2), Some(3), Some(6), (None, Some(4)));
    }

    #[test]
    fn spans_beside_join_as_soon_as_something_joins_them() {
        let span = |from: Option<i64>, until| Span { from: from.map(at), until: at(until) };
        let all = [span(Some(12), 14), span(None, 1), span(Some(3), 5), span(Some(10), 12)];
        assert_eq!(join(span(Some(5), 10), &all), span(Some(3), 14));
        assert_eq!(join(span(Some(1), 10), &all), span(None, 14));
        assert_eq!(join(span(Some(6), 8), &all), span(Some(6), 8));
    }

    #[test]
    fn a_window_that_begins_after_the_repositorys_now_covers_nothing() {
        let traversal = |from| Traversal {
            number: 1,
            window_number: 1,
            window: Window {
                from: Some(Datestamp::new(at(from), Granularity::Second)),
                until: None,
            },
            opened_at: at(10),
            restarts_in_row: 0,
            restarts: 0,
        };
        let nothing = Reached { watermark: None, floor: None, coverage: None };
        assert_eq!(after(&traversal(11), at(10), &Known::default(), &[]), nothing);
        let known = Known { watermark: Some(at(4)), floor: Some(at(2)), ..Known::default() };
        let reached = after(&traversal(11), at(10), &known, &[]);
        assert_eq!(reached, Reached { floor: Some(at(2)), ..nothing });
        assert_eq!(after(&traversal(10), at(10), &known, &[]).coverage.unwrap().until, at(10));
    }

    #[test]
    fn a_floor_is_gone_only_when_everything_below_it_was_read() {
        check_above(Some(2), None, Some(1), Some(4), (None, Some(2)));
        check_above(Some(2), None, Some(2), Some(4), (Some(4), None));
        check_above(Some(2), None, None, Some(4), (Some(10), None));
        check_above(Some(2), Some(3), None, Some(4), (Some(10), Some(2)));
    }
}
