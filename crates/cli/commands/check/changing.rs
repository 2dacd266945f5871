//! The command that changes the repository.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::output;

/// How long it may take.
const COMMAND_MAX: Duration = Duration::from_secs(300);
/// How often it is looked after.
const LOOK: Duration = Duration::from_millis(20);

/// Runs it in a shell and waits for its end. That it failed is said, and no more: what it did is seen in the repository.
pub(super) async fn run(command: &str) {
    if let Err(what) = wait(command).await {
        output::note(format!("`--change`: {what}"));
    }
}

async fn wait(command: &str) -> Result<(), String> {
    let mut shell = Command::new("sh");
    // Standard output is for reports.
    shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = shell.spawn().map_err(|error| format!("failed to start a shell: {error}"))?;
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("the command ended with {status}")),
            Ok(None) if began.elapsed() < COMMAND_MAX => tokio::time::sleep(LOOK).await,
            Ok(None) => {
                // It may be gone already.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("the command took more than {} s", COMMAND_MAX.as_secs()));
            }
            Err(error) => return Err(format!("the command was lost sight of: {error}")),
        }
    }
}
