//! Rules on the requests of a case.

/// A rule on the requests of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceRule {
    /// A token stands alone beside the verb (rule 181).
    TokenSoleArgument,
    /// A token is sent exactly as it was delivered (rule 136).
    TokenVerbatim,
    /// Characters of a token that a URL gives a meaning to are percent-encoded (rule 144).
    TokenEncoded,
    /// After badResumptionToken the list is opened again with the same dates, set and format (rule 243).
    RestartFromWindow,
    /// After a lost answer to a token the same token is sent again (rule 243).
    ResendsLastToken,
    /// A run that follows an unfinished one goes on with its token, or opens the same list again.
    SameWindowOnResume,
    /// No request before its Retry-After has passed (rule 78).
    HonoursRetryAfter,
    /// So many requests of a run at once, and no more.
    MaxConcurrency(u32),
    /// So many seconds between two requests of a run (rules 234 and 240).
    MinGap(u64),
    /// Nothing is asked for beyond the end of a list (rules 137 and 242).
    StopsAfterEmptyToken,
    /// A run that this guard ends sends nothing more.
    NoRequestAfter(String),
    /// No date is sent before Identify was asked for, and none finer than it says (rule 115).
    GranularityLearned,
    /// A later run asks from no later than the first answer of the last complete one (rule 237).
    OverlapKept,
    /// So many requests with this verb over all runs.
    AtMost {
        /// How many.
        n: u32,
        /// The verb; `None` is any.
        verb: Option<String>,
    },
    /// No request with this verb and these arguments.
    Never {
        /// The verb; `None` is any.
        verb: Option<String>,
        /// Arguments, decoded.
        args: Vec<(String, String)>,
    },
    /// The first requests with these verbs come in this order.
    Order(Vec<String>),
}

impl TraceRule {
    /// Its name, as scenario files write it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::TokenSoleArgument => "token-sole-argument",
            Self::TokenVerbatim => "token-verbatim",
            Self::TokenEncoded => "token-encoded",
            Self::RestartFromWindow => "restart-from-window",
            Self::ResendsLastToken => "resends-last-token",
            Self::SameWindowOnResume => "same-window-on-resume",
            Self::HonoursRetryAfter => "honours-retry-after",
            Self::MaxConcurrency(_) => "max-concurrency",
            Self::MinGap(_) => "min-gap",
            Self::StopsAfterEmptyToken => "stops-after-empty-token",
            Self::NoRequestAfter(_) => "no-request-after",
            Self::GranularityLearned => "granularity-learned",
            Self::OverlapKept => "overlap-kept",
            Self::AtMost { .. } => "at-most",
            Self::Never { .. } => "never",
            Self::Order(_) => "order",
        }
    }
}
