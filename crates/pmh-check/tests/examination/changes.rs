//! What only a change on purpose shows.

use std::time::Duration;

use pmh_check::{Examination, Examined, Step, Verdict};
use pmh_repository::{Defect, Passing};

use super::support::{REPOSITORY, answer, ids, options, report, repository};

/// Examines the repository, in which the second run deletes a record of the first page and one of the third.
fn run(rewrite: fn(&mut Passing<'_>)) -> Examined {
    let second = "\n[[run]]\naction = \"incremental\"\nbefore = [{ delete = [2, 12] }]\n";
    let defects = vec![Defect::new("test", rewrite)];
    let mut repository = repository(&format!("{REPOSITORY}{second}")).with_defects(defects);
    let mut options = options();
    options.changes = true;
    let mut examination = Examination::new(options);
    let mut changes = 0;
    for _ in 0..10_000 {
        match examination.step() {
            Step::Finish => {
                assert_eq!(changes, 1, "it is changed once");
                return examination.finish();
            }
            Step::Wait(_) => {}
            Step::Change => {
                changes += 1;
                repository.begin_run(1);
            }
            Step::Fetch(request) => {
                let (page, at) = answer(&mut repository, &request);
                examination.fetched(Ok(page), at, Duration::from_millis(1));
            }
        }
    }
    panic!("it does not end");
}

#[track_caller]
fn check(rewrite: fn(&mut Passing<'_>), failed: &[&str]) {
    let examined = run(rewrite);
    assert_eq!(ids(&examined, Verdict::Fail), failed, "{}", report(&examined));
}

#[test]
fn a_change_of_a_repository_that_keeps_every_rule_shows_nothing_wrong() {
    let examined = run(|_| {});
    assert!(ids(&examined, Verdict::Fail).is_empty(), "{}", report(&examined));
    for id in ["deleted.datestamp", "paging.reissue-after-change"] {
        assert!(ids(&examined, Verdict::Pass).contains(&id), "{}", report(&examined));
    }
}

#[test]
fn a_deletion_that_keeps_the_old_datestamp_is_told() {
    check(
        |passing| {
            passing.edit_lines(|line| {
                match (
                    line.contains("status=\"deleted\""),
                    line.find(":000002</identifier><datestamp>"),
                ) {
                    (true, Some(at)) => {
                        let date = at + ":000002</identifier><datestamp>".len();
                        format!("{}2024-01-02{}", &line[..date], &line[date + 10..])
                    }
                    _ => line,
                }
            });
        },
        &["deleted.datestamp"],
    );
}

#[test]
fn a_page_that_loses_records_because_others_changed_is_told() {
    check(
        |passing| {
            let text = passing.text();
            let day = text.split_once("<responseDate>").map_or("", |(_, rest)| &rest[..10]);
            if passing.memory.is_empty() {
                passing.memory.push(day.to_owned());
            }
            // Another day: it is after the change.
            if passing.memory[0] != day && passing.asks("ListRecords") {
                passing.without(":000007<");
            }
        },
        &["paging.reissue-after-change"],
    );
}
