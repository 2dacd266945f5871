//! The file as it is written: its shape and nothing else.
//!
//! Enums are externally tagged and nothing is flattened, because only then does a typo get the place of the very
//! word. Values whose meaning is checked later carry their place. The first comment on a field is what an editor
//! shows when the pointer rests on it. What is absent is `None`: defaults are filled in elsewhere, so that `show`
//! can tell the two apart.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::time::{Duration, Instant};

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
    /// What the harvester is asked to do, one after the other.
    #[serde(default)]
    #[schemars(with = "Vec<Run>")]
    pub(crate) run: Vec<Spanned<Run>>,
    /// What must be true after the last run.
    #[serde(default)]
    pub(crate) expect: Expect,
    /// What may be used up.
    #[serde(default)]
    pub(crate) budget: Budget,
}

/// The repository's content.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Repository {
    /// Where the records come from. Default: 60 generated ones.
    pub(crate) records: Option<Records>,
    /// Entries a page. Default: 20.
    #[schemars(with = "Option<u32>")]
    pub(crate) page_size: Option<Spanned<u32>>,
    /// The sets that there are, such as ["art", "art:paint"]; each record is dealt into one of them. Default: none.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) sets: Vec<Spanned<String>>,
}

/// Where records come from.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Records {
    /// Records made up from the seed, numbered from 1.
    Generate(Generate),
}

/// Records made up from the seed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Generate {
    /// How many. Default: 60.
    #[schemars(with = "Option<u32>")]
    pub(crate) count: Option<Spanned<u32>>,
    /// The share that is deleted before the first run, from 0 to 1. Default: 0.
    #[schemars(with = "Option<f64>")]
    pub(crate) deleted: Option<Spanned<f64>>,
    /// Their datestamps: "same", or every = { from = …, step = … }. Default: every, an hour apart, from a year before
    /// the clock starts.
    #[schemars(with = "Option<Stamps>")]
    pub(crate) stamps: Option<Spanned<Stamps>>,
}

/// Datestamps of generated records.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stamps {
    /// All the same: a year before the clock starts.
    Same,
    /// One after the other.
    Every(Every),
}

/// Datestamps one after the other.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Every {
    /// Datestamp of the first record. Default: a year before the clock starts.
    pub(crate) from: Option<Instant>,
    /// From one to the next. Default: an hour, or as much less as makes them fit in before the clock starts.
    pub(crate) step: Option<Duration>,
}

/// How the repository keeps the protocol.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Protocol {
    /// The finest unit of datestamps: "second" or "day". Default: "second".
    pub(crate) granularity: Option<Granularity>,
    /// What is kept of deletions: "no", "transient" or "persistent". Default: "persistent".
    pub(crate) deleted_records: Option<DeletedRecords>,
    /// What tokens are made of: "stateless", "stateful" or "session". Default: "stateless".
    pub(crate) token: Option<TokenStyle>,
    /// How long a token lives. Default: for ever.
    #[serde(default)]
    pub(crate) ttl: Ttl,
    /// The resumptionToken element of the last page: "empty", "blank" or "absent". Default: "empty".
    pub(crate) last_token: Option<LastToken>,
    /// What completeListSize and cursor say: "right" or "absent". Default: "right".
    pub(crate) list_size: Option<ListSize>,
}

/// How long a token lives.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Ttl {
    /// It survives so many requests after the one that gave it out, whoever sends them; at least 1.
    #[schemars(with = "Option<u32>")]
    pub(crate) requests: Option<Spanned<u32>>,
}

/// The finest unit of datestamps.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Granularity {
    /// 2024-05-01T08:00:00Z
    #[default]
    Second,
    /// 2024-05-01
    Day,
}

/// What a repository keeps of deletions.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DeletedRecords {
    /// Deleted records vanish from its lists without a trace.
    No,
    /// It shows deletions, but promises nothing.
    Transient,
    /// It shows deletions for ever.
    #[default]
    Persistent,
}

/// What tokens are made of.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TokenStyle {
    /// Selection and position are written into the token, with reserved characters between them.
    #[default]
    Stateless,
    /// A name for a list that the repository remembers, and the page.
    Stateful,
    /// One constant token a list: each answer moves the session on.
    Session,
}

/// The resumptionToken element of the last page of a list of several pages.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LastToken {
    /// Present and empty: what the protocol asks for.
    #[default]
    Empty,
    /// Present and holding nothing but white space.
    Blank,
    /// Not there.
    Absent,
}

/// What completeListSize and cursor say.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ListSize {
    /// The size of the list and the position of the page.
    #[default]
    Right,
    /// Nothing: the attributes are not there.
    Absent,
}

/// The repository's clock.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Clock {
    /// What it says when the first run begins, as a string or a bare date. It must stay in the past for a harvester
    /// with a real clock. Default: 2025-01-01T00:00:00Z.
    #[schemars(with = "Option<Instant>")]
    pub(crate) start: Option<Spanned<Instant>>,
    /// How far it moves with each answered request. Default: "1s".
    #[schemars(with = "Option<Duration>")]
    pub(crate) tick: Option<Spanned<Duration>>,
    /// From the beginning of one run to the beginning of the next. Default: "1d".
    #[schemars(with = "Option<Duration>")]
    pub(crate) between_runs: Option<Spanned<Duration>>,
}

