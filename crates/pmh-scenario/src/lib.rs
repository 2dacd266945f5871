//! The scenario file format, its expansion by seed, and the truth that follows.

mod journal; // what did happen
mod script; // what will happen
mod world; // the records of a repository

pub use journal::{Answer, Event, Exchange, Journal};
pub use script::{
    Budget, Change, ClockScript, Crash, CrashPhase, Effect, Expect, Fault, HttpEffect, LastToken, Protocol,
    RepositoryScript, Run, RunExpect, Script, StoreExpect, TokenEffect, TokenStyle, When,
};
pub use world::{World, WorldRecord};
