//! The repository before the first run.

use pmh_protocol::{Selection, Stamp};
use toml::Spanned;

use super::{protocol, value, values};
use crate::defaults;
use crate::model::{self, File};
use crate::script::{ClockScript, RepositoryScript};
use crate::time::Duration;
use crate::world::World;

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
        protocol: protocol(&file.protocol, &file.repository),
        clock: clock(file),
    }
}

/// Whether the repository has records: without replies always, beside replies only where the file says which.
pub(crate) fn is_modelled(file: &File) -> bool {
    file.reply.is_empty() || file.repository.records.is_some()
}

pub(crate) fn generate(file: &File) -> Option<&model::Generate> {
    file.repository.records.as_ref().map(|model::Records::Generate(generate)| generate)
}

/// How many records there are before the first run.
pub(crate) fn count(file: &File) -> u32 {
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
