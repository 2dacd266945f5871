//! The pure arm for harvesters that are wrong on purpose: a wire and a shelf over the same repository.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use pmh_harvest::redirected;
use pmh_oracle::{HeldRow, Knowledge, Observation, RunEnd, RunObservation};
use pmh_protocol::{Header, HttpPage, HttpRequest, Request, decode_arguments};
use pmh_repository::Repository;
use pmh_scenario::{Crash, CrashPhase, Run, Script, payload_digest};
use pmh_specimens::{End, Halt, Row, Shelf, Specimen, Wire};

use crate::observe::runs_of;
use crate::receive::{Received, receive};
use crate::simulate::{
    ANSWER_MILLIS, BASE_URL, ask, end_in_words, is_over_budget, is_place_of, place_of,
};

/// Redirects of one request that are followed.
const REDIRECTS_MAX: u32 = 5;

/// Plays a script against a specimen.
#[must_use]
pub fn play_specimen(script: &Arc<Script>, specimen: Specimen) -> Observation {
    let mut repository = Repository::new(Arc::clone(script));
    // What is kept, by format: a harvest of one must not touch what another has brought.
    let mut shelves: BTreeMap<String, (Vec<HeldRow>, Option<String>)> = BTreeMap::new();
    let mut runs = Vec::new();
    for played in runs_of(script) {
        repository.begin_run(played.index);
        let run = script.runs.get(played.index).or(script.runs.last());
        let prefix = run.map_or("oai_dc", Run::prefix);
        let (rows, cursor) = shelves.entry(prefix.to_owned()).or_default();
        let world = RefCell::new(World {
            repository: &mut repository,
            rows: &mut *rows,
            cursor: &mut *cursor,
            crash: script.runs.get(played.index).and_then(|run| run.crash),
            moment: Moment::Before,
            now_millis: 0,
        });
        let end = specimen.harvest(BASE_URL, prefix, &mut Hand(&world), &mut Hand(&world));
        let end = match end {
            End::Ended { outcome, guard, reason, exit } => RunEnd::Ended {
                outcome: outcome.to_owned(),
                guard: guard.map(str::to_owned),
                reason,
                exit,
            },
            End::Killed => RunEnd::Crashed,
            End::OverBudget => RunEnd::OverBudget,
        };
        repository.end_run(&end_in_words(&end));
        runs.push(RunObservation {
            name: played.name,
            end,
            rows: rows.clone(),
            watermark: Knowledge::Unknown,
            counts: None,
            // A specimen keeps a cursor and no window.
            window_open: Knowledge::Unknown,
            complaints: Knowledge::Unknown,
            added_by_harness: played.added_by_harness,
        });
    }
    Observation { runs, journal: repository.journal().clone(), ..Observation::default() }
}

/// One of a specimen's two hands: the wire and the shelf are parts of the same world.
struct Hand<'a, 'w>(&'a RefCell<World<'w>>);

/// Everything a specimen touches, in one run.
struct World<'a> {
    repository: &'a mut Repository,
    rows: &'a mut Vec<HeldRow>,
    cursor: &'a mut Option<String>,
    crash: Option<Crash>,
    moment: Moment,
    now_millis: u64,
}

/// Where a run stands with regard to its crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// The page has not come.
    Before,
    /// The page has arrived.
    Arrived,
    /// Its rows are stored.
    Stored,
    /// The specimen is dead.
    Dead,
}

impl World<'_> {
    fn die(&mut self) -> Halt {
        if self.moment != Moment::Dead {
            self.moment = Moment::Dead;
            let crash = self.crash.expect("only a crash kills");
            self.repository.crash(&place_of(crash));
        }
        Halt::Killed
    }

    fn phase(&self) -> Option<CrashPhase> {
        self.crash.map(|crash| crash.phase)
    }

    fn alive(&mut self) -> Result<(), Halt> {
        if self.moment == Moment::Dead { Err(self.die()) } else { Ok(()) }
    }

    /// Puts `row` in the place of every row with its identifier.
    fn replace(&mut self, row: HeldRow) {
        self.rows.retain(|held| held.identifier != row.identifier);
        self.rows.push(row);
    }
}

