//! The watermark never passes something unseen: everything datestamped up to it is held as it should be, and it is
//! never ahead of the repository's own clock.

use pmh_protocol::{Datestamp, Granularity, Stamp};
use pmh_scenario::{Fate, ResponseDate, TrueRow};

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::listing::blame_wrong;
use crate::verdict::Finding;

const SECONDS_PER_DAY: i64 = 86_400;

pub(crate) fn judge(case: &Case<'_>) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs() {
        let Some(Some(watermark)) = run.watermark.known() else {
            continue;
        };
        let set_by = case.set_watermark(run);
        // The word of an earlier run is about what was so then. What has come to show below its watermark since, or was asked
        // for only since, is the business of the next run that is complete.
        let is_meant = |identifier: &str, row: &TrueRow| {
            run.end.claims_complete() || case.truth(set_by).rows.get(identifier) == Some(row)
        };
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
        let looked_at =
            blame_wrong(case, run, " below the watermark", &mut inquiry, |identifier, row| {
                is_meant(identifier, row)
                    && !matches!(row.fate, Fate::Unknowable | Fate::Unsettled)
                    && row.datestamp.is_some_and(|date| last_second(date) <= *watermark)
            });
        inquiry.add_checked(looked_at);
    }
    inquiry.finding("no client told of a watermark with records below it")
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

    /// Whether a second run that stopped early is blamed for not holding this record below the watermark of the first.
    fn is_blamed(lost: u32, spoil: impl FnOnce(&mut Script)) -> bool {
        let mut script = one_run();
        script.runs[0].from = Some(Datestamp::parse_lenient("2024-01-02T01:00:00Z").unwrap());
        script.runs.push(pmh_scenario::Run { name: "again".to_owned(), ..script.runs[0].clone() });
        spoil(&mut script);
        let mut seen = testing::right(&script);
        lose(&mut seen, 1, &[lost]);
        seen.runs[1].end = ended("incomplete", None, 4);
        seen.runs[1].watermark = seen.runs[0].watermark;
        let finding = testing::finding(Property::Watermark, &script, &seen);
        matches!(finding, Finding::Failed { .. })
    }

    #[test]
    fn a_watermark_does_not_speak_of_days_that_a_run_began_to_ask_for() {
        assert!(is_blamed(3, |_| ()), "the first run asked for it");
        assert!(is_blamed(3, |script| script.runs[1].from = None), "it was held");
        assert!(!is_blamed(1, |script| script.runs[1].from = None), "nobody had asked for it");
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