/// One deliberate departure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Fault {
    /// What happens, in words: journals and reports print it.
    #[schemars(with = "String")]
    pub(crate) name: Spanned<String>,
    /// When it is due: at every request where all of this holds. Default: at every request.
    #[schemars(with = "Option<When>")]
    pub(crate) when: Option<Spanned<When>>,
    /// What it does.
    #[serde(rename = "do")]
    pub(crate) effect: Effect,
    /// At most so many firings. Default: no limit.
    #[schemars(with = "Option<u32>")]
    pub(crate) times: Option<Spanned<u32>>,
    /// Whether the scenario is still worth something when this never fires. Default: false.
    pub(crate) optional: Option<bool>,
}

/// A place in a harvest. What is absent matches anything.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct When {
    /// Name of the run.
    #[schemars(with = "Option<String>")]
    pub(crate) run: Option<Spanned<String>>,
    /// The nth list of the run, from 1: a list request without a token starts one.
    #[schemars(with = "Option<u32>")]
    pub(crate) list: Option<Spanned<u32>>,
    /// The nth page of the list by content, from 1: the page that the request asks for.
    #[schemars(with = "Option<u32>")]
    pub(crate) page: Option<Spanned<u32>>,
    /// The request carries the nth token given out in the list, from 1; 0 is the opening request.
    #[schemars(with = "Option<u32>")]
    pub(crate) token: Option<Spanned<u32>>,
    /// How often this page of this list has been asked for, from 1.
    #[schemars(with = "Option<u32>")]
    pub(crate) attempt: Option<Spanned<u32>>,
}

/// What a fault does to one answer.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effect {
    /// Something about the token.
    Token(TokenEffect),
    /// An HTTP answer without an OAI-PMH document.
    Http(HttpEffect),
}

/// Faults of tokens.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TokenEffect {
    /// The request is answered with badResumptionToken, and its token stays dead.
    Expire,
    /// The page carries the very token it was asked for with.
    Same,
    /// The page carries no token although the list goes on.
    Drop,
    /// The page carries the token that page n carried: the list goes round in a ring.
    WrapTo(#[schemars(with = "u32")] Spanned<u32>),
    /// The page carries a fresh token that leads to page n, and so do all pages after it.
    RewindTo(#[schemars(with = "u32")] Spanned<u32>),
    /// The page is announced n times by an empty page with a fresh token before it comes.
    EmptyPages(#[schemars(with = "u32")] Spanned<u32>),
}

/// An HTTP answer without an OAI-PMH document.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct HttpEffect {
    /// Status code, 200 to 599, of an answer with a body.
    #[schemars(with = "u16")]
    pub(crate) status: Spanned<u16>,
    /// Value of a Retry-After field: a duration such as "2m" is sent in seconds, anything else as it is written.
    #[schemars(with = "Option<String>")]
    pub(crate) retry_after: Option<Spanned<String>>,
}

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
    /// What changes in the repository before it, such as [{ add = 5 }, { delete = [10, 11] }]. Default: nothing.
    #[serde(default)]
    pub(crate) before: Vec<Change>,
    /// Where the harvester is killed. Default: nowhere.
    pub(crate) crash: Option<Crash>,
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

/// A change in the repository. Records are numbered from 1; what is added counts on.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Change {
    /// So many new records.
    Add(#[schemars(with = "u32")] Spanned<u32>),
    /// New versions of these records; a deleted one comes back to life.
    Touch(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
    /// Deletion of these records.
    Delete(#[schemars(with = "Vec<u32>")] Vec<Spanned<u32>>),
}

/// A sudden death of the harvester.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Crash {
    /// Where in the run's first list.
    pub(crate) at: CrashPlace,
    /// The moment: "uncommitted" or "committed".
    pub(crate) phase: CrashPhase,
}

/// Where in a list a harvester dies.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CrashPlace {
    /// The page by content, from 1.
    #[schemars(with = "u32")]
    pub(crate) page: Spanned<u32>,
}

/// The moment of a crash, in terms of its page.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CrashPhase {
    /// The page has arrived and nothing of it is committed.
    Uncommitted,
    /// The page is committed, and nothing after it.
    Committed,
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
}

/// What must be true after the last run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Expect {
    /// What the store must hold: "truth" or "subset". Default: "truth", and "subset" when the last run is
    /// expected to be incomplete or refused.
    pub(crate) store: Option<StoreExpect>,
    /// Whether one more run is added that must change nothing. Default: false.
    pub(crate) idempotent: Option<bool>,
}

/// How the store must compare with the truth.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoreExpect {
    /// Exactly the truth.
    Truth,
    /// Nothing but the truth, perhaps not all of it.
    Subset,
}

/// What may be used up.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Budget {
    /// Requests over all runs; the repository answers no more than these. Default: 500.
    #[schemars(with = "Option<u32>")]
    pub(crate) requests: Option<Spanned<u32>>,
    /// How long a run may take on the wall clock. Default: "30s".
    #[schemars(with = "Option<Duration>")]
    pub(crate) wall: Option<Spanned<Duration>>,
}
