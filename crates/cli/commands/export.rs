//! `pmh export`: the records of a store.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write as _};

use anyhow::Context as _;
use pmh_store::{SqliteStore, StoreError};

use crate::args::{ExportArguments, ExportFormat};
use crate::exit::{Ended, Exit, is_closed_pipe};

pub(crate) fn run(arguments: &ExportArguments) -> anyhow::Result<Exit> {
    let store = SqliteStore::open_read_only(&arguments.store)?;
    let wanted = |filter: &Option<String>, value: &str| {
        filter.as_deref().is_none_or(|filter| filter == value)
    };
    let catalogs: BTreeSet<(String, String)> = store
        .keys()?
        .into_iter()
        .map(|status| (status.key.source, status.key.prefix))
        .filter(|(source, prefix)| {
            wanted(&arguments.source, source) && wanted(&arguments.prefix, prefix)
        })
        .collect();
    if catalogs.is_empty() {
        let text = format!(
            "`{}` holds nothing of that source and prefix: `pmh status` shows what it holds",
            arguments.store.display()
        );
        return Err(Ended::impossible(text));
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (source, prefix) in &catalogs {
        let written = match arguments.format {
            ExportFormat::Jsonl => store.export(source, prefix, &mut out),
        };
        match written {
            // The reader has had enough.
            Err(StoreError::Export { source }) if is_closed_pipe(&source) => return Ok(Exit::Done),
            written => written?,
        };
    }
    match out.flush() {
        Err(error) if is_closed_pipe(&error) => Ok(Exit::Done),
        flushed => flushed.context("failed to write the records").map(|()| Exit::Done),
    }
}
