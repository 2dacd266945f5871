//! The whole program: `pmh harvest` from a static server on loopback, first and again, beside a bare download.

use tempfile::TempDir;

use crate::corpus::Corpus;
use crate::measure::{Cost, of_program};
use crate::server::{self, Pages};
use crate::table;

pub(crate) fn run(records: u64) -> std::io::Result<()> {
    for page_size in [100, 1000] {
        let corpus = Corpus { records, page_size };
        let pages = Pages::render(&corpus);
        let bytes = pages.bytes();
        let address = server::start(pages)?;
        let base_url = format!("http://{address}/oai");
        let folder = TempDir::new()?;
        let store = folder.path().join("store.sqlite");
        let this = std::env::current_exe()?;
        let baseline = of_program(
            &this.to_string_lossy(),
            &["download", &address.to_string(), &corpus.pages().to_string()],
        )?;
        let harvest = || -> std::io::Result<Cost> {
            let store = store.to_string_lossy();
            of_program(
                env!("CARGO_BIN_EXE_pmh"),
                &["harvest", &base_url, "--store", &store, "--json"],
            )
        };
        let (first, again) = (harvest()?, harvest()?);
        table::heading(&format!("pmh harvest, pages of {page_size}"), "bare download");
        table::row("bare download", &baseline, records, bytes, &baseline);
        table::row("first harvest", &first, records, bytes, &baseline);
        table::row("again, all unchanged", &again, records, bytes, &baseline);
    }
    Ok(())
}
