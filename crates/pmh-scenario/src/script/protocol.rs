//! How the repository keeps the protocol.

use pmh_protocol::{DeletedRecords, Granularity};

/// The choices that the protocol leaves to a repository, and two that it does not.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// Form of datestamps.
    pub granularity: Granularity,
    /// What is kept of deletions.
    pub deleted_records: DeletedRecords,
    /// What tokens are made of.
    pub token: TokenStyle,
    /// How many requests a token survives after it was issued; `None` is for ever.
    pub token_requests: Option<u32>,
    /// How the last page of a list of several ends it.
    pub last_token: LastToken,
    /// Whether completeListSize and cursor are announced.
    pub announces_size: bool,
}

/// What a repository makes tokens of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenStyle {
    /// Selection and position written into the token; any process can answer it, any number of times.
    Stateless,
    /// A name for a list remembered by the repository, and the page.
    Stateful,
    /// One constant token a list: the position lives in the session and advances with each answer.
    Session,
}

/// The last page's resumptionToken element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastToken {
    /// Present and empty: what the protocol asks for.
    Empty,
    /// Present and holding white space.
    Blank,
    /// Not there.
    Absent,
}
