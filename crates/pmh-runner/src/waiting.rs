//! Waiting for a process that must not take for ever.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};
use std::{io, thread};

use crate::executioner::Executioner;

/// How often a process is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Waits for the process to end; after `patience` it is killed with its group, and there is no status.
pub(crate) fn wait(
    child: &mut Child,
    patience: Duration,
    executioner: &Executioner,
) -> io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        executioner.look();
        if started.elapsed() > patience {
            executioner.kill();
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK_EVERY);
    }
}
