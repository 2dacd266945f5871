//! What the repository holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::style::{Hidden, Order};
use crate::time::{Duration, Instant};

/// The repository's content.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Repository {
    /// Where the records come from. Default: 60 generated ones; none where there are replies.
    pub(crate) records: Option<Records>,
    /// Entries a page. Default: 20.
    #[schemars(with = "Option<u32>")]
    pub(crate) page_size: Option<Spanned<u32>>,
    /// Order of lists: "stamp-then-id", "id" or "unstable". Default: "stamp-then-id".
    pub(crate) order: Option<Order>,
    /// Numbers of records that count and are never shown, such as { from = 21, to = 40 }. Default: none.
    #[schemars(with = "Option<Hidden>")]
    pub(crate) hidden: Option<Spanned<Hidden>>,
    /// The sets that there are, such as ["art", "art:paint"]; each record is dealt into one of them. Default: none.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) sets: Vec<Spanned<String>>,
}

/// Where records come from.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Records {
    /// Records made up from the seed, numbered from 1.
    Generate(Generate),
}

/// Records made up from the seed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Generate {
    /// How many. Default: 60.
    #[schemars(with = "Option<u32>")]
    pub(crate) count: Option<Spanned<u32>>,
    /// The share that is deleted before the first run, from 0 to 1. Default: 0.
    #[schemars(with = "Option<f64>")]
    pub(crate) deleted: Option<Spanned<f64>>,
    /// Their datestamps: "same", or every = { from = …, step = … }. Default: every, an hour apart, from a year before
    /// the clock starts.
    #[schemars(with = "Option<Stamps>")]
    pub(crate) stamps: Option<Spanned<Stamps>>,
}

/// Datestamps of generated records.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stamps {
    /// All the same: a year before the clock starts.
    Same,
    /// One after the other.
    Every(Every),
}

/// Datestamps one after the other.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Every {
    /// Datestamp of the first record. Default: a year before the clock starts.
    pub(crate) from: Option<Instant>,
    /// From one to the next. Default: an hour, or as much less as makes them fit in before the clock starts.
    pub(crate) step: Option<Duration>,
}
