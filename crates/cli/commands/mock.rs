//! `pmh mock`: a repository to talk to.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use pmh_client::Clock;
use pmh_mock::{Before, Hooks, JournalFile, OnAccess, serve};
use pmh_repository::{Repository, all_defects};
use pmh_scenario::{Loaded, Script};
use tokio::net::TcpListener;

use crate::args::MockArguments;
use crate::exit::{Ended, Exit};
use crate::signal::stop_signal;
use crate::{output, shipped};

pub(crate) fn run(arguments: &MockArguments) -> anyhow::Result<Exit> {
    if !arguments.listen.is_loopback() && !arguments.allow_remote {
        return Err(Ended::usage(format!(
            "{} is not a loopback address: add `--allow-remote` to let other machines reach the mock",
            arguments.listen
        )));
    }
    if arguments.defect.iter().any(|name| name == "list") {
        all_defects().for_each(|defect| output::line(defect.name));
        return Ok(Exit::Done);
    }
    let mut repository = if arguments.defect.is_empty() {
        Repository::new(Arc::new(script(arguments)?))
    } else {
        super::defective::repository(super::defective::named(&arguments.defect)?)?
    };
    repository.begin_run(0);
    if let Some(path) = &arguments.port_file {
        // Whoever waits for the file must not find the port of an earlier mock.
        remove_port(path)?;
    }
    let journal = arguments.journal.as_deref().map(open_journal).transpose()?;
    let hooks = hooks(arguments)?;
    let repository = Arc::new(Mutex::new(repository));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("failed to start the runtime")?;
    runtime.block_on(async {
        let address = SocketAddr::new(arguments.listen, arguments.port);
        let listener = TcpListener::bind(address).await.map_err(|error| {
            Ended::impossible(format!("failed to listen on {address}: {error}"))
        })?;
        let address = listener.local_addr().context("failed to read back the port")?;
        if let Some(path) = &arguments.port_file {
            write_port(path, address.port())?;
        }
        output::line(format!("listening on http://{address}/oai"));
        let stop = async {
            stop_signal().await;
            output::note("stopping");
        };
        serve(listener, repository, hooks, journal, stop).await.context("the listener failed")
    })?;
    if let Some(path) = &arguments.port_file {
        remove_port(path)?;
    }
    Ok(Exit::Done)
}

fn hooks(arguments: &MockArguments) -> anyhow::Result<Hooks> {
    let began = Instant::now();
    let delay = Duration::from_millis(arguments.delay);
    let before: Before = Arc::new(move |_| Box::pin(tokio::time::sleep(delay)));
    let access = match arguments.access_log.as_deref() {
        None => None,
        Some(path) if path == Path::new("-") => Some(access_log(output::line)),
        Some(path) => {
            let file =
                OpenOptions::new().create(true).append(true).open(path).map_err(|error| {
                    Ended::usage(format!(
                        "failed to open the access log `{}`: {error}",
                        path.display()
                    ))
                })?;
            // A full disk must not take the mock away from whoever is using it; that is said once.
            let failed = AtomicBool::new(false);
            Some(access_log(move |entry| {
                if let Err(error) = (&file).write_all(format!("{entry}\n").as_bytes())
                    && !failed.swap(true, Ordering::Relaxed)
                {
                    output::note(format!("the access log cannot be written: {error}"));
                }
            }))
        }
    };
    Ok(Hooks {
        before: (arguments.delay > 0).then_some(before),
        client_clock: Some(Arc::new(move || {
            u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
        })),
        access,
        wall_dates: true,
        ..Hooks::default()
    })
}

fn access_log(write: impl Fn(String) + Send + Sync + 'static) -> OnAccess {
    Arc::new(move |access| write(access.to_combined(Clock::today())))
}

fn script(arguments: &MockArguments) -> anyhow::Result<Script> {
    let mut script = match &arguments.file {
        Some(file) => {
            let cases = super::scenario::load(&shipped::one(file)?);
            let cases = cases.map_err(super::scenario::wrong)?;
            // Of a matrix the first case is served: there is one repository and one port.
            cases.first().map(Loaded::script).context("a scenario has a case")?
        }
        None => Script::plain(
            arguments.records.unwrap_or_default(),
            arguments.page_size as usize,
            arguments.seed,
        ),
    };
    // A budget ends a proof; a mock serves until it is stopped.
    script.budget.requests = u32::MAX;
    Ok(script)
}

fn open_journal(path: &Path) -> anyhow::Result<JournalFile> {
    JournalFile::append_to(path).map_err(|error| {
        Ended::usage(format!("failed to open the journal `{}`: {error}", path.display()))
    })
}

fn remove_port(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Ended::usage(format!(
            "failed to remove the old port file `{}`: {error}",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Whoever waits for the file sees it whole or not at all.
fn write_port(path: &Path, port: u16) -> anyhow::Result<()> {
    let unfinished = path.with_extension("unfinished");
    fs::write(&unfinished, port.to_string()).and_then(|()| fs::rename(&unfinished, path)).map_err(
        |error| {
            Ended::usage(format!("failed to write the port file `{}`: {error}", path.display()))
        },
    )
}
