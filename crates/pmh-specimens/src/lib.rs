//! pmh-specimens
