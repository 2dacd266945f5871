//! No identifier has two rows, after any run.

use std::collections::BTreeMap;

use crate::case::Case;
use crate::inquiry::{Inquiry, first_of};
use crate::store::Held;
use crate::verdict::Finding;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs() {
        inquiry.add_checked(run.rows.len() as u64);
        let mut doubles: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (identifier, rows) in Held::of(run).doubles() {
            doubles.entry(rows).or_default().push(identifier);
        }
        for (rows, identifiers) in doubles {
            inquiry.blame(format!(
                "run `{}`: held {rows} times: {}",
                run.name,
                first_of(&identifiers)
            ));
        }
    }
    inquiry.finding("no row was held")
}

#[cfg(test)]
mod tests {
    use crate::property::Property;
    use crate::testing::{check, one_run};

    #[test]
    fn one_row_each_is_no_double() {
        check(Property::NoDoubles, &one_run(), |_| (), &[]);
    }

    #[test]
    fn two_rows_of_one_identifier_are_a_double() {
        check(
            Property::NoDoubles,
            &one_run(),
            |seen| {
                let again = seen.runs[0].rows[3].clone();
                seen.runs[0].rows.push(again);
            },
            &["run `harvest`: held 2 times: `oai:repository.example:000004`"],
        );
    }
}
