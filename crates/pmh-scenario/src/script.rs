//! What will happen: a scenario with its seed applied and nothing left to chance.

use pmh_protocol::{DeletedRecords, Granularity, Stamp};

use crate::world::World;

/// A scenario as it is played.
#[derive(Clone, Debug)]
pub struct Script {
    /// Path of the file below the scenario folder, without its ending: `token/repeats`.
    pub id: String,
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
    /// What the harvester is asked to do, one after the other.
    pub runs: Vec<Run>,
    /// What must be true afterwards.
    pub expect: Expect,
    /// Names of the specimens that must fail this scenario.
    pub catches: Vec<String>,
    /// What may be used up.
    pub budget: Budget,
}

impl Script {
    /// The name of the run of this index, from 0; the one beyond the last is the run that must change nothing.
    #[must_use]
    pub fn run_name(&self, run_index: usize) -> &str {
        self.runs.get(run_index).map_or(ONCE_MORE, |run| run.name.as_str())
    }
}

/// Name of the run that is added to prove that nothing changes any more; no scenario may use it.
pub const ONCE_MORE: &str = "once-more";

/// The repository as it stands before the first run.
#[derive(Clone, Debug)]
pub struct RepositoryScript {
    /// Its records.
    pub world: World,
    /// Entries a page.
    pub page_size: usize,
    /// How it keeps the protocol.
    pub protocol: Protocol,
    /// Its clock.
    pub clock: ClockScript,
}

/// The choices that the protocol leaves to a repository, and two that it does not.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// Form of datestamps.
    pub granularity: Granularity,
    /// What is kept of deletions.
    pub deleted_records: DeletedRecords,
    /// What tokens are made of.
    pub token: TokenStyle,
    /// How many requests a token survives after it was issued; `None` is for ever.
    pub token_requests: Option<u32>,
    /// How the last page of a list of several ends it.
    pub last_token: LastToken,
    /// Whether completeListSize and cursor are announced.
    pub announces_size: bool,
}

/// What a repository makes tokens of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenStyle {
    /// Selection and position written into the token; any process can answer it, any number of times.
    Stateless,
    /// A name for a list remembered by the repository, and the page.
    Stateful,
    /// One constant token a list: the position lives in the session and advances with each answer.
    Session,
}

/// The last page's resumptionToken element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastToken {
    /// Present and empty: what the protocol asks for.
    Empty,
    /// Present and holding white space.
    Blank,
    /// Not there.
    Absent,
}

/// The repository's clock: it moves by events, never by waiting.
#[derive(Clone, Copy, Debug)]
pub struct ClockScript {
    /// What it says when the first run begins.
    pub start: Stamp,
    /// Seconds it advances with each answered request.
    pub tick_seconds: i64,
    /// Run k, from 0, begins this many seconds times k after `start`: no budget of requests reaches so far.
    pub between_runs_seconds: i64,
}

impl ClockScript {
    /// The instant the run of this index, from 0, begins; what changes before it is stamped so.
    #[must_use]
    pub fn run_start(&self, run_index: usize) -> Stamp {
        let runs = i64::try_from(run_index).unwrap_or(i64::MAX);
        self.start.plus_seconds(self.between_runs_seconds.saturating_mul(runs))
    }
}

/// One deliberate departure.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its name, as journals and reports print it.
    pub name: String,
    /// When it is due: at every request that fits.
    pub when: When,
    /// What it does.
    pub effect: Effect,
    /// At most this many firings.
    pub times: Option<u32>,
    /// Whether the scenario is still worth something when it never fires.
    pub optional: bool,
    /// Line of its table in the scenario file, from 1.
    pub line: usize,
}

/// A place in a harvest. All that is given must hold; what is absent matches anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// Name of the run.
    pub run: Option<String>,
    /// The nth list of the run, from 1: a list verb without a token starts one.
    pub list: Option<u32>,
    /// The nth page of the list by content, from 1: the page that the request asks for.
    pub page: Option<u32>,
    /// The request carries the nth token issued in the list, from 1; 0 is the opening request.
    pub token: Option<u32>,
    /// How often this page of this list has been asked for, from 1.
    pub attempt: Option<u32>,
}

/// What a fault does to one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Something about the token.
    Token(TokenEffect),
    /// An answer that is no OAI-PMH at all.
    Http(HttpEffect),
}

/// Faults of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenEffect {
    /// The request is answered with badResumptionToken, and its token stays dead.
    Expire,
    /// The page carries the very token it was asked for with.
    Same,
    /// The page carries the token that page n carried: the list goes round in a ring.
    WrapTo(u32),
    /// The page carries a fresh token that leads to page n.
    RewindTo(u32),
    /// The first n requests for the page get a page without records and a fresh token that leads to it.
    EmptyPages(u32),
    /// The page carries no token although the list goes on.
    Drop,
}

/// An HTTP answer without a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpEffect {
    /// Status code.
    pub status: u16,
    /// Text of a Retry-After field, as it is sent.
    pub retry_after: Option<String>,
}

/// One run of the harvester.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its name.
    pub name: String,
    /// What changes in the repository before it.
    pub before: Vec<Change>,
    /// Where the harvester is killed.
    pub crash: Option<Crash>,
    /// What must come of it.
    pub expect: RunExpect,
}

/// A change in the repository. Records are numbered from 1 in the order of the world; what was added counts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// So many new records.
    Add(u32),
    /// New versions of these; a deleted record comes back to life.
    Touch(Vec<u32>),
    /// Deletion of these: tombstones, as far as the repository keeps any.
    Delete(Vec<u32>),
}

/// A sudden death of the harvester.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The page, by content position in the run's first list.
    pub page: u32,
    /// The moment.
    pub phase: CrashPhase,
}

/// The moment of a crash, in terms of its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPhase {
    /// The page has arrived, and the one after it where the harvester reads ahead; nothing of it is committed.
    Uncommitted,
    /// The page is committed, and nothing after it.
    Committed,
}

/// What must come of a run. Absent: not asked.
#[derive(Clone, Debug, Default)]
pub struct RunExpect {
    /// `complete`, `incomplete` or `refused`.
    pub outcome: Option<String>,
    /// Name of the guard that ends it.
    pub guard: Option<String>,
    /// Exit code.
    pub exit: Option<i32>,
    /// Most requests.
    pub max_requests: Option<u32>,
    /// Rows that a reader of the store notices as new, changed, withdrawn or revived.
    pub changes: Option<u64>,
}

/// What must be true after the last run.
#[derive(Clone, Debug)]
pub struct Expect {
    /// What the store must hold.
    pub store: StoreExpect,
    /// One more run is added, and must change nothing.
    pub idempotent: bool,
}

/// How the store must compare with the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreExpect {
    /// Exactly the truth.
    Truth,
    /// Nothing but the truth, perhaps not all of it.
    Subset,
}

/// What a scenario may use up.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Requests over all runs; the repository answers no more than these.
    pub requests: u32,
    /// Seconds a run may take on the wall clock.
    pub wall_seconds: u64,
}
