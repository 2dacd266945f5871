//! The store: a connection with the settings that make a commit durable.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use pmh_harvest::{Entry, Key, Known, Receipt, Row, Store};
use pmh_protocol::Stamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::at_rest::{AtRest, log_of_another, name_to_read};
use crate::claim::Claim;
use crate::error::{CommitError, StoreError};
use crate::{beside, closing, columns, opening, page, runs, schema};

/// How long a commit waits for another process that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);
/// How often, and after what pause, a new store is asked to write ahead: 10 s in all.
const WAL_TRIES: u32 = 200;
const WAL_PAUSE: Duration = Duration::from_millis(50);
/// Set before the first table: rows of a few kilobytes are common, and larger pages hold them better.
const PAGE_BYTES: u32 = 16_384;
const CACHE_KIBIBYTES: i32 = 16 * 1024;
/// Pages of the write-ahead log before it is copied into the database. Identifiers in random order touch the
/// same pages again and again; a longer log copies each of them less often.
const CHECKPOINT_PAGES: u32 = 2000;

/// A store in a SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// How the file lay there, where it is read without SQLite's own precautions.
    pub(crate) at_rest: Option<AtRest>,
}

impl SqliteStore {
    /// Opens the store at `path`, or creates it there.
    ///
    /// # Errors
    /// When `path` cannot be a store or is the file of another program, or when SQLite fails.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = locate(path.as_ref())?;
        if is_marked_read_only(&path) {
            return Err(StoreError::ReadOnly { path, source: None });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = connect(&path, path.to_string_lossy().as_ref(), flags)?;
        // Before anything is written: the file may be somebody else's.
        schema::version(&connection, &path).map_err(|error| log_of_another(&path, error))?;
        // SQLite falls back to reading where it may not write.
        if connection.is_readonly(rusqlite::MAIN_DB).unwrap_or(true) {
            return Err(StoreError::ReadOnly { path, source: None });
        }
        prepare(&mut connection)
            .map_err(|source| log_of_another(&path, schema::open_error(&path, source)))?;
        Ok(Self { connection, path, at_rest: None })
    }

    /// Opens the store at `path` to be looked at; nothing is created or brought up to date. Commits fail. Whoever may
    /// not write beside a store that nobody writes to is answered from the file alone.
    ///
    /// # Errors
    /// When there is no store at `path`, it has another schema version, or SQLite fails. What reads from it later fails
    /// where the file alone was read and somebody has written to it meanwhile.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        let path = locate(path)?;
        // It is kept from writing all the same. Where nothing may be written SQLite makes it one that only reads.
        let at_rest = AtRest::of(&path);
        let name = name_to_read(&path, at_rest);
        let connection = connect(&path, &name, reading_flags(at_rest))?;
        connection
            .pragma_update(None, "query_only", true)
            .map_err(|source| schema::open_error(&path, source))?;
        match schema::version(&connection, &path).map_err(StoreError::of_reader)? {
            schema::VERSION => Ok(Self { connection, path, at_rest }),
            found => Err(StoreError::Older { path, known: schema::VERSION, found }),
        }
    }

    /// Claims a key for one run: no other process gets it until the claim is dropped or this process ends,
    /// however it ends.
    ///
    /// # Errors
    /// When another run has it, or its lock file cannot be used.
    pub fn claim(&self, key: &Key, now: Stamp) -> Result<Claim, StoreError> {
        Claim::take(&self.path, key, now)
    }

    /// All rows of a source and prefix, in the order of their identifiers.
    ///
    /// # Errors
    /// When they could not be read.
    pub fn rows(&self, source: &str, prefix: &str) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        self.each_row(source, prefix, |row| {
            rows.push(row);
            Ok::<(), StoreError>(())
        })?;
        Ok(rows)
    }

    /// Visits the rows of a source and prefix in the order of their identifiers, as they are at this moment,
    /// until one visit fails.
    ///
    /// # Errors
    /// When they could not be read, or a visit failed.
    pub fn each_row<E: From<StoreError>>(
        &self,
        source: &str,
        prefix: &str,
        mut visit: impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |source| self.read_error("rows", source);
        let mut statement = self.connection.prepare_cached(SELECT_ROWS).map_err(failed)?;
        let mut rows = statement.query([source, prefix]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            visit(read_row(row).map_err(failed)?)?;
        }
        Ok(self.check_undisturbed()?)
    }

    /// That what was read is of one mind.
    pub(crate) fn check_undisturbed(&self) -> Result<(), StoreError> {
        self.at_rest.map_or(Ok(()), |at_rest| at_rest.check(&self.path))
    }

    /// What was to be read of this store, and why it could not be.
    pub(crate) fn read_error(&self, what: &'static str, source: rusqlite::Error) -> StoreError {
        // Torn pages look like damage.
        match self.check_undisturbed() {
            Err(disturbed) => disturbed,
            Ok(()) => StoreError::Read { what, path: self.path.clone(), source },
        }
    }
}

impl Store for SqliteStore {
    type Error = StoreError;

    fn known(&mut self, key: &Key) -> Result<Known, StoreError> {
        let read = || {
            let transaction = self.connection.unchecked_transaction()?;
            runs::known(&transaction, key)
        };
        let known = read().map_err(|source| self.read_error("what is known of a key", source))?;
        self.check_undisturbed()?;
        Ok(known)
    }

