//! The examination against a repository in memory.

mod clean; // what is right passes
mod support; // the driver
