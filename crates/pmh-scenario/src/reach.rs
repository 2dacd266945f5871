//! What each run asks for, and so what a store must hold of records that the last run did not ask for.

use std::collections::BTreeMap;

use pmh_protocol::{Datestamp, Selection};

use crate::course::{Course, Event};
use crate::script::{Run, Script};
use crate::world::WorldRecord;

/// How a record concerns whoever has made the runs up to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Concern {
    /// The run asks for it, or one before it has brought what it still is: it must be held.
    Held,
    /// A key that was asked for has it, and nobody can tell whether it was brought: it may be held.
    Open,
    /// No set that was asked for has it: it must not be held.
    Foreign,
}

/// The runs up to one of them, as far as they say what must be held after it.
pub(crate) struct Reach {
    /// What each of them asked for, and whether it said that it was complete; the last one is to be judged.
    runs: Vec<(Selection, bool)>,
    /// Whether the last of them asks for everything again.
    asks_for_all: bool,
    /// The last event of each record: its run, and whether it came while that run was going on.
    touched: BTreeMap<u32, (usize, bool)>,
}

impl Reach {
    /// Of the runs up to this one, from 0; the run that must change nothing asks like the last one.
    pub(crate) fn until(script: &Script, run_index: usize, course: &Course) -> Self {
        let mut reach = Self { runs: Vec::new(), asks_for_all: false, touched: BTreeMap::new() };
        for index in 0..=run_index {
            let run = script.runs.get(index).or(script.runs.last());
            reach.asks_for_all = run.is_some_and(|run| run.full);
            let is_complete = course.complete.get(index).copied().unwrap_or(true);
            let selection = reach.selection(run);
            reach.runs.push((selection, is_complete));
        }
        reach
    }

    /// Notes that an event has touched a record.
    pub(crate) fn touch(&mut self, number: u32, event: &Event<'_>) {
        self.touched.insert(number, (event.run, event.is_midway));
    }

    /// Whether the store must hold this record, may, or must not.
    pub(crate) fn concern(&self, number: u32, record: &WorldRecord) -> Concern {
        let Some(((last, _), _)) = self.runs.split_last() else { return Concern::Foreign };
        let of_format = || {
            let indexed = self.runs.iter().enumerate();
            indexed.filter(|(_, (asked, _))| asked.prefix == last.prefix)
        };
        if !of_format().any(|(_, (asked, _))| record.was_in(asked.set.as_deref())) {
            return Concern::Foreign;
        }
        // What came into its set without a new datestamp is known to whoever asks for everything.
        if record.moved_in_silence && !self.asks_for_all {
            return Concern::Open;
        }
        let is_as_brought = |index: usize| {
            self.touched
                .get(&number)
                .is_none_or(|&(run, is_midway)| run < index || run == index && !is_midway)
        };
        let brings = |index: usize, asked: &Selection, is_complete: bool| {
            is_complete && record.is_selected(asked) && is_as_brought(index)
        };
        let is_brought = record.is_selected(last)
            || of_format().any(|(index, (asked, is_complete))| brings(index, asked, *is_complete));
        // A tombstone ends what its own key holds; the row stays while another key has not heard of it (H9).
        let holds_still = |set: &Option<String>| {
            let of_key = || of_format().filter(|(_, (asked, _))| asked.set == *set);
            record.was_in(set.as_deref())
                && of_key().any(|(index, _)| !is_as_brought(index))
                && !of_key().any(|(index, (asked, is_complete))| brings(index, asked, *is_complete))
        };
        let is_held_elsewhere = record.deleted
            && of_format().any(|(_, (asked, _))| asked.set != last.set && holds_still(&asked.set));
        if is_brought && !is_held_elsewhere { Concern::Held } else { Concern::Open }
    }

