//! How the repository keeps the protocol.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::style::{
    Advances, Bound, Cap, Cursor, DatestampForm, Earliest, Expiration, IdentifyTexts, Ignored,
    ListKind, ListSize, ResponseDate, UntilDay,
};
use crate::time::Duration;

/// How the repository keeps the protocol.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Protocol {
    /// The finest unit of datestamps: "second" or "day". Default: "second".
    pub(crate) granularity: Option<Granularity>,
    /// What is kept of deletions: "no", "transient" or "persistent". Default: "persistent".
    pub(crate) deleted_records: Option<DeletedRecords>,
    /// What tokens are made of: "stateless", "stateful", "opaque", "offset" or "session". Default: "stateless".
    pub(crate) token: Option<TokenStyle>,
    /// How long a token lives. Default: for ever.
    #[serde(default)]
    pub(crate) ttl: Ttl,
    /// Where a token is known: "nowhere" in particular, on one "node", or with the "cookie" of its list. Default:
    /// "nowhere".
    pub(crate) bound: Option<Bound>,
    /// What moves a session on: a page that was "sent", or being "asked". Default: "sent".
    pub(crate) advances: Option<Advances>,
    /// The resumptionToken element of the last page: "empty", "blank", "bare" or "absent". Default: "empty".
    pub(crate) last_token: Option<LastToken>,
    /// What completeListSize says: "right", "absent", "rest", "whole", or estimate, at-least, grows, text = ….
    /// Default: "right".
    #[schemars(with = "Option<ListSize>")]
    pub(crate) list_size: Option<Spanned<ListSize>>,
    /// What cursor says: "right", "absent", "pages", "one-based", "rest", or wrong, text = …. Default: "right", and
    /// "absent" where list-size is.
    #[schemars(with = "Option<Cursor>")]
    pub(crate) cursor: Option<Spanned<Cursor>>,
    /// What expirationDate says: "absent", "right", "past", or text = …. Default: "absent".
    #[schemars(with = "Option<Expiration>")]
    pub(crate) expiration: Option<Spanned<Expiration>>,
    /// Whether a list stands still while it is read: "frozen", "live" or "key-set". Default: "frozen".
    #[schemars(with = "Option<ListKind>")]
    pub(crate) list: Option<Spanned<ListKind>>,
    /// How many entries of a page the next one repeats. Default: 0.
    #[schemars(with = "Option<u32>")]
    pub(crate) overlap: Option<Spanned<u32>>,
    /// Where lists stop, such as { records = 10000, then = "ends" }. Default: nowhere.
    #[schemars(with = "Option<Cap>")]
    pub(crate) cap: Option<Spanned<Cap>>,
    /// How datestamps are written: "right", "fractions", "offset", "day", "second" or "now". Default: "right".
    pub(crate) datestamps: Option<DatestampForm>,
    /// How responseDate is written: "right", "fractions", "offset", "absent", or text = …. Default: "right".
    #[schemars(with = "Option<ResponseDate>")]
    pub(crate) response_date: Option<Spanned<ResponseDate>>,
    /// What earliestDatestamp says: "right", "now", "newest", "absent", or text = …. Default: "right".
    #[schemars(with = "Option<Earliest>")]
    pub(crate) earliest: Option<Spanned<Earliest>>,
    /// What a day means as the end of a range: its "end" or its "midnight". Default: "end".
    pub(crate) until_day: Option<UntilDay>,
    /// Arguments that make no difference, such as ["from", "set"]. Default: none.
    #[serde(default)]
    pub(crate) ignores: Vec<Ignored>,
    /// After this page of a list what was selected is forgotten: the whole repository follows. Default: never.
    #[schemars(with = "Option<u32>")]
    pub(crate) filter_forgotten_after: Option<Spanned<u32>>,
    /// How long it takes until a change shows, with the datestamp of the change. Default: "0s".
    #[schemars(with = "Option<Duration>")]
    pub(crate) index_lag: Option<Spanned<Duration>>,
    /// What Identify says that is not so. Default: nothing.
    #[schemars(with = "Option<IdentifyTexts>")]
    pub(crate) identify: Option<Spanned<IdentifyTexts>>,
}

/// How long a token lives.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Ttl {
    /// It survives so many requests after the one that gave it out, whoever sends them; at least 1.
    #[schemars(with = "Option<u32>")]
    pub(crate) requests: Option<Spanned<u32>>,
    /// It survives so long on the repository's clock.
    #[schemars(with = "Option<Duration>")]
    pub(crate) time: Option<Spanned<Duration>>,
    /// It dies of being used once. Default: false.
    #[schemars(with = "Option<bool>")]
    pub(crate) one_use: Option<Spanned<bool>>,
}

/// The finest unit of datestamps.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Granularity {
    /// 2024-05-01T08:00:00Z
    #[default]
    Second,
    /// 2024-05-01
    Day,
}

/// What a repository keeps of deletions.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DeletedRecords {
    /// Deleted records vanish from its lists without a trace.
    No,
    /// It shows deletions, but promises nothing.
    Transient,
    /// It shows deletions for ever.
    #[default]
    Persistent,
}

/// What tokens are made of.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TokenStyle {
    /// Selection and position are written into the token, with reserved characters between them.
    #[default]
    Stateless,
    /// A name for a list that the repository remembers, and the page.
    Stateful,
    /// A name for list and page that says nothing, with reserved characters in it.
    Opaque,
    /// Selection and offset as a query string: inviting to take it apart, and wrong to.
    Offset,
    /// One constant token a list: each answer moves the session on.
    Session,
}

/// The resumptionToken element of the last page of a list of several pages.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LastToken {
    /// Present and empty: what the protocol asks for.
    #[default]
    Empty,
    /// Present and holding nothing but white space.
    Blank,
    /// Present and empty, without any attribute.
    Bare,
    /// Not there.
    Absent,
}
