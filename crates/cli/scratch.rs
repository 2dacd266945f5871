//! Room for what is gone when the command is: also when a signal ends it.

use std::thread;

use anyhow::Context as _;
use pmh_runner::kill_process_groups;
use tempfile::TempDir;

use crate::signal::stop_signal;

/// As shells report a death by SIGINT.
const EXIT: i32 = 130;

/// One folder below which every temporary folder of this process is made from now on. It goes with this value, and when
/// SIGINT, SIGTERM or SIGHUP comes, which end the process with all that it plays: what is being played is not worth finishing.
pub(crate) fn scratch() -> anyhow::Result<TempDir> {
    let folder = tempfile::Builder::new()
        .prefix("pmh-")
        .tempdir()
        .context("failed to make room for what is played")?;
    let path = folder.path().to_owned();
    // Another command of this process may have its own already: then that one is cleared.
    if tempfile::env::override_temp_dir(&path).is_err() {
        return Ok(folder);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("failed to start the runtime")?;
    thread::spawn(move || {
        runtime.block_on(stop_signal());
        // They are in process groups of their own, and would live on.
        kill_process_groups();
        // What cannot be removed now is left to the system.
        drop(std::fs::remove_dir_all(&path));
        std::process::exit(EXIT);
    });
    Ok(folder)
}
