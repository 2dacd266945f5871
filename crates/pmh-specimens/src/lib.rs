//! Harvesters that are wrong on purpose, one named defect each, and a sound one as control.
//!
//! They exist to be caught: a scenario names the specimens that must fail it, which proves that the scenario can
//! fail. All are one plain blocking loop over a [`Wire`] and a [`Shelf`]; every departure from it stands
//! under a comment that begins with `Defect`.

mod ask; // asking until an answer comes
mod dates; // where the watermark moves
mod defect; // the catalogue of defects
mod end; // how a run ended
mod harvest; // the loop over pages and lists
mod opening; // what a list is opened with, and how its pages are asked for
mod read; // an answer to a document
mod specimen; // a harvester with one defect
mod store; // a page to rows
#[cfg(test)]
mod testing; // a scripted wire and a shelf in memory
#[cfg(test)]
mod tests;
mod traversal; // what one list has shown, and the guards
mod wire; // what a specimen touches // the sound one does right, and every defect shows

pub use defect::Defect;
pub use end::End;
pub use specimen::{Specimen, Task};
pub use wire::{Halt, Redirects, Row, Shelf, Wire};
