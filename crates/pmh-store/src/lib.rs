//! Keeps records, tombstones, cursors and watermarks in SQLite: one transaction for each commit of the core.
//!
//! The meaning of what is stored is the contract of [`pmh_harvest::Store`]; this crate adds durability, plain
//! SQL names for other programs (the views `state` and `catalog_record`), and one run per key at a time. It
//! reads no clock: moments come with the entries.

mod at_rest; // reading without the right to write
mod beside; // questions and records beside every list
mod claim; // one run per key at a time
mod closing; // how a traversal ends
mod columns; // values of ours in columns of SQLite
mod content; // the hash by which a change is known
mod error; // what went wrong, and whose turn it is
mod export; // rows as JSON lines
#[cfg(test)]
mod failing; // what is left when SQLite fails
mod forget; // keys that are not wanted any more
mod hold; // the write lock, held on purpose
mod integrity; // what must be true of every store
mod listing; // what a repository lists, beside what is held
mod opening; // how a traversal begins
mod page; // one page into its rows
mod rekey; // a source that has moved
mod runs; // what is remembered of keys
mod schema; // the tables and how they came to be
mod sqlite; // the store
mod verify; // a copy to try a harvest on, and what that changed

pub use claim::{Claim, Holder};
pub use error::{CommitError, StoreError, StoreErrorKind};
pub use forget::{Forgetting, Forgotten};
pub use hold::WriteHold;
pub use integrity::Flaw;
pub use listing::{Difference, Kind, Listing, Sum};
pub use rekey::Rekeyed;
pub use runs::KeyStatus;
pub use sqlite::SqliteStore;
pub use verify::{Change, Changed, HeldCount};
