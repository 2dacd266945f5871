//! Every row is a version that the repository really had, at or before the end of the run that shows it.

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::observation::HeldRow;
use crate::store::invented;
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs() {
        inquiry.add_checked(run.rows.len() as u64);
        for row in invented(case, run) {
            let known = case.versions(run, &row.identifier).next().is_some();
            let what = if known {
                "is no version of that record"
            } else {
                "is no record of the repository"
            };
            inquiry.blame(format!(
                "run `{}`: the row `{}` ({}) {what}",
                run.name,
                row.identifier,
                describe(row)
            ));
        }
    }
    inquiry.finding("no row was held")
}

fn describe(row: &HeldRow) -> String {
    let datestamp = row.datestamp.as_deref().unwrap_or("no datestamp");
    let state = if row.deleted { "withdrawn" } else { "live" };
    format!("{state}, {datestamp}")
}

#[cfg(test)]
mod tests {
    use crate::observation::Observation;
    use crate::property::Property;
    use crate::testing::{self, row, with_deletion};

    fn check(spoil: impl FnOnce(&mut Observation), evidence: &[&str]) {
        testing::check(Property::NothingInvented, &with_deletion(), spoil, evidence);
    }

    #[test]
    fn what_the_repository_had_is_no_invention() {
        check(|_| (), &[]);
    }

    #[test]
    fn an_older_version_is_no_invention() {
        check(|seen| seen.runs[1].rows = seen.runs[0].rows.clone(), &[]);
    }

    #[test]
    fn what_a_reader_cannot_know_is_not_judged() {
        check(
            |seen| {
                let row = row(seen, 0, 1);
                row.datestamp = None;
                row.digest = None;
            },
            &[],
        );
    }

    #[test]
    fn a_foreign_identifier_is_invented() {
        check(
            |seen| row(seen, 0, 1).identifier = "oai:elsewhere:1".to_owned(),
            &[
                "run `harvest`: the row `oai:elsewhere:1` (live, 2024-01-02T00:00:00Z) is no record of the repository",
            ],
        );
    }

    #[test]
    fn a_version_that_comes_only_later_is_invented() {
        check(
            |seen| *row(seen, 0, 2) = row(seen, 1, 2).clone(),
            &[
                "run `harvest`: the row `oai:repository.example:000002` (withdrawn, 2025-01-02T00:00:00Z) \
               is no version of that record",
            ],
        );
    }

    #[test]
    fn another_payload_is_invented() {
        check(
            |seen| row(seen, 0, 3).digest = Some("0".repeat(16)),
            &[
                "run `harvest`: the row `oai:repository.example:000003` (live, 2024-01-02T02:00:00Z) \
               is no version of that record",
            ],
        );
    }

    #[test]
    fn a_tombstone_kept_as_a_live_row_is_invented() {
        check(
            |seen| row(seen, 1, 2).deleted = false,
            &["run `again`: the row `oai:repository.example:000002` (live, 2025-01-02T00:00:00Z) \
               is no version of that record"],
        );
    }
}
