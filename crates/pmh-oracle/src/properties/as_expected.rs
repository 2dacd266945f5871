//! What the scenario itself says must come of it.

use std::fmt::Display;

use pmh_protocol::{Datestamp, Stamp};
use pmh_scenario::{DatestampForm, NO_REPLY, Run, StoreExpect, WatermarkExpect};

use crate::case::Case;
use crate::inquiry::{Inquiry, first_of};
use crate::observation::{HeldRow, RunEnd, RunObservation};
use crate::store::{Held, Standing, invented, standings};
use crate::verdict::{Finding, counted};

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in &case.script.runs {
        match case.observed(&run.name) {
            Some(observed) => judge_run(case, run, observed, &mut inquiry),
            None => inquiry.check(false, || format!("run `{}` did not take place", run.name)),
        }
    }
    for exchange in case.observation.journal.exchanges() {
        if exchange.faults.iter().any(|fault| fault == NO_REPLY) {
            let sent: Vec<String> =
                exchange.args.iter().map(|(name, value)| format!("{name}={value}")).collect();
            inquiry.blame(format!("#{}: no reply fits `{}`", exchange.n, sent.join("&")));
        }
    }
    judge_guards(case, &mut inquiry);
    let sees_rows = case.observation.sight.rows;
    if let Some(last) =
        case.script.runs.last().and_then(|run| case.observed(&run.name)).filter(|_| sees_rows)
    {
        judge_store(case, last, &mut inquiry);
    }
    if case.script.expect.idempotent && sees_rows {
        judge_idempotence(case, &mut inquiry);
    }
    match inquiry.finding("") {
        Finding::NotApplicable { .. } if !sees_rows => {
            Finding::NotApplicable { why: "the store was not read".to_owned() }
        }
        Finding::NotApplicable { .. } => {
            Finding::Vacuous { why: "the scenario expects nothing".to_owned() }
        }
        finding => finding,
    }
}

/// The guards of all runs together.
fn judge_guards(case: &Case<'_>, inquiry: &mut Inquiry) {
    let tripped: Vec<&str> = case.runs().iter().filter_map(|run| run.end.guard()).collect();
    for guard in &case.script.expect.guards {
        inquiry.check(tripped.contains(&guard.as_str()), || {
            format!("the guard `{guard}` was to end a run, and ended none")
        });
    }
    if case.script.expect.no_guards {
        inquiry.check(tripped.is_empty(), || {
            format!("no guard was to end a run, and `{}` did", tripped.join("`, `"))
        });
    }
}

fn judge_run(case: &Case<'_>, run: &Run, observed: &RunObservation, inquiry: &mut Inquiry) {
    let name = &run.name;
    if observed.end == RunEnd::Crashed && run.crash.is_none() {
        inquiry.blame(format!("run `{name}` died although nobody killed it"));
    }
    let mut expect = |what: &str, expected: &dyn Display, found: &dyn Display, same: bool| {
        inquiry.check(same, || {
            format!(
                "run `{name}`: expected {what} `{expected}`, found `{found}`{}",
                reason(&observed.end)
            )
        });
    };
    if let Some(outcome) = &run.expect.outcome {
        let found = observed.end.outcome();
        expect("outcome", outcome, &found.unwrap_or(words(&observed.end)), found == Some(outcome));
    }
    if let Some(guard) = &run.expect.guard {
        let found = observed.end.guard();
        expect("guard", guard, &found.unwrap_or("none"), found == Some(guard));
    }
    if let Some(exit) = run.expect.exit {
        match observed.end {
            RunEnd::Ended { exit: found, .. } => expect("exit code", &exit, &found, found == exit),
            _ => expect("exit code", &exit, &words(&observed.end), false),
        }
    }
    if let Some(most) = run.expect.max_requests {
        let found = case.exchanges(name).count();
        let holds = u32::try_from(found).is_ok_and(|found| found <= most);
        inquiry.check(holds, || {
            format!("run `{name}`: expected at most {most} requests, found {found}")
        });
    }
    if let (false, Some(made)) = (run.expect.complaints.is_empty(), observed.complaints.known()) {
        for name in &run.expect.complaints {
            inquiry.check(made.contains(name), || {
                let made = if made.is_empty() { "none".to_owned() } else { made.join("`, `") };
                let run = &run.name;
                format!("run `{run}`: expected the complaint `{name}`, found `{made}`")
            });
        }
    }
    if let (Some(expected), Some(found)) = (run.expect.watermark, observed.watermark.known()) {
        let expected = match expected {
            WatermarkExpect::None => None,
            WatermarkExpect::At(stamp) => Some(stamp),
            WatermarkExpect::Unchanged => {
                case.watermark_before(observed).known().copied().flatten()
            }
        };
        let words = |stamp: Option<Stamp>| stamp.map_or("none".to_owned(), |at| at.to_string());
        inquiry.check(expected == *found, || {
            format!(
                "run `{name}`: expected the watermark at `{}`, found `{}`",
                words(expected),
                words(*found)
            )
        });
    }
    if let Some(expected) = run.expect.changes.filter(|_| case.observation.sight.rows) {
        let before = Held::new(case.rows_before(observed));
        let found = Held::of(observed).changes_since(&before) as u64;
        let said = observed.counts.map(|counts| counts.changes());
        inquiry.check(found == expected && said.is_none_or(|said| said == expected), || {
            let said =
                said.map_or_else(String::new, |said| format!(", and the client says {said}"));
            let changes = if expected == 1 { "change" } else { "changes" };
            format!("run `{name}`: expected {expected} {changes}, found {found} in the store{said}")
        });
    }
}

