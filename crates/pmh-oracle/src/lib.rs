//! pmh-oracle
