//! Windows that cannot be read as one list: slices, records fetched one by one, holes. Against a small repository that
//! keeps to the dates it is asked for, unless it is told not to.

use std::collections::{BTreeMap, BTreeSet};

use pmh_harvest::{
    End, Fetched, Harvest, Instant, Key, MemoryStore, Outcome, Plan, Step, Stop, Store as _, Trip,
};
use pmh_protocol::{
    Body, Datestamp, ErrorCode, HttpRequest, Item, Page, Record, ResumptionToken, Stamp, Verb,
    decode_arguments,
};

use crate::support::*;

/// A repository with one record an hour.
#[derive(Clone, Default)]
struct Repository {
    records: BTreeMap<u32, Stamp>,
    page_size: usize,
    /// A page that holds one of these is answered with 500, and so is GetRecord.
    broken: BTreeSet<u32>,
    /// Tokens work for so many pages of a list.
    pages_max: Option<usize>,
    /// `until` is not looked at.
    until_ignored: bool,
    /// ListIdentifiers is answered with 500.
    no_identifiers: bool,
    /// Lists with an end leave these out.
    left_out: BTreeSet<u32>,
    /// All lists do.
    hidden: BTreeSet<u32>,
    /// After so many list requests the first of these is deleted without a trace.
    vanish: Vec<(u32, u32)>,
    asked: Vec<String>,
}

fn hour(hour: u32) -> Stamp {
    stamp("2024-05-01T00:00:00Z").plus_seconds(i64::from(hour) * 3_600)
}

impl Repository {
    fn new(count: u32, page_size: usize) -> Self {
        let records = (0..count).map(|id| (id, hour(id))).collect();
        Self { records, page_size, ..Self::default() }
    }

    fn item(&self, id: u32, verb: Verb) -> Item {
        let mut header = header(id);
        header.datestamp = self
            .records
            .get(&id)
            .map(|stamp| Datestamp::new(*stamp, pmh_protocol::Granularity::Second));
        let payload = (verb != Verb::ListIdentifiers).then(|| format!("<x>{id}</x>"));
        Item::Record(Record { header, payload, abouts: Vec::new() })
    }

    fn answer(&mut self, request: &HttpRequest) -> Fetched {
        let (_, query) = request.url.split_once('?').unwrap();
        let arguments: BTreeMap<String, String> = decode_arguments(query).into_iter().collect();
        let verb = arguments["verb"].clone();
        self.asked.push(query.to_owned());
        match verb.as_str() {
            "GetRecord" => {
                let id: u32 = arguments["identifier"].rsplit(':').next().unwrap().parse().unwrap();
                match self.records.contains_key(&id) {
                    _ if self.broken.contains(&id) => Fetched::Status { status: 500 },
                    true => document(Body::Record(Box::new(self.item(id, Verb::GetRecord)))),
                    false => error(ErrorCode::IdDoesNotExist),
                }
            }
            "ListIdentifiers" => self.list(Verb::ListIdentifiers, &arguments),
            _ => self.list(Verb::ListRecords, &arguments),
        }
    }

