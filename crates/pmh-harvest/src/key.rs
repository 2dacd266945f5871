//! What cursor, watermark and memberships are kept for.

use std::fmt;

/// A source, a format and perhaps a set. Everything durable about progress is kept per key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The configured base URL, byte for byte; no redirect ever changes it (H19).
    pub source: String,
    /// metadataPrefix
    pub prefix: String,
    /// setSpec; `None` is the whole repository.
    pub set: Option<String>,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.source, self.prefix)?;
        match &self.set {
            Some(set) => write!(f, " set {set}"),
            None => Ok(()),
        }
    }
}