/// The store after the last run of the script; which records are wrong, and why, other properties say.
fn judge_store(case: &Case<'_>, last: &RunObservation, inquiry: &mut Inquiry) {
    let expected = case.script.expect.store;
    match expected {
        StoreExpect::Truth | StoreExpect::TruthOrNewer | StoreExpect::Subset => {}
        StoreExpect::Unchanged | StoreExpect::Withheld => {
            let gone = lost_since(case, last, expected == StoreExpect::Unchanged);
            inquiry.check(gone.is_empty(), || {
                let names: Vec<&str> = gone.iter().map(String::as_str).collect();
                let verb = if expected == StoreExpect::Unchanged { "changed" } else { "withdrew" };
                format!("run `{}` {verb} {}", last.name, first_of(&names))
            });
            return;
        }
        StoreExpect::Exactly(number) => {
            let found = last.rows.iter().filter(|row| !row.deleted).count() as u64;
            inquiry.check(found == number, || {
                format!(
                    "the store after run `{}` holds {found} live records, not {number}",
                    last.name
                )
            });
            return;
        }
    }
    let mut wrong = Vec::new();
    if expected != StoreExpect::Subset {
        for standing in [
            Standing::Missing,
            Standing::Stale,
            Standing::Withdrawn,
            Standing::Alive,
            Standing::Unmarked,
        ] {
            let newer = expected == StoreExpect::TruthOrNewer && standing == Standing::Stale;
            let number = standings(case, last)
                .filter(|(_, _, found)| *found == standing)
                .filter(|(identifier, _, _)| !(newer && is_newer(case, last, identifier)))
                .count();
            if number > 0 {
                wrong.push(format!(
                    "{} {}",
                    counted(number as u64, "record"),
                    standing.as_str(number)
                ));
            }
        }
    }
    let mut foreign = invented(case, last);
    foreign.retain(|row| {
        expected != StoreExpect::TruthOrNewer || !is_newer(case, last, &row.identifier)
    });
    let foreign = foreign.len();
    if foreign > 0 {
        wrong.push(format!("{} invented", counted(foreign as u64, "row")));
    }
    let doubles = Held::of(last).doubles().count();
    if doubles > 0 {
        wrong.push(format!("{} held more than once", counted(doubles as u64, "identifier")));
    }
    inquiry.check(wrong.is_empty(), || {
        format!("the store after run `{}` is not the truth: {}", last.name, wrong.join(", "))
    });
}