    fn list(&mut self, verb: Verb, arguments: &BTreeMap<String, String>) -> Fetched {
        let lists = u32::try_from(self.asked.iter().filter(|query| query.contains("List")).count());
        for &(after, id) in &self.vanish {
            if lists.unwrap() > after {
                self.records.remove(&id);
            }
        }
        // A token is offset, from and until.
        let text = |name: &str| arguments.get(name).cloned().unwrap_or_default();
        let token = text("resumptionToken");
        let mut parts = token.split('|').map(str::to_owned);
        let (offset, from, until) = match token.is_empty() {
            true => (0, text("from"), text("until")),
            false => (
                parts.next().unwrap().parse().unwrap(),
                parts.next().unwrap(),
                parts.next().unwrap(),
            ),
        };
        if self.no_identifiers && verb == Verb::ListIdentifiers {
            return Fetched::Status { status: 500 };
        }
        let is_dead = self.pages_max.is_some_and(|most| offset >= most * self.page_size);
        if is_dead && verb == Verb::ListRecords {
            return error(ErrorCode::BadResumptionToken);
        }
        let date = |text: &str| Datestamp::parse(text).ok().map(|date| date.stamp);
        let (first, last) = (date(&from), date(&until).filter(|_| !self.until_ignored));
        let ids: Vec<u32> = self
            .records
            .iter()
            .filter(|(_, stamp)| first.is_none_or(|first| first <= **stamp))
            .filter(|(_, stamp)| last.is_none_or(|last| **stamp <= last))
            .filter(|(id, _)| until.is_empty() || !self.left_out.contains(id))
            .map(|(id, _)| *id)
            .filter(|id| !self.hidden.contains(id))
            .collect();
        if ids.is_empty() {
            return error(ErrorCode::NoRecordsMatch);
        }
        let page: Vec<u32> = ids.iter().copied().skip(offset).take(self.page_size).collect();
        if verb == Verb::ListRecords && page.iter().any(|id| self.broken.contains(id)) {
            return Fetched::Status { status: 500 };
        }
        let next = offset + self.page_size;
        let value = match next < ids.len() {
            true => format!("{next}|{from}|{until}"),
            false => String::new(),
        };
        let token = Some(ResumptionToken {
            announced_size: Some(ids.len() as u64),
            ..ResumptionToken::new(&value)
        });
        let items = page.into_iter().map(|id| self.item(id, verb)).collect();
        document(Body::List(Page { verb, items, token }))
    }

    /// One run, with receipts that come at once.
    fn harvest(&mut self, plan: Plan, store: &mut MemoryStore) -> Outcome {
        self.harvest_until(plan, store, u32::MAX).expect("the run ends")
    }

    /// A run that dies with the nth closing, from 1, which is durable.
    fn harvest_until(&mut self, plan: Plan, store: &mut MemoryStore, dies: u32) -> Option<Outcome> {
        let key = plan.key.clone();
        let mut harvest = Harvest::resume(plan, store.known(&key).unwrap(), now());
        let (mut now, mut closed) = (Instant::START, 0);
        for _ in 0..20_000 {
            match harvest.step(now) {
                Step::Fetch(request) => {
                    let fetched = greeting(&request).unwrap_or_else(|| self.answer(&request));
                    harvest.fetched(fetched, now);
                }
                Step::Wait { until } => now = until,
                Step::Store(entry) => {
                    let is_close = matches!(*entry, pmh_harvest::Entry::Close(_));
                    closed += u32::from(is_close);
                    let receipt = store.commit(&key, &[entry]).unwrap().remove(0);
                    if is_close && closed == dies {
                        return None;
                    }
                    harvest.committed(&receipt);
                }
                Step::Idle => panic!("idle without anything outstanding"),
                Step::Finish(outcome) => return Some(*outcome),
            }
        }
        panic!("the harvest does not end");
    }

    fn asked(&self, verb: &str) -> usize {
        self.asked.iter().filter(|query| query.contains(&format!("verb={verb}"))).count()
    }
}

fn identifiers(store: &MemoryStore) -> Vec<u32> {
    let rows = store.rows(&key().source, "oai_dc");
    rows.iter().map(|row| row.identifier.rsplit(':').next().unwrap().parse().unwrap()).collect()
}

fn everything(count: u32) -> Vec<u32> {
    (0..count).collect()
}

/// Opening responseDate of every answer by hand.
fn opening() -> Stamp {
    stamp("2024-06-01T10:00:00Z")
}

#[test]
fn tokens_that_die_too_early_are_met_with_slices() {
    let mut repository = Repository { pages_max: Some(2), ..Repository::new(60, 5) };
    let mut store = MemoryStore::default();
    let outcome = repository.harvest(Plan::new(key()), &mut store);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.end);
    assert_eq!(identifiers(&store), everything(60));
    assert_eq!(outcome.watermark, Some(opening()));
    assert!(outcome.complaints["sliced"].count > 1);
    assert_eq!(store.known(&key()).unwrap().open, None);
    let again = repository.harvest(Plan::new(key()), &mut store);
    assert_eq!((again.end, again.counts.noticed()), (End::Complete, 0));
}

