//! Serves a repository over HTTP on loopback.
//!
//! Decides nothing: what is answered is the repository's business, and this crate only frames it. The repository sits
//! behind one lock, so that an exchange is atomic; the lock is never held while anything waits.

mod access; // one request and its answer, for a log
mod answer; // a request over HTTP, and its answer
mod hooks; // who wants to know of an answer, and when
mod journal_file; // the journal on disk
mod packed; // bodies packed for those who ask for it
mod plan; // a plan of bytes carried out
mod server; // connections
mod wall_dates; // dates of HTTP on the clock of those who read them
mod wire; // bytes on their way out

pub use access::Access;
pub use hooks::{After, Before, ClientClock, Gone, Hooks, Midway, OnAccess};
pub use journal_file::JournalFile;
pub use server::serve;
