//! pmh-mock
