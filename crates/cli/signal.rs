//! The wish of an operator that a command end.

use tokio::signal::ctrl_c;
use tokio::signal::unix::{SignalKind, signal};

/// Resolves at the first SIGINT or SIGTERM.
pub(crate) async fn stop_signal() {
    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => tokio::select! {
            biased;
            _ = ctrl_c() => {}
            _ = terminated.recv() => {}
        },
        Err(_) => drop(ctrl_c().await),
    }
}
