//! Worlds of three pages for the sweep of faults.

use toml::{Table, Value};

use super::troubles::Trouble;
use super::{number, put, table, written};

/// A fault at an exchange of the first run.
#[derive(Clone, Copy, Debug)]
pub struct FaultAt<'a> {
    /// What goes wrong.
    pub trouble: &'a Trouble,
    /// At the nth request of the run, from 1.
    pub request: u64,
    /// Whether it does so at every later request as well.
    pub stays: bool,
}

/// Three pages of tokens of this style, the faults in the first run, and three runs without any; the last must be
/// complete.
#[must_use]
pub fn small_world_file(token: &str, faults: &[FaultAt<'_>]) -> String {
    let mut file = Table::new();
    put(&mut file, "format", 1);
    put(&mut file, "title", "Three pages");
    let generate = table([("count", 6.into()), ("deleted", 0.2.into())]);
    let records = table([("generate", generate.into())]);
    let repository = table([("records", records.into()), ("page-size", 2.into())]);
    file.insert("repository".to_owned(), repository.into());
    file.insert("protocol".to_owned(), table([("token", token.into())]).into());
    let mut tables: Vec<Value> = Vec::new();
    for fault in faults {
        let mut when = table([("run", "harvest".into())]);
        if fault.stays {
            // The clock moves by a second with each answer.
            put(&mut when, "after", format!("{}s", fault.request.saturating_sub(1)));
        } else {
            put(&mut when, "request", number(fault.request));
        }
        let index = tables.len() as u64 + 1;
        tables.push(fault.trouble.fault(index, when, None).into());
    }
    if !tables.is_empty() {
        file.insert("fault".to_owned(), tables.into());
    }
    let run = |name: &str, action: &str| table([("name", name.into()), ("action", action.into())]);
    let mut last = run("healed-3", "incremental");
    last.insert("expect".to_owned(), table([("outcome", "complete".into())]).into());
    let runs: Vec<Value> = vec![
        run("harvest", "harvest").into(),
        run("healed-1", "incremental").into(),
        run("healed-2", "incremental").into(),
        last.into(),
    ];
    file.insert("run".to_owned(), runs.into());
    file.insert("expect".to_owned(), table([("idempotent", true.into())]).into());
    file.insert("budget".to_owned(), table([("requests", 5_000.into())]).into());
    written(&file)
}
