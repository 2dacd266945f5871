//! The journal on disk: one event a line, written before the answer leaves.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use pmh_scenario::{Event, Exchange, Journal};

/// A file that a journal is appended to.
#[derive(Debug)]
pub struct JournalFile {
    file: File,
    /// Events of the journal that are in the file.
    written: usize,
}

impl JournalFile {
    /// Opens the file for appending, or creates it.
    ///
    /// # Errors
    /// When it cannot be opened for writing.
    pub fn append_to(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { file, written: 0 })
    }

    /// Writes the events that are new since the last call: for those that no exchange follows, such as the end of a
    /// run.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn catch_up(&mut self, journal: &Journal) -> io::Result<()> {
        let new = journal.events.get(self.written..).unwrap_or_default();
        let lines: String = new.iter().map(line).collect();
        self.file.write_all(lines.as_bytes())?;
        self.written = journal.events.len();
        Ok(())
    }

    /// Writes the events up to this exchange, the latest; also when the journal itself is too full to keep it.
    pub(crate) fn record(&mut self, journal: &Journal, exchange: &Exchange) -> io::Result<()> {
        let is_kept =
            matches!(journal.events.last(), Some(Event::Exchange(last)) if last.n == exchange.n);
        self.catch_up(journal)?;
        if !is_kept {
            self.file.write_all(line(&Event::Exchange(exchange.clone())).as_bytes())?;
        }
        Ok(())
    }
}

fn line(event: &Event) -> String {
    event.to_json() + "\n"
}
