//! What the harvester is asked to do.

use pmh_protocol::Datestamp;

use super::{holdings, value, values};
use crate::model;
use crate::script::{Change, Crash, CrashPhase, Move, Run, RunExpect, WatermarkExpect};

/// The name of a run: its own, or the word of its action.
pub(crate) fn run_name(run: &model::Run) -> &str {
    run.name.as_ref().map_or_else(|| run.action.get_ref().word(), |name| name.get_ref())
}

pub(super) fn run(written: &model::Run) -> Run {
    let expect = &written.expect;
    Run {
        name: run_name(written).to_owned(),
        before: written.before.iter().map(change).collect(),
        from: value(&written.from).map(|date| date.0),
        until: value(&written.until).map(|date| date.0),
        set: written.set.as_ref().map(|set| set.get_ref().clone()),
        prefix: written.prefix.as_ref().map(|prefix| prefix.get_ref().clone()),
        full: written.full.unwrap_or_default(),
        switches: values(&written.switches),
        allow_mass_delete: written.allow_mass_delete.unwrap_or_default(),
        infer_deletions: value(&written.infer_deletions).unwrap_or_default(),
        strict: written.strict.unwrap_or_default(),
        crash: written.crash.as_ref().map(|crash| Crash {
            is_orderly: matches!(crash.signal, Some(model::Signal::Term)),
            list: crash.at.as_ref().and_then(|at| value(&at.list)).unwrap_or(1),
            page: crash.at.as_ref().map_or(0, |at| *at.page.get_ref()),
            phase: match crash.phase.get_ref() {
                model::CrashPhase::Uncommitted => CrashPhase::Uncommitted,
                model::CrashPhase::Committed => CrashPhase::Committed,
                model::CrashPhase::BeforeResponse => CrashPhase::BeforeResponse,
                model::CrashPhase::MidBody => CrashPhase::MidBody,
                model::CrashPhase::AfterResponse => CrashPhase::AfterResponse,
                model::CrashPhase::NextRequest => CrashPhase::NextRequest,
                model::CrashPhase::BeforeClose => CrashPhase::BeforeClose,
                model::CrashPhase::AfterClose => CrashPhase::AfterClose,
            },
        }),
        truth: written.truth.as_ref().map(holdings),
        expect: RunExpect {
            outcome: expect.outcome.as_ref().map(|outcome| outcome.get_ref().clone()),
            guard: expect.guard.as_ref().map(|guard| guard.get_ref().clone()),
            exit: value(&expect.exit).map(i32::from),
            max_requests: expect.max_requests,
            changes: expect.changes.map(u64::from),
            complaints: expect.complaints.clone(),
            watermark: expect.watermark.as_ref().and_then(|text| watermark(text.get_ref())),
        },
    }
}

pub(crate) fn change(written: &model::Change) -> Change {
    match written {
        model::Change::Add(count) => Change::Add(*count.get_ref()),
        model::Change::Touch(numbers) => Change::Touch(values(numbers)),
        model::Change::Delete(numbers) => Change::Delete(values(numbers)),
        model::Change::Purge(numbers) => Change::Purge(values(numbers)),
        model::Change::Restamp(numbers) => Change::Restamp(values(numbers)),
        model::Change::Move(written) => Change::Move(moved(written)),
    }
}

pub(super) fn moved(written: &model::Move) -> Move {
    Move {
        records: values(&written.records),
        to: values(&written.to),
        is_silent: written.silent.unwrap_or_default(),
    }
}

/// "unchanged", "none", or an instant.
pub(crate) fn watermark(text: &str) -> Option<WatermarkExpect> {
    match text {
        "unchanged" => Some(WatermarkExpect::Unchanged),
        "none" => Some(WatermarkExpect::None),
        text => Some(WatermarkExpect::At(Datestamp::parse(text).ok()?.stamp)),
    }
}