/// Identifiers whose rows differ from those before the run; or only those that lived then and do not now.
fn lost_since(case: &Case<'_>, last: &RunObservation, any_change: bool) -> Vec<String> {
    let (before, after) = (sorted(case.rows_before(last)), sorted(&last.rows));
    let lives =
        |identifier: &str| after.iter().any(|row| row.identifier == identifier && !row.deleted);
    let mut gone: Vec<String> = before
        .iter()
        .filter(|row| {
            if any_change { !after.contains(row) } else { !row.deleted && !lives(&row.identifier) }
        })
        .chain(after.iter().filter(|row| any_change && !before.contains(row)))
        .map(|row| row.identifier.clone())
        .collect();
    gone.sort_unstable();
    gone.dedup();
    gone
}

/// Whether all rows of this identifier are dated later than the truth has it.
fn is_newer(case: &Case<'_>, run: &RunObservation, identifier: &str) -> bool {
    let truth = case.truth(run).rows.get(identifier).and_then(|row| row.datestamp);
    let held = Held::of(run);
    let is_later = |row: &&HeldRow| {
        let date = row.datestamp.as_deref().and_then(|text| Datestamp::parse_lenient(text).ok());
        date.is_some_and(|date| truth.is_none_or(|truth| date.stamp > truth.stamp))
    };
    truth.is_some() && held.rows(identifier).iter().all(is_later)
}

fn judge_idempotence(case: &Case<'_>, inquiry: &mut Inquiry) {
    let Some(again) = case.runs().iter().find(|run| run.added_by_harness) else {
        inquiry.check(false, || "the run that must change nothing did not take place".to_owned());
        return;
    };
    let (mut before, mut after) = (case.rows_before(again).to_vec(), again.rows.clone());
    // A datestamp that is another one in every answer says nothing.
    if case.script.repository.protocol.dates.datestamps == DatestampForm::Now {
        before.iter_mut().chain(&mut after).for_each(|row| row.datestamp = None);
    }
    let (rows_before, rows_after) = (sorted(&before), sorted(&after));
    inquiry.check(rows_before == rows_after, || {
        let gone = rows_before.iter().filter(|row| rows_after.binary_search(row).is_err()).count();
        let come = rows_after.iter().filter(|row| rows_before.binary_search(row).is_err()).count();
        format!(
            "run `{}` must change nothing: {} rows before and {} after it, {gone} gone and {come} come",
            again.name,
            rows_before.len(),
            rows_after.len()
        )
    });
    if let Some(counts) = again.counts {
        inquiry.check(counts.changes() == 0, || {
            format!(
                "run `{}` must change nothing, and says it made {} changes",
                again.name,
                counts.changes()
            )
        });
    }
}

fn sorted(rows: &[HeldRow]) -> Vec<&HeldRow> {
    let mut rows: Vec<&HeldRow> = rows.iter().collect();
    rows.sort_unstable();
    rows
}

const fn words(end: &RunEnd) -> &'static str {
    match end {
        RunEnd::Ended { .. } => "none",
        RunEnd::Crashed => "killed",
        RunEnd::OverBudget => "stopped over budget",
        RunEnd::OutOfTime => "stopped by the clock",
    }
}

