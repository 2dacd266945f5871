//! What a right harvester leaves behind, for the tests of the properties to spoil in one place.

use std::collections::BTreeMap;

use pmh_protocol::{Selection, Stamp};
use pmh_scenario::{
    Answer, Change, Crash, CrashPhase, Effect, Event, Exchange, Fate, Fault, Run, Script,
    TokenEffect, TrueRow, Truth, When,
};

use crate::case::Case;
use crate::observation::{ChangeCounts, HeldRow, Knowledge, Observation, RunEnd, RunObservation};
use crate::properties;
use crate::property::Property;
use crate::store::Held;
use crate::verdict::Finding;

/// Six records in pages of two, and one run.
pub(crate) fn one_run() -> Script {
    Script::plain(6, 2, 1)
}

/// The same with a second run before which record 2 is deleted.
pub(crate) fn with_deletion() -> Script {
    let mut script = one_run();
    script.runs.push(run("again", vec![Change::Delete(vec![2])]));
    script
}

/// The same with a first run that is killed before page 2 is stored, and a second that goes on.
pub(crate) fn with_crash() -> Script {
    let mut script = one_run();
    script.runs[0].crash =
        Some(Crash { list: 1, page: 2, phase: CrashPhase::Uncommitted, is_orderly: false });
    script.runs.push(run("again", Vec::new()));
    script
}

fn run(name: &str, before: Vec<Change>) -> Run {
    Run { name: name.to_owned(), before, ..Run::default() }
}

pub(crate) fn fault(name: &str) -> Fault {
    Fault {
        name: name.to_owned(),
        when: When { page: Some(2), ..When::default() },
        effect: Effect::Token(TokenEffect::Expire),
        times: None,
        optional: false,
        line: 1,
    }
}

/// What `property` finds about this.
pub(crate) fn finding(property: Property, script: &Script, observation: &Observation) -> Finding {
    properties::judge(property, &Case::new(script, observation))
}

/// Judges what a right harvester leaves of `script` after `spoil`; no evidence means that the property holds.
pub(crate) fn check(
    property: Property,
    script: &Script,
    spoil: impl FnOnce(&mut Observation),
    evidence: &[&str],
) {
    let mut observation = right(script);
    spoil(&mut observation);
    match finding(property, script, &observation) {
        Finding::Held { checked } => {
            assert!(checked > 0, "held and looked at nothing");
            assert!(evidence.is_empty(), "held although {evidence:?} was expected");
        }
        Finding::Failed { evidence: found } => assert_eq!(found, evidence),
        other => panic!("neither held nor failed: {other:?}"),
    }
}

/// What a right harvester leaves of `script`, which has no faults: runs are complete, a killed one stores what
/// came before the page it dies at, and the next one goes on there.
pub(crate) fn right(script: &Script) -> Observation {
    let mut observation = Observation::default();
    let mut store: BTreeMap<String, HeldRow> = BTreeMap::new();
    let mut world = script.repository.world.clone();
    let mut watermark = None;
    let mut next_page = 1;
    let mut opened = Stamp::from_seconds(0);
    let last_index =
        if script.expect.idempotent { script.runs.len() } else { script.runs.len() - 1 };
    for index in 0..=last_index {
        let name = script.run_name(index).to_owned();
        let started = script.repository.clock.run_start(index);
        for change in script.runs.get(index).map_or(&[][..], |run| &run.before) {
            world.apply(change, started);
        }
        let truth = Truth::after(script, index);
        let selection = Selection { prefix: "oai_dc".into(), from: None, until: None, set: None };
        let list = world.selection(&selection, script.repository.protocol.deleted_records);
        let pages: Vec<&[u32]> = list.chunks(script.repository.page_size).collect();
        let crash = script.runs.get(index).and_then(|run| run.crash);
        let last_page = crash.map_or(pages.len(), |crash| crash.page as usize);
        if next_page == 1 {
            opened = started.plus_seconds(1);
        }
        for page in next_page..=last_page {
            let n = observation.journal.exchanges().count() as u32 + 1;
            let t = started.plus_seconds(1 + (page - next_page) as i64);
            let token = if page == pages.len() { String::new() } else { format!("t{}", page + 1) };
            observation.journal.events.push(Event::Exchange(Exchange {
                n,
                t: t.to_string(),
                in_flight: None,
                client_ms: Some((page as u64) * 1000),
                run: name.clone(),
                list: 1,
                page: page as u32,
                token: page as u32 - 1,
                attempt: 1,
                query: query(page),
                args: arguments(page),
                faults: Vec::new(),
                reply: None,
                answer: Answer {
                    status: 200,
                    records: pages[page - 1].len() as u32,
                    token: Some(token),
                    ..Answer::default()
                },
            }));
            if crash.is_none() || page < last_page {
                for number in pages[page - 1] {
                    let identifier = &world.records[number].identifier;
                    store.insert(identifier.clone(), held(identifier, &truth.rows[identifier]));
                }
            }
        }
        if crash.is_some() {
            next_page = last_page;
        } else {
            next_page = 1;
            watermark = Some(opened);
            observation.journal.events.push(Event::RunEnd {
                t: started.plus_seconds(60).to_string(),
                run: name.clone(),
                end: "complete".to_owned(),
            });
        }
        let before = observation.runs.last().map_or(&[][..], |run| &run.rows);
        let rows: Vec<HeldRow> = store.values().cloned().collect();
        let new = Held::new(&rows).changes_since(&Held::new(before)) as u64;
        observation.runs.push(RunObservation {
            end: if crash.is_some() { RunEnd::Crashed } else { ended("complete", None, 0) },
            counts: Some(ChangeCounts { new, ..ChangeCounts::default() }),
            rows,
            watermark: Knowledge::Known(watermark),
            window_open: Knowledge::Known(crash.is_some()),
            complaints: Knowledge::Known(Vec::new()),
            added_by_harness: index == script.runs.len(),
            name,
        });
    }
    observation
}

