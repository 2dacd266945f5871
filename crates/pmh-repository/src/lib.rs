//! pmh-repository
