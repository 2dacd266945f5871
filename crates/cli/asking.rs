//! What every command that asks a repository needs: a plan of how it is asked, a transport, a runtime.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use pmh_client::{Capture, Proxying, Transport, TransportError, TransportOptions};
use pmh_harvest::{Key, Plan};
use tokio::runtime::Runtime;

use crate::args::SourceArguments;
use crate::base_url::BaseUrl;
use crate::credentials::{credentials, is_field_value};
use crate::exit::Ended;
use crate::output;

/// All certificates that browsers trust take a fortieth of it.
const CERTIFICATES_BYTES_MAX: u64 = 16 << 20;

/// A repository that can be asked.
pub(crate) struct Asking {
    pub(crate) transport: Transport,
    pub(crate) runtime: Runtime,
    /// How it is asked; whoever harvests puts the key in.
    pub(crate) plan: Plan,
}

impl Asking {
    /// The means to ask the repository at `base_url`, if that can be one.
    pub(crate) fn of(base_url: &BaseUrl, arguments: &SourceArguments) -> anyhow::Result<Self> {
        Self::capturing(base_url, arguments, arguments.capture.as_deref())
    }

    /// The same; every exchange is written into `folder`, if there is one.
    pub(crate) fn capturing(
        base_url: &BaseUrl,
        arguments: &SourceArguments,
        folder: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let source = base_url.checked()?.to_owned();
        let mut plan = Plan::new(Key { source, prefix: "oai_dc".to_owned(), set: None });
        if let Some(contact) = &arguments.contact {
            if !is_field_value(contact) {
                return Err(Ended::usage(
                    "`--contact`: expected an address such as `me@example.org`, in printable ASCII",
                ));
            }
            plan.contact = Some(contact.clone());
        }
        plan.credentials = credentials(arguments, base_url)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("failed to start the runtime")?;
        Ok(Self { transport: transport(arguments, folder)?, runtime, plan })
    }
}

/// The transport that was asked for.
fn transport(arguments: &SourceArguments, folder: Option<&Path>) -> anyhow::Result<Transport> {
    let mut options = TransportOptions::default();
    if let Some(proxy) = &arguments.proxy {
        options.proxying = match proxy.reveal() {
            "none" => Proxying::Direct,
            url => Proxying::Through(url.to_owned()),
        };
    }
    if let Some(path) = &arguments.ca {
        options.extra_roots_pem = certificates(path)?;
    }
    if let Some(bytes) = arguments.max_page_bytes {
        options.page_bytes_max = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    if let Some(folder) = folder {
        let note = |text: &str| output::note(format!("note: {text}"));
        let capture =
            Capture::open(folder, arguments.capture_max_bytes, note).map_err(|error| {
                let shown = folder.display();
                Ended::usage(format!("`--capture`: failed to write into `{shown}`: {error}"))
            })?;
        options.capture = Some(Arc::new(capture));
    }
    let timeouts = &mut options.timeouts;
    for (timeout, given) in [
        (&mut timeouts.connect, arguments.timeout_connect),
        (&mut timeouts.first_byte, arguments.timeout_first_byte),
        (&mut timeouts.idle, arguments.timeout_idle),
        (&mut timeouts.page, arguments.timeout_page),
    ] {
        *timeout = given.unwrap_or(*timeout);
    }
    Transport::new(&options).map_err(|error| match &error {
        TransportError::Proxy => Ended::usage(format!("`--proxy`: {error}, nor is it `none`")),
        TransportError::Roots(_) => {
            let path = arguments.ca.as_deref().unwrap_or(Path::new("--ca"));
            Ended::usage(format!("`{}`: {error}", path.display()))
        }
        _ => error.into(),
    })
}

/// What a file of certificates holds.
fn certificates(path: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let mut pem = Vec::new();
    File::open(path)
        .and_then(|file| file.take(CERTIFICATES_BYTES_MAX + 1).read_to_end(&mut pem))
        .map_err(|error| Ended::usage(format!("failed to read `{shown}`: {error}")))?;
    if pem.len() as u64 > CERTIFICATES_BYTES_MAX {
        return Err(Ended::usage(format!("`{shown}` is too large for a file of certificates")));
    }
    if pem.is_empty() {
        return Err(Ended::usage(format!("`{shown}` is empty: expected PEM certificates")));
    }
    Ok(pem)
}
