//! The examination against a repository in memory.

mod clean; // what is right passes
mod defects; // what is wrong is found
mod hostile; // servers that mean no good
mod later; // what two runs show
mod oddities; // what is odd and legal
mod passing; // an answer on its way back
mod static_repository;
mod support; // the driver // a file that a gateway serves
