//! Judges whether a repository keeps the OAI-PMH 2.0: what to ask it, and what its answers prove.
//!
//! The core is a machine that a driver polls: [`Examination::step`] says what to send, [`Examination::fetched`] takes the
//! answer. So the same examination runs over a socket, over recorded exchanges, and against a repository in memory.
//! Every check is a function over shared evidence: it asks for an answer as if that were there already, and is begun
//! anew when it has come. What several checks ask for is fetched once.

mod ask; // one thing to ask
mod bench; // the evidence as a check sees it
mod canonical; // whether two elements say the same
mod check; // what a check is
mod checks; // all of them
mod examination; // the machine
mod exchange; // a request and what came of it
mod finding; // what a check found
mod options; // what is asked for, and the bounds
mod outcome; // what came of a check, and of all
mod report; // outcomes for people and programs
mod rules; // the rules in our own words
mod syntax; // URIs, set specs, dates

pub use ask::Ask;
pub use check::{Check, Level};
pub use checks::{all_checks, find_check};
pub use examination::{Examination, Step};
pub use exchange::{Exchange, Exchanged, Part};
pub use finding::{Finding, Place, Severity};
pub use options::{Limits, Options, Profile};
pub use outcome::{Examined, Outcome, Verdict};
pub use report::{html, json, json_schema, junit, markdown, monitor, text};
pub use rules::{Rule, rule};
