//! The resumptionToken: where a list goes on, in the repository's own words.

use crate::stamp::Stamp;

/// A resumptionToken element as it stood at the end of a list response (rules 134 to 141).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResumptionToken {
    /// The token, opaque: unescaped, trimmed of XML white space, otherwise never edited. Empty closes the list.
    pub value: String,
    /// What the repository claims about how many entries came before this page (its attribute `cursor`).
    pub announced_offset: Option<u64>,
    /// What the repository claims about the length of the whole list (its attribute `completeListSize`).
    /// A text that is no positive number counts as not announced.
    pub announced_size: Option<u64>,
    /// When the repository says it will forget the token (its attribute `expirationDate`).
    pub expires: Option<Stamp>,
}

impl ResumptionToken {
    /// A token with no announcements.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), ..Self::default() }
    }

    /// Whether this element says that the list has ended: present but empty (rule 137).
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.value.is_empty()
    }
}
