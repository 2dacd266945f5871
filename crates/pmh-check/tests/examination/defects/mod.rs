//! Each way in which a repository can be wrong, one at a time, flips exactly the checks that are meant to flip.

mod flips; // which checks tell of which defect

use std::fmt::Write as _;

use pmh_repository::{AskedRequest, all_defects};

use self::flips::FLIPS;
use super::support::{REPOSITORY, answer, examine, examine_with, options, report, repository};

#[test]
fn each_defect_flips_the_checks_that_are_meant_to_flip() {
    let clean = examine(options(), repository(REPOSITORY), |_| {});
    let (mut wrong, mut table) = (String::new(), String::new());
    for defect in all_defects() {
        let name = defect.name;
        let expected =
            FLIPS.iter().find(|(each, _)| *each == name).map_or(&[][..], |flips| flips.1);
        let mut repository = repository(REPOSITORY).with_defects(vec![*defect]);
        let examined = examine_with(options(), |request| {
            let (page, at) = answer(&mut repository, request);
            (Ok(page), at)
        });
        let flipped = examined.told_unlike(&clean);
        let _ = writeln!(table, "{name:38} {}", flipped.join(" "));
        if flipped != expected || expected.is_empty() {
            let _ = writeln!(
                wrong,
                "{name}: expected {expected:?}, flipped {flipped:?}\n{}",
                report(&examined)
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    insta::assert_snapshot!("defects", table);
}

#[test]
fn no_defect_of_another_name_is_expected() {
    let names: Vec<&str> = all_defects().map(|defect| defect.name).collect();
    let expected: Vec<&str> = FLIPS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, expected);
}

#[test]
fn defects_that_meet_in_one_repository_leave_it_answering() {
    let defects: Vec<_> = all_defects().copied().collect();
    let mut together: Vec<Vec<_>> = defects.windows(2).map(|pair| vec![pair[1], pair[0]]).collect();
    together.push(defects.clone());
    together.push(defects.into_iter().rev().collect());
    for each in together {
        let names: Vec<&str> = each.iter().map(|defect| defect.name).collect();
        let mut repository = repository(REPOSITORY).with_defects(each);
        for query in [
            "verb=Identify",
            "verb=ListSets",
            "verb=ListRecords&metadataPrefix=oai_dc",
            "verb=ListIdentifiers&metadataPrefix=no_such_prefix",
            "verb=ListIdentifiers&metadataPrefix=oai_dc&from=2001-01",
            "verb=ListIdentifiers&resumptionToken=no-such-token",
            "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:repository.example:000001",
            "",
        ] {
            let reply = repository.answer(&AskedRequest::get(query));
            assert_eq!(reply.exchange.faults, names, "{query}");
            let reply = repository.answer(&AskedRequest::post(query));
            assert!(!reply.body.is_empty(), "{query}");
        }
    }
}