    /// What a run asks for, after those that are here. One that names no span finishes what is unfinished, or asks for
    /// what is new since the beginning that earlier runs have named (H10).
    fn selection(&self, run: Option<&Run>) -> Selection {
        let prefix = run.map_or(Run::PREFIX, Run::prefix).to_owned();
        let set = run.and_then(|run| run.set.clone());
        let (from, until) = run.map_or((None, None), |run| (run.from, run.until));
        let is_named = from.is_some() || until.is_some() || run.is_some_and(|run| run.full);
        let of_key: Vec<&(Selection, bool)> = self
            .runs
            .iter()
            .filter(|(asked, _)| asked.prefix == prefix && asked.set == set)
            .collect();
        let (from, until) = match of_key.last() {
            Some((unfinished, false)) if !is_named => (unfinished.from, unfinished.until),
            Some(_) if !is_named => (floor(&of_key), None),
            _ => (from, until),
        };
        Selection { prefix, from, until, set }
    }
}

/// Where what the complete runs of a key have read begins; `None` is the beginning of everything.
fn floor(of_key: &[&(Selection, bool)]) -> Option<Datestamp> {
    let mut complete = of_key.iter().filter(|(_, is_complete)| *is_complete);
    let first = complete.next().and_then(|(asked, _)| asked.from);
    complete.fold(first, |floor, (asked, _)| {
        // What ends before the floor leaves a gap below it, and says nothing of that.
        let reaches = |floor: &Datestamp| asked.until.is_none_or(|end| end.stamp >= floor.stamp);
        let lower = |floor: Datestamp| asked.from.filter(|from| from.stamp < floor.stamp);
        match floor {
            Some(floor) if reaches(&floor) && asked.from.is_none() => None,
            Some(floor) if reaches(&floor) => lower(floor).or(Some(floor)),
            floor => floor,
        }
    })
}

#[cfg(test)]
mod tests {
    use pmh_protocol::Datestamp;

    use crate::course::{Course, Midway};
    use crate::script::{Change, Run, Script};
    use crate::truth::{Fate, Truth};

    fn asking(set: &str, from: &str, until: &str) -> Run {
        let date = |text: &str| Datestamp::parse(text).ok();
        let set = (!set.is_empty()).then(|| set.to_owned());
        Run { set, from: date(from), until: date(until), ..Run::default() }
    }

    /// Four records of 2024-01-02T00 to T03, in the sets a, b, a:c and a:c, after each of these runs: `l`ive, `d`eleted,
    /// or `?` for open, and `-` where one must not be there.
    fn check(runs: Vec<Run>, course: &Course, expected: &[&str]) {
        let mut script = Script::plain(4, 2, 1);
        let sets = ["a", "b", "a:c", "a:c"];
        for (record, set) in script.repository.world.records.values_mut().zip(sets) {
            record.sets = vec![set.to_owned()];
        }
        script.runs = runs;
        for (index, expected) in expected.iter().enumerate() {
            let truth = Truth::of(&script, index, course);
            let fate = |name: &String| match truth.rows.get(name).map(|row| &row.fate) {
                Some(Fate::Live { .. }) => 'l',
                Some(Fate::Deleted) => 'd',
                Some(Fate::Unknowable | Fate::Unsettled) => '?',
                None if truth.absent.contains(name) => '-',
                None => ' ',
            };
            let records = &script.repository.world.records;
            let found: String = records.values().map(|record| fate(&record.identifier)).collect();
            assert_eq!(found, *expected, "after run {index}");
        }
    }

    #[test]
    fn a_set_must_be_there_with_its_descendants_and_nothing_else_may() {
        let course = Course::default();
        check(vec![asking("a", "", "")], &course, &["l-ll", "l-ll"]);
        check(vec![asking("a:c", "", "")], &course, &["--ll"]);
        check(vec![asking("nosuch", "", "")], &course, &["----"]);
        let (one, other) = (asking("a", "", ""), asking("b", "", ""));
        check(vec![one, other, asking("", "", "")], &course, &["l-ll", "llll", "llll"]);
    }

