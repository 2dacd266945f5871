//! The whole file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{Budget, Client, Clock, Expect, Fault, Holdings, Protocol, Reply, Repository, Run};

/// A scenario: a repository, what goes wrong with it, what the harvester is asked to do, what must be true afterwards.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "Scenario")]
pub(crate) struct File {
    /// Version of this file format: 1.
    #[schemars(with = "u32")]
    pub(crate) format: Spanned<u32>,
    /// One sentence that says what happens and what must come of it.
    pub(crate) title: Option<String>,
    /// The catalogue's kind of failure, such as "F008".
    #[schemars(with = "Option<String>")]
    pub(crate) kind: Option<Spanned<String>>,
    /// Numbers of the protocol's rules that are at stake, 1 to 272.
    #[serde(default)]
    #[schemars(with = "Vec<u32>")]
    pub(crate) rules: Vec<Spanned<u32>>,
    /// Words to find the scenario by.
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// Where the failure was met.
    pub(crate) origin: Option<String>,
    /// What payloads, deletions, sets and opaque tokens are derived from. Default: 1.
    pub(crate) seed: Option<u64>,
    /// Names of the deliberately wrong harvesters that must fail this scenario.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) catches: Vec<Spanned<String>>,
    /// Files that this one builds on, from left to right: tables are merged key by key, faults, runs and replies are
    /// added, and what has the name of an earlier one takes its place.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    #[expect(dead_code, reason = "read before the shape is, and listed here for editors")]
    pub(crate) extends: Vec<Spanned<String>>,
    /// One file, several cases: keys by their paths, each with the values that it takes, such as
    /// "repository.page-size" = [1, 7, 20].
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<serde_json::Value>>")]
    #[expect(
        dead_code,
        reason = "taken out before the shape is read, and listed here for editors"
    )]
    pub(crate) matrix: BTreeMap<String, Vec<toml::Value>>,
    /// The repository's content.
    #[serde(default)]
    pub(crate) repository: Repository,
    /// The choices that the protocol leaves to a repository, and some that it does not.
    #[serde(default)]
    pub(crate) protocol: Protocol,
    /// The repository's clock. It moves by events, never by waiting.
    #[serde(default)]
    pub(crate) clock: Clock,
    /// What goes wrong. One answer plays at most one fault of each layer, in the order repo, token, oai, xml, http, wire,
    /// time; of several of one layer that are due, the first in the file.
    #[serde(default)]
    #[schemars(with = "Vec<Fault>")]
    pub(crate) fault: Vec<Spanned<Fault>>,
    /// Answers word for word, tried from the top. What none of them fits is answered by the repository where it has
    /// records; without any, only Identify, ListSets and ListMetadataFormats are.
    #[serde(default)]
    #[schemars(with = "Vec<Reply>")]
    pub(crate) reply: Vec<Spanned<Reply>>,
    /// How the harvester is set up.
    #[serde(default)]
    pub(crate) client: Client,
    /// What the harvester is asked to do, one after the other.
    #[serde(default)]
    #[schemars(with = "Vec<Run>")]
    pub(crate) run: Vec<Spanned<Run>>,
    /// What the store must hold after the last run, where replies say what the repository holds.
    pub(crate) truth: Option<Holdings>,
    /// What must be true after the last run.
    #[serde(default)]
    pub(crate) expect: Expect,
    /// What may be used up.
    #[serde(default)]
    pub(crate) budget: Budget,
}
