//! What other programs and people read: plain SQL, exported lines, the standing of keys.

use std::io::{self, Write};

use pmh_harvest::{Completion, Ending, Key, Store};
use pmh_store::{SqliteStore, StoreError, StoreErrorKind};
use rusqlite::Connection;

use crate::support::{
    COMPLETION, PREFIX, SOURCE, Stores, at, close, complete, gone, incomplete, key, live, open,
    page, set_key, with_header,
};

/// What the SQL says of the store, a line a row, columns joined by `|`, NULL as nothing.
fn sql(stores: &Stores, sql: &str) -> String {
    let connection = Connection::open(stores.path()).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let lines = statement.query_map([], |row| {
        let text = |column| -> rusqlite::Result<String> {
            Ok(match row.get_ref(column)? {
                rusqlite::types::ValueRef::Null => String::new(),
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                other => other.as_str()?.to_owned(),
            })
        };
        Ok((0..columns).map(text).collect::<Result<Vec<_>, _>>()?.join("|"))
    });
    lines.unwrap().collect::<Result<Vec<_>, _>>().unwrap().join("\n")
}

fn moved_to(seconds: i64) -> Ending {
    Ending::Complete(Completion { watermark: Some(at(seconds)), ..COMPLETION })
}

#[test]
fn the_state_of_keys_is_read_with_plain_sql() {
    let mut stores = Stores::new("state");
    stores.commit(&key(), [open(1), close(1, moved_to(50))]);
    stores.commit(&set_key("one"), [open(2), page(2, [live("a", "<x/>")]), incomplete(2, true)]);
    assert_eq!(
        sql(&stores, "SELECT last_ts, token, errors FROM state"),
        "2026-07-01T00:00:50Z||0\n|next|1"
    );
    let columns = "SELECT endpoint, metadata_prefix, set_spec, floor, last_opened_at, last_closed_at, last_reason, \
        delivered, distinct_identifiers, held_live, staged FROM state";
    assert_eq!(
        sql(&stores, columns),
        "https://repository.example/oai|oai_dc|||2026-07-01T00:00:01Z|2026-07-01T00:01:41Z||||0|0\n\
         https://repository.example/oai|oai_dc|one||2026-07-01T00:00:02Z|2026-07-01T00:01:42Z|page-ceiling|1|1|1|0"
    );
}

#[test]
fn records_since_a_day_are_counted_with_plain_sql() {
    let mut stores = Stores::new("since");
    stores.commit(&key(), [open(1), page(1, [live("a", "<x/>"), live("b", "<x/>"), gone("c")])]);
    let since = |day: &str| {
        sql(&stores, &format!("SELECT count(*) FROM catalog_record WHERE harvested_at >= '{day}'"))
    };
    assert_eq!((since("2026-07-01"), since("2026-07-02")), ("3".to_owned(), "0".to_owned()));
}

#[test]
fn records_are_read_with_plain_sql() {
    let mut stores = Stores::new("records");
    let record = with_header(live("a", "<x/>"), |header| {
        header.sets = vec!["s\"1".to_owned(), "t".to_owned()]
    });
    stores.commit(&key(), [open(1), page(1, [record, gone("b")])]);
    let columns = "SELECT endpoint, metadata_prefix, identifier, datestamp, deleted, sets, harvested_at, changed_at, \
        first_seen, payload FROM catalog_record ORDER BY identifier";
    let moments = ["2026-07-01T00:00:01Z"; 3].join("|");
    assert_eq!(
        sql(&stores, columns),
        format!(
            "{SOURCE}|{PREFIX}|a|2026-06-01|0|[\"s\\\"1\",\"t\"]|{moments}|<x/>\n\
             {SOURCE}|{PREFIX}|b|2026-06-01|1|[]|{moments}|"
        )
    );
    assert_eq!(sql(&stores, "SELECT value FROM catalog_record, json_each(sets)"), "s\"1\nt");
}

#[test]
fn an_unchanged_delivery_does_not_write_its_record() {
    let mut stores = Stores::new("unchanged");
    stores.commit(&key(), [open(1), page(1, [live("a", "<x/>"), gone("b")]), complete(1)]);
    let connection = Connection::open(stores.path()).unwrap();
    let forbid =
        "CREATE TRIGGER forbid BEFORE UPDATE ON record BEGIN SELECT raise(ABORT, 'written'); END";
    connection.execute_batch(forbid).unwrap();
    stores.commit(&key(), [open(2), page(2, [live("a", "<x/>"), gone("b")]), complete(2)]);
}

