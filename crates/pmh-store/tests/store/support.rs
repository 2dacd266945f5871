//! Entries in few words, and two stores that must agree about them.

use std::path::PathBuf;
use std::sync::Arc;

use pmh_harvest::{
    Batch, Closing, CompleteList, Completion, Cursor, Ending, Entry, Key, Known, MemoryStore,
    Opening, Progress, Receipt, Row, SourceFacts, SourceMemory, Store, Traversal, Window,
};
use pmh_protocol::{
    Datestamp, DeletedRecords, Granularity, Header, Item, Record, Stamp, Tombstone,
};
use pmh_store::SqliteStore;
use tempfile::TempDir;

pub(crate) const SOURCE: &str = "https://repository.example/oai";
pub(crate) const PREFIX: &str = "oai_dc";

pub(crate) fn key() -> Key {
    Key { source: SOURCE.to_owned(), prefix: PREFIX.to_owned(), set: None }
}

pub(crate) fn set_key(set: &str) -> Key {
    Key { set: Some(set.to_owned()), ..key() }
}

/// So many seconds into July 2026.
pub(crate) fn at(seconds: i64) -> Stamp {
    Stamp::parse("2026-07-01T00:00:00Z").unwrap().plus_seconds(seconds)
}

pub(crate) const FACTS: SourceFacts = SourceFacts {
    granularity: Granularity::Second,
    deleted_records: DeletedRecords::Persistent,
    name: None,
    host: None,
    namespace: None,
    earliest: None,
};

/// A traversal of a window of its own, opened at second `number`.
pub(crate) fn open(number: u64) -> Entry {
    reopen(number, number)
}

/// A further traversal of a window.
pub(crate) fn reopen(number: u64, window_number: u64) -> Entry {
    Entry::Open(opening(Traversal {
        number,
        window_number,
        window: Window::default(),
        opened_at: at(number.cast_signed()),
        restarts_in_row: 0,
        restarts: 0,
    }))
}

pub(crate) fn opening(traversal: Traversal) -> Opening {
    Opening { traversal, source: FACTS, schema: None, refresh: None }
}

/// A page of a traversal, taken at second `traversal`, with a token after it.
pub(crate) fn page<const N: usize>(traversal: u64, items: [Item; N]) -> Entry {
    Entry::Page(batch(traversal, items.into()))
}

pub(crate) fn batch(traversal: u64, items: Vec<Item>) -> Batch {
    Batch {
        traversal,
        page: 1,
        items,
        progress: Progress::default(),
        cursor: Some(Cursor { token: "next".to_owned(), given_at: at(0), life_seconds: None }),
        taken_at: at(traversal.cast_signed()),
    }
}

pub(crate) fn complete(traversal: u64) -> Entry {
    close(traversal, Ending::Complete(COMPLETION))
}

pub(crate) const COMPLETION: Completion = Completion {
    watermark: None,
    floor: None,
    list: Some(CompleteList {
        pages: 1,
        distinct: 1,
        size: None,
        ended_empty: false,
        everything: true,
    }),
    coverage: None,
    lag_seconds: 0,
    holes: Vec::new(),
    incomplete: None,
};

pub(crate) fn incomplete(traversal: u64, keep_cursor: bool) -> Entry {
    close(traversal, Ending::Incomplete { keep_cursor, reason: "page-ceiling".to_owned() })
}

/// A closing at 100 seconds after its traversal was opened.
pub(crate) fn close(traversal: u64, ending: Ending) -> Entry {
    let closed_at = at(traversal.cast_signed() + 100);
    let memory = SourceMemory::default();
    Entry::Close(Closing { traversal: Some(traversal), closed_at, ending, memory })
}

pub(crate) fn header(identifier: &str) -> Header {
    Header {
        identifier: identifier.to_owned(),
        datestamp: Datestamp::parse("2026-06-01").ok(),
        sets: Vec::new(),
    }
}

pub(crate) fn live(identifier: &str, payload: &str) -> Item {
    Item::Record(Record {
        header: header(identifier),
        payload: Some(payload.to_owned()),
        abouts: Vec::new(),
    })
}

pub(crate) fn gone(identifier: &str) -> Item {
    Item::Tombstone(Tombstone { header: header(identifier) })
}

/// The item with another datestamp.
pub(crate) fn dated(item: Item, datestamp: &str) -> Item {
    with_header(item, |header| header.datestamp = Datestamp::parse(datestamp).ok())
}

pub(crate) fn with_header(mut item: Item, change: impl FnOnce(&mut Header)) -> Item {
    match &mut item {
        Item::Record(record) => change(&mut record.header),
        Item::Tombstone(tombstone) => change(&mut tombstone.header),
    }
    item
}

/// A store in memory and one on disk, given the same entries. Every commit compares what they say.
pub(crate) struct Stores {
    pub(crate) memory: MemoryStore,
    pub(crate) sqlite: SqliteStore,
    folder: TempDir,
    /// Printed when they disagree.
    label: String,
}

impl Stores {
    pub(crate) fn new(label: impl Into<String>) -> Self {
        let folder = TempDir::new().unwrap();
        let sqlite = SqliteStore::open(folder.path().join("store.sqlite")).unwrap();
        Self { memory: MemoryStore::default(), sqlite, folder, label: label.into() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("store.sqlite")
    }

    pub(crate) fn commit<const N: usize>(
        &mut self,
        key: &Key,
        entries: [Entry; N],
    ) -> [Receipt; N] {
        let entries = entries.map(Arc::new);
        let Ok(expected) = self.memory.commit(key, &entries);
        let mut receipts = self.sqlite.commit(key, &entries).unwrap();
        for receipt in &mut receipts {
            let free_bytes = receipt.free_bytes.take();
            assert!(cfg!(not(unix)) || free_bytes.is_some(), "the disk has an end");
        }
        assert_eq!(receipts, expected, "receipts, {}", self.label);
        self.compare(key);
        receipts.try_into().unwrap()
    }

    /// What both remember of a key.
    pub(crate) fn known(&mut self, key: &Key) -> Known {
        let Ok(expected) = self.memory.known(key);
        assert_eq!(self.sqlite.known(key).unwrap(), expected, "known, {}", self.label);
        expected
    }

    /// The rows that both hold of the usual source and prefix.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let expected = self.memory.rows(SOURCE, PREFIX);
        assert_eq!(self.sqlite.rows(SOURCE, PREFIX).unwrap(), expected, "rows, {}", self.label);
        expected
    }

    /// The row of an identifier that both hold.
    pub(crate) fn row(&self, identifier: &str) -> Row {
        self.rows().into_iter().find(|row| row.identifier == identifier).expect("the row is held")
    }

    /// Closes the file and opens it again; the store in memory stays as it is.
    pub(crate) fn reopen(&mut self) {
        self.sqlite = SqliteStore::open(self.path()).unwrap();
    }

    fn compare(&mut self, key: &Key) {
        self.known(key);
        self.rows();
        assert_eq!(self.sqlite.check_integrity().unwrap(), [], "integrity, {}", self.label);
    }
}
