//! What was withdrawn is held as withdrawn after a complete run, and no later run brings it back.

use pmh_scenario::Fate;

use crate::case::Case;
use crate::inquiry::{Inquiry, first_of};
use crate::listing::blame_wrong;
use crate::observation::RunObservation;
use crate::store::Held;
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for (position, run) in case.runs().iter().enumerate() {
        if run.end.claims_complete() {
            let looked_at =
                blame_wrong(case, run, "", &mut inquiry, |_, row| row.fate == Fate::Deleted);
            inquiry.add_checked(looked_at);
        } else if let Some(before) = position.checked_sub(1).map(|before| &case.runs()[before]) {
            judge_revival(case, before, run, &mut inquiry);
        }
    }
    inquiry.finding("no complete run met a withdrawn record")
}

/// A run that is not complete need not know of every deletion, but must not undo one that was known.
fn judge_revival(
    case: &Case<'_>,
    before: &RunObservation,
    run: &RunObservation,
    inquiry: &mut Inquiry,
) {
    let (rows_before, rows_after) = (Held::of(before), Held::of(run));
    let revived: Vec<&str> = case
        .truth(run)
        .rows
        .iter()
        .filter(|(_, row)| row.fate == Fate::Deleted)
        .map(|(identifier, _)| identifier.as_str())
        .filter(|identifier| {
            let before = rows_before.rows(identifier);
            !before.is_empty()
                && before.iter().all(|row| row.deleted)
                && rows_after.rows(identifier).iter().any(|row| !row.deleted)
        })
        .collect();
    if !revived.is_empty() {
        inquiry.blame(format!("run `{}`: {} came back to life", run.name, first_of(&revived)));
    }
}

#[cfg(test)]
mod tests {
    use super::Finding;
    use crate::observation::Observation;
    use crate::property::Property;
    use crate::testing::{self, ended, lose, row, with_deletion};

    fn check(spoil: impl FnOnce(&mut Observation), evidence: &[&str]) {
        testing::check(Property::Tombstones, &with_deletion(), spoil, evidence);
    }

    #[test]
    fn a_withdrawn_record_held_as_withdrawn_is_right() {
        check(|_| (), &[]);
    }

    #[test]
    fn a_withdrawn_record_held_alive_is_found() {
        check(
            |seen| seen.runs[1].rows = seen.runs[0].rows.clone(),
            &[
                "run `again`: `oai:repository.example:000002` is held alive though it was withdrawn; \
               page 3: #6 brought 2 entries",
            ],
        );
    }

    #[test]
    fn a_row_that_is_gone_is_no_tombstone() {
        check(
            |seen| lose(seen, 1, &[2]),
            &["run `again`: `oai:repository.example:000002` was withdrawn and has no tombstone; \
               page 3: #6 brought 2 entries"],
        );
    }

    #[test]
    fn an_incomplete_run_must_not_bring_a_withdrawn_record_back() {
        check(
            |seen| {
                let mut third = seen.runs[1].clone();
                third.name = "third".to_owned();
                third.end = ended("incomplete", None, 4);
                seen.runs.push(third);
                row(seen, 2, 2).deleted = false;
            },
            &["run `third`: `oai:repository.example:000002` came back to life"],
        );
    }

    #[test]
    fn an_incomplete_run_need_not_know_of_a_deletion() {
        let script = with_deletion();
        let mut observation = testing::right(&script);
        observation.runs[1].rows = observation.runs[0].rows.clone();
        observation.runs[1].end = ended("incomplete", None, 4);
        let found = testing::finding(Property::Tombstones, &script, &observation);
        assert!(matches!(found, Finding::NotApplicable { .. }), "{found:?}");
    }
}
