//! Harvesters that are not ours: any command that can be given a base URL.
//!
//! They are told as little as any operator would tell them, and watched from outside: what they ask, how they end, and
//! what lies in their store. What cannot be known from there is not judged, and the verdict says so.

mod fair; // what of a scenario can be asked of a stranger
mod guard_sign; // how a stranger's brake is recognised
mod harvester; // a command and what is known of it
mod lines; // rows written one a line
mod output; // what a command prints, bounded in bytes and in time
mod reader; // what lies in a stranger's store
mod room; // where they are played, and what is kept
mod session; // a scenario played with a command
#[cfg(test)]
mod session_tests;
mod sqlite; // rows of a database
mod trial; // what came of it
mod xml_dir; // rows in files of XML

pub use guard_sign::GuardSign;
pub use harvester::Harvester;
pub use reader::StoreReader;
pub use room::Place;
pub use session::try_harvester;
pub use trial::{Trial, try_shipped, try_specimen};
