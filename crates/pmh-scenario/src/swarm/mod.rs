//! Random worlds as scenario files: a shape of repository, a subset of troubles, and runs that end without any.
//!
//! Each world leaves out most of what could be, and a few take much of it: a search over subsets finds what a search
//! over everything at once hides from itself. A choice is keyed by the seed and by what it is about.

mod shrinking; // a file with less in it
mod small; // three pages
#[cfg(test)]
mod tests;
mod troubles; // what may go wrong
mod written; // a table as a file for people

use toml::{Table, Value};

use crate::chance::keyed;

pub use shrinking::Shrinking;
pub use small::{FaultAt, small_world_file};
pub use troubles::{Trouble, troubles};
pub use written::written;

/// Troubles of one world at the most.
const TROUBLES_MAX: u64 = 4;

/// Choices of one seed.
pub(crate) struct Choices(u64);

impl Choices {
    /// A number below `bound` that belongs to this name.
    pub(crate) fn below(&self, name: &str, bound: u64) -> u64 {
        keyed(self.0, &["swarm", name]) % bound.max(1)
    }

    /// Whether something is so that is so in `percent` of all worlds.
    fn is(&self, name: &str, percent: u64) -> bool {
        self.below(name, 100) < percent
    }

    /// One of several texts.
    fn one<'a>(&self, name: &str, of: &[&'a str]) -> &'a str {
        of[usize::try_from(self.below(name, of.len() as u64)).unwrap_or(0)]
    }
}

/// How large worlds are; what is `None` is drawn for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorldSize {
    /// Pages, each of them full.
    pub pages: Option<u64>,
    /// Records of a page.
    pub page_size: Option<u64>,
}

/// A random world, before anything is made of it.
#[derive(Clone, Copy, Debug)]
pub struct RandomWorld {
    seed: u64,
    records: u64,
    page_size: u64,
}

impl RandomWorld {
    /// The world of this number; of another size it is another world.
    #[must_use]
    pub fn new(seed: u64, size: &WorldSize) -> Self {
        let choices = Choices(seed);
        let page_size = size.page_size.unwrap_or_else(|| 1 + choices.below("page-size", 8)).max(1);
        let full = size.pages.map(|pages| pages.max(1).saturating_mul(page_size));
        let records = full.unwrap_or_else(|| 1 + choices.below("count", 30));
        Self { seed, records, page_size }
    }

    /// Records when the first run begins.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Pages of a list of all of them.
    #[must_use]
    pub const fn pages(&self) -> u64 {
        self.records.div_ceil(self.page_size)
    }

    /// The world as the text of a scenario file.
    #[must_use]
    pub fn file(&self) -> String {
        let Self { seed, records: count, page_size } = *self;
        let choices = Choices(seed);
        let mut file = Table::new();
        put(&mut file, "format", 1);
        put(&mut file, "title", format!("World {seed}"));
        put(&mut file, "seed", i64::try_from(seed >> 1).unwrap_or(1));
        let pages = self.pages();
        file.insert("repository".to_owned(), repository(&choices, count, page_size).into());
        let (protocol, tells_size) = protocol(&choices, page_size);
        if !protocol.is_empty() {
            file.insert("protocol".to_owned(), protocol.into());
        }
        let is_session = file.get("protocol").and_then(|protocol| protocol.get("token"))
            == Some(&Value::from("session"));
        let (faults, is_costly) = faults(&choices, pages, tells_size, is_session);
        if !faults.is_empty() {
            file.insert("fault".to_owned(), faults.into());
        }
        let may_die = may_die(&file, tells_size);
        file.insert("run".to_owned(), runs(&choices, count, pages, may_die, is_costly).into());
        file.insert("expect".to_owned(), table([("idempotent", true.into())]).into());
        file.insert("budget".to_owned(), table([("requests", 5_000.into())]).into());
        written(&file)
    }
}

/// The world of this number in the size that it draws, as the text of a scenario file.
#[must_use]
pub fn world_file(seed: u64) -> String {
    RandomWorld::new(seed, &WorldSize::default()).file()
}

/// Whether it can be judged where a harvester goes on after a death. After the first page nobody knows that a token lives
/// in a session: a lost answer takes a page with it, and only the size gives that away. And which page a record is on is
/// plain only where pages do not overlap and lists have the usual order. A cookie dies with whoever had it, and the token with it.
fn may_die(file: &Table, tells_size: bool) -> bool {
    let of = |table: &str, key: &str| file.get(table).and_then(|table| table.get(key));
    let is_session = of("protocol", "token") == Some(&Value::from("session"));
    (tells_size || !is_session)
        && of("protocol", "overlap").is_none()
        && of("protocol", "bound").is_none()
        && of("repository", "order").is_none()
}

fn repository(choices: &Choices, count: u64, page_size: u64) -> Table {
    let mut generate = table([("count", number(count))]);
    if choices.is("deleted", 40) {
        put(&mut generate, "deleted", 0.2);
    }
    if choices.is("uuid", 20) {
        put(&mut generate, "identifiers", "uuid");
    }
    if choices.is("same-stamps", 15) {
        put(&mut generate, "stamps", "same");
    }
    let records = table([("generate", generate.into())]);
    let mut repository = table([("records", records.into()), ("page-size", number(page_size))]);
    if choices.is("by-id", 15) {
        put(&mut repository, "order", "id");
    }
    repository
}

