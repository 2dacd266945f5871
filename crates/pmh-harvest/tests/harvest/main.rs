//! The core by hand: typed answers in, outcome and store out. No XML, no HTTP, no time.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ahead;
mod lists;
mod pieces;
mod sources;
mod support;
