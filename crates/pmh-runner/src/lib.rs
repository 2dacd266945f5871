//! pmh-runner
