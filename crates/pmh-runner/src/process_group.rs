//! Processes that are being played, each in a process group of its own, where a signal to this process does not reach
//! them.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, mem};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

static ALL: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

/// A process group, known for as long as this lives.
pub(crate) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// Starts the command as the first of a process group of its own.
    ///
    /// # Errors
    /// As [`Command::spawn`].
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        command.process_group(0);
        // Nobody may look between the birth of a process and the writing down of its name.
        let mut known = all();
        let child = command.spawn()?;
        let group = i32::try_from(child.id()).ok().map(Pid::from_raw);
        known.extend(group);
        Ok((child, Self(group)))
    }

    /// Ends all of its processes.
    pub(crate) fn kill(&self) {
        self.0.into_iter().for_each(kill);
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            all().remove(&group);
        }
    }
}

/// Ends every process that is being played, with all that it has started: for whoever is about to end itself. What would be
/// started afterwards never is.
pub fn kill_process_groups() {
    let mut known = all();
    mem::take(&mut *known).into_iter().for_each(kill);
    // Whoever waits for this lock to start another one waits until the process is gone.
    mem::forget(known);
}

fn kill(group: Pid) {
    // An error means that it is gone already.
    let _ = killpg(group, Signal::SIGKILL);
}

fn all() -> MutexGuard<'static, BTreeSet<Pid>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}
