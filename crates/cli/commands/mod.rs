//! The commands, one file (or folder) each.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod completions;
mod coverage; // what scenarios speak of
mod defective; // the repository that is wrong in ways that have names
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod formats;
pub(crate) mod get;
pub(crate) mod harvest;
pub(crate) mod identify;
mod kept; // what `verify` and `audit` begin with
pub(crate) mod man;
pub(crate) mod mock;
mod mortal; // a store in which the process dies
pub(crate) mod prove;
mod proving; // what `prove` shows and writes, and other harvesters
mod rehearsing; // what `harvest --dry-run` shows
pub(crate) mod rekey;
mod repairing; // what `audit --repair` does about differences
pub(crate) mod scenario;
pub(crate) mod sets;
pub(crate) mod shrink;
pub(crate) mod status;
pub(crate) mod sweep;
pub(crate) mod trace;
pub(crate) mod verify;
