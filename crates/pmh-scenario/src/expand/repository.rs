//! The repository before the first run.

use pmh_protocol::{Selection, Stamp};
use toml::Spanned;

use super::{protocol, value, values};
use crate::chance::keyed;
use crate::defaults;
use crate::model::{self, File};
use crate::script::{ClockScript, RepositoryScript};
use crate::time::Duration;
use crate::world::{World, WorldRecord};

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
        world: world(file, deleted, first, step_seconds, sets),
        page_size: value(&file.repository.page_size).unwrap_or(defaults::PAGE_SIZE) as usize,
        protocol: protocol(&file.protocol, &file.repository),
        clock: clock(file),
    }
}

fn world(file: &File, deleted: f64, first: Stamp, step_seconds: i64, sets: Vec<String>) -> World {
    let generate = generate(file);
    let mut world = World {
        sets,
        seed: seed(file),
        formats: values(&file.repository.formats),
        sets_each: value(&file.repository.sets_each).unwrap_or(defaults::SETS_EACH) as usize,
        body_bytes: generate.and_then(|generate| value(&generate.body_bytes)).unwrap_or(0) as usize,
        has_uuids: generate.and_then(|generate| generate.identifiers)
            == Some(model::Identifiers::Uuid),
        ..World::default()
    };
    if let Some(model::Records::Literal(records)) = &file.repository.records {
        world.records = (1..).zip(records.iter().map(|record| literal(record.get_ref()))).collect();
        return world;
    }
    world.fill(count(file), deleted, first, step_seconds);
    let stamps = generate.and_then(|generate| generate.stamps.as_ref()).map(Spanned::get_ref);
    if let Some(model::Stamps::Spread(spread)) = stamps {
        let seconds = spread.until.0.seconds() - spread.from.0.seconds();
        for (number, record) in &mut world.records {
            let drawn = keyed(world.seed, &["stamp", &number.to_string()]);
            // The span is a hundred years at the most, and never negative here.
            let within = drawn % (seconds.unsigned_abs() + 1);
            record.stamp = spread.from.0.plus_seconds(i64::try_from(within).unwrap_or(0));
        }
    }
    world
}

fn literal(written: &model::LiteralRecord) -> WorldRecord {
    WorldRecord {
        identifier: written.id.get_ref().clone(),
        stamp: written.stamp.get_ref().0,
        sets: values(&written.sets),
        left: Vec::new(),
        moved_in_silence: false,
        version: 1,
        deleted: written.deleted.unwrap_or_default(),
        xml: written.xml.clone(),
    }
}

/// Whether the repository has records: without replies always, beside replies only where the file says which.
pub(crate) fn is_modelled(file: &File) -> bool {
    file.reply.is_empty() || file.repository.records.is_some()
}

pub(crate) fn generate(file: &File) -> Option<&model::Generate> {
    match file.repository.records.as_ref()? {
        model::Records::Generate(generate) => Some(generate),
        model::Records::Literal(_) | model::Records::Files(_) => None,
    }
}

/// How many records there are before the first run.
pub(crate) fn count(file: &File) -> u32 {
    if let Some(model::Records::Literal(records)) = &file.repository.records {
        return u32::try_from(records.len()).unwrap_or(u32::MAX);
    }
    let default = if is_modelled(file) { defaults::RECORDS } else { 0 };
    generate(file).and_then(|generate| value(&generate.count)).unwrap_or(default)
}

/// Datestamp of the first record, and the seconds from one to the next.
pub(crate) fn stamps(file: &File) -> (Stamp, i64) {
    let start = clock(file).start;
    let written =
        generate(file).and_then(|generate| generate.stamps.as_ref()).map(Spanned::get_ref);
    let every = match written {
        Some(model::Stamps::Same) => return (defaults::first_stamp(start), 0),
        Some(model::Stamps::Every(every)) => *every,
        // The latest is what a check of the future looks at.
        Some(model::Stamps::Spread(spread)) => {
            let records = i64::from(count(file).max(2)) - 1;
            let seconds = spread.until.0.seconds() - spread.from.0.seconds();
            return (spread.from.0, seconds.max(0) / records);
        }
        None => model::Every::default(),
    };
    let first = every.from.map_or_else(|| defaults::first_stamp(start), |from| from.0);
    let step = every.step.map(|step| step.seconds);
    (first, step.unwrap_or_else(|| defaults::step_seconds(start, first, count(file))))
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