impl Hand<'_, '_> {
    /// One request and its answer.
    fn exchange(&self, request: &HttpRequest) -> Result<HttpPage, Halt> {
        let mut world = self.0.borrow_mut();
        world.alive()?;
        // The page after the crash's page is asked for: all that was to be done with that page is done.
        if matches!(world.moment, Moment::Stored | Moment::Arrived) {
            return Err(world.die());
        }
        let now_millis = world.now_millis;
        let reply = match ask(world.repository, request, now_millis) {
            Ok(reply) => reply,
            Err(page) => return Ok(page),
        };
        world.now_millis += ANSWER_MILLIS;
        if is_over_budget(&reply) {
            return Err(Halt::OverBudget);
        }
        if world.crash.is_some_and(|crash| is_place_of(crash, &reply)) {
            if matches!(world.phase(), Some(CrashPhase::BeforeResponse)) {
                return Err(world.die());
            }
            world.moment = Moment::Arrived;
        }
        let Received { answer, seconds } = receive(reply);
        world.now_millis += seconds * 1_000;
        answer.map_err(Halt::Lost)
    }
}

impl Wire for Hand<'_, '_> {
    /// Redirects are followed here, as HTTP libraries do it for their users.
    fn send(&mut self, request: &HttpRequest) -> Result<HttpPage, Halt> {
        let mut page = self.exchange(request)?;
        let mut next = request.clone();
        for _ in 0..REDIRECTS_MAX {
            let location = page.headers.get("location").map(str::to_owned);
            let (true, Some(location)) = (matches!(page.status, 301..=303 | 307 | 308), location)
            else {
                break;
            };
            let query = next.url.split_once('?').map_or("", |(_, query)| query);
            let Ok(asked) = Request::from_arguments(&decode_arguments(query)) else { break };
            let Ok(redirected) = redirected(&next, &asked, page.status, &location) else { break };
            next = redirected;
            page = self.exchange(&next)?;
        }
        Ok(page)
    }

    fn wait(&mut self, seconds: u64) -> Result<(), Halt> {
        let mut world = self.0.borrow_mut();
        world.alive()?;
        world.now_millis = world.now_millis.saturating_add(seconds.saturating_mul(1_000));
        Ok(())
    }
}

impl Shelf for Hand<'_, '_> {
    fn put_rows(&mut self, rows: &[Row<'_>]) -> Result<(), Halt> {
        let mut world = self.0.borrow_mut();
        world.alive()?;
        if world.moment == Moment::Arrived {
            if matches!(world.phase(), Some(CrashPhase::Uncommitted | CrashPhase::AfterResponse)) {
                return Err(world.die());
            }
            world.moment = Moment::Stored;
        }
        for row in rows {
            match row {
                Row::Upsert(record) => {
                    let row = held(&record.header, false, record.payload.as_deref());
                    world.replace(row);
                }
                Row::Insert(record) => {
                    let row = held(&record.header, false, record.payload.as_deref());
                    world.rows.push(row);
                }
                Row::Withdraw(header) => world.replace(held(header, true, None)),
                Row::Hollow(header) => world.replace(held(header, false, None)),
            }
        }
        Ok(())
    }

    fn put_cursor(&mut self, cursor: Option<&str>) -> Result<(), Halt> {
        let mut world = self.0.borrow_mut();
        world.alive()?;
        *world.cursor = cursor.map(str::to_owned);
        Ok(())
    }

    fn cursor(&self) -> Option<String> {
        self.0.borrow().cursor.clone()
    }
}

fn held(header: &Header, deleted: bool, payload: Option<&str>) -> HeldRow {
    HeldRow {
        identifier: header.identifier.clone(),
        datestamp: header.datestamp.map(|datestamp| datestamp.to_string()),
        deleted,
        digest: (!deleted).then(|| payload_digest(payload.unwrap_or_default())),
    }
}
