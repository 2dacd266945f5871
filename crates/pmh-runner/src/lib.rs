//! Pairs a harvester with a repository, collects what happened, and has it judged.
//!
//! The only place that knows both sides: the harvester's types are translated here into the oracle's plain words,
//! and the oracle never sees them. The pure arm joins both by function calls; the loopback arm starts processes.

mod case; // one scenario, proved
mod executioner; // real deaths at exact places
mod foreign; // harvesters that are not ours
mod kills; // scenarios against wrong harvesters
mod loopback; // the arm of processes and sockets
mod observe; // what happened, in the oracle's words
mod plan; // what a run asks for
mod process_group; // processes that are being played
mod receive; // what a client makes of the bytes that reach it
mod report; // cases as text
mod server; // the mock of one case
mod simulate; // the pure arm
mod specimen; // the pure arm for wrong harvesters
mod sweep; // what nobody has thought of
mod traffic; // requests that somebody else wrote down
mod vocabulary; // the names that scenario files may use
mod waiting; // for a process that must not take for ever

pub use case::{Arm, Bite, Case, Played, prove};
pub use foreign::{
    GuardSign, Harvester, Place, StoreReader, Trial, try_harvester, try_shipped, try_specimen,
};
pub use kills::{Kill, kill_matrix, kills};
pub use loopback::{Loopback, LoopbackError};
pub use pmh_specimens::Specimen;
pub use process_group::kill_process_groups;
pub use report::{details, failed_of, heading, id_width, line, sign, why_text, whys_of};
pub use simulate::{StoreFailure, differs_at_once, simulate};
pub use specimen::play_specimen;
pub use sweep::{
    Accused, CrashPlace, CrashSweep, FaultFailure, FaultSweep, SeedFailure, Shrunk, Wrong, shrink,
    sweep_crashes, sweep_faults, sweep_kills, sweep_pairs, sweep_stranger, try_seed,
};
pub use traffic::Traffic;
pub use vocabulary::vocabulary;
