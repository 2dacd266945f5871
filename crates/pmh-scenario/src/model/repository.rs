//! What the repository holds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::check::{PAGE_SIZE_MAX, RECORDS_MAX};
use crate::style::{Hidden, Order};
use crate::time::{Duration, Instant};

/// The repository's content.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Repository {
    /// Where the records come from. Default: 60 generated ones; none where there are replies.
    pub(crate) records: Option<Records>,
    /// Entries a page. Default: 20.
    #[schemars(with = "Option<u32>", range(min = 1, max = PAGE_SIZE_MAX))]
    pub(crate) page_size: Option<Spanned<u32>>,
    /// Order of lists: "stamp-then-id", "id" or "unstable". Default: "stamp-then-id".
    pub(crate) order: Option<Order>,
    /// Numbers of records that count and are never shown, such as { from = 21, to = 40 }. Default: none.
    #[schemars(with = "Option<Hidden>")]
    pub(crate) hidden: Option<Spanned<Hidden>>,
    /// The metadata formats of generated records: "oai_dc" and "iso19139". Default: ["oai_dc"].
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) formats: Vec<Spanned<String>>,
    /// Into how many of the sets each record is dealt, where there are as many. Default: 1.
    #[schemars(with = "Option<u32>")]
    pub(crate) sets_each: Option<Spanned<u32>>,
    /// The sets that there are, such as ["art", "art:paint"]; each record is dealt into one of them. Default: none.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) sets: Vec<Spanned<String>>,
}

/// Where records come from.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(example = serde_json::json!({ "generate": { "count": 20 } }))]
pub(crate) enum Records {
    /// Records made up from the seed, numbered from 1.
    Generate(Generate),
    /// The records of saved answers: whole documents of ListRecords or GetRecord, in files beside the file that names
    /// them. They are numbered from 1 in the order in which they stand there; their sets and formats are the repository's.
    Files(#[schemars(with = "Vec<String>")] Vec<Spanned<String>>),
    /// Records one by one, numbered from 1 in the order of the file.
    Literal(#[schemars(with = "Vec<LiteralRecord>")] Vec<Spanned<LiteralRecord>>),
}

/// A record as it is.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LiteralRecord {
    /// Its identifier.
    #[schemars(with = "String")]
    pub(crate) id: Spanned<String>,
    /// Its datestamp.
    #[schemars(with = "Instant")]
    pub(crate) stamp: Spanned<Instant>,
    /// Its sets. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub(crate) sets: Vec<Spanned<String>>,
    /// Whether it is deleted. Default: false.
    pub(crate) deleted: Option<bool>,
    /// Its metadata by format, such as { oai_dc = "<oai_dc:dc …/>" }. A format that is not here it does not have; without
    /// any, they are made up.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) xml: BTreeMap<String, String>,
}

/// Records made up from the seed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Generate {
    /// How many. Default: 60.
    #[schemars(with = "Option<u32>", range(min = 0, max = RECORDS_MAX))]
    pub(crate) count: Option<Spanned<u32>>,
    /// The share that is deleted before the first run, from 0 to 1. Default: 0.
    #[schemars(with = "Option<f64>")]
    pub(crate) deleted: Option<Spanned<f64>>,
    /// The least bytes of a payload; shorter ones are filled up. Default: as they come, 300 to 1500.
    #[schemars(with = "Option<u32>")]
    pub(crate) body_bytes: Option<Spanned<u32>>,
    /// What identifiers are made of: "counted", or "uuid" for an order that has nothing to do with age. Default:
    /// "counted".
    pub(crate) identifiers: Option<Identifiers>,
    /// Their datestamps: "same", every = { from = …, step = … } or spread = { from = …, until = … }. Default: every, an hour apart, from a year before
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
    /// Anywhere in a span, drawn from the seed; later records need not be younger.
    Spread(Spread),
}

/// Datestamps anywhere in a span.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Spread {
    /// The earliest.
    pub(crate) from: Instant,
    /// The latest.
    pub(crate) until: Instant,
}

/// What identifiers are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Identifiers {
    /// Their numbers.
    #[default]
    Counted,
    /// Something that looks like a UUID.
    Uuid,
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
