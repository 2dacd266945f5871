//! A file becomes a script: defaults filled in, the seed applied, nothing left to chance.

mod expect; // what must be true in the end
mod fault; // what goes wrong
mod protocol; // how the repository keeps the protocol
mod reply; // answers word for word
mod repository; // what it holds
mod run; // what the harvester is asked to do
mod when; // where in a harvest
mod whole; // all of it

use toml::Spanned;

use expect::expect;
use fault::fault;
use protocol::protocol;
use reply::{holdings, replies, reply};
use run::run;

pub(crate) use fault::signed_seconds;
pub(crate) use protocol::cursor;
pub(crate) use reply::reply_name;
pub(crate) use repository::{clock, count, generate, is_modelled, repository, seed, stamps, whole};
pub(crate) use run::{change, run_name, watermark};
pub(crate) use whole::{budget, store};

fn value<T: Copy>(written: &Option<Spanned<T>>) -> Option<T> {
    written.as_ref().map(|written| *written.get_ref())
}

fn values<T: Clone>(written: &[Spanned<T>]) -> Vec<T> {
    written.iter().map(|written| written.get_ref().clone()).collect()
}
