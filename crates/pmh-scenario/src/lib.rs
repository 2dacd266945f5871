//! pmh-scenario
