//! pmh-harvest
