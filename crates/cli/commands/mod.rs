//! The commands, one file each.

pub(crate) mod export;
pub(crate) mod harvest;
pub(crate) mod mock;
pub(crate) mod prove;
pub(crate) mod scenario;
pub(crate) mod status;
