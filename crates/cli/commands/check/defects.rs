//! Which checks tell of which defect: shown on the mock, over loopback.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use pmh_check::{Examination, Examined, Options, Step, Verdict};
use pmh_client::{Proxying, Transport, TransportOptions};
use pmh_mock::{Hooks, serve};
use pmh_protocol::Stamp;
use pmh_repository::{BASE_URL, Defect, Repository, all_defects};
use pmh_scenario::Event;
use tokio::net::TcpListener;

use crate::commands::defective::{NONE, named, repository};
use crate::exit::Exit;
use crate::output;

pub(super) fn run(names: &[String]) -> anyhow::Result<Exit> {
    let defects = if names.is_empty() { all_defects().copied().collect() } else { named(names)? };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("failed to start the runtime")?;
    let options = TransportOptions { proxying: Proxying::Direct, ..TransportOptions::default() };
    let transport = Transport::new(&options)?;
    let clean = runtime.block_on(examine(NONE, &transport))?;
    let faulted =
        |examined: &Examined| examined.total(Verdict::Fail) + examined.total(Verdict::Warn);
    let mut is_told = faulted(&clean) == 0;
    if !is_told {
        output::note("the repository in which nothing is wrong does not pass");
    }
    for defect in defects {
        let told = runtime.block_on(examine(defect, &transport))?.told_unlike(&clean);
        if told.is_empty() && defect.name != NONE.name {
            is_told = false;
            output::note(format!("no check tells of `{}`", defect.name));
        }
        output::line(format!("{:38} {}", defect.name, told.join(" ")).trim_end());
    }
    Ok(if is_told { Exit::Done } else { Exit::No })
}

/// Serves the repository with this defect, and examines it.
async fn examine(defect: Defect, transport: &Transport) -> anyhow::Result<Examined> {
    let mut repository = repository(vec![defect])?;
    repository.begin_run(0);
    let repository = Arc::new(Mutex::new(repository));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("failed to listen")?;
    let address = listener.local_addr().context("failed to read back the port")?;
    let mut options = Options::new(format!("http://{address}/oai"));
    options.aliases.push(BASE_URL.to_owned());
    options.limits.pause = std::time::Duration::ZERO;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = serve(listener, Arc::clone(&repository), Hooks::default(), None, async {
        // Either way it is over.
        let _ = stopped.await;
    });
    let examining = async {
        let examined = ask(Examination::new(options), transport, &repository).await;
        drop(stop);
        examined
    };
    let (served, examined) = tokio::join!(serving, examining);
    served.context("the mock failed")?;
    Ok(examined)
}

async fn ask(
    mut examination: Examination,
    transport: &Transport,
    repository: &Mutex<Repository>,
) -> Examined {
    loop {
        match examination.step() {
            Step::Finish => return examination.finish(),
            // Nobody said that it can be.
            Step::Change => {}
            Step::Wait(time) => tokio::time::sleep(time).await,
            Step::Fetch(request) => {
                let exchanged = transport.exchange(&request).await;
                let at = clock(repository).unwrap_or(exchanged.at);
                examination.fetched(exchanged.answer, at, exchanged.took);
            }
        }
    }
}

/// When the repository gave its last answer, on its own clock: it lives in another year than we.
fn clock(repository: &Mutex<Repository>) -> Option<Stamp> {
    let repository = repository.lock().unwrap_or_else(PoisonError::into_inner);
    match repository.journal().events.last() {
        Some(Event::Exchange(exchange)) => Stamp::parse(&exchange.t).ok(),
        _ => None,
    }
}
