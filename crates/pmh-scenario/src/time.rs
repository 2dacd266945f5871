//! Instants and durations as a scenario file writes them.

use std::borrow::Cow;
use std::fmt;

use pmh_protocol::{Datestamp, Stamp};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant: a string or a bare TOML date, in one of the protocol's two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instant(pub(crate) Stamp);

/// A day or an instant: a string or a bare TOML date. Which of the two it is makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date(pub(crate) Datestamp);

/// A whole number of seconds, minutes, hours or days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Duration {
    /// Never negative.
    pub(crate) seconds: i64,
}

/// A hundred years: more is a slip of the pen, and no sum of two overflows.
const SECONDS_MAX: i64 = 100 * 366 * 86_400;
const UNITS: [(char, i64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

impl Duration {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let unit = text.chars().next_back()?;
        let (_, seconds) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
        let digits = &text[..text.len() - 1];
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let seconds = digits.parse::<i64>().ok()?.checked_mul(seconds)?;
        (seconds <= SECONDS_MAX).then_some(Self { seconds })
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let largest =
            UNITS.into_iter().find(|(_, unit)| self.seconds != 0 && self.seconds % unit == 0);
        let (name, unit) = largest.unwrap_or(('s', 1));
        write!(f, "{}{name}", self.seconds / unit)
    }
}

/// The first and the last second of a year, a month, a day or an instant: 2024, 2024-05, 2024-05-01,
/// 2024-05-01T08:00:00Z.
pub(crate) fn span_of(text: &str) -> Option<(Stamp, Stamp)> {
    let day = |text: &str| Stamp::parse(&format!("{text}T00:00:00Z")).ok();
    let (first, next) = match *text.split('-').collect::<Vec<_>>() {
        [year] => {
            let next = year.parse::<u32>().ok()?.checked_add(1)?;
            (day(&format!("{year}-01-01"))?, day(&format!("{next:04}-01-01"))?)
        }
        [year, month] => {
            let (number, next) = (year.parse::<u32>().ok()?, month.parse::<u32>().ok()?);
            let next = if next == 12 {
                format!("{:04}-01-01", number.checked_add(1)?)
            } else {
                format!("{year}-{:02}-01", next.checked_add(1)?)
            };
            (day(&format!("{text}-01"))?, day(&next)?)
        }
        _ if text.contains('T') => {
            let instant = Stamp::parse(text).ok()?;
            (instant, instant.plus_seconds(1))
        }
        _ => (day(text)?, day(text)?.plus_seconds(86_400)),
    };
    Some((first, next.plus_seconds(-1)))
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            D::Error::custom(format!(
                "expected a duration such as \"2s\", \"5m\", \"1h\" or \"1d\", found \"{text}\""
            ))
        })
    }
}

impl JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+[smhd]$" })
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InstantVisitor)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DateVisitor)
    }
}

impl JsonSchema for Date {
    fn schema_name() -> Cow<'static, str> {
        "Date".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Instant::json_schema(generator)
    }
}

struct DateVisitor;

impl<'de> Visitor<'de> for DateVisitor {
    type Value = Date;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        InstantVisitor.expecting(f)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Date, E> {
        Datestamp::parse(text).map(Date).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Date, A::Error> {
        let date = toml::value::Datetime::deserialize(MapAccessDeserializer::new(map))?;
        self.visit_str(&date.to_string())
    }
}

struct InstantVisitor;

impl<'de> Visitor<'de> for InstantVisitor {
    type Value = Instant;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an instant such as 2025-01-01T00:00:00Z or 2025-01-01")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Instant, E> {
        Datestamp::parse(text).map(|date| Instant(date.stamp)).map_err(E::custom)
    }

    /// A bare date reaches serde as a map with one secret key, which its own type knows how to read.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Instant, A::Error> {
        let date = toml::value::Datetime::deserialize(MapAccessDeserializer::new(map))?;
        self.visit_str(&date.to_string())
    }
}

impl JsonSchema for Instant {
    fn schema_name() -> Cow<'static, str> {
        "Instant".into()
    }

    // A bare date has no type in JSON Schema; editors check it as the string that it looks like.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_go_there_and_back_in_their_largest_unit() {
        for (text, seconds, shown) in [
            ("0s", 0, "0s"),
            ("90s", 90, "90s"),
            ("60s", 60, "1m"),
            ("24h", 86_400, "1d"),
            ("36h", 129_600, "36h"),
        ] {
            let duration = Duration::parse(text).unwrap();
            assert_eq!((duration.seconds, duration.to_string().as_str()), (seconds, shown));
        }
    }

    #[test]
    fn a_span_is_a_year_a_month_a_day_or_an_instant() {
        for (text, first, last) in [
            ("2024", "2024-01-01T00:00:00Z", "2024-12-31T23:59:59Z"),
            ("2024-02", "2024-02-01T00:00:00Z", "2024-02-29T23:59:59Z"),
            ("2024-12", "2024-12-01T00:00:00Z", "2024-12-31T23:59:59Z"),
            ("2024-05-01", "2024-05-01T00:00:00Z", "2024-05-01T23:59:59Z"),
            ("2024-05-01T08:00:00Z", "2024-05-01T08:00:00Z", "2024-05-01T08:00:00Z"),
        ] {
            let (found_first, found_last) = span_of(text).unwrap();
            assert_eq!(
                (found_first.to_string(), found_last.to_string()),
                (first.into(), last.into())
            );
        }
        for text in ["", "may", "2024-13", "2024-02-30", "2024-05-01-01", "24"] {
            assert_eq!(span_of(text), None, "took `{text}`");
        }
    }

    #[test]
    fn nothing_else_is_a_duration() {
        for text in [
            "",
            "s",
            "1",
            "-1s",
            "+1s",
            "1.5h",
            "1 s",
            "1ms",
            "99999999999999999999d",
            "36601d",
            "1é",
        ] {
            assert_eq!(Duration::parse(text), None, "took `{text}`");
        }
    }

    #[test]
    fn an_instant_is_a_string_or_a_bare_date() {
        #[derive(Deserialize)]
        struct Holder {
            at: Instant,
        }
        let read = |text: &str| {
            toml::from_str::<Holder>(&format!("at = {text}")).map(|holder| holder.at.0.to_string())
        };
        for text in
            ["2025-01-01", "\"2025-01-01\"", "2025-01-01T00:00:00Z", "\"2025-01-01T00:00:00Z\""]
        {
            assert_eq!(read(text).unwrap(), "2025-01-01T00:00:00Z", "from {text}");
        }
        for text in [
            "2025",
            "true",
            "\"soon\"",
            "2025-01-01T00:00:00",
            "00:00:00",
            "2025-01-01T00:00:00+01:00",
        ] {
            assert!(read(text).is_err(), "took {text}");
        }
    }
}
