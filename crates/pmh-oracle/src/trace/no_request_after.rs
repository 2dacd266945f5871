//! A run that a guard ends sends nothing more.

use pmh_scenario::Event;

use crate::case::Case;
use crate::inquiry::Inquiry;
use crate::verdict::Finding;

pub(super) fn judge(case: &Case<'_>, guard: &str) -> Finding {
    let mut inquiry = Inquiry::default();
    for run in case.runs().iter().filter(|run| run.end.guard() == Some(guard)) {
        let mut is_over = false;
        let mut late = Vec::new();
        for event in &case.observation.journal.events {
            match event {
                Event::RunEnd { run: ended, .. } if *ended == run.name => is_over = true,
                Event::Exchange(exchange) if is_over && exchange.run == run.name => {
                    late.push(exchange.n);
                }
                _ => {}
            }
        }
        inquiry.check(late.is_empty(), || {
            format!("run `{}` sent #{} after the guard `{guard}` had ended it", run.name, late[0])
        });
    }
    inquiry.finding("the guard ended no run")
}

#[cfg(test)]
mod tests {
    use pmh_scenario::TraceRule;

    use crate::testing::{ended, one_run};
    use crate::trace::testing::{check, finding};
    use crate::verdict::Finding;

    #[test]
    fn a_request_after_the_guard_is_found() {
        let rule = || TraceRule::NoRequestAfter("short-list".to_owned());
        let end = ended("incomplete", Some("short-list"), 4);
        check(rule(), &one_run(), |seen| seen.runs[0].end = end.clone(), &[]);
        check(
            rule(),
            &one_run(),
            |seen| {
                seen.runs[0].end = end.clone();
                seen.journal.events.rotate_right(1);
            },
            &["run `harvest` sent #1 after the guard `short-list` had ended it"],
        );
        let found = finding(rule(), &one_run(), |_| ());
        assert!(matches!(found, Finding::Vacuous { .. }), "{found:?}");
    }
}
