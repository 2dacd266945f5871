//! What changes while a list is read: records, the program, time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::Move;
use crate::time::Duration;

/// What changes in the repository, before the page is cut. Datestamps are its clock.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RepoEffect {
    /// So many new records.
    Add(#[schemars(with = "u32")] Spanned<u32>),
    /// New versions of these records; a deleted one comes back to life.
    Touch(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
    /// Deletion of these records.
    Delete(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
    /// These vanish without a trace.
    Purge(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
    /// New datestamps of these, and nothing else.
    Restamp(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
    /// Other sets for these, such as { records = [1, 2], to = ["maps"] }, and nothing else.
    Move(Move),
    /// The order of live lists: another one by the seed, each time.
    Reorder,
    /// The program: all tokens die before the page that is asked for with one.
    Deploy(Deploy),
}

/// A new program in the middle of a list.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Deploy {
    /// Entries a page from now on. Default: as before.
    #[schemars(with = "Option<u32>")]
    pub(crate) page_size: Option<Spanned<u32>>,
}

/// What happens to time.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TimeEffect {
    /// The answer takes so much longer, on every clock.
    Delay(#[schemars(with = "Duration")] Spanned<Duration>),
    /// The repository's clock jumps ahead before the answer.
    Forward(#[schemars(with = "Duration")] Spanned<Duration>),
    /// The repository's clock jumps back before the answer.
    Back(#[schemars(with = "Duration")] Spanned<Duration>),
    /// responseDate is this text.
    ResponseDate(#[schemars(with = "String")] Spanned<String>),
}