#[test]
fn a_broken_record_costs_itself_and_becomes_a_hole() {
    let mut repository = Repository { broken: [33].into(), ..Repository::new(60, 5) };
    let mut store = MemoryStore::default();
    let outcome = repository.harvest(Plan::new(key()), &mut store);
    let identifier = "oai:x:0033".to_owned();
    assert_eq!(outcome.end, End::Incomplete(Stop::Holes { records: 1, identifier }));
    assert_eq!((outcome.reason(), outcome.exit_code()), (Some("holes"), 4));
    let mut expected = everything(60);
    expected.remove(33);
    assert_eq!(identifiers(&store), expected, "everything else came");
    let known = store.known(&key()).unwrap();
    assert_eq!(known.watermark, Some(hour(33).plus_seconds(-1)), "it stops before the hole");
    assert_eq!((known.errors, known.holes.len(), known.open), (1, 1, None));

    // The next run asks for what is new and for the hole, not for everything again.
    let lists = repository.asked("ListRecords");
    let outcome = repository.harvest(Plan::new(key()), &mut store);
    assert_eq!(outcome.reason(), Some("holes"));
    assert_eq!(repository.asked("ListRecords"), lists + 1);
    assert_eq!(store.known(&key()).unwrap().errors, 2);

    // Mended, it comes, and the watermark moves over what was read beyond it.
    repository.broken.clear();
    let outcome = repository.harvest(Plan::new(key()), &mut store);
    assert_eq!((outcome.end, outcome.counts.new), (End::Complete, 1));
    assert_eq!(identifiers(&store), everything(60));
    let known = store.known(&key()).unwrap();
    assert_eq!((known.watermark, known.coverage.len(), known.holes.len()), (Some(opening()), 0, 0));
    assert_eq!(known.errors, 0);
}

#[test]
fn a_hole_closes_when_its_record_is_gone_or_the_operator_accepts_it() {
    let broken = || {
        let mut repository = Repository { broken: [7, 50].into(), ..Repository::new(60, 5) };
        let mut store = MemoryStore::default();
        let outcome = repository.harvest(Plan::new(key()), &mut store);
        assert_eq!(outcome.holes.len(), 2);
        (repository, store)
    };
    let (mut repository, mut store) = broken();
    repository.broken.clear();
    repository.records.remove(&7);
    let outcome = repository.harvest(Plan::new(key()), &mut store);
    assert_eq!((outcome.end, outcome.complaints["hole-gone"].count), (End::Complete, 1));

    let (mut repository, mut store) = broken();
    let accept = |ids: &[&str]| {
        let accepted_holes = ids.iter().map(|&id| id.to_owned()).collect();
        Plan { accepted_holes, ..Plan::new(key()) }
    };
    let outcome = repository.harvest(accept(&["oai:x:0007"]), &mut store);
    assert_eq!(outcome.holes.len(), 1);
    assert_eq!(outcome.watermark, Some(hour(50).plus_seconds(-1)), "up to the next hole");
    let asked = repository.asked("GetRecord");
    let outcome = repository.harvest(accept(&["oai:x:0050"]), &mut store);
    assert_eq!(outcome.end, End::Complete);
    assert_eq!(repository.asked("GetRecord"), asked, "what is accepted is not asked for");
}

