//! Sweeps: what nobody has thought of, place after place and seed after seed.

mod accused; // who is played
mod crash; // a death at every place
mod faults; // a fault at every exchange
mod healing; // a script whose troubles end
mod panics; // worlds that end in one
mod place; // where a harvester dies
mod processes; // one that is killed at every page
mod seeds; // worlds by number
mod shrink; // a failure as a short file

pub use accused::{Accused, Wrong};
pub use crash::{CrashSweep, sweep_crashes};
pub use faults::{FaultFailure, FaultSweep, sweep_faults, sweep_pairs};
pub use place::CrashPlace;
pub use processes::{sweep_kills, sweep_stranger};
pub use seeds::{SeedFailure, try_seed};
pub use shrink::{Shrunk, shrink};