// ---- export ----

#[test]
fn rows_are_exported_as_lines_of_json() {
    let mut stores = Stores::new("export");
    let record =
        with_header(live("b", "<x a=\"1\">\n</x>"), |header| header.sets = vec!["s".to_owned()]);
    let undated = with_header(gone("a"), |header| header.datestamp = None);
    stores.commit(&key(), [open(1), page(1, [record, undated])]);
    let mut out = Vec::new();
    assert_eq!(stores.sqlite.export(SOURCE, PREFIX, &mut out).unwrap(), 2);
    let catalog = format!(r#""source":"{SOURCE}","prefix":"{PREFIX}""#);
    let moments = r#""harvested_at":"2026-07-01T00:00:01Z","changed_at":"2026-07-01T00:00:01Z","first_seen":"2026-07-01T00:00:01Z""#;
    assert_eq!(
        String::from_utf8(out).unwrap(),
        format!(
            "{{{catalog},\"identifier\":\"a\",\"datestamp\":null,\"deleted\":true,\"inferred\":false,\"sets\":[],{moments},\"payload\":null,\"abouts\":[]}}\n\
             {{{catalog},\"identifier\":\"b\",\"datestamp\":\"2026-06-01\",\"deleted\":false,\"inferred\":false,\"sets\":[\"s\"],{moments},\
             \"payload\":\"<x a=\\\"1\\\">\\n</x>\",\"abouts\":[]}}\n"
        )
    );
}

#[test]
fn exporting_what_is_not_held_writes_nothing() {
    let stores = Stores::new("export of nothing");
    assert_eq!(stores.sqlite.export(SOURCE, "marc", &mut Vec::new()).unwrap(), 0);
}

struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_export_that_cannot_be_written_fails() {
    let mut stores = Stores::new("export to a full disk");
    stores.commit(&key(), [open(1), page(1, [live("a", "<x/>")])]);
    let error = stores.sqlite.export(SOURCE, PREFIX, &mut Full).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Failed);
    assert!(matches!(error, StoreError::Export { .. }), "{error}");
}

// ---- how keys stand ----

#[test]
fn keys_are_listed_in_their_order_with_what_is_known_of_them() {
    let mut stores = Stores::new("keys");
    let marc = Key { prefix: "marc".to_owned(), ..key() };
    stores.commit(&marc, [open(1), incomplete(1, true)]);
    stores.commit(&set_key("one"), [open(2), close(2, moved_to(9))]);
    stores.commit(&key(), [open(3)]);

    let keys = stores.sqlite.keys().unwrap();
    let listed: Vec<&Key> = keys.iter().map(|status| &status.key).collect();
    assert_eq!(listed, [&marc, &key(), &set_key("one")]);
    for status in &keys {
        assert_eq!(status.known, stores.known(&status.key));
    }
    let last = |index: usize| {
        (keys[index].last_opened_at, keys[index].last_closed_at, keys[index].last_reason.as_deref())
    };
    assert_eq!(last(0), (Some(at(1)), Some(at(101)), Some("page-ceiling")));
    assert_eq!(last(1), (Some(at(3)), None, None));
    assert_eq!(last(2), (Some(at(2)), Some(at(102)), None));
}

#[test]
fn progress_is_seen_through_another_connection_while_it_is_made() {
    let mut stores = Stores::new("progress");
    let looker = SqliteStore::open_read_only(stores.path()).unwrap();
    stores.commit(&key(), [open(1)]);
    for pages in 1..4 {
        stores.commit(&key(), [page(1, [])]);
        let keys = looker.keys().unwrap();
        assert_eq!(keys[0].known.open.as_ref().unwrap().tally.pages, pages);
    }
}

#[test]
fn a_value_that_makes_no_sense_is_an_error_that_names_it() {
    let mut stores = Stores::new("edited by hand");
    stores.commit(&key(), [open(1)]);
    let connection = Connection::open(stores.path()).unwrap();
    connection.execute_batch("UPDATE harvest_key SET watermark = 'yesterday'").unwrap();
    let error = stores.sqlite.known(&key()).unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("`yesterday` in `watermark`"), "{cause}");
}
