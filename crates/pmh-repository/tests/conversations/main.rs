//! Conversations with a repository, as a harvester has them.

mod answers; // what single requests are answered
mod faults; // faults, where they are due
mod lists; // lists, page after page
mod support;
