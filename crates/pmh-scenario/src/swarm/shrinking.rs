//! A file with less in it that still does what it did: entries and keys go, faults become weaker, numbers smaller.

use toml::{Table, Value};

use super::written;

/// Rounds at the most: each one goes on where the one before found something.
const ROUNDS_MAX: usize = 12;
/// Faults from weak to strong: a failure that a weak one shows is told with it.
const WEAKER: [&str; 4] = [
    "{ http = { status = 500 } }",
    "{ wire = { cut-at = { share = 0.5 } } }",
    "{ wire = \"refuse\" }",
    "{ token = \"expire\" }",
];
/// Keys without which a file is none. What a request must look like stays as well: without it a fault may become one
/// that nobody could notice.
const NEEDED: [&str; 4] = ["format", "action", "name", "do"];

/// A file being made smaller.
#[derive(Clone, Debug)]
pub struct Shrinking {
    file: Table,
    /// Keys of the file that stay as they are.
    kept: &'static [&'static str],
    /// Files that were tried.
    pub probes: u64,
}

/// A step from a table or an array to what is in it.
#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

impl Shrinking {
    /// Begins with this file, of which these keys stay as they are; `None` where it is no TOML.
    #[must_use]
    pub fn new(text: &str, kept: &'static [&'static str]) -> Option<Self> {
        Some(Self { file: text.parse().ok()?, kept, probes: 0 })
    }

    /// The smallest file so far.
    #[must_use]
    pub fn text(&self) -> String {
        written(&self.file)
    }

    /// Faults and records of the smallest file so far, for progress; records are `None` where they are not counted.
    #[must_use]
    pub fn size(&self) -> (usize, Option<i64>) {
        let faults = self.file.get("fault").and_then(Value::as_array).map_or(0, Vec::len);
        let at = |value: &Value, key: &str| value.get(key).cloned();
        let count = self
            .file
            .get("repository")
            .and_then(|value| at(value, "records"))
            .and_then(|value| at(&value, "generate"))
            .and_then(|value| at(&value, "count"))
            .and_then(|value| value.as_integer());
        (faults, count)
    }

    /// Makes the file smaller for as long as `still` says that the smaller one does what it did. `still` says no to
    /// everything once its time is up, which ends it; what was reached is kept.
    pub fn run(&mut self, still: &mut dyn FnMut(&str) -> bool) {
        for _ in 0..ROUNDS_MAX {
            let before = self.file.clone();
            for list in ["fault", "reply", "run"] {
                self.drop_entries(list, still);
            }
            self.drop_keys(still);
            self.weaken(still);
            self.lessen(still);
            if self.file == before {
                return;
            }
        }
    }

    /// Takes the candidate in place of the file where it still does what it did.
    fn take(&mut self, candidate: Table, still: &mut dyn FnMut(&str) -> bool) -> bool {
        let is_kept = |key: &&str| candidate.get(*key) == self.file.get(*key);
        if candidate == self.file || !self.kept.iter().all(is_kept) {
            return false;
        }
        self.probes += 1;
        let is_taken = still(&written(&candidate));
        if is_taken {
            self.file = candidate;
        }
        is_taken
    }

    /// Drops entries of a list from its end, in chunks that grow for as long as they can be done without.
    fn drop_entries(&mut self, list: &str, still: &mut dyn FnMut(&str) -> bool) {
        let length = |file: &Table| file.get(list).and_then(Value::as_array).map_or(0, Vec::len);
        let mut end = length(&self.file);
        let mut chunk = 1;
        while end > 0 {
            let start = end.saturating_sub(chunk);
            let mut candidate = self.file.clone();
            if let Some(entries) = candidate.get_mut(list).and_then(Value::as_array_mut) {
                entries.drain(start..end.min(entries.len()));
                if entries.is_empty() {
                    candidate.remove(list);
                }
            }
            if self.take(candidate, still) {
                end = start;
                chunk *= 2;
            } else if chunk > 1 {
                chunk = 1;
            } else {
                end -= 1;
            }
        }
    }

    fn drop_keys(&mut self, still: &mut dyn FnMut(&str) -> bool) {
        let mut paths = Vec::new();
        collect(&Value::Table(self.file.clone()), &mut Vec::new(), &mut paths);
        // Whole tables first, and later ones before earlier ones, so that the places of list entries stay true.
        paths.sort_by_key(|path| std::cmp::Reverse(place(path)));
        paths.sort_by_key(Vec::len);
        for path in paths {
            if !self.is_needed(&path) {
                let mut candidate = self.file.clone();
                if remove(&mut candidate, &path) {
                    self.take(candidate, still);
                }
            }
        }
    }

    fn is_needed(&self, path: &[Step]) -> bool {
        let is = |step: &Step, name: &str| matches!(step, Step::Key(key) if key == name);
        path.last().is_some_and(|last| NEEDED.iter().any(|name| is(last, name)))
            || path.iter().any(|step| is(step, "match"))
            || get(&self.file, path).is_some_and(|value| value.get("match").is_some())
    }

    fn weaken(&mut self, still: &mut dyn FnMut(&str) -> bool) {
        let faults = self.file.get("fault").and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..faults {
            for (strength, weaker) in WEAKER.iter().enumerate() {
                let effect: Table = format!("do = {weaker}").parse().expect("the list is TOML");
                let entry = &self.file["fault"][index];
                if entry.get("when").is_some_and(|when| when.get("match").is_some()) {
                    break;
                }
                let has = |of: &str| {
                    let of: Table = format!("do = {of}").parse().expect("the list is TOML");
                    entry.get("do") == of.get("do")
                };
                if WEAKER[..=strength].iter().any(|known| has(known)) {
                    break;
                }
                if self.change(&[key("fault"), Step::Index(index), key("do")], &effect["do"], still)
                {
                    let name = Value::from(format!("{}: something fails", index + 1));
                    self.change(&[key("fault"), Step::Index(index), key("name")], &name, still);
                    break;
                }
            }
            let fault = [key("fault"), Step::Index(index), key("times")];
            if get(&self.file, &fault).is_none() {
                self.change(&fault, &Value::Integer(1), still);
            }
        }
    }

    /// Every number towards the smallest that does it.
    fn lessen(&mut self, still: &mut dyn FnMut(&str) -> bool) {
        let mut paths = Vec::new();
        collect(&Value::Table(self.file.clone()), &mut Vec::new(), &mut paths);
        for path in paths {
            if matches!(path.first(), Some(Step::Key(key)) if key == "format") {
                continue;
            }
            let Some(most) = get(&self.file, &path).and_then(Value::as_integer) else { continue };
            if most <= 1 || !self.change(&path, &Value::Integer(1), still) {
                let (mut too_small, mut enough) = (1, most);
                while enough - too_small > 1 {
                    let middle = too_small + (enough - too_small) / 2;
                    if self.change(&path, &Value::Integer(middle), still) {
                        enough = middle;
                    } else {
                        too_small = middle;
                    }
                }
            }
        }
    }

    fn change(
        &mut self,
        path: &[Step],
        value: &Value,
        still: &mut dyn FnMut(&str) -> bool,
    ) -> bool {
        let mut candidate = self.file.clone();
        set(&mut candidate, path, value) && self.take(candidate, still)
    }
}

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

