//! What holds when a file does not say: in one place, because the script, `show` and the hover texts agree on it.

use pmh_protocol::Stamp;

pub(crate) const SEED: u64 = 1;
pub(crate) const RECORDS: u32 = 60;
pub(crate) const DELETED_SHARE: f64 = 0.0;
pub(crate) const PAGE_SIZE: u32 = 20;
pub(crate) const SETS_EACH: u32 = 1;
pub(crate) const TICK_SECONDS: i64 = 1;
pub(crate) const BETWEEN_RUNS_SECONDS: i64 = 86_400;
pub(crate) const REQUESTS: u32 = 500;
pub(crate) const WALL_SECONDS: i64 = 30;
/// Between the datestamps of two records, as long as all of them fit in before the clock starts.
const STEP_SECONDS_MAX: i64 = 3_600;
const SECONDS_PER_YEAR: i64 = 365 * 86_400;

/// 2025-01-01T00:00:00Z: in the past, so that no harvester on a real clock sees the future.
pub(crate) const fn clock_start() -> Stamp {
    Stamp::from_seconds(1_735_689_600)
}

/// A year before the repository's clock starts.
pub(crate) const fn first_stamp(start: Stamp) -> Stamp {
    start.plus_seconds(-SECONDS_PER_YEAR)
}

/// An hour, or as much less as makes `count` records from `first` on fit in before `start`.
pub(crate) fn step_seconds(start: Stamp, first: Stamp, count: u32) -> i64 {
    let room = (start.seconds() - first.seconds()).max(0);
    (room / i64::from(count.max(1))).min(STEP_SECONDS_MAX)
}
