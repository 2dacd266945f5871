//! How a harvest ended: what, why, who is to blame, what was kept, and what to do next.

use std::collections::BTreeMap;
use std::fmt;

use pmh_protocol::{ErrorCode, Lost, OaiError, ParseError, Phase, Stamp};

use crate::entry::Hole;
use crate::guard::Trip;
use crate::store::{Counts, Tally};
use crate::window::Window;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Complete or not, and why.
    pub end: End,
    /// The window that was worked; `None` when none was opened.
    pub window: Option<Window>,
    /// The traversal as it was counted last.
    pub tally: Tally,
    /// What happened to rows in this run.
    pub counts: Counts,
    /// Complete up to here, on the repository's clock.
    pub watermark: Option<Stamp>,
    /// Complete from here on, where the key never harvested everything.
    pub floor: Option<Stamp>,
    /// Whether the next run goes on where this one stopped, rather than at the beginning of the list.
    pub cursor_kept: bool,
    /// Requests sent.
    pub requests: u64,
    /// How often the window was opened again.
    pub restarts: u32,
    /// What was survived, by name.
    pub complaints: BTreeMap<String, Complained>,
    /// Names of the departures that were on for the source (H21).
    pub switches: Vec<&'static str>,
    /// Why everything should be harvested again (H24).
    pub refresh_due: Option<String>,
    /// Records that are known to be there and could not be had (H14).
    pub holes: Vec<Hole>,
}

/// A complaint, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complained {
    /// How often.
    pub count: u64,
    /// The first of them, in words.
    pub example: String,
}

/// The four ends of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The window is proven complete.
    Complete,
    /// Something is missing or unproven; the window stays open and what came is kept.
    Incomplete(Stop),
    /// Nothing was begun.
    Refused(Refusal),
    /// The store failed.
    Failed(StoreFault),
}

/// What stopped a run that had begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A guard.
    Guard(Trip),
    /// A page failed on every try that was allowed.
    RetryExhausted {
        /// The page.
        page: u64,
        /// What went wrong the last time.
        trouble: Trouble,
    },
    /// The source is busy for longer, or more often, than a run waits.
    Busy {
        /// How often the page was refused.
        refusals: u32,
        /// Seconds it asked to wait the last time.
        seconds: u64,
    },
    /// The repository answered a list that had begun with an error.
    Oai(OaiError),
    /// The source blocks us.
    Blocked {
        /// Status code.
        status: u16,
    },
    /// A departure from the protocol that would have been survived, had the operator not forbidden it (H20).
    Strict(String),
    /// The list was read, but for records that could not be had.
    Holes {
        /// How many.
        records: usize,
        /// One of them.
        identifier: String,
    },
    /// The operator, by a signal or a limit on time or records.
    Operator,
}

/// Why nothing was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No answer could be had.
    Unreachable(Trouble),
    /// The repository answered the opening request with an error.
    Oai(OaiError),
    /// The source blocks us.
    Blocked {
        /// Status code.
        status: u16,
    },
    /// The source is busy for longer, or more often, than a run waits.
    Busy {
        /// How often the page was refused.
        refusals: u32,
        /// Seconds it asked to wait the last time.
        seconds: u64,
    },
    /// The source asked not to be asked yet.
    NotBefore {
        /// On our clock.
        until: Stamp,
    },
    /// A departure from the protocol that would have been survived, had the operator not forbidden it (H20).
    Strict(String),
    /// It speaks another version of the protocol.
    Version(String),
    /// The format is refused.
    Format {
        /// In the repository's words.
        refusal: OaiError,
        /// Formats that there are, the first of them.
        offered: Vec<String>,
    },
    /// There is no such set.
    UnknownSet {
        /// The set asked for.
        set: String,
        /// Sets that there are, the first of them.
        offered: Vec<String>,
    },
}

/// What can be wrong with an answer that will not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It did not arrive whole.
    Lost(Lost),
    /// It is no OAI-PMH document.
    Unreadable(ParseError),
    /// It is an HTTP error.
    Status(u16),
    /// It is a document that does not answer the request.
    Answer(String),
    /// It is an error to a request that goes on with a list.
    Oai(OaiError),
    /// It leads round in a circle, or nowhere.
    Redirects(String),
}

/// Why the store failed, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFault(pub String);

/// Who is to blame for an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The repository, or the server in front of it.
    Repository,
    /// What lies between.
    Network,
    /// The disk or the database.
    Store,
    /// Whoever gave the command.
    Operator,
}

impl Blame {
    /// In a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repository => "repository",
            Self::Network => "network",
            Self::Store => "store",
            Self::Operator => "operator",
        }
    }
}

