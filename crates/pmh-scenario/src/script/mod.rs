//! What will happen: a scenario with its seed applied and nothing left to chance.

mod effect; // what a fault does
mod expect; // what must be true in the end
mod fault; // a deliberate departure
mod holdings; // what a store must hold, by hand
mod http; // what HTTP says that it should not
mod protocol; // how the repository keeps the protocol
mod reply; // an answer word for word
mod repository; // what it holds before the first run
mod run; // what the harvester is asked to do
mod trace; // rules on requests
mod when; // where in a harvest
mod whole; // all of it
mod wire; // how bytes travel
mod xml; // how a document is written

pub use effect::{Effect, RepoEffect, TimeEffect, TokenEffect};
pub use expect::{Budget, Expect, StoreExpect};
pub use fault::Fault;
pub use holdings::Holdings;
pub use http::{HttpBody, HttpEffect};
pub use protocol::{LastToken, Protocol, TokenStyle};
pub use reply::{Content, LiteralReply};
pub use repository::{ClockScript, RepositoryScript};
pub use run::{Change, Crash, CrashPhase, Move, Run, RunExpect, WatermarkExpect};
pub use trace::TraceRule;
pub use when::{Match, When};
pub use whole::{ONCE_MORE, Script};
pub use wire::{GzipLie, Length, Position, WireEffect};
pub use xml::{Label, XmlEffect};
