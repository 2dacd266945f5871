//! A file becomes a script: defaults filled in, the seed applied, nothing left to chance.

use pmh_protocol::{DeletedRecords, Granularity, Selection, Stamp};
use toml::Spanned;

use crate::defaults;
use crate::load::Loaded;
use crate::model::{self, File};
use crate::script::{
    Budget, Change, ClockScript, Crash, CrashPhase, Effect, Expect, Fault, HttpEffect, LastToken,
    Protocol, RepositoryScript, Run, RunExpect, Script, StoreExpect, TokenEffect, TokenStyle, When,
};
use crate::time::Duration;
use crate::world::World;

impl Loaded {
    /// The scenario as it is played.
    #[must_use]
    pub fn script(&self) -> Script {
        let file = &self.file;
        let faults = file.fault.iter().zip(&self.fault_lines);
        Script {
            id: self.id.clone(),
            title: file.title.clone().unwrap_or_else(|| self.id.clone()),
            kind: file.kind.as_ref().map(|kind| kind.get_ref().clone()),
            rules: values(&file.rules),
            seed: seed(file),
            repository: repository(file),
            faults: faults.map(|(written, line)| fault(written.get_ref(), *line)).collect(),
            runs: file.run.iter().map(|written| run(written.get_ref())).collect(),
            expect: Expect {
                store: match store(file) {
                    model::StoreExpect::Truth => StoreExpect::Truth,
                    model::StoreExpect::Subset => StoreExpect::Subset,
                },
                idempotent: file.expect.idempotent.unwrap_or_default(),
            },
            catches: values(&file.catches),
            budget: budget(file),
        }
    }
}

impl Script {
    /// A healthy repository of so many records in pages of this size, and one run without expectations.
    #[must_use]
    pub fn plain(records: u32, page_size: usize, seed: u64) -> Self {
        let clock = ClockScript {
            start: defaults::clock_start(),
            tick_seconds: defaults::TICK_SECONDS,
            between_runs_seconds: defaults::BETWEEN_RUNS_SECONDS,
        };
        let first = defaults::first_stamp(clock.start);
        let step_seconds = defaults::step_seconds(clock.start, first, records);
        Self {
            id: "plain".to_owned(),
            title: format!("{records} records in pages of {page_size}"),
            kind: None,
            rules: Vec::new(),
            seed,
            repository: RepositoryScript {
                world: World::generate(seed, records, 0.0, first, step_seconds, Vec::new()),
                page_size: page_size.max(1),
                protocol: protocol(&model::Protocol::default()),
                clock,
            },
            faults: Vec::new(),
            runs: vec![Run {
                name: model::Action::Harvest.word().to_owned(),
                before: Vec::new(),
                crash: None,
                expect: RunExpect::default(),
            }],
            expect: Expect { store: StoreExpect::Truth, idempotent: false },
            catches: Vec::new(),
            budget: Budget {
                requests: u32::MAX,
                wall_seconds: defaults::WALL_SECONDS.unsigned_abs(),
            },
        }
    }
}

/// A list of everything.
pub(crate) fn whole() -> Selection {
    Selection { prefix: "oai_dc".to_owned(), from: None, until: None, set: None }
}

pub(crate) fn seed(file: &File) -> u64 {
    file.seed.unwrap_or(defaults::SEED)
}

/// The repository before the first run.
pub(crate) fn repository(file: &File) -> RepositoryScript {
    let (first, step_seconds) = stamps(file);
    let deleted = generate(file).and_then(|generate| generate.deleted.as_ref());
    let deleted = deleted.map_or(defaults::DELETED_SHARE, |share| *share.get_ref());
    let sets = values(&file.repository.sets);
    RepositoryScript {
        world: World::generate(seed(file), count(file), deleted, first, step_seconds, sets),
        page_size: value(&file.repository.page_size).unwrap_or(defaults::PAGE_SIZE) as usize,
        protocol: protocol(&file.protocol),
        clock: clock(file),
    }
}

pub(crate) fn generate(file: &File) -> Option<&model::Generate> {
    file.repository.records.as_ref().map(|model::Records::Generate(generate)| generate)
}

/// How many records there are before the first run.
pub(crate) fn count(file: &File) -> u32 {
    generate(file).and_then(|generate| value(&generate.count)).unwrap_or(defaults::RECORDS)
}

/// Datestamp of the first record, and the seconds from one to the next.
pub(crate) fn stamps(file: &File) -> (Stamp, i64) {
    let start = clock(file).start;
    let written =
        generate(file).and_then(|generate| generate.stamps.as_ref()).map(Spanned::get_ref);
    let every = match written {
        Some(model::Stamps::Same) => return (defaults::first_stamp(start), 0),
        Some(model::Stamps::Every(every)) => *every,
        None => model::Every::default(),
    };
    let first = every.from.map_or_else(|| defaults::first_stamp(start), |from| from.0);
    let step = every.step.map(|step| step.seconds);
    (first, step.unwrap_or_else(|| defaults::step_seconds(start, first, count(file))))
}

