//! What every command that asks a repository needs: a base URL that is one, a transport, a runtime.

use anyhow::Context as _;
use pmh_client::Transport;
use tokio::runtime::Runtime;
use url::Url;

use crate::exit::Ended;

/// A repository that can be asked.
pub(crate) struct Asking {
    pub(crate) transport: Transport,
    pub(crate) runtime: Runtime,
}

impl Asking {
    /// The means to ask the repository at `base_url`, if that can be one.
    pub(crate) fn of(base_url: &str) -> anyhow::Result<Self> {
        check_base_url(base_url)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("failed to start the runtime")?;
        Ok(Self { transport: Transport::new()?, runtime })
    }
}

/// Whether a text can be the base URL of a repository.
pub(crate) fn check_base_url(text: &str) -> anyhow::Result<()> {
    let usable = Url::parse(text)
        .ok()
        .is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.fragment().is_none());
    if usable {
        return Ok(());
    }
    Err(Ended::usage(format!(
        "expected a base URL such as `https://example.org/oai`, found `{text}`"
    )))
}
