//! What a resumptionToken element says besides the token.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a resumptionToken element says besides the token.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Announced {
    /// Its cursor.
    pub cursor: Cursor,
    /// Its completeListSize.
    pub size: ListSize,
    /// Its expirationDate.
    pub expiration: Expiration,
}

/// What cursor says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cursor {
    /// How many entries came before the page.
    #[default]
    Right,
    /// Nothing: the attribute is not there.
    Absent,
    /// How many pages came before.
    Pages,
    /// The number of the page's first entry, from 1.
    OneBased,
    /// How many entries come after the page.
    Rest,
    /// As much more than the right number; negative: less.
    Wrong(i64),
    /// Any text.
    Text(String),
}

/// What completeListSize says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ListSize {
    /// The size of the list.
    #[default]
    Right,
    /// Nothing: the attribute is not there, and neither is cursor unless something is said of it.
    Absent,
    /// The entries of this page and of those after it.
    Rest,
    /// The size of the whole repository, whatever was selected.
    Whole,
    /// An estimate: this share more than the size; negative: less.
    Estimate(f64),
    /// No more than so many, however long the list is: "10000" means "or more".
    AtLeast(u32),
    /// So many more with every page; negative: fewer.
    Grows(i64),
    /// Any text.
    Text(String),
}

/// What expirationDate says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Expiration {
    /// Nothing: the attribute is not there.
    #[default]
    Absent,
    /// When the token dies, by `ttl.time`.
    Right,
    /// An hour ago, though the token lives.
    Past,
    /// Any text.
    Text(String),
}
