//! Harvesters that are wrong on purpose, one named defect each, and a sound one as control.
//!
//! They exist to be caught: a scenario names the specimens that must fail it, which proves that the scenario can
//! fail. All are one plain blocking loop over a [`Wire`] and a [`Shelf`]; what a defect changes is marked there.

mod end; // how a run ended
mod harvest; // the loop, and where each defect departs from it
mod specimen; // the specimens by name
#[cfg(test)]
mod testing; // a scripted wire and a shelf in memory
#[cfg(test)]
mod tests; // the sound one does right, and every defect shows
mod traversal; // what one list has shown, and the guards
mod wire; // what a specimen touches

pub use end::End;
pub use specimen::{Defect, Specimen};
pub use wire::{Halt, Row, Shelf, Wire};
