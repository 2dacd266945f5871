//! Who wants to know of an answer, and when: the places where a proof takes hold of a harvester.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use pmh_scenario::Exchange;

use crate::access::Access;

/// Awaited when an answer is ready and before any of it leaves. While it waits, other connections are served.
pub type Before = Arc<dyn Fn(&Exchange) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// Asked before an answer leaves: where it gives something to wait for, half of the answer's body leaves, that is waited
/// for, and the connection is closed. What a fault of the wire does to an answer goes before.
pub type Midway =
    Arc<dyn Fn(&Exchange) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> + Send + Sync>;

/// Called when the last byte of an answer has been handed to the socket. It runs between two reads of the connection
/// and must not block: to send a signal is fine, to wait for a process is not.
pub type After = Arc<dyn Fn(&Exchange) + Send + Sync>;

/// Called for every request, also for those that the repository never sees, when its answer is known and before it
/// leaves. It must not block.
pub type OnAccess = Arc<dyn Fn(&Access) + Send + Sync>;

/// Milliseconds since the run began on the harvester's clock.
pub type ClientClock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Whether whoever was asking is gone, so that what is still on its way from there is not heard any more.
pub type Gone = Arc<dyn Fn() -> bool + Send + Sync>;

/// What is called around each answer, each where given.
#[derive(Clone, Default)]
pub struct Hooks {
    /// Before a request is heard.
    pub gone: Option<Gone>,
    /// Before an answer leaves.
    pub before: Option<Before>,
    /// When half of it has left.
    pub midway: Option<Midway>,
    /// After it has left.
    pub after: Option<After>,
    /// The harvester's clock, for the journal.
    pub client_clock: Option<ClientClock>,
    /// For an access log.
    pub access: Option<OnAccess>,
    /// Share of its time that a pause in a faulty answer takes, or a delay before it, for a proof whose harvester waits no longer than that
    /// either. Default: all of it.
    pub pause_scale: Option<f64>,
    /// Whether `Date` and `Retry-After` are told by the wall clock, for harvesters that hold them against their own, and not
    /// by the repository's.
    pub wall_dates: bool,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks")
            .field("gone", &self.gone.is_some())
            .field("before", &self.before.is_some())
            .field("midway", &self.midway.is_some())
            .field("after", &self.after.is_some())
            .field("client_clock", &self.client_clock.is_some())
            .field("access", &self.access.is_some())
            .field("pause_scale", &self.pause_scale)
            .field("wall_dates", &self.wall_dates)
            .finish()
    }
}
