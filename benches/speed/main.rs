//! Speed, on a fixed workload and beside a named baseline of the same run. Nothing is asserted: machines differ.
//!
//! `cargo bench --bench speed [-- reader|store|harvest] [--records N]` measures;
//! `cargo bench --bench speed -- serve --page-size N` serves the workload to whoever asks, until it is killed.

mod corpus; // the records, the same on every run
mod download; // the baseline of a harvest
mod harvest; // the whole program
mod measure; // wall time, CPU time, memory
mod reader; // bytes to records
mod server; // static pages on loopback
mod store; // records to rows
mod table; // how results look

use std::io::{Error, Result};
use std::process::ExitCode;
use std::thread;

/// Records of a list, unless `--records` says otherwise.
const RECORDS: u64 = 100_000;

fn main() -> Result<ExitCode> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let records = number(&words, "--records")?.unwrap_or(RECORDS);
    match words.first().copied() {
        Some("measure") if words.len() > 1 => {
            let succeeded = measure::run(words[1], &arguments[2..])?;
            return Ok(if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Some("download") if words.len() == 3 => {
            let address = words[1].parse().map_err(Error::other)?;
            download::run(address, words[2].parse().map_err(Error::other)?)?;
        }
        Some("serve") => {
            let page_size = number(&words, "--page-size")?.unwrap_or(1000);
            let address =
                server::start(server::Pages::render(&corpus::Corpus { records, page_size }))?;
            table::line(&format!("http://{address}/oai"));
            loop {
                thread::park();
            }
        }
        Some("reader") => reader::run(records),
        Some("store") => store::run(records),
        Some("harvest") => harvest::run(records)?,
        None | Some("--records") => {
            reader::run(records);
            store::run(records);
            harvest::run(records)?;
        }
        Some(other) => {
            return Err(Error::other(format!(
                "expected reader, store, harvest or serve, found `{other}`"
            )));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The number after `flag`, where it is given.
fn number(words: &[&str], flag: &str) -> Result<Option<u64>> {
    let Some(place) = words.iter().position(|word| *word == flag) else {
        return Ok(None);
    };
    match words.get(place + 1).map(|word| word.parse()) {
        Some(Ok(number)) if number > 0 => Ok(Some(number)),
        _ => Err(Error::other(format!("expected a number after `{flag}`"))),
    }
}
