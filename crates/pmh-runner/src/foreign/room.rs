//! Folders in which harvesters are played, and what is kept of them.

use std::fs;
use std::path::{Path, PathBuf};

use pmh_scenario::Journal;

use crate::loopback::LoopbackError;

/// Where strangers are played.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder that commands start in.
    pub project: PathBuf,
    /// Keep what they leave, in a folder per case below this one.
    pub keep: Option<PathBuf>,
}

/// The folder of one case. It is gone with this value, unless kept.
pub(super) struct Room {
    path: PathBuf,
    temporary: Option<tempfile::TempDir>,
}

impl Room {
    pub(super) fn make(id: &str, harvester: &str, place: &Place) -> Result<Self, LoopbackError> {
        let wrong = LoopbackError::Room;
        let (path, temporary) = match &place.keep {
            None => {
                let folder = tempfile::tempdir().map_err(wrong)?;
                (folder.path().to_owned(), Some(folder))
            }
            Some(keep) => {
                let name = format!("{id}.{harvester}");
                let name: String = name
                    .chars()
                    .map(|letter| if "/\\ :".contains(letter) { '.' } else { letter })
                    .collect();
                let path = keep.join(name);
                if path.exists() {
                    // What an earlier proof left would be taken for this one's.
                    fs::remove_dir_all(&path).map_err(wrong)?;
                }
                fs::create_dir_all(&path).map_err(wrong)?;
                (path, None)
            }
        };
        // A command starts elsewhere: what it is told must not depend on where.
        let path = fs::canonicalize(path).map_err(wrong)?;
        Ok(Self { path, temporary })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Lays the journal beside the rest, where that is kept.
    pub(super) fn keep(&self, journal: &Journal) -> Result<(), LoopbackError> {
        if self.temporary.is_some() {
            return Ok(());
        }
        fs::write(self.path.join("journal.ndjson"), journal.to_ndjson())
            .map_err(LoopbackError::Room)
    }
}
