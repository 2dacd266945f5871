//! `pmh forget`: keys that are not wanted any more.

use pmh_client::Clock;
use pmh_harvest::Key;
use pmh_store::{Forgetting, Forgotten, SqliteStore};

use crate::args::ForgetArguments;
use crate::exit::{Ended, Exit};
use crate::output::{self, counted};

pub(crate) fn run(arguments: &ForgetArguments) -> anyhow::Result<Exit> {
    // Looked at first, because opening a store to write makes one where there is none.
    let keys: Vec<Key> = SqliteStore::open_read_only(&arguments.store.path)?
        .keys()?
        .into_iter()
        .map(|status| status.key)
        .filter(|key| is_meant(key, arguments))
        .collect();
    if keys.is_empty() {
        let text = format!(
            "`{}` keeps no such key: `pmh status` shows what it keeps",
            arguments.store.path.display()
        );
        return Err(Ended::impossible(text));
    }
    let mut store = SqliteStore::open(&arguments.store.path)?;
    let now = Clock::today();
    let claims = keys.iter().map(|key| store.claim(key, now));
    let _claims = claims.collect::<Result<Vec<_>, _>>()?;
    let forgetting = if arguments.yes { Forgetting::Done(now) } else { Forgetting::Tried };
    let forgotten = store.forget(&keys, forgetting)?;
    output::line(if arguments.yes { "removed:" } else { "this would be removed:" });
    for key in &keys {
        output::line(format!("  {key}"));
    }
    output::line(format!("  {}", describe(&forgotten)));
    if arguments.yes {
        return Ok(Exit::Done);
    }
    Err(Ended::usage("nothing was removed: `--yes` removes it"))
}

fn is_meant(key: &Key, arguments: &ForgetArguments) -> bool {
    key.source == arguments.base_url.as_str()
        && arguments.prefix.as_ref().is_none_or(|prefix| *prefix == key.prefix)
        && arguments.set.as_ref().is_none_or(|set| set == key.set.as_deref().unwrap_or_default())
}

fn describe(forgotten: &Forgotten) -> String {
    let mut parts = vec![
        counted(forgotten.live, "live record"),
        counted(forgotten.tombstones, "tombstone"),
        counted(forgotten.open, "unfinished list"),
    ];
    if forgotten.withdrawn > 0 {
        let records = counted(forgotten.withdrawn, "record");
        parts.push(format!("{records} that other keys saw withdrawn, kept as tombstones"));
    }
    parts.join(", ")
}
