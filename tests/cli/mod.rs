//! The program as a user meets it: words, exit codes, and one golden run of every command.

mod access; // what lets us in
mod asking; // single questions to a repository
mod auditing; // the identifiers of a list beside those of a store
mod checking; // repositories examined
mod harvesting; // runs
mod helping; // help, completions, manual
mod keeping; // what is done with a store
mod misuse; // bad input
mod mocking; // a repository to talk to
mod network; // proxies, certificates, patience
mod proving; // scenarios
mod proving_others; // scenarios against other harvesters
mod shrinking; // what fails, as a short file
mod verifying; // a store against its repository

use std::time::{Duration, Instant};

use crate::support::{Mock, Ran, ScriptServer, document, pmh, pmh_in};

/// Waits until `is_true`, and says what did not happen.
#[track_caller]
fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
