//! Random worlds as scenario files: a shape of repository, a subset of troubles, and runs that end without any.
//!
//! Each world leaves out most of what could be, and a few take much of it: a search over subsets finds what a search
//! over everything at once hides from itself. A choice is keyed by the seed and by what it is about.

mod shrinking; // a file with less in it
mod small; // three pages
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

/// The world of this number, as the text of a scenario file.
#[must_use]
pub fn world_file(seed: u64) -> String {
    let choices = Choices(seed);
    let mut file = Table::new();
    put(&mut file, "format", 1);
    put(&mut file, "title", format!("World {seed}"));
    put(&mut file, "seed", i64::try_from(seed >> 1).unwrap_or(1));
    let count = 1 + choices.below("count", 30);
    let page_size = 1 + choices.below("page-size", 8);
    let pages = count.div_ceil(page_size);
    file.insert("repository".to_owned(), repository(&choices, count, page_size).into());
    let (protocol, tells_size) = protocol(&choices, page_size);
    if !protocol.is_empty() {
        file.insert("protocol".to_owned(), protocol.into());
    }
    let faults = faults(&choices, pages, tells_size);
    if !faults.is_empty() {
        file.insert("fault".to_owned(), faults.into());
    }
    let may_die = may_die(&file, tells_size);
    file.insert("run".to_owned(), runs(&choices, count, pages, may_die).into());
    file.insert("expect".to_owned(), table([("idempotent", true.into())]).into());
    file.insert("budget".to_owned(), table([("requests", 5_000.into())]).into());
    written(&file)
}

/// Whether it can be judged where a harvester goes on after a death. After the first page nobody knows that a token lives
/// in a session: a lost answer takes a page with it, and only the size gives that away. And which page a record is on is
/// plain only where pages do not overlap and lists have the usual order.
fn may_die(file: &Table, tells_size: bool) -> bool {
    let of = |table: &str, key: &str| file.get(table).and_then(|table| table.get(key));
    let is_session = of("protocol", "token") == Some(&Value::from("session"));
    (tells_size || !is_session)
        && of("protocol", "overlap").is_none()
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
    let is_session = protocol.get("token").and_then(Value::as_str) == Some("session");
    if !is_session && choices.is("one-use", 10) {
        protocol.insert("ttl".to_owned(), table([("one-use", true.into())]).into());
    }
    (protocol, tells_size)
}

fn faults(choices: &Choices, pages: u64, tells_size: bool) -> Vec<Value> {
    let known = troubles();
    let number_of_faults = choices.below("troubles", TROUBLES_MAX + 1);
    let mut faults = Vec::new();
    let mut has_wire = false;
    for index in 0..number_of_faults {
        let key = |what: &str| format!("{what} of fault {index}");
        let drawn = choices.below(&key("kind"), known.len() as u64);
        let trouble = &known[usize::try_from(drawn).unwrap_or(0)];
        if trouble.is_lie && !tells_size {
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
        faults.push(trouble.fault(index + 1, when, times).into());
    }
    faults
}

fn runs(choices: &Choices, count: u64, pages: u64, may_die: bool) -> Vec<Value> {
    let mut first = table([("name", "harvest".into()), ("action", "harvest".into())]);
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
            run.insert("expect".to_owned(), table([("outcome", "complete".into())]).into());
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

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::{Vocabulary, load};

    const KNOWN: Vocabulary<'_> = Vocabulary {
        specimens: &[],
        guards: &[],
        outcomes: &["complete", "incomplete", "refused"],
    };

    #[test]
    fn every_world_is_a_file_without_mistakes() {
        for seed in 0..500 {
            let text = world_file(seed);
            if let Err(findings) = load("world", &text, &KNOWN) {
                panic!("world {seed}: {findings:?}\n{text}");
            }
        }
    }

    #[test]
    fn a_seed_is_the_same_world_everywhere() {
        let mut hash = Sha256::new();
        (0..100).for_each(|seed| hash.update(world_file(seed)));
        let digest: String =
            hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, "372ca2d1");
    }

    #[test]
    fn every_trouble_is_met_in_some_world() {
        let text: String = (0..3_000).map(world_file).collect();
        for trouble in troubles() {
            assert!(text.contains(&format!(" {}\"", trouble.name)), "{}", trouble.name);
        }
    }
}
