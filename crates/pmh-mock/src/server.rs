//! Connections: accepted until it is time to go, each served by its own task, never too many at once.

use std::fmt;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use pmh_repository::Repository;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::answer::{Planned, Service};
use crate::hooks::Hooks;
use crate::journal_file::JournalFile;
use crate::plan::carry_out;
use crate::wire::{Taken, WatchedStream};

/// The most connections at once; further ones wait to be accepted.
const CONNECTIONS_MAX: usize = 256;
/// How long a connection may be idle, or be in the middle of a request's head. Longer than any pause of a harvester
/// that is likely to go on using the connection.
const HEAD_WAIT: Duration = Duration::from_secs(300);
/// The largest head of a request.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// How long an answer that is on its way when it is time to go may still take.
const STOP_GRACE: Duration = Duration::from_secs(2);
/// The pause after a connection could not be accepted: the system is out of something, and needs a moment.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves the repository at `/oai` until `shutdown` is ready. Answers that are on their way then may arrive, if they are
/// quick about it; every other connection is closed.
///
/// Before each answer leaves, it is in the journal and, where one is given, in the journal's file.
///
/// # Errors
/// When the listener has no address.
pub async fn serve(
    listener: TcpListener,
    repository: Arc<Mutex<Repository>>,
    hooks: Hooks,
    journal: Option<JournalFile>,
    shutdown: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let address = listener.local_addr()?;
    let service = Arc::new(Service {
        repository,
        hooks,
        journal: journal.map(Mutex::new),
        address,
        waiting: Arc::default(),
    });
    let (stopping, stop) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < CONNECTIONS_MAX => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(converse(stream, peer, Arc::clone(&service), stop.clone()));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
        }
    }
    drop(listener);
    drop(stopping);
    let ends = async { while connections.join_next().await.is_some() {} };
    // Whoever has not taken his answer by then does not want it.
    let _ = tokio::time::timeout(STOP_GRACE, ends).await;
    Ok(())
}

/// One connection, until either side has enough of it.
async fn converse(
    stream: TcpStream,
    peer: SocketAddr,
    service: Arc<Service>,
    mut stop: watch::Receiver<()>,
) {
    // Answers are short and awaited: nothing is gained by collecting bytes. A connection that refuses the option
    // works without it.
    let _ = stream.set_nodelay(true);
    let taken = Taken::default();
    let watched = WatchedStream::new(stream, taken.clone(), service.hooks.after.clone());
    let planned = Arc::new(Mutex::new(None));
    let put = Arc::clone(&planned);
    let hooks = service.hooks.clone();
    let answer = service_fn(move |request| {
        let (service, taken, put) = (Arc::clone(&service), taken.clone(), Arc::clone(&put));
        Box::pin(async move {
            service.answer(request, peer, taken).await.map_err(|planned| {
                *put.lock().unwrap_or_else(PoisonError::into_inner) = Some(planned);
                NotHttp
            })
        })
    });
    let mut connection = http1::Builder::new()
        .auto_date_header(false)
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(watched), answer);
    // A harvester that goes away in the middle is an ordinary event here, not an error.
    let stopped = tokio::select! {
        _ = poll_fn(|cx| connection.poll_without_shutdown(cx)) => false,
        // The sender sends nothing: that it is gone is the message.
        _ = stop.changed() => true,
    };
    if stopped {
        Pin::new(&mut connection).graceful_shutdown();
        let _ = poll_fn(|cx| connection.poll_without_shutdown(cx)).await;
    }
    let mut stream = connection.into_parts().io.into_inner().into_stream();
    let planned = planned.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(Planned { plan, exchange, wait, in_flight }) = planned else {
        let _ = stream.shutdown().await;
        return;
    };
    carry_out(stream, &plan, wait, hooks.pause_scale.unwrap_or(1.0)).await;
    drop(in_flight);
    if let Some(after) = &hooks.after {
        after(&exchange);
    }
}

/// The answer is none that HTTP has words for: the connection is taken from the layer that speaks it.
#[derive(Debug)]
struct NotHttp;

impl fmt::Display for NotHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer is a plan of bytes")
    }
}

impl std::error::Error for NotHttp {}
