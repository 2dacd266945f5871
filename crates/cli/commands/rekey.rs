//! `pmh rekey`: a repository that has moved to another base URL.

use pmh_client::Clock;
use pmh_harvest::Key;
use pmh_store::{Rekeyed, SqliteStore};

use crate::args::RekeyArguments;
use crate::exit::{Ended, Exit};
use crate::output::{self, counted};

pub(crate) fn run(arguments: &RekeyArguments) -> anyhow::Result<Exit> {
    let (old, new) = (arguments.old.as_str(), arguments.new.checked()?);
    if old == new {
        return Err(Ended::usage("the two base URLs are the same"));
    }
    // Looked at first, because opening a store to write makes one where there is none.
    let kept = SqliteStore::open_read_only(&arguments.store.path)?.keys()?;
    let old_keys: Vec<Key> =
        kept.into_iter().map(|status| status.key).filter(|key| key.source == old).collect();
    let mut store = SqliteStore::open(&arguments.store.path)?;
    // Nobody works on the one, or begins to work on the other.
    let new_keys = old_keys.iter().map(|key| Key { source: new.to_owned(), ..key.clone() });
    let now = Clock::today();
    let claims = old_keys.iter().cloned().chain(new_keys).map(|key| store.claim(&key, now));
    let _claims = claims.collect::<Result<Vec<_>, _>>()?;
    match store.rekey(old, new)? {
        Rekeyed::Moved { keys, rows } => {
            let (keys, rows) = (counted(keys, "key"), counted(rows, "record"));
            output::line(format!("moved: {keys} and {rows}, from {old} to {new}"));
            Ok(Exit::Done)
        }
        Rekeyed::Unknown => Err(Ended::impossible(format!(
            "`{}` keeps nothing under `{old}`: `pmh status` shows what it keeps",
            arguments.store.path.display()
        ))),
        Rekeyed::Occupied { keys } => Err(Ended::impossible(format!(
            "{} kept under `{new}` already: `pmh forget {new}` removes what is there",
            match keys {
                1 => "1 key is".to_owned(),
                keys => format!("{keys} keys are"),
            }
        ))),
    }
}