    fn commit(&mut self, key: &Key, entries: &[Arc<Entry>]) -> Result<Vec<Receipt>, StoreError> {
        let committed = commit(&mut self.connection, key, entries);
        let mut receipts = committed.map_err(|source| StoreError::Commit {
            entries: entries.len(),
            key: key.to_string(),
            source,
        })?;
        let free_bytes = free_bytes(&self.path);
        for receipt in &mut receipts {
            receipt.free_bytes = free_bytes;
        }
        Ok(receipts)
    }
}

/// Bytes that are free for us where the store lies, where that can be told.
fn free_bytes(store: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let found = nix::sys::statvfs::statvfs(store).ok()?;
        Some(found.blocks_available().saturating_mul(found.fragment_size()))
    }
    #[cfg(not(unix))]
    {
        let _ = store;
        None
    }
}

fn commit(
    connection: &mut Connection,
    key: &Key,
    entries: &[Arc<Entry>],
) -> Result<Vec<Receipt>, CommitError> {
    // Immediate: what is read inside must not be changed by others before it is written. Dropped by an error
    // on the way, the transaction is rolled back.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let receipts = entries.iter().map(|entry| match entry.as_ref() {
        Entry::Open(opening) => opening::write(&transaction, key, opening),
        Entry::Page(batch) => page::write(&transaction, key, batch),
        Entry::Compare(comparison) => beside::compare(&transaction, key, comparison),
        Entry::Mend(mending) => beside::mend(&transaction, key, mending),
        Entry::Close(closing) => closing::write(&transaction, key, closing),
    });
    let receipts = receipts.collect::<Result<_, _>>()?;
    transaction.commit()?;
    Ok(receipts)
}

const SELECT_ROWS: &str = "
    SELECT record.identifier, record.datestamp, record.deleted, record.sets, record.harvested_at,
        record.changed_at, record.first_seen, record.abouts, record.payload,
        record.deleted AND EXISTS (SELECT 1 FROM inferred WHERE record_id = record.id) AS inferred
    FROM source
    JOIN catalog ON catalog.source_id = source.id
    JOIN record ON record.catalog_id = catalog.id
    WHERE source.endpoint = ?1 AND catalog.metadata_prefix = ?2
    ORDER BY record.identifier";

fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        identifier: row.get("identifier")?,
        datestamp: columns::datestamp(row, "datestamp")?,
        deleted: row.get("deleted")?,
        inferred: row.get("inferred")?,
        sets: columns::strings(row, "sets")?,
        payload: row.get("payload")?,
        abouts: columns::strings(row, "abouts")?,
        harvested_at: columns::moment(row, "harvested_at")?,
        changed_at: columns::moment(row, "changed_at")?,
        first_seen: columns::moment(row, "first_seen")?,
    })
}

/// The one name of the file: whatever link leads to it, it is claimed under the same.
fn locate(given: &Path) -> Result<PathBuf, StoreError> {
    let path = given.to_owned();
    if given.is_dir() {
        return Err(StoreError::Folder { path });
    }
    let Some(name) = given.file_name().filter(|name| *name != ":memory:") else {
        return Err(StoreError::NotAFile { path });
    };
    if let Ok(found) = given.canonicalize() {
        return Ok(found);
    }
    let folder = match given.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    match folder.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder.join(name)),
        _ => Err(StoreError::FolderMissing { path }),
    }
}

/// Whether the store or its folder is marked as not to be written, by anybody: somebody who may write in spite
/// of that is not to do so by accident.
fn is_marked_read_only(store: &Path) -> bool {
    let is_marked = |path: &Path| path.metadata().is_ok_and(|found| found.permissions().readonly());
    // Elsewhere than on Unix the mark on a folder means something else.
    is_marked(store) || (cfg!(unix) && store.parent().is_some_and(is_marked))
}

/// Flags to open a store with that is read: a connection that may write tidies up the log's files when it is the last
/// to leave.
pub(crate) fn reading_flags(at_rest: Option<AtRest>) -> OpenFlags {
    OpenFlags::SQLITE_OPEN_NO_MUTEX
        | match at_rest {
            Some(_) => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
            None => OpenFlags::SQLITE_OPEN_READ_WRITE,
        }
}

/// A connection to the store at `path`, opened by `name`.
fn connect(path: &Path, name: &str, flags: OpenFlags) -> Result<Connection, StoreError> {
    let failed = |source| schema::open_error(path, source);
    let connection = Connection::open_with_flags(name, flags).map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    // A plan is made once: without this a statement is made anew for every value that it is given, page after page.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
    Ok(connection)
}

fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    enter_wal(connection)?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    schema::migrate(connection)
}

/// Of two connections that are creating the same store, SQLite lets neither wait for the other here: one fails
/// at once, and may try again.
fn enter_wal(connection: &Connection) -> rusqlite::Result<()> {
    for _ in 1..WAL_TRIES {
        let entered = connection.pragma_update(None, "journal_mode", "wal");
        match entered.as_ref().map_err(rusqlite::Error::sqlite_error_code) {
            Err(Some(ErrorCode::DatabaseBusy)) => thread::sleep(WAL_PAUSE),
            _ => return entered,
        }
    }
    connection.pragma_update(None, "journal_mode", "wal")
}
