//! What a store must hold, by hand.

/// What a store must hold after a run, as far as somebody has written it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Identifiers of records that must be there, alive. With `is_whole` there is nothing else but the deleted ones.
    pub present: Vec<String>,
    /// Identifiers of records that must be there as deleted ones.
    pub deleted: Vec<String>,
    /// Identifiers of records that must not be there.
    pub absent: Vec<String>,
    /// Whether what is named is all there may be.
    pub is_whole: bool,
}
