//! The wish of an operator that a command end.

use tokio::signal::ctrl_c;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Resolves at the next SIGINT or SIGTERM.
pub(crate) async fn stop_signal() {
    next(&mut signal(SignalKind::terminate()).ok()).await;
}

/// A message for each SIGINT or SIGTERM from now on; `say` is told how many there were, from 1.
pub(crate) fn stop_signals(say: impl Fn(u32) + Send + 'static) -> UnboundedReceiver<()> {
    let (wishes, wished) = unbounded_channel();
    let mut terminate = signal(SignalKind::terminate()).ok();
    tokio::spawn(async move {
        for number in 1.. {
            next(&mut terminate).await;
            say(number);
            if wishes.send(()).is_err() {
                return;
            }
        }
    });
    wished
}

async fn next(terminate: &mut Option<Signal>) {
    match terminate {
        Some(terminate) => tokio::select! {
            biased;
            _ = ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        None => drop(ctrl_c().await),
    }
}
