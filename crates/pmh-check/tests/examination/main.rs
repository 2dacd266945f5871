//! The examination against a repository in memory.

mod changes; // what a change on purpose shows
mod clean; // what is right passes
mod defects; // what is wrong is found
mod hostile; // servers that mean no good
mod later; // what two runs show
mod oddities; // what is odd and legal
mod static_repository; // a file that a gateway serves
mod support; // the driver