pub(crate) fn ended(outcome: &str, guard: Option<&str>, exit: i32) -> RunEnd {
    RunEnd::Ended {
        outcome: outcome.to_owned(),
        guard: guard.map(str::to_owned),
        reason: None,
        exit,
    }
}

fn held(identifier: &str, row: &TrueRow) -> HeldRow {
    let (deleted, digest) = match &row.fate {
        Fate::Live { digest } => (false, digest.clone()),
        Fate::Deleted | Fate::Unknowable | Fate::Unsettled => (true, None),
    };
    HeldRow {
        identifier: identifier.to_owned(),
        datestamp: row.datestamp.map(|datestamp| datestamp.to_string()),
        deleted,
        digest,
    }
}

fn arguments(page: usize) -> Vec<(String, String)> {
    let second = if page == 1 {
        ("metadataPrefix".to_owned(), "oai_dc".to_owned())
    } else {
        ("resumptionToken".to_owned(), format!("t{page}"))
    };
    vec![("verb".to_owned(), "ListRecords".to_owned()), second]
}

fn query(page: usize) -> String {
    let pairs: Vec<String> =
        arguments(page).iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

/// The nth exchange, from 1.
pub(crate) fn exchange(observation: &mut Observation, n: u32) -> &mut Exchange {
    observation
        .journal
        .events
        .iter_mut()
        .find_map(|event| match event {
            Event::Exchange(exchange) if exchange.n == n => Some(exchange),
            _ => None,
        })
        .expect("the test names an exchange that took place")
}

/// Sends the nth exchange once more, after all others and before the run ends.
pub(crate) fn repeat(observation: &mut Observation, n: u32, spoil: impl FnOnce(&mut Exchange)) {
    let mut again = exchange(observation, n).clone();
    again.n = observation.journal.exchanges().count() as u32 + 1;
    spoil(&mut again);
    let end =
        observation.journal.events.iter().position(|event| matches!(event, Event::RunEnd { .. }));
    let place = end.unwrap_or(observation.journal.events.len());
    observation.journal.events.insert(place, Event::Exchange(again));
}

/// Drops the rows of these records, by number, from the nth run's store.
pub(crate) fn lose(observation: &mut Observation, run: usize, numbers: &[u32]) {
    let gone: Vec<String> =
        numbers.iter().map(|number| pmh_scenario::identifier(*number)).collect();
    observation.runs[run].rows.retain(|row| !gone.contains(&row.identifier));
}

/// The row of a record, by number, in the nth run's store.
pub(crate) fn row(observation: &mut Observation, run: usize, number: u32) -> &mut HeldRow {
    let identifier = pmh_scenario::identifier(number);
    observation.runs[run]
        .rows
        .iter_mut()
        .find(|row| row.identifier == identifier)
        .expect("the test names a row that is held")
}