impl Trouble {
    /// Whether the answer has more bytes than are taken.
    #[must_use]
    pub const fn is_too_large(&self) -> bool {
        matches!(self, Self::Lost(Lost { phase: Phase::TooLarge, .. }))
    }

    /// Whose fault it is.
    #[must_use]
    pub const fn blame(&self) -> Blame {
        match self {
            Self::Lost(Lost { phase: Phase::TooLarge, .. }) => Blame::Repository,
            Self::Lost(_) => Blame::Network,
            Self::Unreadable(_)
            | Self::Status(_)
            | Self::Answer(_)
            | Self::Oai(_)
            | Self::Redirects(_) => Blame::Repository,
        }
    }
}

impl Outcome {
    /// `complete`, `incomplete`, `refused` or `failed`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self.end {
            End::Complete => "complete",
            End::Incomplete(_) => "incomplete",
            End::Refused(_) => "refused",
            End::Failed(_) => "failed",
        }
    }

    /// The exit code of the one table that serves every command: 0 complete, 1 the store failed, 3 nothing was
    /// begun, 4 incomplete.
    #[must_use]
    pub const fn exit_code(&self) -> i32 {
        match self.end {
            End::Complete => 0,
            End::Failed(_) => 1,
            End::Refused(_) => 3,
            End::Incomplete(_) => 4,
        }
    }

    /// The name of what stopped it: a guard's, or another reason's.
    #[must_use]
    pub const fn reason(&self) -> Option<&'static str> {
        Some(match &self.end {
            End::Complete => return None,
            End::Incomplete(stop) => match stop {
                Stop::Guard(trip) => trip.guard(),
                Stop::RetryExhausted { trouble, .. } if trouble.is_too_large() => "too-large",
                Stop::RetryExhausted { .. } => "retry-exhausted",
                Stop::Busy { .. } => "busy-ceiling",
                Stop::Oai(_) => "oai-error",
                Stop::Blocked { .. } => "blocked",
                Stop::Strict(_) => "strict",
                Stop::Holes { .. } => "holes",
                Stop::Operator => "stopped",
            },
            End::Refused(refusal) => match refusal {
                Refusal::Unreachable(trouble) if trouble.is_too_large() => "too-large",
                Refusal::Unreachable(Trouble::Lost(_)) => "unreachable",
                Refusal::Unreachable(_) => "not-oai-pmh",
                Refusal::Oai(_) | Refusal::Format { .. } => "oai-error",
                Refusal::Blocked { .. } => "blocked",
                Refusal::Busy { .. } => "busy-ceiling",
                Refusal::NotBefore { .. } => "not-before",
                Refusal::Strict(_) => "strict",
                Refusal::UnknownSet { .. } => "unknown-set",
                Refusal::Version(_) => "protocol-version",
            },
            End::Failed(_) => "store",
        })
    }

    /// The guard that stopped it, if it was one.
    #[must_use]
    pub const fn guard(&self) -> Option<&'static str> {
        match &self.end {
            End::Incomplete(Stop::Guard(trip)) => Some(trip.guard()),
            _ => None,
        }
    }

    /// Whose fault it is that the run is not complete.
    #[must_use]
    pub const fn blame(&self) -> Option<Blame> {
        Some(match &self.end {
            End::Complete => return None,
            End::Incomplete(Stop::RetryExhausted { trouble, .. })
            | End::Refused(Refusal::Unreachable(trouble)) => trouble.blame(),
            End::Incomplete(Stop::Guard(Trip::DiskFloor { .. })) => Blame::Store,
            End::Incomplete(Stop::Operator)
            | End::Refused(Refusal::UnknownSet { .. } | Refusal::Format { .. }) => Blame::Operator,
            End::Incomplete(_) | End::Refused(_) => Blame::Repository,
            End::Failed(_) => Blame::Store,
        })
    }

    /// What to do next.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        const AGAIN: &str = "run the same command again: it goes on where this one stopped";
        const ANEW: &str =
            "run the same command again: the list is read from its beginning, and nothing is lost";
        Some(match &self.end {
            End::Complete => return None,
            End::Incomplete(Stop::Guard(trip)) => trip.hint(),
            End::Incomplete(Stop::Blocked { .. }) | End::Refused(Refusal::Blocked { .. }) => {
                "ask the repository's operator for access; what it wants is given with `--basic`, `--bearer-file` or `--header`"
            }
            End::Incomplete(Stop::RetryExhausted { trouble, .. })
            | End::Refused(Refusal::Unreachable(trouble))
                if trouble.is_too_large() =>
            {
                "if the repository really has pages that large, allow them with `--max-page-bytes`"
            }
            End::Incomplete(Stop::RetryExhausted { trouble: Trouble::Oai(error), .. })
                if error.code == ErrorCode::BadArgument =>
            {
                "some repositories want the metadata prefix beside the token: `--compat prefix-with-token`"
            }
            End::Incomplete(Stop::Holes { .. }) => {
                "every run asks for them again; tell the repository's operator, or accept one as it is with `--accept-hole IDENTIFIER`"
            }
            End::Incomplete(Stop::Strict(_)) | End::Refused(Refusal::Strict(_)) => {
                "tell the repository's operator, or run again without `--strict`, which survives this"
            }
            End::Refused(Refusal::NotBefore { .. }) => {
                "run the same command again later, or ask in spite of it with `--ignore-not-before`"
            }
            End::Incomplete(_) if self.cursor_kept => AGAIN,
            End::Incomplete(_) => ANEW,
            End::Refused(Refusal::Unreachable(_)) => {
                "check the base URL: `BASE_URL?verb=Identify` must answer with an OAI-PMH document"
            }
            End::Refused(Refusal::Oai(_)) => {
                "check metadata prefix, set and dates against what the repository offers"
            }
            End::Refused(Refusal::Format { .. }) => "choose a format with `--prefix`",
            End::Refused(Refusal::UnknownSet { .. }) => "sets are spelled as ListSets spells them",
            End::Refused(Refusal::Busy { .. }) => "run the same command again later",
            End::Refused(Refusal::Version(_)) => "only OAI-PMH 2.0 is spoken here",
            End::Failed(_) => {
                "nothing that was reported as stored is lost: mend the store and run again"
            }
        })
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(lost) => lost.fmt(f),
            Self::Unreadable(error) => error.fmt(f),
            Self::Status(status) => write!(f, "HTTP status {status}"),
            Self::Oai(error) => {
                write!(f, "the repository answered a token with `{}`: {}", error.code, error.text)
            }
            Self::Answer(text) | Self::Redirects(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete => f.write_str("complete"),
            Self::Incomplete(Stop::Guard(trip)) => trip.fmt(f),
            Self::Incomplete(Stop::RetryExhausted { page, trouble }) => {
                write!(f, "page {page} failed on every try: {trouble}")
            }
            Self::Incomplete(Stop::Busy { refusals, seconds })
            | Self::Refused(Refusal::Busy { refusals, seconds }) => write!(
                f,
                "the source was busy {refusals} times in a row and asks to wait {seconds} s more"
            ),
            Self::Incomplete(Stop::Blocked { status })
            | Self::Refused(Refusal::Blocked { status }) => {
                write!(f, "the source refuses us with HTTP status {status}")
            }
            Self::Incomplete(Stop::Operator) => f.write_str("stopped as asked"),
            Self::Incomplete(Stop::Holes { records, identifier }) => {
                let them = if *records == 1 { "record" } else { "records" };
                write!(f, "{records} {them} could not be had, such as `{identifier}`")
            }
            Self::Incomplete(Stop::Strict(text)) | Self::Refused(Refusal::Strict(text)) => {
                write!(f, "the repository departs from the protocol: {text}")
            }
            Self::Refused(Refusal::NotBefore { until }) => {
                write!(f, "the source asked not to be asked before {until}")
            }
            Self::Refused(Refusal::Format { refusal, offered }) => write!(
                f,
                "the repository answered `{}`; it offers `{}`",
                refusal.code,
                offered.join("`, `")
            ),
            Self::Refused(Refusal::UnknownSet { set, offered }) if offered.is_empty() => {
                write!(f, "the repository has no set `{set}`, and none at all")
            }
            Self::Refused(Refusal::UnknownSet { set, offered }) => {
                write!(
                    f,
                    "the repository has no set `{set}`; among its sets are `{}`",
                    offered.join("`, `")
                )
            }
            Self::Refused(Refusal::Unreachable(trouble)) => {
                write!(f, "no OAI-PMH answer: {trouble}")
            }
            Self::Refused(Refusal::Oai(error)) | Self::Incomplete(Stop::Oai(error)) => {
                write!(f, "the repository answered `{}`: {}", error.code, error.text)
            }
            Self::Refused(Refusal::Version(version)) => {
                write!(f, "the repository speaks protocol version `{version}`")
            }
            Self::Failed(fault) => write!(f, "the store failed: {}", fault.0),
        }
    }
}

/// Text of a repository as people may see it: one line, no control characters, not too long.
pub(crate) fn for_people(text: &str) -> String {
    const CHARACTERS_MAX: usize = 300;
    let mut shown: String = text
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .take(CHARACTERS_MAX)
        .collect();
    if text.chars().nth(CHARACTERS_MAX).is_some() {
        shown.push('…');
    }
    shown
}
