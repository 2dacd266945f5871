//! What may stop a harvest: bounds on what a repository may make us do, judged on the facts of pages.
//!
//! A trip is a value with evidence. It ends the run; it never skips something and carries on.

use std::fmt;

use crate::entry::{CompleteList, Sizes};
use crate::plan::Limits;
use crate::store::Tally;

/// Pages that are plausible when nothing at all is known of a list.
const PAGES_MAX_UNKNOWN: u64 = 1_000_000;
/// Pages that are always plausible.
const PAGES_MAX_LEAST: u64 = 1_000;
/// A size of exactly this means "at least": back ends stop counting here.
const SIZES_THAT_MEAN_AT_LEAST: [u64; 2] = [10_000, 100_000];

/// A guard that stopped a harvest, and what it saw.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trip {
    /// More pages than plausible.
    PageCeiling {
        /// The bound.
        pages_max: u64,
    },
    /// Pages that bring nothing new carry tokens that were given before.
    RepeatedToken {
        /// The page that made it certain.
        page: u64,
        /// The page that first gave its token.
        first_page: u64,
    },
    /// Pages that bring nothing new, whatever their tokens.
    NoProgress {
        /// The page that made it certain.
        page: u64,
        /// How many such pages in a row.
        pages: u64,
        /// Distinct identifiers delivered.
        distinct: u64,
    },
    /// More records, or more repetitions, than the size of the list explains.
    RecordCeiling {
        /// Items delivered.
        delivered: u64,
        /// Distinct identifiers among them.
        distinct: u64,
    },
    /// The window was reopened again and again without anything new.
    RestartCeiling {
        /// How often it was reopened.
        restarts: u32,
        /// What made it necessary the last time.
        because: Reopening,
    },
    /// The list ended with fewer identifiers than announced.
    ShortList {
        /// Distinct identifiers delivered, and entries that could not be read.
        delivered: u64,
        /// The size announced.
        announced: u64,
    },
    /// The list ended without a token, where it used to end with an empty one and announces no size.
    EndChanged {
        /// Distinct identifiers delivered.
        distinct: u64,
    },
    /// A list answers that there is nothing, though it held records before.
    Shrink {
        /// Records that it held.
        held: u64,
    },
    /// More records would be withdrawn than is believable.
    MassDelete {
        /// Tombstones that wait.
        staged: u64,
        /// Records held alive when the run began.
        held: u64,
    },
    /// The whole list is much shorter than the last one.
    ShrunkList {
        /// Distinct identifiers delivered.
        distinct: u64,
        /// Distinct identifiers of the last whole list.
        before: u64,
    },
    /// Nearly all identifiers held are gone, and about as many new ones have come.
    IdentityShift {
        /// Identifiers held that did not come.
        gone: u64,
        /// Identifiers that were not held.
        new: u64,
    },
    /// Records of other sets than the one asked for.
    FilterIgnored {
        /// How many, on one page.
        foreign: u64,
        /// Records of the page.
        of: u64,
    },
    /// The announced size fell while the list was read, and fewer records came than there were.
    ListChanged {
        /// The first size.
        from: u64,
        /// The least; the last, where it rose.
        to: u64,
    },
    /// Records came twice, and some were dated while the list was read: a list without size that moved.
    ListMoved {
        /// Deliveries of records that had come before.
        repeats: u64,
    },
    /// Entries that name no record: nobody can say what is missing.
    UnreadableRecords {
        /// How many.
        records: u64,
    },
    /// The announced offset jumped over more than a page, on a list whose size is not known.
    OffsetGap {
        /// After how many pages.
        pages: u64,
    },
    /// Records that a window delivered as a whole did not come again in its slices.
    SliceGap {
        /// How many.
        records: usize,
        /// One of them.
        identifier: String,
    },
    /// A window between two dates brought records of other dates.
    SpanIgnored {
        /// How many, on one page.
        foreign: u64,
        /// Records of the page.
        of: u64,
    },
    /// The disk is nearly full.
    DiskFloor {
        /// Bytes that are free.
        free_bytes: u64,
        /// Bytes that must stay free.
        floor_bytes: u64,
    },
}

