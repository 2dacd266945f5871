//! A header's datestamp: a moment together with the granularity it was stated in.

use std::fmt;

use crate::error::DateError;
use crate::stamp::{Stamp, as_str};

/// The finest unit a repository states and accepts datestamps in (rule 50).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Granularity {
    /// `YYYY-MM-DD`
    Day,
    /// `YYYY-MM-DDThh:mm:ssZ`
    Second,
}

impl Granularity {
    /// The text that Identify announces it by.
    #[must_use]
    pub const fn pattern(self) -> &'static str {
        match self {
            Self::Day => "YYYY-MM-DD",
            Self::Second => "YYYY-MM-DDThh:mm:ssZ",
        }
    }

    /// `stamp` written in this granularity (a day form drops the time).
    #[must_use]
    pub fn format(self, stamp: Stamp) -> String {
        let mut text = stamp.to_string();
        if self == Self::Day {
            text.truncate("YYYY-MM-DD".len());
        }
        text
    }
}

/// When a record was created, changed or deleted, as the repository states it (rule 55).
///
/// Ordered by moment first, so that the later of two statements is the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Datestamp {
    /// The moment; midnight UTC for a day.
    pub stamp: Stamp,
    /// The form it was written in.
    pub granularity: Granularity,
}

impl Datestamp {
    /// The datestamp of `stamp` in the given form; a day keeps no time.
    #[must_use]
    pub fn new(stamp: Stamp, granularity: Granularity) -> Self {
        let stamp = match granularity {
            Granularity::Day => stamp.start_of_day(),
            Granularity::Second => stamp,
        };
        Self { stamp, granularity }
    }

    /// Reads one of the two legitimate forms and nothing else (rule 110).
    ///
    /// # Errors
    /// When the text is neither `YYYY-MM-DD` nor `YYYY-MM-DDThh:mm:ssZ`, or names no real day.
    pub fn parse(text: &str) -> Result<Self, DateError> {
        if text.len() == "YYYY-MM-DD".len() && text.is_ascii() {
            let midnight =
                Stamp::parse(&format!("{text}T00:00:00Z")).map_err(|_| DateError::new(text))?;
            return Ok(Self { stamp: midnight, granularity: Granularity::Day });
        }
        Stamp::parse(text).map(|stamp| Self { stamp, granularity: Granularity::Second })
    }

    /// Reads what repositories really send; the forms are those of [`Stamp::parse_lenient`].
    ///
    /// # Errors
    /// When no date can be made out.
    pub fn parse_lenient(text: &str) -> Result<Self, DateError> {
        Self::parse(text.trim()).or_else(|_| {
            Stamp::parse_lenient(text).map(|stamp| Self { stamp, granularity: Granularity::Second })
        })
    }
}

impl fmt::Display for Datestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.stamp.text();
        f.write_str(as_str(match self.granularity {
            Granularity::Day => &text[.."YYYY-MM-DD".len()],
            Granularity::Second => &text,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_legitimate_forms_go_there_and_back() {
        for text in ["2024-05-01", "2024-05-01T08:00:00Z"] {
            assert_eq!(Datestamp::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn nothing_between_the_two_forms_is_legitimate() {
        for text in ["2024", "2024-05", "20240501", "2024-05-01T08:00Z", "2024-02-30", "2024-05-1x"]
        {
            assert!(Datestamp::parse(text).is_err(), "took `{text}`");
        }
    }

    #[test]
    fn fractions_and_offsets_are_read_when_asked_to_be_lenient() {
        let read = Datestamp::parse_lenient("2024-05-01T10:00:00.123+02:00").unwrap();
        assert_eq!(read.to_string(), "2024-05-01T08:00:00Z");
    }

    #[test]
    fn a_day_has_no_time() {
        let stamp = Stamp::parse("2024-05-01T08:00:00Z").unwrap();
        assert_eq!(Datestamp::new(stamp, Granularity::Day).stamp, stamp.start_of_day());
    }
}
