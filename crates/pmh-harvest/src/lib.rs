//! Decides everything about a harvest and does nothing.
//!
//! Pure: no clock, socket, file or randomness. A driver asks [`Harvest::step`] what is needed next, supplies it
//! and reports back; it decides nothing. Numbers like H4 name the rules of a harvest that `ARCHITECTURE.md` lists.

mod compat; // departures that some sources need
mod entry; // what is handed to the store
mod errand; // one request, its tries and redirects
mod fetched; // what an answer turns out to be
mod guard; // what may stop it
mod harvest; // the machine over one key: Identify, traversals, closing
mod key; // what progress is kept for
mod memory; // the store that forgets
mod offsets; // whether announced offsets leave something out
mod outcome; // how a run ended, and whose fault it is
mod pace; // the pause between requests
mod plan; // what was asked for
mod redirect; // where a redirect leads
mod seen; // the tokens a list has given
mod slices; // cutting a window that cannot be read as one list
mod store; // what the core asks of a store
mod time;
mod token_loop; // the machine within one traversal
mod watermark; // up to where a key is known complete
mod window; // the span harvested as one list // elapsed time, passed in

pub use compat::Compat;
pub use entry::{
    Batch, Closing, Comparison, CompleteList, Completion, Cursor, Ending, Entry, Hole, Lacking,
    Mending, Opening, Progress, Refresh, Sizes, SourceFacts, SourceMemory, Span, Traversal,
};
pub use errand::http_request;
pub use fetched::{Answered, Fetched, RetryAfter, interpret, interpret_within, too_large};
pub use guard::{Reopening, Trip};
pub use harvest::{Harvest, Step};
pub use key::Key;
pub use memory::{MemoryStore, Row};
pub use outcome::{Blame, Complained, End, Outcome, Refusal, Stop, StoreFault, Trouble};
pub use plan::{Limits, Plan, RepeatedToken};
pub use redirect::redirected;
pub use store::{Counts, Known, OpenTraversal, Receipt, Store, Tally};
pub use time::Instant;
pub use window::Window;
