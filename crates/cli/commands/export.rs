//! `pmh export`: the records of a store.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};

use pmh_store::{SqliteStore, StoreError};

use crate::args::{ExportArguments, ExportFormat};
use crate::base_url::BaseUrl;
use crate::exit::{Ended, Exit, is_closed_pipe};
use crate::xml;

pub(crate) fn run(arguments: &ExportArguments) -> anyhow::Result<Exit> {
    let store = SqliteStore::open_read_only(&arguments.store.path)?;
    let wanted = |filter: Option<&str>, value: &str| filter.is_none_or(|filter| filter == value);
    let wanted_source = arguments.source.as_ref().map(BaseUrl::as_str);
    let catalogs: BTreeSet<(String, String)> = store
        .keys()?
        .into_iter()
        .map(|status| (status.key.source, status.key.prefix))
        .filter(|(source, prefix)| {
            wanted(wanted_source, source) && wanted(arguments.prefix.as_deref(), prefix)
        })
        .collect();
    if catalogs.is_empty() {
        let text = format!(
            "`{}` holds nothing of that source and prefix: `pmh status` shows what it holds",
            arguments.store.path.display()
        );
        return Err(Ended::impossible(text));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let written = match arguments.format {
        ExportFormat::Jsonl => catalogs
            .iter()
            .try_for_each(|(source, prefix)| store.export(source, prefix, &mut out).map(drop)),
        ExportFormat::Xml => write_xml(&store, &catalogs, &mut out),
    };
    match written.and_then(|()| out.flush().map_err(failed)) {
        // The reader has had enough.
        Err(StoreError::Export { source }) if is_closed_pipe(&source) => Ok(Exit::Done),
        written => Ok(written.map(|()| Exit::Done)?),
    }
}

fn write_xml(
    store: &SqliteStore,
    catalogs: &BTreeSet<(String, String)>,
    out: &mut impl Write,
) -> Result<(), StoreError> {
    xml::begin(out).map_err(failed)?;
    for (source, prefix) in catalogs {
        store.each_row(source, prefix, |row| {
            xml::write_record(source, prefix, &row, out).map_err(failed)
        })?;
    }
    xml::end(out).map_err(failed)
}

const fn failed(source: io::Error) -> StoreError {
    StoreError::Export { source }
}
