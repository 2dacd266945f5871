//! The loop that does what the core asks.

use std::time::Duration;

use pmh_harvest::{Fetched, Harvest, Instant, Key, Outcome, Step, Store, StoreFault, Tally};
use pmh_protocol::{HttpRequest, Lost, Phase};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::clock::Clock;
use crate::transport::Transport;
use crate::writer::{Writer, Written};

/// What somebody who watches a run is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watch {
    /// A page is durable.
    Committed {
        /// The traversal so far.
        tally: Tally,
        /// The size announced.
        announced_size: Option<u64>,
    },
    /// Nothing is sent for so long, because the source asked for it, or failed.
    Waiting {
        /// Milliseconds.
        millis: u64,
    },
}

/// Waits shorter than this are ordinary pace, nothing to tell anybody.
const WAIT_WORTH_TELLING_MILLIS: u64 = 1_000;

/// A request in flight gets this long when the run is asked to stop: a server that dribbles must not hold it.
const STOP_GRACE: Duration = Duration::from_secs(10);

/// Runs `harvest` to its end: over `transport`, into `store`. Each message of `stop` is a wish to end: the first
/// ends in order, with the page in hand if it comes soon; a second drops the request in flight.
/// Gives back the outcome, and the store unless it panicked.
pub async fn drive<S>(
    harvest: &mut Harvest,
    key: Key,
    store: S,
    transport: &Transport,
    clock: &mut Clock,
    mut stop: UnboundedReceiver<()>,
    mut watch: impl FnMut(Watch),
) -> (Outcome, Option<S>)
where
    S: Store + Send + 'static,
    S::Error: std::error::Error,
{
    let mut writer = Writer::start(store, key);
    let mut stopped = false;
    let mut told = Instant::START;
    let outcome = loop {
        while let Ok(written) = writer.written.try_recv() {
            take(harvest, Some(written), &mut watch);
        }
        match harvest.step(clock.now()) {
            Step::Fetch(request) => {
                let (answer, wished) = fetch(transport, &request, &mut stop, stopped).await;
                if wished {
                    stopped = true;
                    harvest.stop();
                }
                harvest.fetched(answer, clock.now());
            }
            Step::Wait { until } => {
                // A receipt may wake the loop in the middle of a wait: that is no second wait.
                if until != told {
                    tell_wait(clock.now(), until, &mut watch);
                    told = until;
                }
                tokio::select! {
                    biased;
                    Some(()) = stop.recv() => {
                        stopped = true;
                        harvest.stop();
                    }
                    written = writer.written.recv() => take(harvest, written, &mut watch),
                    () = clock.wait(until) => {}
                }
            }
            Step::Store(entry) => writer.send(entry),
            Step::Idle => {
                let written = writer.written.recv().await;
                take(harvest, written, &mut watch);
            }
            Step::Finish(outcome) => break *outcome,
        }
    };
    (outcome, writer.finish())
}

/// Sends a request and waits for its answer; whether an end was wished for meanwhile.
async fn fetch(
    transport: &Transport,
    request: &HttpRequest,
    stop: &mut UnboundedReceiver<()>,
    mut stopped: bool,
) -> (Fetched, bool) {
    let mut sending = std::pin::pin!(transport.fetch(request));
    let mut wished = false;
    loop {
        tokio::select! {
            biased;
            answer = &mut sending => return (answer, wished),
            Some(()) = stop.recv() => {
                if stopped {
                    let detail = "given up, because the run was asked to stop".to_owned();
                    return (Fetched::Lost(Lost { phase: Phase::Body, received: 0, detail }), true);
                }
                (stopped, wished) = (true, true);
            }
            () = tokio::time::sleep(STOP_GRACE), if stopped => {
                let detail = "too slow for a run that was asked to stop".to_owned();
                return (Fetched::Lost(Lost { phase: Phase::Body, received: 0, detail }), wished);
            }
        }
    }
}

fn take(harvest: &mut Harvest, written: Option<Written>, watch: &mut impl FnMut(Watch)) {
    match written {
        Some(Ok(receipt)) => {
            harvest.committed(&receipt);
            let (tally, announced_size) = harvest.progress();
            watch(Watch::Committed { tally, announced_size });
        }
        Some(Err(fault)) => harvest.commit_failed(fault),
        None => harvest.commit_failed(StoreFault("the store's thread ended".to_owned())),
    }
}

fn tell_wait(now: Instant, until: Instant, watch: &mut impl FnMut(Watch)) {
    let millis = until.millis().saturating_sub(now.millis());
    if millis >= WAIT_WORTH_TELLING_MILLIS {
        watch(Watch::Waiting { millis });
    }
}
