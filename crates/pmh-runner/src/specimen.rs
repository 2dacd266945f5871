//! The pure arm for harvesters that are wrong on purpose: a wire and a shelf over the same repository.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use pmh_harvest::redirected;
use pmh_oracle::{HeldRow, Knowledge, Observation, RunEnd, RunObservation};
use pmh_protocol::{
    Datestamp, Granularity, Header, HttpPage, HttpRequest, Request, Selection, Stamp,
    decode_arguments,
};
use pmh_repository::Repository;
use pmh_scenario::{Crash, CrashPhase, Run, Script, payload_digest};
use pmh_specimens::{End, Halt, Redirects, Row, Shelf, Specimen, Task, Wire};

use crate::observe::runs_of;
use crate::receive::{Received, receive};
use crate::simulate::{
    ANSWER_MILLIS, BASE_URL, CLIENT_START, ask, end_in_words, is_over_budget, is_place_of, place_of,
};

/// Redirects of one request that are followed.
const REDIRECTS_MAX: u32 = 5;

/// Plays a script against a specimen.
#[must_use]
pub fn play_specimen(script: &Arc<Script>, specimen: Specimen) -> Observation {
    let mut repository = Repository::new(Arc::clone(script));
    let mut shelves: BTreeMap<String, Vec<HeldRow>> = BTreeMap::new();
    let mut places: BTreeMap<Selection, Place> = BTreeMap::new();
    let mut runs = Vec::new();
    let mut clock = CLIENT_START;
    for played in runs_of(script) {
        repository.begin_run(played.index);
        let task = task_of(script, played.index);
        let place = places.entry(specimen.place_of(&task.selection)).or_default();
        let rows = shelves.entry(specimen.shelf_of(&task.selection).to_owned()).or_default();
        let world = RefCell::new(World {
            repository: &mut repository,
            rows,
            place,
            crash: script.runs.get(played.index).and_then(|run| run.crash),
            moment: Moment::Before,
            began: clock,
            now_millis: 0,
        });
        let end = specimen.harvest(&task, &mut Hand(&world), &mut Hand(&world));
        let World { repository, rows, place, now_millis, .. } = world.into_inner();
        clock = clock.plus_seconds(seconds_of(now_millis));
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
            watermark: Knowledge::Known(place.watermark),
            counts: None,
            // A specimen keeps a cursor and no window.
            window_open: Knowledge::Unknown,
            complaints: Knowledge::Unknown,
            added_by_harness: played.added_by_harness,
        });
    }
    Observation { runs, journal: repository.into_journal(), ..Observation::default() }
}

/// What the run of this index asks for; the run that the harness adds asks like the last one of the script. Dates are in
/// the form that the repository announces.
fn task_of(script: &Script, index: usize) -> Task {
    let run = script.runs.get(index).or(script.runs.last());
    let form = script.repository.protocol.granularity;
    let last_second = |date: Datestamp| match date.granularity {
        Granularity::Day => date.stamp.plus_seconds(86_399),
        Granularity::Second => date.stamp,
    };
    Task {
        base_url: script.base_url_for_client(BASE_URL),
        selection: Selection {
            prefix: run.map_or("oai_dc", Run::prefix).to_owned(),
            from: run.and_then(|run| run.from).map(|date| Datestamp::new(date.stamp, form)),
            until: run
                .and_then(|run| run.until)
                .map(|date| Datestamp::new(last_second(date), form)),
            set: run.and_then(|run| run.set.clone()),
        },
        full: run.is_some_and(|run| run.full),
    }
}

fn seconds_of(millis: u64) -> i64 {
    i64::try_from(millis / 1_000).unwrap_or(i64::MAX)
}

/// One of a specimen's two hands: the wire and the shelf are parts of the same world.
struct Hand<'a, 'w>(&'a RefCell<World<'w>>);

/// Everything a specimen touches, in one run.
struct World<'a> {
    repository: &'a mut Repository,
    rows: &'a mut Vec<HeldRow>,
    place: &'a mut Place,
    crash: Option<Crash>,
    moment: Moment,
    /// What the specimen's own calendar clock said when the run began.
    began: Stamp,
    now_millis: u64,
}

/// Where the lists of one selection have got to.
#[derive(Debug, Default)]
struct Place {
    cursor: Option<String>,
    watermark: Option<Stamp>,
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
            if matches!(world.phase(), Some(CrashPhase::BeforeResponse | CrashPhase::MidBody)) {
                return Err(world.die());
            }
            let dies_at_end =
                matches!(world.phase(), Some(CrashPhase::BeforeClose | CrashPhase::AfterClose));
            if !dies_at_end {
                world.moment = Moment::Arrived;
            }
        }
        let delay_seconds = reply.delay_seconds;
        let Received { answer, seconds } = receive(reply);
        world.now_millis += seconds.saturating_add(delay_seconds) * 1_000;
        answer.map_err(Halt::Lost)
    }
}

impl Wire for Hand<'_, '_> {
    /// Redirects are followed here, as HTTP libraries do it for their users.
    fn send(&mut self, request: &HttpRequest, redirects: Redirects) -> Result<HttpPage, Halt> {
        let mut page = self.exchange(request)?;
        let mut next = request.clone();
        // More than any budget of requests.
        let followed_max = if redirects == Redirects::ForEver { u32::MAX } else { REDIRECTS_MAX };
        for _ in 0..followed_max {
            let location = page.headers.get("location").map(str::to_owned);
            let (true, Some(location)) = (matches!(page.status, 301..=303 | 307 | 308), location)
            else {
                break;
            };
            let query = next.url.split_once('?').map_or("", |(_, query)| query);
            let Ok(asked) = Request::from_arguments(&decode_arguments(query)) else { break };
            let Ok(followed) = redirected(&next, &asked, page.status, &location) else { break };
            next = match redirects {
                Redirects::Follow | Redirects::ForEver => followed,
                // What is no whole address leads to the same place either way.
                Redirects::ToTheLetter if location.contains("://") => {
                    HttpRequest { url: location, ..next }
                }
                Redirects::ToTheLetter => followed,
                Redirects::Ignore => break,
            };
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

    fn now(&self) -> Stamp {
        let world = self.0.borrow();
        world.began.plus_seconds(seconds_of(world.now_millis))
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
                Row::Keep(record) => {
                    let row = held(&record.header, false, record.payload.as_deref());
                    if world.rows.iter().all(|held| held.identifier != row.identifier) {
                        world.rows.push(row);
                    }
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
        world.place.cursor = cursor.map(str::to_owned);
        Ok(())
    }

    fn cursor(&self) -> Option<String> {
        self.0.borrow().place.cursor.clone()
    }

    fn put_watermark(&mut self, watermark: Option<Stamp>) -> Result<(), Halt> {
        let mut world = self.0.borrow_mut();
        world.alive()?;
        if world.phase() == Some(CrashPhase::BeforeClose) {
            return Err(world.die());
        }
        world.place.watermark = watermark;
        if world.phase() == Some(CrashPhase::AfterClose) {
            return Err(world.die());
        }
        Ok(())
    }

    fn watermark(&self) -> Option<Stamp> {
        self.0.borrow().place.watermark
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