#[test]
fn a_run_that_dies_between_slices_goes_on_with_the_rest() {
    let mut whole = Repository { pages_max: Some(2), ..Repository::new(60, 5) };
    let mut store = MemoryStore::default();
    whole.harvest(Plan::new(key()), &mut store);
    let closings = 1 + whole.asked.iter().filter(|query| query.contains("until=")).count();
    let mut deaths = 0;
    for dies in 1..=u32::try_from(closings).unwrap() {
        let mut repository = Repository { pages_max: Some(2), ..Repository::new(60, 5) };
        let mut store = MemoryStore::default();
        if repository.harvest_until(Plan::new(key()), &mut store, dies).is_some() {
            break;
        }
        deaths += 1;
        let before = store.known(&key()).unwrap().watermark.expect("a slice was closed");
        let held = identifiers(&store);
        assert!((0..60).filter(|id| hour(*id) <= before).all(|id| held.contains(&id)), "{before}");
        let outcome = repository.harvest(Plan::new(key()), &mut store);
        assert_eq!(outcome.end, End::Complete);
        assert_eq!(identifiers(&store), everything(60), "died with closing {dies}");
        assert_eq!(outcome.watermark, Some(opening()));
    }
    assert!(deaths >= 3, "{deaths}");
}

#[test]
fn a_slice_that_was_left_open_is_finished_and_then_what_is_new() {
    let mut repository =
        Repository { broken: [33].into(), no_identifiers: true, ..Repository::new(60, 5) };
    let mut store = MemoryStore::default();
    let outcome = repository.harvest(Plan::new(key()), &mut store);
    assert_eq!(outcome.reason(), Some("retry-exhausted"), "{}", outcome.end);
    let open = store.known(&key()).unwrap().open.expect("a slice is open");
    assert!(open.traversal.window.from.is_some(), "{}", open.traversal.window);
    repository.broken.clear();
    let outcome = repository.harvest(Plan::new(key()), &mut store);
    assert_eq!(outcome.end, End::Complete);
    assert_eq!(identifiers(&store), everything(60));
    assert_eq!(outcome.watermark, Some(opening()));
}

#[test]
fn slices_that_do_not_keep_to_their_dates_stop_the_slicing() {
    let mut repository =
        Repository { pages_max: Some(2), until_ignored: true, ..Repository::new(240, 20) };
    let outcome = repository.harvest(Plan::new(key()), &mut MemoryStore::default());
    assert_eq!(outcome.guard(), Some("filter-ignored"), "{}", outcome.end);
}

#[test]
fn what_the_slices_left_out_is_asked_for_and_must_be_explained() {
    // The whole list shows record 3; lists with an end do not.
    let mut repository =
        Repository { pages_max: Some(2), left_out: [3].into(), ..Repository::new(60, 5) };
    let mut store = MemoryStore::default();
    let outcome = repository.harvest(Plan::new(key()), &mut store);
    assert_eq!(outcome.end, End::Complete, "GetRecord explains it: {}", outcome.end);
    assert_eq!((identifiers(&store), repository.asked("GetRecord")), (everything(60), 1));

    let mut repository =
        Repository { pages_max: Some(2), left_out: [3].into(), ..Repository::new(60, 5) };
    let mut plan = Plan::new(key());
    plan.limits.singles_max = 0;
    let outcome = repository.harvest(plan, &mut MemoryStore::default());
    let expected = Trip::SliceGap { records: 1, identifier: "oai:x:0003".into() };
    assert_eq!(outcome.end, End::Incomplete(Stop::Guard(expected)));
}

#[test]
fn records_that_a_changing_list_skipped_are_found_by_their_identifiers() {
    // The first record vanishes after two pages, so that the third skips one.
    let mut repository = Repository { vanish: vec![(2, 0)], ..Repository::new(20, 5) };
    let mut store = MemoryStore::default();
    let outcome = repository.harvest(Plan::new(key()), &mut store);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.end);
    assert_eq!(identifiers(&store), everything(20));
    assert_eq!((repository.asked("ListIdentifiers"), repository.asked("GetRecord")), (4, 1));

    let mut repository =
        Repository { vanish: vec![(2, 0)], no_identifiers: true, ..Repository::new(20, 5) };
    let outcome = repository.harvest(Plan::new(key()), &mut MemoryStore::default());
    assert_eq!(outcome.guard(), Some("list-changed"));

    let mut repository =
        Repository { vanish: vec![(2, 0)], broken: [10].into(), ..Repository::new(20, 5) };
    let outcome = repository.harvest(Plan::new(key()), &mut MemoryStore::default());
    assert_eq!(
        outcome.guard(),
        Some("list-changed"),
        "what was skipped cannot be had: {}",
        outcome.end
    );
}

