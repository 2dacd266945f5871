//! What the harvester is asked to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Change, Crash, Holdings};
use crate::time::Date;

/// One run of the harvester.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Run {
    /// Its name. Default: the word of its action.
    #[schemars(with = "Option<String>")]
    pub(crate) name: Option<Spanned<String>>,
    /// What the harvester does: "harvest" in the first run; "resume" what an earlier run left unfinished; "incremental",
    /// what is new since an earlier run.
    #[schemars(with = "Action")]
    pub(crate) action: Spanned<Action>,
    /// Start of the span asked for, a day or an instant; it is what the operator names. Default: what the harvester
    /// finds right.
    #[schemars(with = "Option<Date>")]
    pub(crate) from: Option<Spanned<Date>>,
    /// End of the span asked for.
    #[schemars(with = "Option<Date>")]
    pub(crate) until: Option<Spanned<Date>>,
    /// Only this set and its descendants.
    #[schemars(with = "Option<String>")]
    pub(crate) set: Option<Spanned<String>>,
    /// The metadata format. Default: "oai_dc".
    #[schemars(with = "Option<String>")]
    pub(crate) prefix: Option<Spanned<String>>,
    /// Whether everything is asked for again, whatever is known. Default: false.
    pub(crate) full: Option<bool>,
    /// Departures that the operator has chosen for this source: "prefix-with-token", "token-raw", "end-by-count",
    /// "post", "ignore-size".
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) switches: Vec<Spanned<String>>,
    /// Whether deletions take effect however many they are. Default: false.
    pub(crate) allow_mass_delete: Option<bool>,
    /// Whether a record that a whole list does not show any more is taken as deleted; wants `full`. Default: false.
    #[schemars(with = "Option<bool>")]
    pub(crate) infer_deletions: Option<Spanned<bool>>,
    /// Whether the first departure from the protocol ends the run instead of being survived. Default: false.
    pub(crate) strict: Option<bool>,
    /// What changes in the repository before it, such as [{ add = 5 }, { delete = [10, 11] }]. Default: nothing.
    #[serde(default)]
    pub(crate) before: Vec<Change>,
    /// Where the harvester is killed. Default: nowhere.
    pub(crate) crash: Option<Crash>,
    /// What the store must hold after it, where replies say what the repository holds. Default: not judged, but for
    /// the last run, which `[truth]` speaks of.
    pub(crate) truth: Option<Holdings>,
    /// What must come of it. What is absent is not asked.
    #[serde(default)]
    pub(crate) expect: RunExpect,
}

/// What the harvester does in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Action {
    /// The first run, with an empty store.
    Harvest,
    /// Goes on with what an earlier run left unfinished.
    Resume,
    /// Asks for what is new since an earlier run.
    Incremental,
}

impl Action {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Harvest => "harvest",
            Self::Resume => "resume",
            Self::Incremental => "incremental",
        }
    }
}

/// What must come of a run.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RunExpect {
    /// "complete", "incomplete" or "refused".
    #[schemars(with = "Option<String>")]
    pub(crate) outcome: Option<Spanned<String>>,
    /// Name of the guard that ends it.
    #[schemars(with = "Option<String>")]
    pub(crate) guard: Option<Spanned<String>>,
    /// Exit code of the harvester: 0 complete, 1 its own fault, 3 refused, 4 incomplete.
    #[schemars(with = "Option<u8>", range(min = 0, max = 4))]
    pub(crate) exit: Option<Spanned<u8>>,
    /// Most requests that it may send.
    pub(crate) max_requests: Option<u32>,
    /// Rows that a reader of the store notices as new, changed, withdrawn or revived.
    pub(crate) changes: Option<u32>,
    /// Names of complaints that it must make, such as ["control-character"]; others may stand beside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) complaints: Vec<String>,
    /// Where the watermark stands afterwards: "unchanged", "none", or an instant.
    #[schemars(with = "Option<String>")]
    pub(crate) watermark: Option<Spanned<String>>,
}
