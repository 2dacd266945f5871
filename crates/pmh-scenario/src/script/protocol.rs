//! How the repository keeps the protocol.

use pmh_protocol::{DeletedRecords, Granularity};

use crate::style::{Announced, Dates, Filter, IdentifyTexts, Paging, TokenLife};

/// The choices that the protocol leaves to a repository, and many that it does not.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// Form of datestamps.
    pub granularity: Granularity,
    /// What is kept of deletions.
    pub deleted_records: DeletedRecords,
    /// What tokens are made of.
    pub token: TokenStyle,
    /// How long tokens live, and where.
    pub life: TokenLife,
    /// How the last page of a list of several ends it.
    pub last_token: LastToken,
    /// What tokens say besides themselves.
    pub announced: Announced,
    /// How lists are cut into pages.
    pub paging: Paging,
    /// How dates are written.
    pub dates: Dates,
    /// What dates and sets select.
    pub filter: Filter,
    /// Seconds from a change to the moment when it shows, with the datestamp of the change.
    pub index_lag_seconds: i64,
    /// What Identify says that is not so.
    pub identify: IdentifyTexts,
}

/// What a repository makes tokens of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenStyle {
    /// Selection and position written into the token; any process can answer it, any number of times.
    Stateless,
    /// A name for a list remembered by the repository, and the page.
    Stateful,
    /// A name for a list remembered by the repository and the page, that says nothing.
    Opaque,
    /// Selection and offset as a query string.
    Offset,
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
    /// Present and empty, without any attribute.
    Bare,
    /// Not there.
    Absent,
}
