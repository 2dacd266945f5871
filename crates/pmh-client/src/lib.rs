//! The network rim: reqwest transport, clock, and the async driver.
//!
//! Nothing here decides anything about a harvest. Redirects, decoding, tries and waits are the core's; the rim
//! sends what it is handed, bounds what it reads, and keeps the store on a thread of its own.

mod ask; // single questions, outside of a harvest
mod body; // a body while it arrives
mod capture; // every exchange as files
mod clock; // elapsed time, and waiting
mod drive; // the loop that does what the core asks
mod lost; // why an answer did not arrive
mod options; // what a transport is told
mod rehearse; // a run up to its first page
mod transport; // requests out, bounded answers in
mod writer; // the store on its own thread

pub use ask::AskError;
pub use capture::Capture;
pub use clock::Clock;
pub use drive::{Watch, drive};
pub use options::{Proxying, Timeouts, TransportOptions};
pub use rehearse::{Rehearsal, rehearse};
pub use transport::{Exchanged, Transport, TransportError};