/// Why a window was opened again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reopening {
    /// The repository refused a token it had given.
    TokenRefused,
    /// The repository answers a token with an HTTP error.
    TokenFails,
    /// The first answer after a resume was a page already committed, or the end of a list without size.
    ResumeDoubtful,
    /// An answer was lost in a list that lives in a session, where nothing can be asked again.
    SessionLost,
}

impl Reopening {
    /// In words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TokenRefused => "the repository refused a token it had given",
            Self::TokenFails => "the repository answered a token with an HTTP error",
            Self::ResumeDoubtful => "the list could not be resumed where it was left",
            Self::SessionLost => "an answer was lost in a list that lives in a session",
        }
    }
}

impl Trip {
    /// The guard's name, as reports and scenarios write it.
    #[must_use]
    pub const fn guard(&self) -> &'static str {
        match self {
            Self::PageCeiling { .. } => "page-ceiling",
            Self::RepeatedToken { .. } => "repeated-token",
            Self::NoProgress { .. } => "no-progress",
            Self::RecordCeiling { .. } => "record-ceiling",
            Self::RestartCeiling { .. } => "restart-ceiling",
            Self::ShortList { .. } => "short-list",
            Self::EndChanged { .. } => "end-changed",
            Self::Shrink { .. } | Self::ShrunkList { .. } => "shrink",
            Self::MassDelete { .. } => "mass-delete",
            Self::IdentityShift { .. } => "identity-shift",
            Self::FilterIgnored { .. } | Self::SpanIgnored { .. } => "filter-ignored",
            Self::SliceGap { .. } => "slice-gap",
            Self::ListChanged { .. } | Self::ListMoved { .. } => "list-changed",
            Self::UnreadableRecords { .. } => "unreadable-records",
            Self::OffsetGap { .. } => "offset-gap",
            Self::DiskFloor { .. } => "disk-floor",
        }
    }

    /// The names of all guards.
    pub const GUARDS: [&'static str; 16] = [
        "page-ceiling",
        "repeated-token",
        "no-progress",
        "record-ceiling",
        "restart-ceiling",
        "short-list",
        "end-changed",
        "shrink",
        "unreadable-records",
        "mass-delete",
        "identity-shift",
        "filter-ignored",
        "list-changed",
        "offset-gap",
        "disk-floor",
        "slice-gap",
    ];

    /// What an operator may try.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::PageCeiling { .. } => {
                "if the list really is that long, raise the bound with `--max-pages`"
            }
            Self::RepeatedToken { .. } | Self::NoProgress { .. } => {
                "the list goes round in a circle: tell the repository's operator, or harvest smaller spans with `--from` and `--until`; where everything had come before, `--compat end-by-count` ends it in time"
            }
            Self::RecordCeiling { .. } => {
                "if the list really is that long, raise the bound with `--max-records`"
            }
            Self::RestartCeiling { .. } => {
                "the repository forgets its tokens too fast: harvest smaller spans with `--from` and `--until`"
            }
            Self::ShortList { .. } | Self::EndChanged { .. } => {
                "run again: the window is still open; if it stays short, tell the repository's operator, or say that its sizes count something else with `--size ignore`"
            }
            Self::MassDelete { .. } => {
                "nothing was withdrawn: if the deletions are meant, run again with `--allow-mass-delete`"
            }
            Self::ShrunkList { .. } => {
                "look at the repository: nothing was withdrawn; if the list is meant to be so short, run again with `--allow-mass-delete`"
            }
            Self::IdentityShift { .. } => {
                "the repository seems to have new identifiers for everything: harvest it into a new store, or run again with `--allow-mass-delete`"
            }
            Self::FilterIgnored { .. } => {
                "the repository ignores the set: harvest without `--set`, and choose by setSpec afterwards"
            }
            Self::ListChanged { .. } | Self::ListMoved { .. } => {
                "the list changed while it was read: run again, at a quieter time"
            }
            Self::UnreadableRecords { .. } => {
                "tell the repository's operator: some entries of the list have no identifier"
            }
            Self::OffsetGap { .. } => {
                "run again: the window is still open; if it stays so, tell the repository's operator that its list leaves records out"
            }
            Self::SliceGap { .. } | Self::SpanIgnored { .. } => {
                "tell the repository's operator that it does not keep to the dates it is asked for; nothing that came is lost"
            }
            Self::DiskFloor { .. } => {
                "make room where the store lies and run again: it goes on where this one stopped; or lower the bound with `--disk-floor`"
            }
            Self::Shrink { .. } => {
                "look at the repository: it claims to be empty; nothing was withdrawn"
            }
        }
    }
}

