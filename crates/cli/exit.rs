//! The one table of exit codes, the same for every command.

use std::fmt;
use std::io;
use std::process::ExitCode;

use pmh_client::AskError;
use pmh_protocol::ErrorCode;
use pmh_store::{StoreError, StoreErrorKind};

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Our fault: a bug, a store that failed, a full disk.
    Ours,
    /// Bad flags or files.
    Usage,
    /// It could not be done: unreachable, refused, locked.
    Impossible,
    /// Done, and the answer is no.
    No,
    /// Nothing was tested.
    Vacuous,
}

impl Exit {
    /// The exit of this code; codes outside the table are our fault.
    pub(crate) const fn from_code(code: i32) -> Self {
        match code {
            0 => Self::Done,
            2 => Self::Usage,
            3 => Self::Impossible,
            4 => Self::No,
            5 => Self::Vacuous,
            _ => Self::Ours,
        }
    }

    /// The exit that an error stands for.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        if let Some(ended) = error.downcast_ref::<Ended>() {
            return ended.exit;
        }
        if let Some(store) = error.downcast_ref::<StoreError>() {
            return match store.kind() {
                StoreErrorKind::Unusable => Self::Usage,
                StoreErrorKind::Busy => Self::Impossible,
                StoreErrorKind::Failed => Self::Ours,
            };
        }
        if let Some(asked) = error.downcast_ref::<AskError>() {
            return match asked.code() {
                Some(ErrorCode::IdDoesNotExist) => Self::No,
                _ => Self::Impossible,
            };
        }
        Self::Ours
    }

    /// The worse of two ends, for a command of several parts: a fault of ours hides nothing else, and what could
    /// not be done is worse than what was done and came out wrong.
    pub(crate) const fn worse(self, other: Self) -> Self {
        if other.weight() > self.weight() { other } else { self }
    }

    const fn weight(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Vacuous => 1,
            Self::No => 2,
            Self::Impossible => 3,
            Self::Usage => 4,
            Self::Ours => 5,
        }
    }

    const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Ours => 1,
            Self::Usage => 2,
            Self::Impossible => 3,
            Self::No => 4,
            Self::Vacuous => 5,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// An error that says itself how the command ends.
#[derive(Debug)]
pub(crate) struct Ended {
    exit: Exit,
    text: String,
}

impl Ended {
    /// What was typed or written is wrong.
    pub(crate) fn usage(text: impl Into<String>) -> anyhow::Error {
        Self { exit: Exit::Usage, text: text.into() }.into()
    }

    /// It cannot be done here and now.
    pub(crate) fn impossible(text: impl Into<String>) -> anyhow::Error {
        Self { exit: Exit::Impossible, text: text.into() }.into()
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Ended {}

/// Whether an error only says that nobody reads our output any more (`pmh export | head`).
pub(crate) fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
