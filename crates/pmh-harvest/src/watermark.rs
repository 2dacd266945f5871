//! Up to where a key is known complete (H10).

use pmh_protocol::Stamp;

use crate::entry::Traversal;
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

/// What completing a traversal does to watermark and floor: (new watermark or `None` to leave it, floor).
#[must_use]
pub(crate) fn after(
    traversal: &Traversal,
    opening_response_date: Stamp,
    known: &Known,
) -> (Option<Stamp>, Option<Stamp>) {
    let window = traversal.window;
    let bound =
        window.until.map_or(opening_response_date, |until| opening_response_date.min(until.stamp));
    match (window.from, known.watermark) {
        // What lies between the end of this window and the floor is not known: two spans cannot be kept as one.
        (None, Some(_)) if known.floor.is_some_and(|floor| bound < floor) => (None, known.floor),
        (None, held) => (Some(held.map_or(bound, |held| held.max(bound))), None),
        (Some(from), None) => (Some(bound), Some(from.stamp)),
        // The window overlaps what is known, so what is known grows; it never shrinks.
        (Some(from), Some(held)) if from.stamp <= held => (Some(held.max(bound)), known.floor),
        (Some(_), Some(_)) => (None, known.floor),
    }
}

#[cfg(test)]
mod tests {
    use pmh_protocol::{Datestamp, DeletedRecords, Granularity};

    use super::*;
    use crate::entry::SourceFacts;
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
            source: SourceFacts {
                granularity: Granularity::Second,
                deleted_records: DeletedRecords::Persistent,
            },
        };
        let known = Known { watermark: held.map(at), floor: floor.map(at), ..Known::default() };
        assert_eq!(after(&traversal, at(10), &known), (expected.0.map(at), expected.1.map(at)));
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
    fn a_floor_is_gone_only_when_everything_below_it_was_read() {
        check_above(Some(2), None, Some(1), Some(4), (None, Some(2)));
        check_above(Some(2), None, Some(2), Some(4), (Some(4), None));
        check_above(Some(2), None, None, Some(4), (Some(10), None));
        check_above(Some(2), Some(3), None, Some(4), (Some(10), Some(2)));
    }
}
