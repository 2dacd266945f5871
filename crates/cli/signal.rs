//! The wish of an operator that a command end.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::signal::ctrl_c;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Resolves at the next SIGINT or SIGTERM, or when the terminal goes away.
pub(crate) async fn stop_signal() {
    let mut terminate = signal(SignalKind::terminate()).ok();
    match signal(SignalKind::hangup()) {
        Ok(mut hangup) => tokio::select! {
            () = next(&mut terminate) => {}
            _ = hangup.recv() => {}
        },
        Err(_) => next(&mut terminate).await,
    }
}

/// SIGINT and SIGTERM, from the moment this is made: for a command of several runs, one after the other.
pub(crate) struct StopSignals {
    current: Arc<Mutex<Option<UnboundedSender<()>>>>,
}

impl StopSignals {
    /// Waits for signals from now on; `say` is told how many there were, from 1. To be called in a runtime.
    pub(crate) fn new(say: impl Fn(u32) + Send + 'static) -> Self {
        let current = Arc::new(Mutex::new(None::<UnboundedSender<()>>));
        let told = Arc::clone(&current);
        let mut terminate = signal(SignalKind::terminate()).ok();
        tokio::spawn(async move {
            for number in 1.. {
                next(&mut terminate).await;
                say(number);
                if let Some(run) = &*told.lock().unwrap_or_else(PoisonError::into_inner) {
                    // A run that has ended needs no message.
                    run.send(()).ok();
                }
            }
        });
        Self { current }
    }

    /// A message for each signal that comes during the run which begins now.
    pub(crate) fn of_run(&self) -> UnboundedReceiver<()> {
        let (wishes, wished) = unbounded_channel();
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(wishes);
        wished
    }
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
