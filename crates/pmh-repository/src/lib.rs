//! An OAI-PMH repository as a value: request in, reply and journal entry out.
//!
//! Pure: no socket and no time of its own. Its clock is the script's: it moves with every answered request and
//! jumps between runs, so that the same script and the same requests give the same bytes in every arm. It keeps
//! every rule of the protocol unless a fault of the script says otherwise. How bytes travel is left to others.

mod answers; // what is answered where lists do not matter
mod faults; // which fault is due
mod http; // what an effect of HTTP makes of an answer
mod list; // one list, and what was said in it
mod lists; // the lists remembered
mod page; // one page of a list
mod reply; // what goes in and out
mod repository; // the repository
mod wire; // how an answer travels
mod xml; // a document damaged

pub use reply::{AskedRequest, Reply};
pub use repository::{BASE_URL, BUDGET_SPENT, EVENTS_KEPT_MAX, PATH, Repository, is_repository};
pub use wire::{BytePlan, WireEnd, WireStep};