/// How the repository keeps the protocol: only what a right harvester arrives at the truth with. And whether its lists
/// tell their size, without which a list that ends early looks like any other.
fn protocol(choices: &Choices, page_size: u64) -> (Table, bool) {
    let mut protocol = Table::new();
    if choices.is("token", 60) {
        let styles = ["stateful", "opaque", "offset", "session"];
        put(&mut protocol, "token", choices.one("token-style", &styles));
    }
    if choices.is("last-token", 30) {
        put(
            &mut protocol,
            "last-token",
            choices.one("last-token-kind", &["blank", "bare", "absent"]),
        );
    }
    let tells_size = !choices.is("size-absent", 30);
    if !tells_size {
        put(&mut protocol, "list-size", "absent");
    }
    if tells_size && choices.is("cursor", 20) {
        put(&mut protocol, "cursor", choices.one("cursor-kind", &["absent", "pages", "one-based"]));
    }
    if choices.is("policy", 30) {
        put(&mut protocol, "deleted-records", choices.one("policy-kind", &["no", "transient"]));
    }
    if choices.is("days", 20) {
        put(&mut protocol, "granularity", "day");
    }
    if choices.is("datestamps", 10) {
        put(&mut protocol, "datestamps", choices.one("datestamps-kind", &["fractions", "offset"]));
    }
    if choices.is("response-date", 10) {
        let kinds = ["fractions", "offset"];
        put(&mut protocol, "response-date", choices.one("response-date-kind", &kinds));
    }
    if page_size > 1 && choices.is("overlap", 10) {
        put(
            &mut protocol,
            "overlap",
            number(1 + choices.below("overlap-by", (page_size - 1).min(2))),
        );
    }
    if choices.is("expiration", 10) {
        put(&mut protocol, "expiration", "past");
    }
    let style = protocol.get("token").and_then(Value::as_str);
    let is_session = style == Some("session");
    if matches!(style, Some("stateful" | "opaque")) && choices.is("bound", 20) {
        put(&mut protocol, "bound", "cookie");
    }
    if !is_session && choices.is("one-use", 10) {
        protocol.insert("ttl".to_owned(), table([("one-use", true.into())]).into());
    }
    (protocol, tells_size)
}

/// What goes wrong, and whether the first run need not be complete then: it must be where one thing goes wrong once.
fn faults(choices: &Choices, pages: u64, tells_size: bool, is_session: bool) -> (Vec<Value>, bool) {
    let known = troubles();
    let number_of_faults = choices.below("troubles", TROUBLES_MAX + 1);
    let mut faults = Vec::new();
    let (mut has_wire, mut is_costly) = (false, false);
    for index in 0..number_of_faults {
        let key = |what: &str| format!("{what} of fault {index}");
        let drawn = choices.below(&key("kind"), known.len() as u64);
        let trouble = &known[usize::try_from(drawn).unwrap_or(0)];
        if !tells_size && (trouble.is_lie || is_session && trouble.hides_session()) {
            continue;
        }
        // An answer travels in one way; and what does not arrive asks for nothing.
        let is_of_the_way = trouble.is_wire() || trouble.asks_for_patience();
        if has_wire && is_of_the_way {
            continue;
        }
        has_wire |= is_of_the_way;
        let first = trouble.first_page;
        if pages < first {
            continue;
        }
        let page = first + choices.below(&key("page"), pages - first + 1);
        let mut when = table([("run", "harvest".into())]);
        if first <= 1 && choices.is(&key("chance"), 25) {
            put(&mut when, "chance", 0.3);
        } else {
            put(&mut when, "page", number(page));
        }
        let times = (trouble.is_passing || !choices.is(&key("for ever"), 30))
            .then(|| 1 + choices.below(&key("times"), 3));
        is_costly |= trouble.is_costly || times != Some(1) || !faults.is_empty();
        faults.push(trouble.fault(index + 1, when, times).into());
    }
    (faults, is_costly)
}

fn runs(choices: &Choices, count: u64, pages: u64, may_die: bool, is_costly: bool) -> Vec<Value> {
    let mut first = table([("name", "harvest".into()), ("action", "harvest".into())]);
    let complete = || table([("outcome", "complete".into())]);
    if may_die && choices.is("crash", 30) {
        let phases =
            ["uncommitted", "committed", "before-response", "after-response", "next-request"];
        // Records that are deleted without a trace may make it fewer pages.
        let page = 1 + choices.below("crash-page", pages / 2);
        let at = table([("page", number(page))]);
        let phase = choices.one("crash-phase", &phases);
        first
            .insert("crash".to_owned(), table([("at", at.into()), ("phase", phase.into())]).into());
    }
    if !is_costly && !first.contains_key("crash") {
        first.insert("expect".to_owned(), complete().into());
    }
    let mut runs = vec![first.into()];
    for index in 1..=3 {
        let name = format!("healed-{index}");
        let mut run = table([("name", name.into()), ("action", "incremental".into())]);
        if index == 2 && choices.is("changes", 50) {
            let record = |name: &str| number(1 + choices.below(name, count));
            let changes: Vec<Value> = vec![
                table([("touch", vec![record("touched")].into())]).into(),
                table([("delete", vec![record("withdrawn")].into())]).into(),
                table([("add", number(1 + choices.below("added", 4)))]).into(),
            ];
            run.insert("before".to_owned(), changes.into());
        }
        if index == 3 {
            run.insert("expect".to_owned(), complete().into());
        }
        runs.push(run.into());
    }
    runs
}

/// A table of these keys.
pub(crate) fn table<const N: usize>(entries: [(&str, Value); N]) -> Table {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn put(table: &mut Table, key: &str, value: impl Into<Value>) {
    table.insert(key.to_owned(), value.into());
}

pub(crate) fn number(value: u64) -> Value {
    i64::try_from(value).unwrap_or(i64::MAX).into()
}