#[test]
fn effort_is_bounded_where_nothing_helps() {
    // Every record is broken but the first page.
    let broken = (5..600).collect();
    let mut repository = Repository { broken, ..Repository::new(600, 5) };
    let mut plan = Plan::new(Key { set: None, ..key() });
    plan.limits.singles_max = 50;
    let outcome = repository.harvest(plan, &mut MemoryStore::default());
    assert_ne!(outcome.end, End::Complete);
    assert!(repository.asked.len() < 6_000, "{}", repository.asked.len());
}

#[test]
fn what_a_whole_list_does_not_show_any_more_is_taken_as_deleted_when_that_is_asked_for() {
    let infer = Plan { infer_deletions: true, full: true, ..Plan::new(key()) };
    let deleted = |store: &MemoryStore| -> Vec<(String, bool)> {
        let rows = store.rows(&key().source, "oai_dc").into_iter().filter(|row| row.deleted);
        rows.map(|row| (row.identifier, row.inferred)).collect()
    };
    let mut repository = Repository::new(20, 5);
    let mut store = MemoryStore::default();
    repository.harvest(Plan::new(key()), &mut store);
    repository.records.remove(&7);
    repository.harvest(Plan::new(key()), &mut store);
    repository.harvest(Plan { full: true, ..Plan::new(key()) }, &mut store);
    assert_eq!(deleted(&store), [], "nothing is concluded by itself");

    let window = repository.harvest(Plan { full: false, ..infer.clone() }, &mut store);
    assert_eq!(window.complaints["deletions-not-inferred"].count, 1);
    let outcome = repository.harvest(infer.clone(), &mut store);
    assert_eq!((outcome.end, outcome.counts.withdrawn), (End::Complete, 1));
    assert_eq!(outcome.complaints["deletion-inferred"].example, "oai:x:0007");
    assert_eq!(deleted(&store), [("oai:x:0007".to_owned(), true)]);

    repository.records.insert(7, hour(7));
    let outcome = repository.harvest(Plan { full: true, ..Plan::new(key()) }, &mut store);
    assert_eq!((outcome.counts.revived, deleted(&store)), (1, Vec::new()));

    // A list that leaves out what GetRecord still has, and one that lost too much, are not believed.
    repository.hidden.insert(9);
    let outcome = repository.harvest(infer.clone(), &mut store);
    assert_eq!((outcome.end, outcome.counts.withdrawn), (End::Complete, 0));
    assert_eq!(outcome.complaints["list-left-out"].count, 1);
    repository.hidden.clear();
    repository.records.retain(|id, _| *id < 9);
    let outcome = repository.harvest(infer, &mut store);
    assert_eq!(outcome.guard(), Some("shrink"), "{}", outcome.end);
    assert_eq!(deleted(&store), []);
}

#[test]
fn more_absences_than_believable_are_a_mass_deletion() {
    let mut repository = Repository::new(100, 50);
    let mut store = MemoryStore::default();
    repository.harvest(Plan::new(key()), &mut store);
    repository.records.retain(|id, _| *id >= 15);
    let mut plan = Plan { infer_deletions: true, full: true, ..Plan::new(key()) };
    plan.limits.mass_delete_share = 0.1;
    let outcome = repository.harvest(plan.clone(), &mut store);
    assert_eq!(outcome.guard(), Some("mass-delete"));
    plan.allow_mass_delete = true;
    let outcome = repository.harvest(plan, &mut store);
    assert_eq!((outcome.end, outcome.counts.withdrawn), (End::Complete, 15));
}
