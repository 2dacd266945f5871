//! Runs: names, changes, crashes, expectations.

use toml::Spanned;

use super::{Worlds, check_name, check_positive, check_twins, page_size_span};
use crate::check::content::{RECORDS_MAX, check_known_sets};
use crate::expand;
use crate::finding::Finding;
use crate::load::Vocabulary;
use crate::model::{Action, Change, Crash, CrashPhase, File, Run, RunExpect, Signal};
use crate::script::ONCE_MORE;
use crate::suggest::nearest;

/// More runs than this are no story any more.
const RUNS_MAX: usize = 100;

pub(super) fn check(file: &File, text: &str, known: &Vocabulary<'_>, findings: &mut Vec<Finding>) {
    let Some(first) = file.run.first() else {
        let message = "the scenario has no run";
        let help = "add `[[run]]` with `action = \"harvest\"`";
        findings.push(Finding::error(text.len()..text.len(), message, "").help(help));
        return;
    };
    if let Some(beyond) = file.run.get(RUNS_MAX) {
        findings.push(Finding::error(
            beyond.span(),
            format!("there are more than {RUNS_MAX} runs"),
            "",
        ));
    }
    let action = &first.get_ref().action;
    if *action.get_ref() != Action::Harvest {
        let message = format!(
            "the first run has nothing to {}",
            match action.get_ref() {
                Action::Resume => "resume",
                Action::Harvest | Action::Incremental => "go on from",
            }
        );
        findings
            .push(Finding::error(action.span(), message, "").help("the first run is a `harvest`"));
    }
    for later in file.run.iter().skip(1).map(|run| &run.get_ref().action) {
        if *later.get_ref() == Action::Harvest {
            let message = "only the first run is a `harvest`";
            let help = "a later run goes on: `resume` after an interruption, `incremental` after a complete run, also \
                        for a set that is asked for the first time";
            findings.push(Finding::error(later.span(), message, "").help(help));
        }
    }
    check_twins(
        "runs",
        file.run.iter().map(|run| (expand::run_name(run.get_ref()), name_span(run))),
        findings,
    );
    for run in &file.run {
        if expand::run_name(run.get_ref()) == ONCE_MORE {
            let message = format!("the name `{ONCE_MORE}` is taken");
            let label = "it belongs to the run that `idempotent` adds";
            findings.push(Finding::error(name_span(run), message, label));
        }
        let expect = &run.get_ref().expect;
        if let Some(outcome) = &expect.outcome {
            check_name(outcome, "outcome", known.outcomes, findings);
        }
        if let Some(guard) = &expect.guard {
            check_name(guard, "guard", known.guards, findings);
        }
        check_agreement(expect, findings);
        check_set(run.get_ref(), file, findings);
        check_survival(run.get_ref(), findings);
    }
    for crash in file.run.iter().filter_map(|run| run.get_ref().crash.as_ref()) {
        check_crash(crash, findings);
    }
    if let Some(crash) = file.run.last().and_then(|run| run.get_ref().crash.as_ref()) {
        let message = "nothing follows the crash";
        let help = "add a `[[run]]` with `action = \"resume\"`: what matters is what comes of it";
        let place = crash.at.as_ref().map_or(crash.phase.span(), |at| at.page.span());
        findings.push(Finding::error(place, message, "in the last run").help(help));
    }
}

/// A set that there is not is refused: whoever means that says so.
fn check_set(run: &Run, file: &File, findings: &mut Vec<Finding>) {
    let Some(set) = &run.set else { return };
    let name = set.get_ref().as_str();
    let known = file.repository.sets.iter().map(|known| known.get_ref().as_str());
    let is_there = |known: &str| {
        known.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    let is_meant =
        run.expect.outcome.as_ref().is_some_and(|outcome| outcome.get_ref() == "refused");
    // A reply may name sets of its own.
    let is_known = expand::is_modelled(file) && file.reply.is_empty();
    if is_known && !is_meant && !known.clone().any(is_there) {
        let message = format!("the repository has no set `{name}`");
        let finding = Finding::warning(set.span(), message, "");
        findings.push(match nearest(name, known) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(
                "`repository.sets` names those that it has; if this is what the scenario is about, expect \
                 `outcome = \"refused\"`",
            ),
        });
    }
}

/// Who is killed says nothing more.
fn check_survival(run: &Run, findings: &mut Vec<Finding>) {
    let is_killed =
        run.crash.as_ref().is_some_and(|crash| !matches!(crash.signal, Some(Signal::Term)));
    if !is_killed {
        return;
    }
    let expect = &run.expect;
    let outcome = expect.outcome.as_ref().map(|text| (text.span(), "outcome"));
    let guard = expect.guard.as_ref().map(|text| (text.span(), "guard"));
    let exit = expect.exit.as_ref().map(|number| (number.span(), "exit code"));
    for (span, what) in outcome.into_iter().chain(guard).chain(exit) {
        let message = format!("a run that is killed has no {what}");
        let help = "take it out, or expect it of the run that resumes";
        findings.push(Finding::error(span, message, "").help(help));
    }
}

