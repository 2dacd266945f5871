//! Conversations with a repository, as a harvester has them.

mod answers; // what single requests are answered
mod conformance; // a repository without faults keeps the protocol
mod faults; // faults, where they are due
mod lists; // lists, page after page
mod midway; // what changes while a list is read
mod paging; // how lists are cut
mod said; // what a document is made to say
mod schema; // what the schema asks of a document
mod styles; // what tokens are made of, what is announced, how dates are written
mod support;
