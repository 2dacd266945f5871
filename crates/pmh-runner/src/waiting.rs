//! Waiting for a process that must not take for ever.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};
use std::{io, thread};

use crate::executioner::Executioner;

/// How often a process is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// How many times its silence a whole run may last. A run that goes on asking is ended by the requests of its budget,
/// whose number is the same on every machine; this is for who asks once in a while without end.
const WHOLE_FACTOR: u32 = 5;

/// How long a process is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Without a request or an answer.
    silence: Duration,
    /// In all.
    whole: Duration,
}

impl Patience {
    /// A process may be silent for so long, and last for as long as such silences add up to.
    pub(crate) fn of(silence: Duration) -> Self {
        Self { silence, whole: silence.saturating_mul(WHOLE_FACTOR) }
    }

    fn is_over(self, started: Instant, heard: Option<Instant>) -> bool {
        started.elapsed() > self.whole || heard.unwrap_or(started).elapsed() > self.silence
    }
}

/// Waits for the process to end; after `patience` it is killed with its group, and there is no status.
pub(crate) fn wait(
    child: &mut Child,
    patience: Patience,
    executioner: &Executioner,
) -> io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        executioner.look();
        if patience.is_over(started, executioner.heard()) {
            executioner.kill();
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_goes_on_asking_is_waited_for_and_who_falls_silent_is_not() {
        let patience = Patience::of(Duration::from_secs(10));
        let now = Instant::now();
        let ago = |seconds| now.checked_sub(Duration::from_secs(seconds)).expect("a short while");
        assert!(!patience.is_over(ago(40), Some(ago(2))), "it asked a moment ago");
        assert!(patience.is_over(ago(40), Some(ago(11))), "it has been silent for too long");
        assert!(patience.is_over(ago(11), None), "it never asked");
        assert!(patience.is_over(ago(51), Some(now)), "it asks once in a while without end");
    }
}
