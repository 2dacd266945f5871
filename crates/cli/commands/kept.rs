//! What `verify` and `audit` begin with: a key that a store keeps, and the means to ask its repository.

use pmh_client::Clock;
use pmh_harvest::{Key, Known, Store as _};
use pmh_store::SqliteStore;

use crate::args::KeptArguments;
use crate::asking::Asking;
use crate::exit::Ended;

/// A key of a store, and its repository.
pub(super) struct Kept {
    /// How the repository is asked; the plan is that of the key.
    pub(super) asking: Asking,
    pub(super) key: Key,
    /// The store, opened to be looked at.
    pub(super) store: SqliteStore,
    /// What is remembered of the key.
    pub(super) known: Known,
}

impl Kept {
    /// Looks the key up. `what` is to be done with it, as in *nothing to audit*.
    ///
    /// # Errors
    /// When the store cannot be read, or keeps no such key.
    pub(super) fn open(arguments: &KeptArguments, what: &str) -> anyhow::Result<Self> {
        let mut asking = Asking::of(&arguments.base_url, &arguments.source)?;
        arguments.departures.apply(&mut asking.plan);
        asking.plan.ignore_not_before = arguments.ignore_not_before;
        let key = Key {
            source: asking.plan.key.source.clone(),
            prefix: arguments.prefix.clone(),
            set: arguments.set.clone().filter(|set| !set.is_empty()),
        };
        let path = &arguments.store.path;
        let mut store = SqliteStore::open_read_only(path)?;
        if store.keys()?.iter().all(|status| status.key != key) {
            return Err(Ended::impossible(format!(
                "`{}` has nothing of `{key}` to {what}: `pmh status` shows what it keeps",
                path.display()
            )));
        }
        asking.plan.key.clone_from(&key);
        let known = store.known(&key)?;
        Ok(Self { asking, key, store, known })
    }

    /// Refuses to ask a source that asked not to be asked yet, unless that is wanted all the same.
    ///
    /// # Errors
    /// When it has to be left alone.
    pub(super) fn may_ask_now(&self) -> anyhow::Result<()> {
        match self.known.memory.not_before {
            Some(until) if Clock::today() < until && !self.asking.plan.ignore_not_before => {
                Err(Ended::impossible(format!(
                    "the source asked not to be asked before {until}: run again later, or ask in \
                     spite of it with `--ignore-not-before`"
                )))
            }
            _ => Ok(()),
        }
    }
}
