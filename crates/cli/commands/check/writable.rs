//! Files that will be written when all is asked: whether they can be is known before.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::path::PathBuf;

use crate::exit::Ended;

/// Each of them can be written, and none is named twice.
pub(super) fn check<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    let mut seen = BTreeSet::new();
    for path in paths {
        let shown = path.display();
        if !seen.insert(path) {
            return Err(Ended::usage(format!("`{shown}` would be written twice: name two files")));
        }
        let is_there = path.exists();
        // What is no file, such as a pipe, must not be opened and closed for nothing.
        if is_there && !path.is_file() && !path.is_dir() {
            continue;
        }
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| Ended::usage(format!("failed to write `{shown}`: {error}")))?;
        if !is_there {
            // An empty file would pass for a report if the run ended before.
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}