    #[test]
    fn a_span_must_be_there_and_what_lies_outside_may() {
        let (from, until) = ("2024-01-02T01:00:00Z", "2024-01-02T02:00:00Z");
        let course = Course::default();
        check(vec![asking("", from, "")], &course, &["?lll"]);
        check(vec![asking("", "", until)], &course, &["lll?"]);
        check(vec![asking("a", from, until)], &course, &["?-l?"]);
        check(vec![asking("", "2024-01-02", "2024-01-02")], &course, &["llll"]);
    }

    #[test]
    fn a_deletion_is_settled_when_every_key_that_held_the_record_has_heard_of_it() {
        let deleted = |set| Run { before: vec![Change::Delete(vec![1])], ..asking(set, "", "") };
        let (whole, a, b) = (asking("", "", ""), asking("a", "", ""), asking("b", "", ""));
        let course = Course::default();
        check(vec![a.clone(), deleted("a")], &course, &["l-ll", "d-ll"]);
        check(vec![whole.clone(), deleted("a"), whole], &course, &["llll", "?lll", "dlll"]);
        // The record was never in this one.
        check(vec![b, a.clone(), deleted("a")], &course, &["-l--", "llll", "dlll"]);
        let unheard = Course { complete: vec![true, true, false], ..Course::default() };
        check(vec![a, asking("", "", ""), deleted("a")], &unheard, &["l-ll", "llll", "?lll"]);
    }

    #[test]
    fn a_later_run_keeps_the_beginning_that_was_named_and_no_end() {
        let (from, until) = ("2024-01-02T01:00:00Z", "2024-01-02T02:00:00Z");
        let full = Run { full: true, ..Run::default() };
        let runs = vec![asking("", from, until), Run::default(), full];
        check(runs.clone(), &Course::default(), &["?ll?", "?lll", "llll"]);
        // What was not finished is finished first, as it was asked for.
        let course = Course { complete: vec![false, true, true], ..Course::default() };
        check(runs, &course, &["?ll?", "?ll?", "llll"]);
    }

    #[test]
    fn a_beginning_is_gone_when_everything_below_it_was_read() {
        let (early, late) = ("2024-01-02T00:00:00Z", "2024-01-02T02:00:00Z");
        let course = Course::default();
        let (below, above) = (asking("", "", early), asking("", late, ""));
        check(
            vec![below.clone(), above.clone(), Run::default()],
            &course,
            &["l???", "l?ll", "llll"],
        );
        check(vec![above.clone(), below, Run::default()], &course, &["??ll", "l?ll", "l?ll"]);
        check(
            vec![above, asking("", "", late), Run::default()],
            &course,
            &["??ll", "llll", "llll"],
        );
    }

    #[test]
    fn what_another_run_has_brought_must_be_there_as_long_as_it_is_so() {
        let second = Run {
            before: vec![Change::Touch(vec![1]), Change::Delete(vec![3])],
            ..asking("b", "", "")
        };
        let runs = vec![asking("a", "", ""), second, asking("a", "", "")];
        check(runs.clone(), &Course::default(), &["l-ll", "?l?l", "lldl"]);
        let course = Course { complete: vec![false], ..Course::default() };
        check(runs.clone(), &course, &["l-ll", "?l??", "lldl"]);
        let at = Script::plain(1, 1, 1).repository.clock.start.plus_seconds(5);
        let change = Midway { run: 0, at, change: Change::Touch(vec![4]) };
        let course = Course { changes: vec![change], complete: Vec::new() };
        check(runs, &course, &["l-l?", "?l??", "lldl"]);
    }

    #[test]
    fn what_was_brought_in_one_format_says_nothing_of_another() {
        let first = Run { prefix: Some("iso19139".into()), ..asking("", "", "") };
        check(vec![first, asking("b", "", "")], &Course::default(), &["llll", "-l--"]);
    }
}
