//! The store on its own thread, so that a page is stored while the next one is on its way.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use pmh_harvest::{Entry, Key, Receipt, Store, StoreFault};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Entries in flight at the most. The core bounds what is outstanding, so this is never the bound that holds.
const ENTRIES_MAX: usize = 32;
/// Entries that one transaction takes when they have gathered: nobody waits for them to gather, so that a slow
/// source has every page committed at once, and a fast one pays for one commit where it would have had many.
const GROUP_MAX: usize = 16;

/// What comes back from the store.
pub(crate) type Written = Result<Receipt, StoreFault>;

/// A thread that commits what it is sent, in order.
pub(crate) struct Writer<S> {
    entries: SyncSender<Arc<Entry>>,
    /// One for each entry, in order; after a fault nothing more.
    pub(crate) written: UnboundedReceiver<Written>,
    thread: JoinHandle<S>,
}

impl<S> Writer<S>
where
    S: Store + Send + 'static,
    S::Error: std::error::Error,
{
    pub(crate) fn start(store: S, key: Key) -> Self {
        let (entries, queue) = sync_channel(ENTRIES_MAX);
        let (report, written) = unbounded_channel();
        let thread = std::thread::spawn(move || work(store, &key, &queue, &report));
        Self { entries, written, thread }
    }

    /// Queues an entry. A writer that has stopped has said why in `written`.
    pub(crate) fn send(&self, entry: Arc<Entry>) {
        drop(self.entries.send(entry));
    }

    /// Ends the thread once all is written, and gives the store back; `None` if the store panicked.
    pub(crate) fn finish(self) -> Option<S> {
        drop(self.entries);
        self.thread.join().ok()
    }
}

fn work<S>(
    mut store: S,
    key: &Key,
    queue: &Receiver<Arc<Entry>>,
    report: &UnboundedSender<Written>,
) -> S
where
    S: Store,
    S::Error: std::error::Error,
{
    while let Ok(entry) = queue.recv() {
        let mut group = vec![entry];
        group.extend(queue.try_iter().take(GROUP_MAX - 1));
        match store.commit(key, &group) {
            Ok(receipts) => receipts.into_iter().for_each(|receipt| drop(report.send(Ok(receipt)))),
            Err(error) => {
                drop(report.send(Err(StoreFault(chain(&error)))));
                break;
            }
        }
    }
    store
}

/// An error and its causes in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
