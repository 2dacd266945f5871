//! One run per key at a time: a lock that the system gives back however its holder ends.

use std::ffi::OsString;
use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use pmh_harvest::Key;
use pmh_protocol::Stamp;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::StoreError;

/// More than the longest text that a holder writes.
const HOLDER_BYTES_MAX: u64 = 64;

/// A key claimed for one run, until this is dropped.
///
/// The lock file lies beside the store and stays there: removing it would let two runs lock two files of the
/// same name.
#[derive(Debug)]
pub struct Claim {
    _locked: File,
}

/// Who has a key, as far as that can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// Its process.
    pub pid: Option<u32>,
    /// When it took the key, on its clock.
    pub since: Option<Stamp>,
}

impl Claim {
    pub(crate) fn take(store: &Path, key: &Key, now: Stamp) -> Result<Self, StoreError> {
        let path = lock_path(store, key);
        let failed = |source| StoreError::Claim { path: path.clone(), source };
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Claimed {
                    key: key.to_string(),
                    holder: Holder::read(&file),
                });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        sign(&mut file, now).map_err(failed)?;
        Ok(Self { _locked: file })
    }
}

fn sign(file: &mut File, now: Stamp) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{} {now}", process::id())
}

/// The key's name may hold anything, so that its hash names the file.
fn lock_path(store: &Path, key: &Key) -> PathBuf {
    let mut name = Vec::new();
    for part in [key.source.as_str(), &key.prefix, key.set.as_deref().unwrap_or_default()] {
        name.extend_from_slice(&part.len().to_le_bytes());
        name.extend_from_slice(part.as_bytes());
    }
    let mut path = OsString::from(store);
    path.push(format!(".{:032x}.lock", xxh3_128(&name)));
    path.into()
}

impl Holder {
    /// Reads what the holder wrote. It may not have come to writing yet, and some systems let nobody read.
    fn read(file: &File) -> Self {
        let mut text = String::new();
        if file.take(HOLDER_BYTES_MAX).read_to_string(&mut text).is_err() {
            return Self::default();
        }
        let mut words = text.split_whitespace();
        Self {
            pid: words.next().and_then(|pid| pid.parse().ok()),
            since: words.next().and_then(|since| Stamp::parse(since).ok()),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process `{pid}`")?,
            None => f.write_str("another process")?,
        }
        match self.since {
            Some(since) => write!(f, " since {since}"),
            None => Ok(()),
        }
    }
}
