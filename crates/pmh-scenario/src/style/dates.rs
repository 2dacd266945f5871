//! How dates are written, and what dates and sets select.

use pmh_protocol::Granularity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How dates are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dates {
    /// Datestamps in headers.
    pub datestamps: DatestampForm,
    /// responseDate.
    pub response_date: ResponseDate,
    /// earliestDatestamp.
    pub earliest: Earliest,
}

/// How datestamps in headers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DatestampForm {
    /// In the granularity that Identify announces.
    #[default]
    Right,
    /// With a fraction of a second: 2024-05-01T08:00:00.789Z
    Fractions,
    /// In another time zone: 2024-05-01T10:00:00+02:00
    Offset,
    /// As days, whatever Identify announces.
    Day,
    /// As seconds, whatever Identify announces.
    Second,
    /// As the time of the request, whatever happened to the record and when.
    Now,
}

impl DatestampForm {
    /// What a datestamp tells a reader where Identify announces `granularity`.
    #[must_use]
    pub const fn granularity(self, granularity: Granularity) -> Granularity {
        match self {
            Self::Right | Self::Now => granularity,
            Self::Day => Granularity::Day,
            Self::Fractions | Self::Offset | Self::Second => Granularity::Second,
        }
    }
}

/// How responseDate is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseDate {
    /// As the protocol wants it.
    #[default]
    Right,
    /// With a fraction of a second.
    Fractions,
    /// In another time zone.
    Offset,
    /// Not at all.
    Absent,
    /// As any text.
    Text(String),
}

/// What earliestDatestamp says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Earliest {
    /// What no datestamp was ever before.
    #[default]
    Right,
    /// The time of the request.
    Now,
    /// The newest datestamp: nearly all records are earlier.
    Newest,
    /// Nothing: the element is not there.
    Absent,
    /// Any text.
    Text(String),
}

/// What dates and sets select.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// What a day means as the end of a range.
    pub until_day: UntilDay,
    /// Arguments that are read and make no difference.
    pub ignores: Vec<Ignored>,
    /// From the page after this one on the list is the whole repository.
    pub forgotten_after: Option<u32>,
}

/// What a day means as the end of a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UntilDay {
    /// All of it.
    #[default]
    End,
    /// Its first second.
    Midnight,
}

/// An argument that is read and makes no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ignored {
    /// The beginning of a range.
    From,
    /// The end of a range.
    Until,
    /// The set.
    Set,
}
