//! Sweeps: what nobody has thought of, place after place and seed after seed.

mod accused; // who is played
mod crash; // a death at every place
mod faults; // a fault at every exchange
mod healing; // a script whose troubles end
mod panics; // worlds that end in one
mod seeds; // worlds by number
mod shrink; // a failure as a short file
mod strangers; // a death of somebody else's

pub use accused::{Accused, Wrong};
pub use crash::{CrashPlace, CrashSweep, sweep_crashes, sweep_kills};
pub use faults::{FaultFailure, FaultSweep, sweep_faults, sweep_pairs};
pub use seeds::{SeedFailure, try_seed};
pub use shrink::{Shrunk, shrink};
pub use strangers::sweep_stranger;