impl fmt::Display for Trip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PageCeiling { pages_max } => {
                write!(f, "the list has more than {pages_max} pages")
            }
            Self::RepeatedToken { page, first_page } => write!(
                f,
                "page {page} brought nothing new and carries the token that page {first_page} gave"
            ),
            Self::NoProgress { page, pages, distinct } => write!(
                f,
                "page {page} is the last of {pages} in a row without anything new after {distinct} records"
            ),
            Self::RecordCeiling { delivered, distinct } => {
                write!(
                    f,
                    "{delivered} items were delivered, {distinct} of them distinct: more than the list explains"
                )
            }
            Self::RestartCeiling { restarts, because } => {
                write!(
                    f,
                    "the window was reopened {restarts} times; last because {}",
                    because.as_str()
                )
            }
            Self::ShortList { delivered, announced } => {
                write!(f, "the list ended after {delivered} of {announced} announced records")
            }
            Self::EndChanged { distinct } => write!(
                f,
                "the list ended after {distinct} records without the empty token it used to end with"
            ),
            Self::MassDelete { staged, held } => {
                write!(f, "{staged} of {held} records held would be withdrawn at once")
            }
            Self::ShrunkList { distinct, before } => {
                write!(f, "the whole list has {distinct} records, where the last one had {before}")
            }
            Self::IdentityShift { gone, new } => {
                write!(f, "{gone} identifiers held are gone and {new} new ones have come")
            }
            Self::FilterIgnored { foreign, of } => {
                write!(
                    f,
                    "{foreign} of {of} records of a page belong to other sets than the one asked for"
                )
            }
            Self::ListChanged { from, to } => {
                let moved = if to < from { "fell" } else { "rose" };
                write!(f, "the size of the list {moved} from {from} to {to} while it was read")
            }
            Self::ListMoved { repeats } => write!(
                f,
                "{repeats} records came twice and some were edited while the list was read, whose size is not known"
            ),
            Self::UnreadableRecords { records } => {
                write!(f, "{records} entries of the list could not be read and name no record")
            }
            Self::OffsetGap { pages } => {
                write!(
                    f,
                    "the announced offset jumped over more than was delivered, {pages} times, and no size tells whether all came"
                )
            }
            Self::SliceGap { records, identifier } => write!(
                f,
                "{records} records that the whole window had did not come in its slices, such as `{identifier}`"
            ),
            Self::SpanIgnored { foreign, of } => write!(
                f,
                "{foreign} of {of} records of a page do not lie between the dates that were asked for"
            ),
            Self::DiskFloor { free_bytes, floor_bytes } => {
                write!(
                    f,
                    "{} MiB are free where the store lies, and {} MiB must stay free",
                    free_bytes >> 20,
                    floor_bytes >> 20
                )
            }
            Self::Shrink { held } => {
                write!(f, "the list is said to be empty, though it held {held} records before")
            }
        }
    }
}

