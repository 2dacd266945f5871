//! The file as it is written: its shape and nothing else.
//!
//! Enums are externally tagged and nothing is flattened, because only then does a typo get the place of the very
//! word. Values whose meaning is checked later carry their place. The first comment on a field is what an editor
//! shows when the pointer rests on it. What is absent is `None`: defaults are filled in elsewhere, so that `show`
//! can tell the two apart.

mod budget; // what may be used up
mod change; // what happens to the records
mod client; // how the harvester is set up
mod clock; // the repository's clock
mod crash; // where the harvester dies
mod effect; // what a fault does
mod expect; // what must be true in the end
mod fault; // a deliberate departure
mod file; // the whole file
mod holdings; // what a store must hold, by hand
mod http; // what HTTP says that it should not
mod matching; // what a request looks like
mod midway; // what changes while a list is read
mod protocol; // how the repository keeps the protocol
mod reply; // an answer word for word
mod repository; // what it holds
mod run; // what the harvester is asked to do
mod trace; // rules on requests
mod when; // where in a harvest

pub(crate) use budget::Budget;
pub(crate) use change::{Change, Move};
pub(crate) use client::{Client, Thresholds};
pub(crate) use clock::Clock;
pub(crate) use crash::{Crash, CrashPhase, Signal};
pub(crate) use effect::{Effect, TokenEffect};
pub(crate) use expect::{Expect, StoreExpect};
pub(crate) use fault::Fault;
pub(crate) use file::File;
pub(crate) use holdings::Holdings;
pub(crate) use http::HttpEffect;
pub(crate) use matching::{Match, Method};
pub(crate) use midway::{RepoEffect, TimeEffect};
pub(crate) use protocol::{DeletedRecords, Granularity, LastToken, Protocol, TokenStyle};
pub(crate) use reply::Reply;
pub(crate) use repository::{
    Every, Generate, Identifiers, LiteralRecord, Records, Repository, Stamps,
};
pub(crate) use run::{Action, Run, RunExpect};
pub(crate) use trace::TraceRule;
pub(crate) use when::When;
