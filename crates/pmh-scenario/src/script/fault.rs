//! A deliberate departure.

use super::{Effect, When};

/// One deliberate departure.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its name, as journals and reports print it.
    pub name: String,
    /// When it is due: at every request that fits.
    pub when: When,
    /// What it does.
    pub effect: Effect,
    /// At most this many firings.
    pub times: Option<u32>,
    /// Whether the scenario is still worth something when it never fires.
    pub optional: bool,
    /// Line of its table in the scenario file, from 1.
    pub line: usize,
}
