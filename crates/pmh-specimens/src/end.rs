//! How a run of a specimen ended.

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Ended {
        /// `complete`, `incomplete` or `refused`.
        outcome: &'static str,
        /// Name of the guard that ended it.
        guard: Option<&'static str>,
        /// Why, in words.
        reason: Option<String>,
        /// Exit code.
        exit: i32,
    },
    /// It was killed.
    Killed,
    /// The budget was spent before it ended.
    OverBudget,
}

impl End {
    pub(crate) const fn complete() -> Self {
        Self::Ended { outcome: "complete", guard: None, reason: None, exit: 0 }
    }

    pub(crate) const fn stopped_by(guard: &'static str) -> Self {
        Self::Ended { outcome: "incomplete", guard: Some(guard), reason: None, exit: 4 }
    }

    pub(crate) const fn incomplete(reason: String) -> Self {
        Self::Ended { outcome: "incomplete", guard: None, reason: Some(reason), exit: 4 }
    }

    pub(crate) const fn refused(reason: String) -> Self {
        Self::Ended { outcome: "refused", guard: None, reason: Some(reason), exit: 3 }
    }
}