/// Positions in lists of a path, for an order.
fn place(path: &[Step]) -> Vec<usize> {
    let index = |step: &Step| match step {
        Step::Index(index) => Some(*index),
        Step::Key(_) => None,
    };
    path.iter().filter_map(index).collect()
}

/// Paths of everything in a value.
fn collect(value: &Value, at: &mut Vec<Step>, paths: &mut Vec<Vec<Step>>) {
    let mut below = |step: Step, value: &Value| {
        at.push(step);
        paths.push(at.clone());
        collect(value, at, paths);
        at.pop();
    };
    match value {
        Value::Table(table) => {
            for (name, value) in table {
                below(key(name), value);
            }
        }
        Value::Array(entries) => {
            for (index, value) in entries.iter().enumerate() {
                below(Step::Index(index), value);
            }
        }
        _ => {}
    }
}

fn get<'a>(file: &'a Table, path: &[Step]) -> Option<&'a Value> {
    let (Step::Key(first), rest) = path.split_first()? else { return None };
    rest.iter().try_fold(file.get(first)?, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

/// The value that holds the last step of a path of more than one.
fn holder<'a>(file: &'a mut Table, path: &[Step]) -> Option<&'a mut Value> {
    let (Step::Key(first), rest) = path.split_first()? else { return None };
    let (_, between) = rest.split_last()?;
    between.iter().try_fold(file.get_mut(first)?, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(index),
    })
}