fn protocol(written: &model::Protocol) -> Protocol {
    Protocol {
        granularity: match written.granularity.unwrap_or_default() {
            model::Granularity::Second => Granularity::Second,
            model::Granularity::Day => Granularity::Day,
        },
        deleted_records: match written.deleted_records.unwrap_or_default() {
            model::DeletedRecords::No => DeletedRecords::No,
            model::DeletedRecords::Transient => DeletedRecords::Transient,
            model::DeletedRecords::Persistent => DeletedRecords::Persistent,
        },
        token: match written.token.unwrap_or_default() {
            model::TokenStyle::Stateless => TokenStyle::Stateless,
            model::TokenStyle::Stateful => TokenStyle::Stateful,
            model::TokenStyle::Session => TokenStyle::Session,
        },
        token_requests: value(&written.ttl.requests),
        last_token: match written.last_token.unwrap_or_default() {
            model::LastToken::Empty => LastToken::Empty,
            model::LastToken::Blank => LastToken::Blank,
            model::LastToken::Absent => LastToken::Absent,
        },
        announces_size: matches!(written.list_size.unwrap_or_default(), model::ListSize::Right),
    }
}

pub(crate) fn clock(file: &File) -> ClockScript {
    let seconds = |written: &Option<Spanned<Duration>>, default: i64| {
        value(written).map_or(default, |duration| duration.seconds)
    };
    ClockScript {
        start: value(&file.clock.start).map_or_else(defaults::clock_start, |start| start.0),
        tick_seconds: seconds(&file.clock.tick, defaults::TICK_SECONDS),
        between_runs_seconds: seconds(&file.clock.between_runs, defaults::BETWEEN_RUNS_SECONDS),
    }
}

pub(crate) fn budget(file: &File) -> Budget {
    let wall_seconds = value(&file.budget.wall).map_or(defaults::WALL_SECONDS, |wall| wall.seconds);
    Budget {
        requests: value(&file.budget.requests).unwrap_or(defaults::REQUESTS),
        wall_seconds: wall_seconds.unsigned_abs(),
    }
}

fn fault(written: &model::Fault, line: usize) -> Fault {
    let when = written.when.as_ref().map(Spanned::get_ref);
    let when = when.map_or_else(When::default, |when| When {
        run: when.run.as_ref().map(|run| run.get_ref().clone()),
        list: value(&when.list),
        page: value(&when.page),
        token: value(&when.token),
        attempt: value(&when.attempt),
    });
    let effect = match &written.effect {
        model::Effect::Http(http) => Effect::Http(HttpEffect {
            status: *http.status.get_ref(),
            retry_after: http.retry_after.as_ref().map(|text| {
                let seconds = Duration::parse(text.get_ref()).map(|wait| wait.seconds.to_string());
                seconds.unwrap_or_else(|| text.get_ref().clone())
            }),
        }),
        model::Effect::Token(token) => Effect::Token(match token {
            model::TokenEffect::Expire => TokenEffect::Expire,
            model::TokenEffect::Same => TokenEffect::Same,
            model::TokenEffect::Drop => TokenEffect::Drop,
            model::TokenEffect::WrapTo(page) => TokenEffect::WrapTo(*page.get_ref()),
            model::TokenEffect::RewindTo(page) => TokenEffect::RewindTo(*page.get_ref()),
            model::TokenEffect::EmptyPages(count) => TokenEffect::EmptyPages(*count.get_ref()),
        }),
    };
    Fault {
        name: written.name.get_ref().clone(),
        when,
        effect,
        times: value(&written.times),
        optional: written.optional.unwrap_or_default(),
        line,
    }
}

/// What the store must hold: what is written, or what the end of the last run allows.
pub(crate) fn store(file: &File) -> model::StoreExpect {
    let outcome = file.run.last().and_then(|run| run.get_ref().expect.outcome.as_ref());
    let default = match outcome.map(|outcome| outcome.get_ref().as_str()) {
        Some("incomplete" | "refused") => model::StoreExpect::Subset,
        _ => model::StoreExpect::Truth,
    };
    file.expect.store.unwrap_or(default)
}

/// The name of a run: its own, or the word of its action.
pub(crate) fn run_name(run: &model::Run) -> &str {
    run.name.as_ref().map_or_else(|| run.action.get_ref().word(), |name| name.get_ref())
}

fn run(written: &model::Run) -> Run {
    let expect = &written.expect;
    Run {
        name: run_name(written).to_owned(),
        before: written.before.iter().map(change).collect(),
        crash: written.crash.as_ref().map(|crash| Crash {
            page: *crash.at.page.get_ref(),
            phase: match crash.phase {
                model::CrashPhase::Uncommitted => CrashPhase::Uncommitted,
                model::CrashPhase::Committed => CrashPhase::Committed,
            },
        }),
        expect: RunExpect {
            outcome: expect.outcome.as_ref().map(|outcome| outcome.get_ref().clone()),
            guard: expect.guard.as_ref().map(|guard| guard.get_ref().clone()),
            exit: value(&expect.exit).map(i32::from),
            max_requests: expect.max_requests,
            changes: expect.changes.map(u64::from),
        },
    }
}

pub(crate) fn change(written: &model::Change) -> Change {
    match written {
        model::Change::Add(count) => Change::Add(*count.get_ref()),
        model::Change::Touch(numbers) => Change::Touch(values(numbers)),
        model::Change::Delete(numbers) => Change::Delete(values(numbers)),
    }
}

fn value<T: Copy>(written: &Option<Spanned<T>>) -> Option<T> {
    written.as_ref().map(|written| *written.get_ref())
}

fn values<T: Clone>(written: &[Spanned<T>]) -> Vec<T> {
    written.iter().map(|written| written.get_ref().clone()).collect()
}
