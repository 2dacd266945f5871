//! The whole script.

use super::{Budget, Expect, Fault, LiteralReply, RepositoryScript, Run};

/// A scenario as it is played.
#[derive(Clone, Debug)]
pub struct Script {
    /// Path of the file below the scenario folder, without its ending, and which case of its matrix, if it has one:
    /// `token/repeats`, `token/expires[page-size=7]`.
    pub id: String,
    /// Path of the file alone.
    pub family: String,
    /// One sentence that says what happens and what must come of it.
    pub title: String,
    /// The catalogue's kind of failure, such as `F008`.
    pub kind: Option<String>,
    /// Numbers of the protocol's rules that are at stake.
    pub rules: Vec<u32>,
    /// What payloads and opaque tokens are derived from.
    pub seed: u64,
    /// The repository.
    pub repository: RepositoryScript,
    /// What goes wrong with it, in file order.
    pub faults: Vec<Fault>,
    /// Answers word for word, in file order: the first that fits answers.
    pub replies: Vec<LiteralReply>,
    /// What the harvester is asked to do, one after the other.
    pub runs: Vec<Run>,
    /// Thresholds of the harvester's guards and limits on its trying, by name, where they are not its own.
    pub thresholds: Vec<(String, u32)>,
    /// What stands behind a question mark in the base URL that the harvester is given.
    pub base_url_query: Option<String>,
    /// What must be true afterwards.
    pub expect: Expect,
    /// Names of the specimens that must fail this scenario.
    pub catches: Vec<String>,
    /// What may be used up.
    pub budget: Budget,
}

impl Script {
    /// Whether the repository has records of its own: then the model answers what no reply fits, and the truth is
    /// computed. Otherwise the replies are all there is, and the truth is what somebody wrote down.
    #[must_use]
    pub fn is_modelled(&self) -> bool {
        self.replies.is_empty() || !self.repository.world.records.is_empty()
    }

    /// This base URL as the harvester is given it.
    #[must_use]
    pub fn base_url_for_client(&self, base_url: &str) -> String {
        match &self.base_url_query {
            Some(query) => format!("{base_url}?{query}"),
            None => base_url.to_owned(),
        }
    }

    /// The name of the run of this index, from 0; the one beyond the last is the run that must change nothing.
    #[must_use]
    pub fn run_name(&self, run_index: usize) -> &str {
        self.runs.get(run_index).map_or(ONCE_MORE, |run| run.name.as_str())
    }
}

/// Name of the run that is added to prove that nothing changes any more; no scenario may use it.
pub const ONCE_MORE: &str = "once-more";
