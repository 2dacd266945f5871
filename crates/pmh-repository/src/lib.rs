//! An OAI-PMH repository as a value: request in, reply and journal entry out.
//!
//! Pure: no socket and no time of its own. Its clock is the script's: it moves with every answered request and
//! jumps between runs, so that the same script and the same requests give the same bytes in every arm. It keeps
//! every rule of the protocol unless a fault of the script says otherwise. How bytes travel is left to others.

mod announce; // what a token says besides itself
mod answers; // what is answered where lists do not matter
mod asking; // requests for pages of lists
mod changes; // what changes while it is open
mod content; // a document about to be written
mod cut; // how a list is cut into pages
mod defects; // what is wrong with every answer
mod edit; // what no value of the protocol can say
mod faults; // which fault is due
mod http; // what an effect of HTTP makes of an answer
mod identity; // what it says of itself
mod list; // one list, and what was said in it
mod lists; // the lists remembered
mod literal; // answers word for word
mod oai; // what a document is made to say
mod outgoing; // an answer on its way out
mod page; // one page of a list
mod reply; // what goes in and out
mod repository; // the repository
mod trigger; // where faults and replies are due
mod wire; // how an answer travels
mod xml; // a document damaged

pub use defects::{DEFECTIVE_REPOSITORY, Defect, Passing, all_defects};
pub use reply::{AskedRequest, PATH, Reply};
pub use repository::{BASE_URL, BUDGET_SPENT, EVENTS_KEPT_MAX, Repository};
pub use wire::{BytePlan, WireEnd, WireStep};