/// Takes something out, and what is empty without it; whether it was there.
fn remove(file: &mut Table, path: &[Step]) -> bool {
    if let [Step::Key(key)] = path {
        return file.remove(key).is_some();
    }
    let (Some(holder), Some(last)) = (holder(file, path), path.last()) else { return false };
    let is_gone = match (&mut *holder, last) {
        (Value::Table(table), Step::Key(key)) => table.remove(key).is_some(),
        (Value::Array(entries), Step::Index(index)) if *index < entries.len() => {
            entries.remove(*index);
            true
        }
        _ => false,
    };
    let is_empty = match holder {
        Value::Table(table) => table.is_empty(),
        Value::Array(entries) => entries.is_empty(),
        _ => false,
    };
    if is_gone && is_empty {
        remove(file, &path[..path.len() - 1]);
    }
    is_gone
}

fn set(file: &mut Table, path: &[Step], value: &Value) -> bool {
    if let [Step::Key(key)] = path {
        file.insert(key.clone(), value.clone());
        return true;
    }
    let (Some(holder), Some(last)) = (holder(file, path), path.last()) else { return false };
    match (holder, last) {
        (Value::Table(table), Step::Key(key)) => {
            table.insert(key.clone(), value.clone());
            true
        }
        (Value::Array(entries), Step::Index(index)) if *index < entries.len() => {
            entries[*index] = value.clone();
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swarm::world_file;

    /// A world of many faults, shrunk while `wanted` of its text holds; the text that is left.
    fn shrunk(text: &str, wanted: impl Fn(&Table) -> bool) -> (String, u64) {
        let mut shrinking = Shrinking::new(text, &[]).unwrap();
        shrinking.run(&mut |candidate| wanted(&candidate.parse().unwrap()));
        (shrinking.text(), shrinking.probes)
    }

    #[test]
    fn what_a_failure_does_not_need_goes_and_numbers_become_the_least() {
        let text = world_file(3);
        let enough = |file: &Table| {
            let count =
                get(file, &[key("repository"), key("records"), key("generate"), key("count")]);
            count.and_then(Value::as_integer).is_some_and(|count| count >= 3)
        };
        let mut file: Table = text.parse().unwrap();
        set(
            &mut file,
            &[key("repository"), key("records"), key("generate"), key("count")],
            &900.into(),
        );
        let (left, probes) = shrunk(&written(&file), enough);
        assert_eq!(left, "format = 1\nrepository.records.generate.count = 3\n");
        assert!(probes < 120, "{probes}");
    }

    #[test]
    fn one_fault_of_fifty_is_found_in_few_probes() {
        let faults: String = (0..50)
            .map(|number| format!("[[fault]]\nname = \"{number}\"\ndo.token = \"same\"\n"))
            .collect();
        let (left, probes) = shrunk(&format!("format = 1\n{faults}"), |file| {
            let faults = file.get("fault").and_then(Value::as_array);
            faults.is_some_and(|faults| {
                faults.iter().any(|fault| {
                    fault.get("name").and_then(Value::as_str) == Some("20")
                        && fault.get("do").is_some_and(|effect| effect.get("token").is_some())
                })
            })
        });
        assert!(left.contains("\"20\"") && left.matches("[[fault]]").count() == 1, "{left}");
        assert!(probes < 40, "{probes}");
    }

    #[test]
    fn what_is_to_be_kept_is_kept() {
        let mut shrinking = Shrinking::new(&world_file(3), &["budget"]).unwrap();
        shrinking.run(&mut |_| true);
        assert_eq!(shrinking.text(), "format = 1\nbudget.requests = 5000\n");
    }

    #[test]
    fn nothing_is_lost_when_time_is_up_at_once() {
        let text = world_file(5);
        let (left, _) = shrunk(&text, |_| false);
        assert_eq!(left.parse::<Table>().unwrap(), text.parse::<Table>().unwrap());
    }
}
