//! The watermark never passes something unseen: everything datestamped up to it is held as it should be, and it is
//! never ahead of the repository's own clock.

use pmh_protocol::{Datestamp, Granularity, Stamp};
use pmh_scenario::{Fate, ResponseDate};

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::listing::blame_wrong;
use crate::observation::RunObservation;
use crate::verdict::Finding;

const SECONDS_PER_DAY: i64 = 86_400;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs() {
        let Some(Some(watermark)) = run.watermark.known() else {
            continue;
        };
        if is_overtaken(case, run) || reaches_back(case, run) {
            continue;
        }
        let clock =
            case.exchanges_until(run).filter_map(|exchange| Stamp::parse(&exchange.t).ok()).max();
        // Literal answers have dates of their own, whatever the repository's clock says; and where no answer tells the
        // time a client has only its own clock.
        let date = &case.script.repository.protocol.dates.response_date;
        let tells = !matches!(date, ResponseDate::Absent | ResponseDate::Text(_));
        let clock = clock.filter(|_| tells && case.script.is_modelled());
        if let Some(clock) = clock.filter(|clock| watermark > clock) {
            inquiry.blame(format!(
                "run `{}`: the watermark is {watermark}, ahead of the repository's clock at {clock}",
                run.name
            ));
        }
        let looked_at = blame_wrong(case, run, " below the watermark", &mut inquiry, |row| {
            !matches!(row.fate, Fate::Unknowable | Fate::Unsettled)
                && row.datestamp.is_some_and(|date| last_second(date) <= *watermark)
        });
        inquiry.add_checked(looked_at);
    }
    inquiry.finding("no client told of a watermark with records below it")
}

/// Whether the watermark is that of an earlier run, in a repository whose changes show late: what has come to show below it
/// since then could not be seen by the run that set it, and is the business of the next one that is complete.
fn is_overtaken(case: &Case<'_>, run: &RunObservation) -> bool {
    case.script.repository.protocol.index_lag_seconds > 0
        && !run.end.claims_complete()
        && case.watermark_before(run) == run.watermark
}

/// Whether the watermark is that of earlier runs, and this one was asked for more than they were, from an earlier date on, and
/// did not come to its end: of the days before theirs the watermark does not speak yet.
fn reaches_back(case: &Case<'_>, run: &RunObservation) -> bool {
    let from = |run| case.asked(run).and_then(|asked| asked.from).map(|from| from.stamp);
    let earlier = case.runs().iter().take_while(|earlier| earlier.name != run.name);
    let complete = earlier.filter(|earlier| earlier.end.claims_complete());
    !run.end.claims_complete()
        && case.watermark_before(run) == run.watermark
        && complete.map(from).min().is_some_and(|least| from(run) < least)
}

/// A day's datestamp may stand for a change in its last second.
const fn last_second(datestamp: Datestamp) -> Stamp {
    match datestamp.granularity {
        Granularity::Day => datestamp.stamp.plus_seconds(SECONDS_PER_DAY - 1),
        Granularity::Second => datestamp.stamp,
    }
}

#[cfg(test)]
mod tests {
    use pmh_scenario::Script;

    use super::*;
    use crate::observation::{Knowledge, Observation};
    use crate::property::Property;
    use crate::testing::{self, ended, lose, one_run};

    fn check(script: &Script, spoil: impl FnOnce(&mut Observation), evidence: &[&str]) {
        testing::check(Property::Watermark, script, spoil, evidence);
    }

    fn stamp(text: &str) -> Stamp {
        Stamp::parse(text).unwrap()
    }

    #[test]
    fn a_watermark_does_not_speak_of_days_that_a_run_began_to_ask_for() {
        let found = |later_from: Option<&str>| {
            let mut script = one_run();
            let date = |text| Datestamp::parse_lenient(text).unwrap();
            script.runs[0].from = Some(date("2024-01-02T01:00:00Z"));
            let again = pmh_scenario::Run {
                name: "again".to_owned(),
                from: later_from.map(date),
                ..script.runs[0].clone()
            };
            script.runs.push(again);
            let mut seen = testing::right(&script);
            lose(&mut seen, 1, &[3]);
            seen.runs[1].end = ended("incomplete", None, 4);
            seen.runs[1].watermark = seen.runs[0].watermark;
            let finding = testing::finding(Property::Watermark, &script, &seen);
            matches!(finding, Finding::Failed { .. })
        };
        assert!(!found(None), "it began to ask for everything");
        assert!(found(Some("2024-01-02T01:00:00Z")), "it asked for what was known");
    }

    #[test]
    fn a_watermark_at_the_opening_of_a_complete_list_is_right() {
        check(&one_run(), |_| (), &[]);
    }

    #[test]
    fn a_watermark_above_a_missing_record_is_found_whatever_the_outcome() {
        check(
            &one_run(),
            |seen| {
                lose(seen, 0, &[6]);
                seen.runs[0].end = ended("incomplete", None, 4);
            },
            &["run `harvest`: `oai:repository.example:000006` is missing below the watermark; \
               page 3: #3 brought 2 entries"],
        );
    }

    #[test]
    fn a_record_above_the_watermark_may_be_missing() {
        check(
            &one_run(),
            |seen| {
                lose(seen, 0, &[6]);
                let last = one_run().repository.world.records[&6].stamp;
                seen.runs[0].watermark = Knowledge::Known(Some(last.plus_seconds(-1)));
            },
            &[],
        );
    }

    #[test]
    fn a_day_is_seen_only_when_it_is_over() {
        let mut script = one_run();
        script.repository.protocol.granularity = Granularity::Day;
        let midnight = script.repository.world.records[&6].stamp.start_of_day();
        let spoil = |seconds: i64| {
            move |seen: &mut Observation| {
                lose(seen, 0, &[6]);
                seen.runs[0].watermark = Knowledge::Known(Some(midnight.plus_seconds(seconds)));
            }
        };
        let mut early = testing::right(&script);
        spoil(SECONDS_PER_DAY - 2)(&mut early);
        let found = testing::finding(Property::Watermark, &script, &early);
        assert!(!matches!(found, Finding::Failed { .. }), "{found:?}");
        let mut late = testing::right(&script);
        spoil(SECONDS_PER_DAY - 1)(&mut late);
        let found = testing::finding(Property::Watermark, &script, &late);
        assert!(matches!(found, Finding::Failed { .. }), "{found:?}");
    }

    #[test]
    fn a_watermark_from_another_clock_is_found() {
        check(
            &one_run(),
            |seen| seen.runs[0].watermark = Knowledge::Known(Some(stamp("2026-01-01T00:00:00Z"))),
            &["run `harvest`: the watermark is 2026-01-01T00:00:00Z, \
               ahead of the repository's clock at 2025-01-01T00:00:03Z"],
        );
    }
}
