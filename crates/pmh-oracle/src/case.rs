//! An observation beside the truth it is judged by: what every property starts from.

use pmh_scenario::{Exchange, Script, Truth, World};

use crate::observation::{HeldRow, Observation, RunObservation};

/// One case, with the truth after each of its runs.
pub(crate) struct Case<'a> {
    pub(crate) script: &'a Script,
    pub(crate) observation: &'a Observation,
    /// After each run of the script, and after one more, which brings no changes.
    truths: Vec<Truth>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(script: &'a Script, observation: &'a Observation) -> Self {
        let truths = (0..=script.runs.len()).map(|index| Truth::after(script, index)).collect();
        Self { script, observation, truths }
    }

    /// The runs that took place.
    pub(crate) fn runs(&self) -> &'a [RunObservation] {
        &self.observation.runs
    }

    /// The run of the script that this observation is of.
    pub(crate) fn observed(&self, name: &str) -> Option<&'a RunObservation> {
        self.runs().iter().find(|run| !run.added_by_harness && run.name == name)
    }

    /// Everything that was true until this run, the newest last.
    pub(crate) fn history(&self, run: &RunObservation) -> &[Truth] {
        &self.truths[..=self.run_index(&run.name)]
    }

    /// What the store must hold when this run is complete.
    pub(crate) fn truth(&self, run: &RunObservation) -> &Truth {
        &self.truths[self.run_index(&run.name)]
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

    /// The run before this one.
    pub(crate) fn run_before(&self, run: &RunObservation) -> Option<&'a RunObservation> {
        let runs = self.runs();
        let place = runs.iter().position(|other| other.name == run.name)?;
        runs.get(place.checked_sub(1)?)
    }

    /// The store as the run before this one left it.
    pub(crate) fn rows_before(&self, run: &RunObservation) -> &'a [HeldRow] {
        let runs = self.runs();
        let place = runs.iter().position(|other| other.name == run.name);
        place.and_then(|place| place.checked_sub(1)).map_or(&[], |before| &runs[before].rows)
    }

    /// Index in the script; a run that the script does not name comes after all that it does.
    fn run_index(&self, name: &str) -> usize {
        let runs = &self.script.runs;
        runs.iter().position(|run| run.name == name).unwrap_or(runs.len())
    }
}