/// The most pages that are plausible for a list (guard `page-ceiling`).
#[must_use]
pub(crate) fn pages_plausible(
    limits: &Limits,
    tally: &Tally,
    sizes: Option<Sizes>,
    last_complete: Option<&CompleteList>,
) -> u64 {
    if let Some(pages_max) = limits.pages_max {
        return pages_max;
    }
    let by_last =
        last_complete.filter(|list| list.everything).map(|list| list.pages.saturating_mul(3));
    let size = sizes.map(|sizes| sizes.last).or_else(|| last_complete.and_then(|list| list.size));
    let full_pages = tally.pages.saturating_sub(tally.empty_run);
    let by_size = size.filter(|_| tally.delivered > 0).map(|size| {
        // Twice the pages that the list needs at the mean page length so far.
        size.saturating_mul(2).saturating_mul(full_pages.max(1)).div_ceil(tally.delivered)
    });
    match (by_last, by_size) {
        (None, None) => PAGES_MAX_UNKNOWN,
        (by_last, by_size) => by_last.unwrap_or(0).max(by_size.unwrap_or(0)).max(PAGES_MAX_LEAST),
    }
}

/// Whether a list delivered more than its size explains (guard `record-ceiling`). `delivered_more` are items of
/// pages whose receipt is outstanding: with them, the answer is whether a receipt *could* trip the guard.
#[must_use]
pub(crate) fn over_record_ceiling(
    limits: &Limits,
    tally: &Tally,
    delivered_more: u64,
    sizes: Option<Sizes>,
    last_complete: Option<&CompleteList>,
) -> bool {
    let size = sizes
        .map(|sizes| sizes.first.max(sizes.last))
        .or_else(|| last_complete.and_then(|list| list.size))
        .filter(|size| !SIZES_THAT_MEAN_AT_LEAST.contains(size));
    let repeats = (tally.delivered + delivered_more).saturating_sub(tally.distinct);
    let explained = size.unwrap_or(0).max(tally.distinct).saturating_add(limits.repeats_slack);
    let distinct_more = tally.distinct + delivered_more;
    repeats > explained
        || size.is_some_and(|size| {
            distinct_more > size.saturating_mul(2).saturating_add(limits.repeats_slack)
        })
        || limits.records_max.is_some_and(|records_max| distinct_more > records_max)
}

/// What is known when a list has proven itself, before its deletions take effect.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClosingFacts {
    /// Tombstones that wait.
    pub(crate) staged: u64,
    /// Records held alive when the run began.
    pub(crate) held: u64,
    /// Rows that were not there before.
    pub(crate) new: u64,
    /// Distinct identifiers delivered.
    pub(crate) distinct: u64,
    /// Distinct identifiers of the last whole list, where this one is whole too.
    pub(crate) before: Option<u64>,
}

/// The closing guards: whether what is about to take effect is believable.
#[must_use]
pub(crate) fn closing_trip(facts: &ClosingFacts, mass_delete_share: f64) -> Option<Trip> {
    let ClosingFacts { staged, held, new, distinct, before } = *facts;
    if staged > share_of(held, mass_delete_share).max(DELETIONS_ALWAYS)
        || (staged >= LOSSES_LEAST && staged > held / 2)
    {
        return Some(Trip::MassDelete { staged, held });
    }
    let before = before?;
    // How many of the identifiers held did not come: what came and was not new was held.
    let gone = held.saturating_sub(distinct.saturating_sub(new));
    if held >= IDENTITIES_LEAST && gone > share_of(held, 0.9) && gone.abs_diff(new) <= gone / 5 {
        return Some(Trip::IdentityShift { gone, new });
    }
    let lost = before.saturating_sub(distinct);
    (lost >= LOSSES_LEAST && distinct < share_of(before, 0.8))
        .then_some(Trip::ShrunkList { distinct, before })
}