/// Whether the moment of a crash has a place, and can be met.
fn check_crash(crash: &Crash, findings: &mut Vec<Finding>) {
    let phase = &crash.phase;
    let is_at_end = matches!(phase.get_ref(), CrashPhase::BeforeClose | CrashPhase::AfterClose);
    match &crash.at {
        None if !is_at_end => {
            let help = "add `at = { page = 2 }`";
            findings.push(Finding::error(phase.span(), "the crash has no place", "").help(help));
        }
        Some(at) if is_at_end => {
            let message = "this moment is at the end of the list, and at no page";
            findings.push(Finding::error(at.page.span(), message, "take out `at`"));
        }
        _ => {}
    }
    if let Some(at) = &crash.at
        && let Some(list) = &at.list
    {
        check_positive(list, "list", findings);
        let is_opening = *at.page.get_ref() == 1
            && matches!(phase.get_ref(), CrashPhase::BeforeResponse | CrashPhase::MidBody);
        if *list.get_ref() > 1 && !is_opening {
            let message = "in a later list a harvester can only be killed while it is opened";
            let help = "`page = 1` with `phase = \"before-response\"` or `phase = \"mid-body\"`: all before it is \
                        committed then, whoever reads ahead";
            findings.push(Finding::error(list.span(), message, "").help(help));
        }
    }
    if matches!(crash.signal, Some(Signal::Term))
        && !matches!(phase.get_ref(), CrashPhase::BeforeResponse)
    {
        let message = "an orderly stop is asked for before a response";
        let help = "whoever is asked to stop finishes what is in hand: `phase = \"before-response\"` says what that is";
        findings.push(Finding::error(phase.span(), message, "").help(help));
    }
}

/// Outcome, guard and exit code say the same thing in three ways, or contradict each other.
fn check_agreement(expect: &RunExpect, findings: &mut Vec<Finding>) {
    let outcome = expect.outcome.as_ref().map(|outcome| outcome.get_ref().as_str());
    if let (Some(guard), Some(outcome)) = (&expect.guard, outcome)
        && outcome != "incomplete"
    {
        let message = format!("a run that a guard ends is not `{outcome}`");
        findings.push(Finding::error(guard.span(), message, "a guard makes a run incomplete"));
    }
    let Some(exit) = &expect.exit else { return };
    let outcome = outcome.or(expect.guard.as_ref().map(|_| "incomplete"));
    let expected = match outcome {
        Some("complete") => Some(0),
        Some("refused") => Some(3),
        Some("incomplete") => Some(4),
        _ => None,
    };
    if let (Some(outcome), Some(expected)) = (outcome, expected)
        && *exit.get_ref() != expected
    {
        let message = format!("a run that is `{outcome}` does not exit with {}", exit.get_ref());
        findings.push(Finding::error(exit.span(), message, format!("it exits with {expected}")));
    } else if !matches!(exit.get_ref(), 0 | 1 | 3 | 4) {
        let message = format!("a harvest never exits with {}", exit.get_ref());
        let label = "0 complete, 1 its own fault, 3 refused, 4 incomplete";
        findings.push(Finding::error(exit.span(), message, label));
    }
}

/// Where a run is named, by itself or by its action.
fn name_span(run: &Spanned<Run>) -> std::ops::Range<usize> {
    let run = run.get_ref();
    run.name.as_ref().map_or_else(|| run.action.span(), Spanned::span)
}

/// Whether a change speaks of records that exist, when there are so many, and does not add too many.
pub(super) fn check_change(
    change: &Change,
    records: usize,
    file: &File,
    findings: &mut Vec<Finding>,
) -> bool {
    let before = findings.len();
    match change {
        Change::Add(count) => {
            let room =
                u32::try_from(records).map_or(0, |records| RECORDS_MAX.saturating_sub(records));
            if !(1..=room).contains(count.get_ref()) {
                let message = format!("{} records cannot be added to {records}", count.get_ref());
                let label = format!("at least 1, and no more than {RECORDS_MAX} in all");
                findings.push(Finding::error(count.span(), message, label));
            }
        }
        Change::Move(moved) => {
            check_numbers(&moved.records, records, findings);
            check_known_sets(&moved.to, file, findings);
        }
        Change::Touch(numbers)
        | Change::Delete(numbers)
        | Change::Purge(numbers)
        | Change::Restamp(numbers) => check_numbers(numbers, records, findings),
    }
    findings.len() == before
}

fn check_numbers(numbers: &[Spanned<u32>], records: usize, findings: &mut Vec<Finding>) {
    for number in numbers {
        if !(1..=records).contains(&(*number.get_ref() as usize)) {
            let message = format!("there is no record {}", number.get_ref());
            let label = format!("records are numbered 1 to {records}");
            findings.push(Finding::error(number.span(), message, label));
        }
    }
}

/// Whether crashes happen on pages that exist.
pub(super) fn check_pages(file: &File, worlds: &Worlds, findings: &mut Vec<Finding>) {
    for (index, run) in file.run.iter().enumerate() {
        let Some(crash) = &run.get_ref().crash else { continue };
        let Some(page) = crash.at.as_ref().map(|at| &at.page) else { continue };
        check_positive(page, "page", findings);
        // How long a later list is, nobody knows: it may ask for less.
        if crash.at.as_ref().is_some_and(|at| at.list.is_some()) {
            continue;
        }
        if *page.get_ref() > worlds.pages(index) {
            let label = format!("page {} of {}", page.get_ref(), worlds.pages(index));
            let mut finding =
                Finding::error(page.span(), "the crash is on a page that does not exist", label);
            if let Some(span) = page_size_span(file) {
                finding = finding.related(span, worlds.sum(index));
            }
            findings.push(finding);
        }
    }
}
