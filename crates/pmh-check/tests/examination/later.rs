//! What only two runs show.

use std::sync::Arc;

use pmh_check::{Examined, Verdict};

use pmh_repository::Passing;

use super::support::{REPOSITORY, examine, ids, options, report, repository};

fn run(previous: Option<Examined>, rewrite: fn(&mut Passing<'_>)) -> Examined {
    let mut options = options();
    options.previous = previous.map(Arc::new);
    examine(options, repository(REPOSITORY), rewrite)
}

#[track_caller]
fn check(first: fn(&mut Passing<'_>), second: fn(&mut Passing<'_>), failed: &[&str]) {
    let examined = run(Some(run(None, first)), second);
    assert_eq!(ids(&examined, Verdict::Fail), failed, "{}", report(&examined));
}

/// Takes a record out of every list; what tokens announce must fit.
fn hide(passing: &mut Passing<'_>) {
    if passing.is_list() {
        passing.without(":000004<");
        passing.replace(" completeListSize=\"20\"", " completeListSize=\"19\"");
        if let Some(at) = passing.text().find(" cursor=\"") {
            passing.edit(|text| {
                let end = at + " cursor=\"".len();
                let quote = end + text[end..].find('"').expect("its end");
                format!("{}{}", &text[..at], &text[quote + 1..])
            });
        }
    }
}

#[test]
fn two_runs_of_a_quiet_repository_agree() {
    let examined = run(Some(run(None, |_| {})), |_| {});
    let passed = ids(&examined, Verdict::Pass);
    for id in ["deleted.persists", "dates.change-moves-datestamp", "dates.no-late-arrival"] {
        assert!(passed.contains(&id), "{}", report(&examined));
    }
}

#[test]
fn a_record_that_vanishes_without_a_trace_is_told() {
    check(|_| {}, hide, &["deleted.persists"]);
}

#[test]
fn a_record_that_appears_with_an_old_datestamp_is_told() {
    check(hide, |_| {}, &["dates.no-late-arrival"]);
}

#[test]
fn a_change_without_a_new_datestamp_is_told() {
    check(
        |_| {},
        |passing| passing.replace("<dc:title>", "<dc:title>Once more: "),
        &["dates.change-moves-datestamp"],
    );
}
