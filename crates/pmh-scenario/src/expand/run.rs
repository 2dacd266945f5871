//! What the harvester is asked to do.

use super::{holdings, value, values};
use crate::model;
use crate::script::{Change, Crash, CrashPhase, Run, RunExpect};

/// The name of a run: its own, or the word of its action.
pub(crate) fn run_name(run: &model::Run) -> &str {
    run.name.as_ref().map_or_else(|| run.action.get_ref().word(), |name| name.get_ref())
}

pub(super) fn run(written: &model::Run) -> Run {
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
        truth: written.truth.as_ref().map(holdings),
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
