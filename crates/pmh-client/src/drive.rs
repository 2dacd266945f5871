//! The loop that does what the core asks.

use std::time::Duration;

use pmh_harvest::{Fetched, Harvest, Key, Outcome, Step, Store, StoreFault, Tally};
use pmh_protocol::{Lost, Phase};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

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
    let mut told = pmh_harvest::Instant::START;
    let outcome = loop {
        while let Ok(written) = writer.written.try_recv() {
            take(harvest, Some(written), &mut watch);
        }
        match harvest.step(clock.now()) {
            Step::Fetch(request) => {
                let run_end = harvest.ends_at().map(|end| {
                    let left = end.millis().saturating_sub(clock.now().millis());
                    Instant::now() + Duration::from_millis(left) + STOP_GRACE
                });
                let sending = transport.fetch(&request);
                let (answer, wished) = fetch(sending, run_end, &mut stop, stopped).await;
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

/// Waits for the answer that `sending` gets, until `run_end` at the longest; whether an end was wished for meanwhile.
async fn fetch(
    sending: impl Future<Output = Fetched>,
    run_end: Option<Instant>,
    stop: &mut UnboundedReceiver<()>,
    mut stopped: bool,
) -> (Fetched, bool) {
    let mut sending = std::pin::pin!(sending);
    let mut wished = false;
    loop {
        tokio::select! {
            biased;
            answer = &mut sending => return (answer, wished),
            Some(()) = stop.recv() => {
                if stopped {
                    return (given_up("given up, because the run was asked to stop"), true);
                }
                (stopped, wished) = (true, true);
            }
            () = tokio::time::sleep(STOP_GRACE), if stopped => {
                return (given_up("too slow for a run that was asked to stop"), wished);
            }
            () = tokio::time::sleep_until(run_end.unwrap_or_else(Instant::now)), if run_end.is_some() => {
                return (given_up("too slow for a run of bounded duration"), wished);
            }
        }
    }
}

fn given_up(why: &str) -> Fetched {
    Fetched::Lost(Lost { phase: Phase::Body, received: 0, detail: why.to_owned() })
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

fn tell_wait(
    now: pmh_harvest::Instant,
    until: pmh_harvest::Instant,
    watch: &mut impl FnMut(Watch),
) {
    let millis = until.millis().saturating_sub(now.millis());
    if millis >= WAIT_WORTH_TELLING_MILLIS {
        watch(Watch::Waiting { millis });
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[tokio::test]
    async fn a_silent_server_does_not_hold_a_run_of_bounded_duration() {
        let (_wish, mut stop) = unbounded_channel();
        let run_end = Some(Instant::now() + Duration::from_millis(20));
        let (answer, wished) = fetch(std::future::pending(), run_end, &mut stop, false).await;
        assert!(matches!(answer, Fetched::Lost(_)) && !wished, "{answer:?}");
    }

    #[tokio::test]
    async fn a_second_wish_drops_the_request_in_flight() {
        let (wish, mut stop) = unbounded_channel();
        wish.send(()).expect("it is listened to");
        wish.send(()).expect("it is listened to");
        let (answer, wished) = fetch(std::future::pending(), None, &mut stop, false).await;
        assert!(matches!(answer, Fetched::Lost(_)) && wished, "{answer:?}");
    }
}
