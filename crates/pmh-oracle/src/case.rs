//! An observation beside the truth it is judged by: what every property starts from.

use pmh_protocol::Stamp;
use pmh_scenario::{Course, Exchange, Run, Script, TrueRow, Truth, Truths, World};

use crate::observation::{HeldRow, Knowledge, Observation, RunObservation};

/// One case, with the truth after each of its runs.
pub(crate) struct Case<'a> {
    pub(crate) script: &'a Script,
    pub(crate) observation: &'a Observation,
    truths: Truths,
}

impl<'a> Case<'a> {
    pub(crate) fn new(script: &'a Script, observation: &'a Observation) -> Self {
        let mut course = Course::of(script, observation.journal.exchanges());
        course.complete = script
            .runs
            .iter()
            .map(|run| {
                let mut observed = observation.runs.iter();
                observed.any(|seen| seen.name == run.name && seen.end.claims_complete())
            })
            .collect();
        Self { script, observation, truths: Truths::of(script, &course) }
    }

    /// The runs that took place.
    pub(crate) fn runs(&self) -> &'a [RunObservation] {
        &self.observation.runs
    }

    /// The run of the script that this observation is of.
    pub(crate) fn observed(&self, name: &str) -> Option<&'a RunObservation> {
        self.runs().iter().find(|run| !run.added_by_harness && run.name == name)
    }

    /// Every version of a record until this run, the newest last.
    pub(crate) fn versions(
        &self,
        run: &RunObservation,
        identifier: &str,
    ) -> impl Iterator<Item = &TrueRow> {
        let last = self.run_index(&run.name);
        let versions = self.truths.versions.get(identifier).map_or(&[][..], Vec::as_slice);
        versions.iter().filter(move |(run, _)| *run <= last).map(|(_, row)| row)
    }

    /// What the store must hold when this run is complete.
    pub(crate) fn truth(&self, run: &RunObservation) -> &Truth {
        &self.truths.after[self.run_index(&run.name)]
    }

    /// The records of the repository during this run.
    pub(crate) fn world(&self, run_name: &str) -> World {
        let mut world = self.script.repository.world.clone();
        let last = self.run_index(run_name);
        for (index, run) in self.script.runs.iter().enumerate().take(last.saturating_add(1)) {
            for change in &run.before {
                world.apply(change, self.script.repository.clock.run_start(index));
            }
        }
        world
    }

    /// The requests of a run.
    pub(crate) fn exchanges(&self, run_name: &str) -> impl Iterator<Item = &'a Exchange> {
        self.observation.journal.exchanges().filter(move |exchange| exchange.run == run_name)
    }

    /// The requests of all runs up to this one, which may have made none itself.
    pub(crate) fn exchanges_until(
        &self,
        run: &RunObservation,
    ) -> impl Iterator<Item = &'a Exchange> {
        let runs = self.runs();
        let place = runs.iter().position(|other| other.name == run.name);
        let later = place.map_or(&[][..], |place| &runs[place + 1..]);
        let exchanges = self.observation.journal.exchanges();
        exchanges.filter(move |exchange| later.iter().all(|run| run.name != exchange.run))
    }

    /// Where the watermark of this run's key stood before it.
    pub(crate) fn watermark_before(&self, run: &RunObservation) -> Knowledge<Option<Stamp>> {
        let key = self.key(run);
        let earlier = self.runs_before(run).iter().rev().find(|earlier| self.key(earlier) == key);
        earlier.map_or(Knowledge::Known(None), |earlier| earlier.watermark)
    }

    /// The run that moved the watermark to where this one left it: this one, or an earlier one of its key.
    pub(crate) fn set_watermark<'b>(&self, run: &'b RunObservation) -> &'b RunObservation
    where
        'a: 'b,
    {
        let key = self.key(run);
        let earlier = self.runs_before(run).iter().rev().filter(|earlier| self.key(earlier) == key);
        earlier.take_while(|earlier| earlier.watermark == run.watermark).last().unwrap_or(run)
    }

    /// What a watermark belongs to: each format and set has its own.
    fn key(&self, run: &RunObservation) -> Option<(&'a str, Option<&'a str>)> {
        self.asked(run).map(|asked| (asked.prefix(), asked.set.as_deref()))
    }

    /// The store of this run's format as the runs before it left it.
    pub(crate) fn rows_before(&self, run: &RunObservation) -> &'a [HeldRow] {
        let format = self.asked(run).map(Run::prefix);
        let has_format = |earlier: &&RunObservation| self.asked(earlier).map(Run::prefix) == format;
        let earlier = self.runs_before(run).iter().rev().find(has_format);
        earlier.map_or(&[], |earlier| &earlier.rows)
    }

    fn runs_before(&self, run: &RunObservation) -> &'a [RunObservation] {
        let runs = self.runs();
        let place = runs.iter().position(|other| other.name == run.name);
        &runs[..place.unwrap_or_default()]
    }

    /// What the script asks for in this run; one that was added asks like the last.
    pub(crate) fn asked(&self, run: &RunObservation) -> Option<&'a Run> {
        let runs = &self.script.runs;
        runs.get(self.run_index(&run.name)).or(runs.last())
    }

    /// Index in the script; a run that the script does not name comes after all that it does.
    fn run_index(&self, name: &str) -> usize {
        let runs = &self.script.runs;
        runs.iter().position(|run| run.name == name).unwrap_or(runs.len())
    }
}
