//! pmh-store
