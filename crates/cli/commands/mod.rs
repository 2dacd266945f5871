//! The commands, one file (or folder) each.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod formats;
pub(crate) mod get;
pub(crate) mod harvest;
pub(crate) mod identify;
pub(crate) mod man;
pub(crate) mod mock;
pub(crate) mod prove;
mod rehearsing; // what `harvest --dry-run` shows
pub(crate) mod rekey;
pub(crate) mod scenario;
pub(crate) mod sets;
pub(crate) mod status;
pub(crate) mod verify;
