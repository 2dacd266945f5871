//! How lists are cut into pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How lists are cut into pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paging {
    /// Order of a list.
    pub order: Order,
    /// Whether a list stands still while it is read.
    pub list: ListKind,
    /// How many entries of a page stand at the beginning of the next one once more; less than a page.
    pub overlap: usize,
    /// Where lists stop.
    pub cap: Option<Cap>,
    /// Records that are left out of their pages.
    pub hidden: Option<Hidden>,
}

impl Paging {
    /// Whether a list of n records in pages of k makes n/k pages, rounded up, and shows all of them.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self { order: self.order, ..Self::default() } && self.order != Order::Unstable
    }

    /// Whether no page ever shows the record of this number.
    #[must_use]
    pub fn hides(&self, number: u32) -> bool {
        self.hidden.is_some_and(|hidden| (hidden.from..=hidden.to).contains(&number))
    }
}

/// Order of the entries of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// By datestamp, those of one datestamp by identifier.
    #[default]
    StampThenId,
    /// By number, whatever the datestamps.
    Id,
    /// Another one for every page, by the seed: some records come twice and some never.
    Unstable,
}

/// Whether a list stands still while it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ListKind {
    /// What it holds is fixed when it is opened; what its records look like is not.
    #[default]
    Frozen,
    /// Every page is cut by its offset from the list as it is then: what vanishes before it pulls records over the
    /// edge, and nobody is shown them.
    Live,
    /// Every page goes on after the last datestamp of the one before: other records of that datestamp are lost.
    KeySet,
}

/// Where lists stop, however long they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cap {
    /// After so many records; at least 1.
    pub records: u32,
    /// How.
    pub then: CapEnd,
}

/// How a list stops at its cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CapEnd {
    /// As if that were all, though the announced size says more.
    Ends,
    /// A page that would reach beyond is refused with badResumptionToken.
    Refused,
}

/// Records that count for pages and sizes, and are then left out: whole pages may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hidden {
    /// Number of the first, from 1.
    pub from: u32,
    /// Number of the last.
    pub to: u32,
}