/// So many deletions are always believable.
const DELETIONS_ALWAYS: u64 = 10;
/// Fewer losses than this are never a reason to stop.
const LOSSES_LEAST: u64 = 5;
/// A store with fewer records than this has no identity to lose.
const IDENTITIES_LEAST: u64 = 10;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a share of a count of records needs no more precision, and is not negative"
)]
fn share_of(number: u64, share: f64) -> u64 {
    (number as f64 * share.clamp(0.0, 1.0)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(size: u64) -> Option<Sizes> {
        Some(Sizes { first: size, last: size, least: size })
    }

    fn tally(pages: u64, delivered: u64, distinct: u64) -> Tally {
        Tally { pages, delivered, distinct, ..Tally::default() }
    }

    #[test]
    fn the_page_ceiling_follows_what_is_known_of_the_list() {
        let limits = Limits::default();
        let check = |tally: Tally, sizes, last: Option<u64>, expected| {
            let last = last.map(|pages| CompleteList {
                pages,
                distinct: 0,
                size: None,
                ended_empty: true,
                everything: true,
            });
            assert_eq!(pages_plausible(&limits, &tally, sizes, last.as_ref()), expected);
        };
        check(tally(0, 0, 0), None, None, 1_000_000);
        check(tally(1, 100, 100), sizes(1_000), None, 1_000);
        check(tally(1, 100, 100), sizes(1_000_000), None, 20_000);
        check(tally(1, 100, 100), None, Some(5_000), 15_000);
        let strict = Limits { pages_max: Some(7), ..limits };
        assert_eq!(pages_plausible(&strict, &tally(1, 100, 100), sizes(1_000_000), None), 7);
    }

    #[test]
    fn repetitions_beyond_the_size_of_the_list_trip() {
        let limits = Limits::default();
        let over = |delivered, distinct, size: Option<u64>| {
            over_record_ceiling(
                &limits,
                &tally(9, delivered, distinct),
                0,
                size.and_then(sizes),
                None,
            )
        };
        assert!(!over(1_000, 1_000, Some(1_000)));
        assert!(!over(3_000, 1_000, Some(1_000)));
        assert!(over(3_001, 1_000, Some(1_000)));
        assert!(over(3_001, 3_001, Some(1_000)));
        assert!(!over(50_000, 50_000, Some(10_000)), "10,000 means at least");
        assert!(!over(5_000, 5_000, None));
    }

    #[test]
    fn more_deletions_than_believable_trip() {
        let trips = |staged, held| {
            let facts = ClosingFacts { staged, held, distinct: held, ..ClosingFacts::default() };
            matches!(closing_trip(&facts, 0.2), Some(Trip::MassDelete { .. }))
        };
        assert!(!trips(10, 30), "ten are always believable");
        assert!(trips(11, 30));
        assert!(!trips(20, 100));
        assert!(trips(21, 100));
        assert!(trips(5, 9), "more than half");
        assert!(!trips(4, 4), "four are never a reason");
        assert!(!trips(5, 10));
    }

    #[test]
    fn a_whole_list_that_lost_a_fifth_trips() {
        let trips = |distinct, before| {
            let facts = ClosingFacts { distinct, before: Some(before), ..ClosingFacts::default() };
            matches!(closing_trip(&facts, 0.2), Some(Trip::ShrunkList { .. }))
        };
        assert!(!trips(80, 100));
        assert!(trips(79, 100));
        assert!(!trips(3, 7), "four records are no evidence");
        assert!(trips(2, 7));
    }

    #[test]
    fn new_identifiers_for_everything_trip() {
        let trips = |held, distinct, new| {
            let facts =
                ClosingFacts { held, distinct, new, before: Some(held), ..ClosingFacts::default() };
            matches!(closing_trip(&facts, 0.2), Some(Trip::IdentityShift { .. }))
        };
        assert!(trips(100, 100, 100));
        assert!(trips(100, 100, 95));
        assert!(!trips(100, 100, 0));
        assert!(!trips(100, 200, 100), "the old ones are still there");
        assert!(!trips(5, 5, 5), "too few to tell");
    }
}
