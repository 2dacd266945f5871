//! The store that forgets.

/// One row.
pub struct Row {}

/// A store in memory.
pub struct MemoryStore {}