fn reason(end: &RunEnd) -> String {
    match end {
        RunEnd::Ended { reason: Some(reason), .. } => format!(" ({reason})"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use pmh_scenario::{RunExpect, Script};

    use super::*;
    use crate::observation::{ChangeCounts, Observation};
    use crate::property::Property;
    use crate::testing::{self, ended, lose, one_run, right, row, with_deletion};

    fn check(script: &Script, spoil: impl FnOnce(&mut Observation), evidence: &[&str]) {
        testing::check(Property::AsExpected, script, spoil, evidence);
    }

    fn expecting(expect: RunExpect) -> Script {
        let mut script = one_run();
        script.runs[0].expect = expect;
        script
    }

    #[test]
    fn what_was_expected_is_counted() {
        let script = expecting(RunExpect {
            outcome: Some("complete".to_owned()),
            exit: Some(0),
            max_requests: Some(3),
            changes: Some(6),
            ..RunExpect::default()
        });
        let found = testing::finding(Property::AsExpected, &script, &right(&script));
        assert_eq!(found, Finding::Held { checked: 5 });
    }

    #[test]
    fn another_outcome_guard_or_exit_code_is_found() {
        let script = expecting(RunExpect {
            outcome: Some("incomplete".to_owned()),
            guard: Some("short-list".to_owned()),
            exit: Some(4),
            ..RunExpect::default()
        });
        check(
            &script,
            |_| (),
            &[
                "run `harvest`: expected outcome `incomplete`, found `complete`",
                "run `harvest`: expected guard `short-list`, found `none`",
                "run `harvest`: expected exit code `4`, found `0`",
            ],
        );
        check(
            &script,
            |seen| seen.runs[0].end = RunEnd::OverBudget,
            &[
                "run `harvest`: expected outcome `incomplete`, found `stopped over budget`",
                "run `harvest`: expected guard `short-list`, found `none`",
                "run `harvest`: expected exit code `4`, found `stopped over budget`",
            ],
        );
        check(&script, |seen| seen.runs[0].end = ended("incomplete", Some("short-list"), 4), &[]);
    }

    #[test]
    fn more_requests_than_expected_are_found() {
        let script = expecting(RunExpect { max_requests: Some(2), ..RunExpect::default() });
        check(&script, |_| (), &["run `harvest`: expected at most 2 requests, found 3"]);
    }

    #[test]
    fn another_number_of_changes_is_found_in_the_store_and_in_what_the_client_says() {
        let script = expecting(RunExpect { changes: Some(6), ..RunExpect::default() });
        let say = |new| {
            move |seen: &mut Observation| {
                let counts = ChangeCounts { new, unchanged: 9, ..ChangeCounts::default() };
                seen.runs[0].counts = Some(counts);
            }
        };
        check(&script, say(6), &[]);
        check(
            &script,
            say(5),
            &["run `harvest`: expected 6 changes, found 6 in the store, and the client says 5"],
        );
        let mut script = with_deletion();
        script.runs[1].expect.changes = Some(2);
        check(
            &script,
            |seen| seen.runs[1].counts = None,
            &["run `again`: expected 2 changes, found 1 in the store"],
        );
    }

    #[test]
    fn a_death_nobody_ordered_is_found() {
        check(
            &one_run(),
            |seen| seen.runs[0].end = RunEnd::Crashed,
            &["run `harvest` died although nobody killed it"],
        );
    }

    #[test]
    fn a_run_that_did_not_take_place_is_found() {
        check(&one_run(), |seen| seen.runs.clear(), &["run `harvest` did not take place"]);
    }

    #[test]
    fn a_store_that_is_not_the_truth_is_found() {
        check(
            &one_run(),
            |seen| {
                lose(seen, 0, &[1, 2]);
                row(seen, 0, 3).identifier = "oai:elsewhere:1".to_owned();
                let again = row(seen, 0, 4).clone();
                seen.runs[0].rows.push(again);
            },
            &[
                "the store after run `harvest` is not the truth: 3 records are missing, 1 row invented, \
               1 identifier held more than once",
            ],
        );
    }

    #[test]
    fn a_subset_may_lack_records_and_hold_no_others() {
        let mut script = one_run();
        script.expect.store = StoreExpect::Subset;
        check(&script, |seen| lose(seen, 0, &[1, 2]), &[]);
        check(
            &script,
            |seen| row(seen, 0, 3).identifier = "oai:elsewhere:1".to_owned(),
            &["the store after run `harvest` is not the truth: 1 row invented"],
        );
    }

    #[test]
    fn one_more_run_must_take_place_and_change_nothing() {
        let mut script = one_run();
        script.expect.idempotent = true;
        check(&script, |_| (), &[]);
        check(
            &script,
            |seen| {
                let again = seen.runs[1].rows[0].clone();
                seen.runs[1].rows.push(again);
                seen.runs[1].counts = Some(ChangeCounts { new: 1, ..ChangeCounts::default() });
            },
            &[
                "run `once-more` must change nothing: 6 rows before and 7 after it, 0 gone and 0 come",
                "run `once-more` must change nothing, and says it made 1 changes",
            ],
        );
        check(
            &script,
            |seen| seen.runs.truncate(1),
            &["the run that must change nothing did not take place"],
        );
    }
}
