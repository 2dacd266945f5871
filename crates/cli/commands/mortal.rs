//! A store in which the process dies: for proofs that kill it where nobody outside can see it come.

use std::sync::Arc;

use pmh_harvest::{Entry, Key, Known, Receipt, Store};

use crate::args::DieAt;

/// Passes everything on to a store, and kills the process when a list is closed.
pub(crate) struct Mortal<S> {
    pub(crate) store: S,
    pub(crate) at: DieAt,
}

impl<S: Store> Store for Mortal<S> {
    type Error = S::Error;

    fn known(&mut self, key: &Key) -> Result<Known, S::Error> {
        self.store.known(key)
    }

    fn commit(&mut self, key: &Key, entries: &[Arc<Entry>]) -> Result<Vec<Receipt>, S::Error> {
        let close = entries.iter().position(|entry| matches!(**entry, Entry::Close(_)));
        match (close, self.at) {
            (Some(close), DieAt::BeforeClose) => {
                if close > 0 {
                    self.store.commit(key, &entries[..close])?;
                }
                die()
            }
            (Some(_), DieAt::AfterClose) => {
                self.store.commit(key, entries)?;
                die()
            }
            (None, _) => self.store.commit(key, entries),
        }
    }
}

/// Ends the process by a signal, as a kill from outside would: nothing is tidied up.
fn die() -> ! {
    std::process::abort()
}
