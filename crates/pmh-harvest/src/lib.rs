//! Decides everything about a harvest and does nothing.
//!
//! Pure: no clock, socket, file or randomness. A driver asks [`Harvest::step`] what is needed next, supplies it
//! and reports back; it decides nothing. Numbers like H4 name the rules of a harvest that `ARCHITECTURE.md` lists.

mod entry; // what is handed to the store
mod key; // what progress is kept for
mod memory; // the store that forgets
mod store; // what the core asks of a store
mod time; // elapsed time, passed in
mod window; // the span harvested as one list

pub use entry::{
    Batch, Closing, CompleteList, Completion, Cursor, Ending, Entry, Progress, Sizes, SourceFacts, Traversal,
};
pub use key::Key;
pub use memory::{MemoryStore, Row};
pub use store::{Counts, Known, OpenTraversal, Receipt, Store, Tally};
pub use time::Instant;
pub use window::Window;
