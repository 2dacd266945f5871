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
}
