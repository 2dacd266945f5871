//! pmh-client
