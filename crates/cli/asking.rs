//! What every command that asks a repository needs: a plan of how it is asked, a transport, a runtime.

use anyhow::Context as _;
use pmh_client::Transport;
use pmh_harvest::{Key, Plan};
use tokio::runtime::Runtime;

use crate::args::SourceArguments;
use crate::base_url::BaseUrl;
use crate::credentials::credentials;

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
        let source = base_url.checked()?.to_owned();
        let mut plan = Plan::new(Key { source, prefix: "oai_dc".to_owned(), set: None });
        plan.contact.clone_from(&arguments.contact);
        plan.credentials = credentials(arguments, base_url)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("failed to start the runtime")?;
        Ok(Self { transport: Transport::new()?, runtime, plan })
    }
}
