//! What must not be seen: it comes from a file or the environment, is sent, and is shown nowhere.

use std::convert::Infallible;
use std::env::VarError;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::str::FromStr;

use crate::exit::Ended;

/// Nobody has a longer one; a file that is, was not meant.
const SECRET_BYTES_MAX: u64 = 64 << 10;

/// A text that no message, report or debug output shows.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for whoever sends it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The first and only line of a file.
    pub(crate) fn from_file(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(SECRET_BYTES_MAX + 1).read_to_string(&mut text))
            .map_err(|error| Ended::usage(format!("failed to read `{shown}`: {error}")))?;
        if text.len() as u64 > SECRET_BYTES_MAX {
            return Err(Ended::usage(format!("`{shown}` is too long to hold a secret alone")));
        }
        let line = text.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return Err(Ended::usage(format!("`{shown}` is empty: write the secret into it")));
        }
        Ok(Self::new(line))
    }

    /// The value of an environment variable, where it is set to something.
    ///
    /// # Errors
    /// When it is set to something that is no text: nobody wants to go without it then.
    pub(crate) fn from_environment(variable: &str) -> anyhow::Result<Option<Self>> {
        match std::env::var(variable) {
            Ok(text) if text.is_empty() => Ok(None),
            Ok(text) => Ok(Some(Self(text))),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => Err(Ended::usage(format!(
                "the variable `{variable}` holds bytes that are not UTF-8"
            ))),
        }
    }
}

impl FromStr for Secret {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::new(text))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}
