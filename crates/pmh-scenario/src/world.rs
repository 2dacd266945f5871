//! The records of a repository, and how they change.

use std::collections::BTreeMap;

use pmh_protocol::Stamp;

/// All records of a repository, in one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// By number, from 1 in the order of creation.
    pub records: BTreeMap<u32, WorldRecord>,
}

/// A record in one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldRecord {
    /// Its identifier.
    pub identifier: String,
    /// When it was created, changed or deleted.
    pub stamp: Stamp,
    /// Its sets.
    pub sets: Vec<String>,
    /// Which version of the payload, from 1.
    pub version: u32,
    /// Whether it is deleted.
    pub deleted: bool,
}
