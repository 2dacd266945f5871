//! An instant on somebody's clock, in whole seconds of UTC: all the precision the protocol has.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::error::DateError;

const SECONDS_PER_DAY: i64 = 86_400;
/// 0000-01-01T00:00:00Z and 9999-12-30T00:00:00Z: four-digit years, and safely inside what is convertible.
const SECONDS_MIN: i64 = -62_167_219_200;
const SECONDS_MAX: i64 = 253_402_128_000;

/// Seconds since 1970-01-01T00:00:00Z on the clock of whoever said it (usually the repository).
///
/// Prints in the protocol's seconds form, `YYYY-MM-DDThh:mm:ssZ` (rule 107).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(i64);

impl Stamp {
    /// The stamp `seconds` after 1970-01-01T00:00:00Z, held inside the years 0000 to 9999.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        if seconds < SECONDS_MIN {
            Self(SECONDS_MIN)
        } else if seconds > SECONDS_MAX {
            Self(SECONDS_MAX)
        } else {
            Self(seconds)
        }
    }

    /// Seconds since 1970-01-01T00:00:00Z; negative before.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0
    }

    /// This stamp moved by `seconds` (negative: earlier), held inside the years 0000 to 9999.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self::from_seconds(self.0.saturating_add(seconds))
    }

    /// Midnight UTC of this stamp's day.
    #[must_use]
    pub const fn start_of_day(self) -> Self {
        Self::from_seconds(self.0 - self.0.rem_euclid(SECONDS_PER_DAY))
    }

    /// Reads the protocol's seconds form and nothing else (rules 107 and 108).
    ///
    /// # Errors
    /// When the text is not exactly `YYYY-MM-DDThh:mm:ssZ` or names no real moment.
    pub fn parse(text: &str) -> Result<Self, DateError> {
        if text.len() != "YYYY-MM-DDThh:mm:ssZ".len() || !text.ends_with('Z') || !text.contains('T')
        {
            return Err(DateError::new(text));
        }
        let plain = &text[..text.len() - 1];
        let civil: DateTime = plain.parse().map_err(|_| DateError::new(text))?;
        Self::from_civil(civil).ok_or_else(|| DateError::new(text))
    }

    /// Reads what repositories really send for a moment: the protocol's form, and also offsets, fractions
    /// of a second (cut, not rounded), a missing zone (taken as UTC), a blank in place of `T`, white space
    /// around it, or a day alone (its midnight).
    ///
    /// # Errors
    /// When no date can be made out.
    pub fn parse_lenient(text: &str) -> Result<Self, DateError> {
        let trimmed = text.trim();
        if let Ok(stamp) = Self::parse(trimmed) {
            return Ok(stamp);
        }
        if let Ok(timestamp) = trimmed.parse::<Timestamp>() {
            // jiff rounds towards zero; a moment before 1970 with a fraction is cut downwards like the rest.
            let whole = timestamp.as_second() - i64::from(timestamp.subsec_nanosecond() < 0);
            return Ok(Self::from_seconds(whole));
        }
        trimmed
            .parse::<DateTime>()
            .ok()
            .and_then(Self::from_civil)
            .ok_or_else(|| DateError::new(text))
    }

    fn from_civil(civil: DateTime) -> Option<Self> {
        Offset::UTC.to_timestamp(civil).ok().map(|at| Self::from_seconds(at.as_second()))
    }
}

impl Stamp {
    /// The protocol's seconds form; its first ten bytes are the day. Written by hand, because every record of a harvest
    /// has one and the machinery of formatting costs more than all else that is done with it.
    pub(crate) fn text(self) -> [u8; 20] {
        let timestamp = Timestamp::from_second(self.0).unwrap_or(Timestamp::UNIX_EPOCH);
        let civil = Offset::UTC.to_datetime(timestamp);
        let mut text = *b"0000-00-00T00:00:00Z";
        let year = civil.year().unsigned_abs();
        let two = |text: &mut [u8; 20], at: usize, number: u16| {
            text[at] += (number / 10 % 10) as u8;
            text[at + 1] += (number % 10) as u8;
        };
        two(&mut text, 0, year / 100);
        two(&mut text, 2, year % 100);
        for (at, number) in [
            (5, civil.month()),
            (8, civil.day()),
            (11, civil.hour()),
            (14, civil.minute()),
            (17, civil.second()),
        ] {
            two(&mut text, at, number.unsigned_abs().into());
        }
        text
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(as_str(&self.text()))
    }
}

/// Bytes of a date as text.
pub(crate) fn as_str(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("digits and marks are ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seconds_form_goes_there_and_back() {
        for text in ["1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "0001-01-01T00:00:00Z"] {
            assert_eq!(Stamp::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_strict_reader_takes_no_other_form() {
        for text in [
            "",
            "2024-01-01",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:00z",
            "2024-01-01 00:00:00Z",
            "2024-01-01T00:00:00+00:00",
            "2024-01-01T00:00:00.5Z",
            "2024-02-30T00:00:00Z",
            "2024-01-01T24:00:00Z",
            " 2024-01-01T00:00:00Z",
            "２024-01-01T00:00Z",
        ] {
            assert!(Stamp::parse(text).is_err(), "took `{text}`");
        }
    }

    #[test]
    fn the_lenient_reader_takes_what_repositories_send() {
        for (text, expected) in [
            (" 2024-01-01T00:00:00Z\n", "2024-01-01T00:00:00Z"),
            ("2024-01-01T02:00:00+02:00", "2024-01-01T00:00:00Z"),
            ("2024-01-01T00:00:00.999Z", "2024-01-01T00:00:00Z"),
            ("2024-01-01T00:00:00", "2024-01-01T00:00:00Z"),
            ("2024-01-01 10:11:12", "2024-01-01T10:11:12Z"),
            ("2024-01-01", "2024-01-01T00:00:00Z"),
        ] {
            assert_eq!(Stamp::parse_lenient(text).unwrap().to_string(), expected, "from `{text}`");
        }
        assert!(Stamp::parse_lenient("yesterday").is_err());
    }

    #[test]
    fn no_arithmetic_leaves_the_four_digit_years() {
        let far = Stamp::from_seconds(0).plus_seconds(i64::MAX);
        assert_eq!(far.to_string(), "9999-12-30T00:00:00Z");
        assert_eq!(Stamp::from_seconds(i64::MIN).to_string(), "0000-01-01T00:00:00Z");
    }
}
