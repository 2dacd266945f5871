//! The store alone: pages that are new, unchanged and changed, beside the least that SQLite can be asked for.

use std::path::Path;
use std::sync::Arc;

use pmh_harvest::{
    Batch, Closing, CompleteList, Completion, Ending, Entry, Key, Opening, Progress, SourceFacts,
    SourceMemory, Store as _, Traversal, Window,
};
use pmh_protocol::{Item, Stamp};
use pmh_store::SqliteStore;
use rusqlite::{Connection, params};
use tempfile::TempDir;

use crate::corpus::{Corpus, Edition, PREFIX};
use crate::measure::{Cost, of_work};
use crate::table;

/// Records of one transaction, in every arm.
const GROUP: u64 = 1000;
const NOW: i64 = 1_717_200_000;

pub(crate) fn run(records: u64) {
    for page_size in [100, 1000] {
        let corpus = Corpus { records, page_size };
        let folder = TempDir::new().expect("a folder for the stores");
        let bytes = (1..=corpus.pages())
            .map(|number| corpus.page(number, Edition::First).len() as u64)
            .sum();
        let baseline = plain(&corpus, &folder.path().join("plain.sqlite"));
        let path = folder.path().join("store.sqlite");
        let mut store = SqliteStore::open(&path).expect("the store opens");
        let title = format!("store, pages of {page_size}, transactions of {GROUP}");
        table::heading(&title, "plain inserts");
        table::row("plain inserts", &baseline, records, bytes, &baseline);
        let rounds =
            [("new", Edition::First), ("unchanged", Edition::First), ("changed", Edition::Second)];
        for (number, (name, edition)) in (1..).zip(rounds) {
            let cost = harvest(&mut store, &corpus, number, edition);
            table::row(name, &cost, records, bytes, &baseline);
        }
    }
}

/// One traversal. Only what the store does is counted, not the making of its entries.
fn harvest(store: &mut SqliteStore, corpus: &Corpus, number: u64, edition: Edition) -> Cost {
    let key =
        Key { source: "https://repository.example/oai".into(), prefix: PREFIX.into(), set: None };
    let mut total = Cost::default();
    let mut commit = |entries: &[Arc<Entry>]| {
        let cost = of_work(|| drop(store.commit(&key, entries).expect("the commit succeeds")));
        total.wall += cost.wall;
        total.cpu += cost.cpu;
    };
    commit(&[Arc::new(open(number))]);
    let pages: Vec<u64> = (1..=corpus.pages()).collect();
    for group in pages.chunks(usize::try_from(GROUP / corpus.page_size).unwrap_or(1).max(1)) {
        let entries: Vec<_> = group
            .iter()
            .map(|&page| Arc::new(page_entry(number, page, corpus.items(page, edition))))
            .collect();
        commit(&entries);
    }
    commit(&[Arc::new(complete(number, corpus))]);
    total
}

fn open(number: u64) -> Entry {
    let traversal = Traversal {
        number,
        window_number: number,
        window: Window::default(),
        opened_at: Stamp::from_seconds(NOW),
        restarts_in_row: 0,
        restarts: 0,
    };
    let source = SourceFacts::default();
    Entry::Open(Opening { traversal, source, schema: None, refresh: None })
}

fn page_entry(traversal: u64, page: u64, items: Vec<Item>) -> Entry {
    Entry::Page(Batch {
        traversal,
        page,
        items,
        progress: Progress::default(),
        cursor: None,
        taken_at: Stamp::from_seconds(NOW),
    })
}

fn complete(traversal: u64, corpus: &Corpus) -> Entry {
    let list = CompleteList {
        pages: corpus.pages(),
        distinct: corpus.records,
        size: Some(corpus.records),
        ended_empty: true,
        everything: true,
    };
    let completion = Completion {
        watermark: None,
        floor: None,
        list: Some(list),
        coverage: None,
        lag_seconds: 0,
        holes: Vec::new(),
        incomplete: None,
    };
    Entry::Close(Closing {
        traversal: Some(traversal),
        closed_at: Stamp::from_seconds(NOW),
        ending: Ending::Complete(completion),
        memory: SourceMemory::default(),
    })
}

/// A table of identifier, datestamp and payload, with the settings of the store and nothing looked up.
fn plain(corpus: &Corpus, path: &Path) -> Cost {
    let mut connection = Connection::open(path).expect("the database opens");
    connection
        .execute_batch(
            "PRAGMA page_size = 8192; PRAGMA journal_mode = wal; PRAGMA synchronous = full;
             CREATE TABLE record (
                 id INTEGER PRIMARY KEY, identifier TEXT UNIQUE, datestamp TEXT, payload TEXT
             );",
        )
        .expect("the table can be made");
    let mut total = Cost::default();
    let pages: Vec<u64> = (1..=corpus.pages()).collect();
    for group in pages.chunks(usize::try_from(GROUP / corpus.page_size).unwrap_or(1).max(1)) {
        let items: Vec<Item> =
            group.iter().flat_map(|&page| corpus.items(page, Edition::First)).collect();
        let cost = of_work(|| insert(&mut connection, &items).expect("the rows can be written"));
        total.wall += cost.wall;
        total.cpu += cost.cpu;
    }
    total
}

fn insert(connection: &mut Connection, items: &[Item]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare_cached(
            "INSERT OR REPLACE INTO record (identifier, datestamp, payload) VALUES (?1, ?2, ?3)",
        )?;
        for item in items {
            let header = item.header();
            let payload = match item {
                Item::Record(record) => record.payload.as_deref(),
                Item::Tombstone(_) => None,
            };
            let datestamp = header.datestamp.map(|datestamp| datestamp.to_string());
            insert.execute(params![header.identifier, datestamp, payload])?;
        }
    }
    transaction.commit()
}
