//! What happens to the records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A change in the repository. Records are numbered from 1; what is added counts on.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Change {
    /// So many new records.
    Add(#[schemars(with = "u32")] Spanned<u32>),
    /// New versions of these records; a deleted one comes back to life.
    Touch(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
    /// Deletion of these records.
    Delete(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
    /// These vanish without a trace, whatever the repository says of deletions.
    Purge(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
    /// New datestamps of these, and nothing else.
    Restamp(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
    /// Other sets for these, such as { records = [1, 2], to = ["maps"] }, and nothing else.
    Move(Move),
}

/// Records that go into other sets.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Move {
    /// Numbers of the records.
    #[schemars(with = "Vec<u32>")]
    pub(crate) records: Vec<Spanned<u32>>,
    /// The sets that they are in from now on; [] for none.
    #[schemars(with = "Vec<String>")]
    pub(crate) to: Vec<Spanned<String>>,
    /// Whether their datestamps stay as they are, so that nobody who asks for what is new learns of it. Default: false.
    pub(crate) silent: Option<bool>,
}
