//! Conversations with a repository, as a harvester has them.

mod answers; // what single requests are answered
mod faults; // faults, where they are due
mod lists; // lists, page after page
mod paging; // how lists are cut
mod styles; // what tokens are made of, what is announced, how dates are written
mod support;
