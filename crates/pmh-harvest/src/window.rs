//! The from/until span that is harvested as one list.

use std::fmt;

use pmh_protocol::{Datestamp, Granularity, Stamp};

/// A span of datestamps, both ends inclusive; an absent end is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// First moment asked for.
    pub from: Option<Datestamp>,
    /// Last moment asked for.
    pub until: Option<Datestamp>,
}

impl Window {
    /// The window that an incremental run opens: from the watermark less the overlap, without end (H10).
    #[must_use]
    pub fn since(watermark: Stamp, overlap_seconds: i64, granularity: Granularity) -> Self {
        let from = watermark.plus_seconds(-overlap_seconds);
        Self { from: Some(Datestamp::new(from, granularity)), until: None }
    }

    /// Whether this is the whole list.
    #[must_use]
    pub const fn is_everything(&self) -> bool {
        self.from.is_none() && self.until.is_none()
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from, self.until) {
            (None, None) => f.write_str("everything"),
            (Some(from), None) => write!(f, "from {from}"),
            (None, Some(until)) => write!(f, "until {until}"),
            (Some(from), Some(until)) => write!(f, "{from} to {until}"),
        }
    }
}
