//! What happened to the records while harvesters were reading: what the script alone cannot say, because it depends on
//! what was asked.

use pmh_protocol::Stamp;

use crate::journal::Exchange;
use crate::script::RepoEffect;
use crate::script::{Change, Effect, Fault, Script, TimeEffect};

/// The course of a case as far as the truth depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// What faults changed, in the order of time.
    pub changes: Vec<Midway>,
    /// Whether each run, by its index, said that it was complete; runs that are not here count as complete.
    pub complete: Vec<bool>,
}

/// A change that a fault made while a run was going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Midway {
    /// Index of the run, from 0.
    pub run: usize,
    /// The repository's clock.
    pub at: Stamp,
    /// What changed.
    pub change: Change,
}

impl Course {
    /// The changes that these exchanges tell of.
    pub fn of<'a>(script: &Script, exchanges: impl Iterator<Item = &'a Exchange>) -> Self {
        let mut changes = Vec::new();
        for exchange in exchanges {
            let run = script.runs.iter().position(|run| run.name == exchange.run);
            let Ok(at) = Stamp::parse(&exchange.t) else { continue };
            let named = |fault: &&Fault| exchange.faults.contains(&fault.name);
            // What changes does so before the answer takes its time, and the exchange has the time after that.
            let passed: i64 = script.faults.iter().filter(named).map(seconds_passed).sum();
            let at = at.plus_seconds(-passed);
            for fault in script.faults.iter().filter(named) {
                if let Effect::Repo(RepoEffect::Change(change)) = &fault.effect {
                    let run = run.unwrap_or(script.runs.len());
                    changes.push(Midway { run, at, change: change.clone() });
                }
            }
        }
        Self { changes, complete: Vec::new() }
    }
}

/// Seconds by which a fault moves the repository's clock on while it answers.
const fn seconds_passed(fault: &Fault) -> i64 {
    match &fault.effect {
        Effect::Time(TimeEffect::Delay(seconds) | TimeEffect::Jump(seconds)) => *seconds,
        _ => 0,
    }
}

/// A change in the order in which changes show.
pub(crate) struct Event<'a> {
    /// The run in which it shows.
    pub(crate) run: usize,
    /// Whether it shows while that run is going on, and not before it begins.
    pub(crate) is_midway: bool,
    /// When it shows.
    pub(crate) visible: Stamp,
    /// The datestamp it leaves.
    pub(crate) stamp: Stamp,
    pub(crate) change: &'a Change,
}

/// All changes of a case, in the order in which they show.
pub(crate) fn events<'a>(script: &'a Script, course: &'a Course) -> Vec<Event<'a>> {
    let clock = &script.repository.clock;
    let lag_seconds = script.repository.protocol.index_lag_seconds;
    let event = |run: usize, stamp: Stamp, change: &'a Change, is_midway: bool| {
        let visible = stamp.plus_seconds(lag_seconds);
        let since_start = visible.seconds() - clock.start.seconds();
        let reached = since_start / clock.between_runs_seconds.max(1);
        let reached = usize::try_from(reached).unwrap_or(0).max(run);
        let is_midway = is_midway || visible > clock.run_start(reached);
        Event { run: reached, is_midway, visible, stamp, change }
    };
    let before = script.runs.iter().enumerate().flat_map(|(index, run)| {
        let at = clock.run_start(index);
        run.before.iter().map(move |change| (index, at, change))
    });
    let mut events: Vec<Event<'a>> =
        before.map(|(run, at, change)| event(run, at, change, false)).collect();
    let midway = course.changes.iter();
    events.extend(midway.map(|midway| event(midway.run, midway.at, &midway.change, true)));
    // The sort is stable: what changes at one time changes in the order of the file.
    events.sort_by_key(|event| (event.run, event.is_midway, event.visible));
    events
}
