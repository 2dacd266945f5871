//! The whole file.

use super::{
    expect, fault, holdings, protocol, replies, reply, repository, run, seed, value, values,
};
use crate::defaults;
use crate::load::{Held, Loaded};
use crate::model::{self, File};
use crate::script::{Budget, ClockScript, Expect, RepositoryScript, Run, Script};
use crate::world::World;

impl Loaded {
    /// The scenario as it is played.
    #[must_use]
    pub fn script(&self) -> Script {
        let file = &self.file;
        let faults = file.fault.iter().zip(&self.fault_lines);
        Script {
            id: self.id(),
            family: self.family.clone(),
            title: file.title.clone().unwrap_or_else(|| self.id()),
            kind: file.kind.as_ref().map(|kind| kind.get_ref().clone()),
            rules: values(&file.rules),
            seed: seed(file),
            repository: repository(file),
            faults: faults.map(|(written, line)| fault(written.get_ref(), *line)).collect(),
            replies: file
                .reply
                .iter()
                .zip(&self.bodies)
                .enumerate()
                .flat_map(|(index, (written, held))| match held {
                    Held::Answer(bytes) => vec![reply(written.get_ref(), index + 1, bytes)],
                    Held::Tape(taped) => replies(written.get_ref(), index + 1, taped),
                })
                .collect(),
            runs: runs(file),
            thresholds: file
                .client
                .guards_at
                .iter()
                .flat_map(model::Thresholds::given)
                .map(|(name, value)| (name.to_owned(), *value.get_ref()))
                .collect(),
            base_url_query: file
                .client
                .base_url_query
                .as_ref()
                .map(|query| query.get_ref().clone()),
            expect: expect(file),
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
            family: "plain".to_owned(),
            title: format!("{records} records in pages of {page_size}"),
            kind: None,
            rules: Vec::new(),
            seed,
            repository: RepositoryScript {
                world: World::generate(seed, records, 0.0, first, step_seconds, Vec::new()),
                page_size: page_size.max(1),
                protocol: protocol(&model::Protocol::default(), &model::Repository::default()),
                clock,
            },
            faults: Vec::new(),
            replies: Vec::new(),
            runs: vec![Run { name: model::Action::Harvest.word().to_owned(), ..Run::default() }],
            thresholds: Vec::new(),
            base_url_query: None,
            expect: Expect::default(),
            catches: Vec::new(),
            budget: Budget {
                requests: u32::MAX,
                wall_seconds: defaults::WALL_SECONDS.unsigned_abs(),
            },
        }
    }
}

fn runs(file: &File) -> Vec<Run> {
    let mut runs: Vec<Run> = file.run.iter().map(|written| run(written.get_ref())).collect();
    // What the file says of the end is said of its last run.
    if let (Some(last), Some(truth)) = (runs.last_mut(), &file.truth)
        && last.truth.is_none()
    {
        last.truth = Some(holdings(truth));
    }
    runs
}

pub(crate) fn budget(file: &File) -> Budget {
    let wall_seconds = value(&file.budget.wall).map_or(defaults::WALL_SECONDS, |wall| wall.seconds);
    Budget {
        requests: value(&file.budget.requests).unwrap_or(defaults::REQUESTS),
        wall_seconds: wall_seconds.unsigned_abs(),
    }
}

/// What the store must hold: what is written, or what the end of the last run allows.
pub(crate) fn store(file: &File) -> model::StoreExpect {
    // Who writes the truth down by hand writes down what is there in the end, however the run ended.
    if file.truth.is_some() {
        return file.expect.store.unwrap_or(model::StoreExpect::Truth);
    }
    let outcome = file.run.last().and_then(|run| run.get_ref().expect.outcome.as_ref());
    let default = match outcome.map(|outcome| outcome.get_ref().as_str()) {
        Some("incomplete" | "refused") => model::StoreExpect::Subset,
        _ => model::StoreExpect::Truth,
    };
    file.expect.store.unwrap_or(default)
}
