//! What a store promises, checked from outside.

#![expect(clippy::unwrap_used, reason = "in helpers of tests too: a test that cannot go on stops")]

mod contract; // what entries mean, in every store
mod crash; // what is left when the process is not there any more
mod differential; // random entries, the same in every store
mod files; // what may be opened, and who may write
mod fixture; // stores written by earlier versions
mod forgetting; // what goes with a key, and what stays
mod listing; // what a repository lists, beside what is held
mod reading; // plain SQL, export, status
mod sources; // what is remembered beside records and cursors
mod support; // entries in few words
mod upkeep; // flaws that the integrity check finds
