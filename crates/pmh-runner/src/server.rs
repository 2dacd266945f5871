//! The mock of one case, on a thread of its own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use pmh_mock::{Hooks, serve};
use pmh_repository::Repository;
use pmh_scenario::Script;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::executioner::Executioner;
use crate::loopback::LoopbackError;

/// How time passes in a case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// How much faster than ours the harvester's clock runs, because its waits are shortened.
    pub(crate) clock_factor: u64,
    /// Share of its time that a pause in an answer takes.
    pub(crate) pause_scale: f64,
    /// Whether the harvester reads dates by the wall clock.
    pub(crate) wall_dates: bool,
}

/// A mock on a thread of its own, until it is dropped.
pub(crate) struct Server {
    base_url: String,
    repository: Arc<Mutex<Repository>>,
    run_began: Arc<Mutex<Instant>>,
    shutdown: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(
        script: &Arc<Script>,
        executioner: &Arc<Executioner>,
        pace: Pace,
    ) -> Result<Self, LoopbackError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(LoopbackError::Room)?;
        let listener =
            runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).map_err(LoopbackError::Listen)?;
        let address = listener.local_addr().map_err(LoopbackError::Listen)?;
        let repository = Arc::new(Mutex::new(Repository::new(Arc::clone(script))));
        let run_began = Arc::new(Mutex::new(Instant::now()));
        let hooks = hooks(executioner, &run_began, pace);
        let (shutdown, asked) = oneshot::channel();
        let served = Arc::clone(&repository);
        let thread = thread::spawn(move || {
            let serving = serve(listener, served, hooks, None, async move { drop(asked.await) });
            // A listener that fails shows as a harvester that cannot connect.
            drop(runtime.block_on(serving));
        });
        Ok(Self {
            base_url: script.base_url_for_client(&format!("http://{address}/oai")),
            repository,
            run_began,
            shutdown: Some(shutdown),
            thread: Some(thread),
        })
    }

    /// Where it answers.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The repository: nothing is answered while the guard is held.
    pub(crate) fn repository(&self) -> MutexGuard<'_, Repository> {
        // A panic inside the model has been reported where it happened; what it left is still the model.
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin_run(&self, index: usize) {
        self.repository().begin_run(index);
        *self.run_began.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// The executioner watches every exchange.
fn hooks(executioner: &Arc<Executioner>, run_began: &Arc<Mutex<Instant>>, pace: Pace) -> Hooks {
    let (before, after) = (Arc::clone(executioner), Arc::clone(executioner));
    let (halving, killing) = (Arc::clone(executioner), Arc::clone(executioner));
    let run_began = Arc::clone(run_began);
    Hooks {
        before: Some(Arc::new(move |exchange| {
            let (executioner, exchange) = (Arc::clone(&before), exchange.clone());
            Box::pin(async move {
                // It waits for commits: not on the thread that moves bytes.
                drop(tokio::task::spawn_blocking(move || executioner.before(&exchange)).await);
            })
        })),
        gone: Some(Arc::new(move || killing.has_killed())),
        midway: Some(Arc::new(move |exchange| {
            if !halving.wants_half(exchange) {
                return None;
            }
            let (executioner, exchange) = (Arc::clone(&halving), exchange.clone());
            Some(Box::pin(async move {
                drop(tokio::task::spawn_blocking(move || executioner.midway(&exchange)).await);
            }))
        })),
        after: Some(Arc::new(move |exchange| after.after(exchange))),
        client_clock: Some(Arc::new(move || {
            let began = *run_began.lock().unwrap_or_else(PoisonError::into_inner);
            let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            millis.saturating_mul(pace.clock_factor)
        })),
        pause_scale: Some(pace.pause_scale),
        wall_dates: pace.wall_dates,
        ..Hooks::default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Dropping the sender is the signal.
        self.shutdown = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the server has been reported where it happened.
            drop(thread.join());
        }
    }
}
