//! What of a scenario can be asked of a stranger.
//!
//! A scenario is written in the words of the shipped harvester: its exit codes, guards, complaints, switches and
//! thresholds. What a stranger has no word for is struck out, and said; what every harvester owes is left as it is.

use pmh_scenario::{Change, CrashPhase, Effect, HttpEffect, Run, Script, StoreExpect, TraceRule};

use super::{GuardSign, Harvester};

/// A stranger's clock cannot be hurried: it is never asked to wait longer than this.
const RETRY_AFTER_SECONDS_MAX: i64 = 2;
/// Guards that doubt a well-formed answer.
const DOUBTS: [&str; 3] = ["identity-shift", "mass-delete", "shrink"];

/// Why the scenario cannot be played with this harvester at all, if it cannot.
pub(super) fn cannot_be_asked(script: &Script, harvester: &Harvester) -> Option<String> {
    for run in &script.runs {
        let needs = [
            ("set", run.set.is_some()),
            ("from", run.from.is_some()),
            ("until", run.until.is_some()),
            ("prefix", run.prefix() != "oai_dc"),
        ];
        for (name, needed) in needs {
            if needed && !harvester.has_place_for(name) {
                return Some(format!(
                    "run `{}` asks for one {name}, and the command has no place for {{{name}}}",
                    run.name
                ));
            }
        }
        if let Some(why) = asks_for_ways_of_ours(run) {
            return Some(why);
        }
        if run.full {
            return Some(format!(
                "run `{}` asks for everything again, whatever is known, and no placeholder says that",
                run.name
            ));
        }
    }
    None
}

/// Why nobody but the shipped harvester can be asked for this run, if so.
pub(super) fn asks_for_ways_of_ours(run: &Run) -> Option<String> {
    let way = match (run.strict, run.infer_deletions) {
        (true, _) => "that the first departure from the protocol ends it",
        (_, true) => "that what a whole list does not show is taken as deleted",
        (false, false) => return None,
    };
    Some(format!("run `{}` asks {way}, which is a setting of the shipped harvester", run.name))
}

/// What can be known of a stranger from outside.
pub(super) struct Knowable<'a> {
    /// How it says that a guard ended a run.
    pub(super) guards: &'a [GuardSign],
    /// Rows of its store.
    pub(super) rows: bool,
    /// Two rows of one identifier.
    pub(super) doubles: bool,
    /// What payloads hold.
    pub(super) payloads: bool,
}

impl Knowable<'_> {
    fn knows_guard(&self, name: &str) -> bool {
        self.guards.iter().any(|sign| sign.name == name)
    }
}

/// The scenario as a stranger can be held to it, and what was struck out, a sentence each.
pub(super) fn fair(script: &Script, harvester: &Knowable<'_>) -> (Script, Vec<String>) {
    let mut script = script.clone();
    let mut struck = Vec::new();
    let is_set_up = !script.thresholds.is_empty();
    if is_set_up {
        struck.push("the thresholds of `guards-at`: they are the shipped harvester's".to_owned());
        script.thresholds.clear();
    }
    let waits = hurry(&mut script);
    if waits {
        struck.push(format!(
            "waits of more than {RETRY_AFTER_SECONDS_MAX} s: the repository asked for \
             {RETRY_AFTER_SECONDS_MAX} s instead"
        ));
    }
    let is_modelled = script.is_modelled();
    let has_guards = script.runs.iter().any(|run| run.expect.guard.is_some());
    for run in &mut script.runs {
        let is_special = is_set_up || waits || !run.switches.is_empty();
        soften(run, harvester, is_special, is_modelled, &mut struck);
    }
    let unknown = |name: &String| !harvester.knows_guard(name);
    if script.expect.guards.iter().any(unknown) {
        struck.push(format!(
            "guards `{}`: no sign of them is known",
            script.expect.guards.join("`, `")
        ));
        script.expect.guards.retain(|name| harvester.knows_guard(name));
    }
    script.expect.trace.retain(|rule| match rule {
        TraceRule::NoRequestAfter(guard) => harvester.knows_guard(guard),
        // What is asked first and what afterwards is a way of ours, and no rule of the protocol.
        TraceRule::Order(_) => false,
        _ => true,
    });
    let is_kept = matches!(script.expect.store, StoreExpect::Withheld | StoreExpect::Unchanged);
    if is_kept && (is_set_up || has_guards) {
        // What is kept back until somebody has looked is a brake of ours too.
        script.expect.store = StoreExpect::Subset;
    }
    if !harvester.rows {
        struck.push("the store: nobody can see it".to_owned());
    } else if !harvester.doubles {
        struck.push("rows held twice: the store is read as a log".to_owned());
    }
    if harvester.rows && !harvester.payloads {
        struck.push(
            "the content of payloads (whether there is one is): other tools write other bytes"
                .to_owned(),
        );
    }
    (script, struck)
}

fn soften(
    run: &mut Run,
    harvester: &Knowable<'_>,
    is_special: bool,
    is_modelled: bool,
    struck: &mut Vec<String>,
) {
    let name = run.name.clone();
    let asked = &mut run.expect;
    // The numbers are of one table, the shipped harvester's; whether a run says that it is complete is everybody's.
    asked.exit = None;
    asked.max_requests = None;
    asked.complaints.clear();
    asked.watermark = None;
    if let Some(guard) = asked.guard.take_if(|guard| !harvester.knows_guard(guard)) {
        struck.push(format!("run `{name}`: whether `{guard}` ended it: no sign of it is known"));
        if DOUBTS.contains(&guard.as_str()) {
            // Who does not doubt does what the repository says: the store is judged, and not that it was believed.
            asked.changes = None;
            asked.outcome = None;
        }
    }
    let is_dated_anew = run.before.iter().any(|change| matches!(change, Change::Restamp(_)));
    if is_dated_anew && !harvester.payloads && asked.changes.take().is_some() {
        struck.push(format!(
            "run `{name}`: how many rows it changed: of a new date alone that cannot be told"
        ));
    }
    match asked.outcome.as_deref() {
        Some("complete") if is_special && !run.switches.is_empty() => {
            struck.push(format!("run `{name}`: how it ends, which is a matter of settings"));
            asked.outcome = None;
        }
        Some("complete") | None => {}
        // Who says that it is complete must hold everything: that is judged by the store. Whether somebody stops for a
        // doubt or goes on is a choice.
        Some(_) if is_modelled => asked.outcome = None,
        // Whoever is refused and whoever gives up say the same with an exit code: that it is not complete.
        Some(_) => asked.outcome = Some("incomplete".to_owned()),
    }
    if let Some(crash) = &mut run.crash {
        match crash.phase {
            // How far its store is cannot be seen while it runs: it dies with its next request.
            CrashPhase::Uncommitted | CrashPhase::Committed => {
                crash.phase = CrashPhase::NextRequest
            }
            CrashPhase::BeforeClose | CrashPhase::AfterClose => {
                struck.push(format!(
                    "run `{name}`: its death at the end of the list, which nobody outside can see"
                ));
                run.crash = None;
            }
            CrashPhase::BeforeResponse
            | CrashPhase::MidBody
            | CrashPhase::AfterResponse
            | CrashPhase::NextRequest => {}
        }
    }
}

/// Shortens what the repository asks for; whether anything was.
fn hurry(script: &mut Script) -> bool {
    let mut was_long = false;
    for fault in &mut script.faults {
        let Effect::Http(HttpEffect { retry_after, retry_after_date, .. }) = &mut fault.effect
        else {
            continue;
        };
        let asked = retry_after.as_deref().and_then(|text| text.trim().parse::<i64>().ok());
        if asked.is_some_and(|seconds| seconds > RETRY_AFTER_SECONDS_MAX) {
            *retry_after = Some(RETRY_AFTER_SECONDS_MAX.to_string());
            was_long = true;
        }
        if retry_after_date.is_some_and(|seconds| seconds > RETRY_AFTER_SECONDS_MAX) {
            *retry_after_date = Some(RETRY_AFTER_SECONDS_MAX);
            was_long = true;
        }
    }
    was_long
}

#[cfg(test)]
mod tests {
    use pmh_scenario::load;

    use super::*;
    use crate::foreign::StoreReader;
    use crate::vocabulary;

    fn stranger(store: StoreReader) -> Harvester {
        Harvester::new("x".to_owned(), vec!["{base-url}".to_owned()], store).unwrap()
    }

    fn script(runs: &str) -> Script {
        let text = format!("format = 1\nrepository.records.generate = {{ count = 4 }}\n{runs}");
        load("x", &text, &vocabulary()).expect("the file is sound").script()
    }

    #[test]
    fn a_stranger_is_held_to_its_claim_and_not_to_our_words() {
        let script = script(
            "[[run]]\nname = \"a\"\naction = \"harvest\"\n\
             expect = { outcome = \"incomplete\", exit = 4, guard = \"short-list\", max-requests = 2 }\n\
             [[run]]\nname = \"b\"\naction = \"resume\"\nexpect = { outcome = \"refused\", exit = 3 }\n",
        );
        let (fair_script, struck) = fair(&script, &stranger(StoreReader::Unread).knowable());
        let asked = &fair_script.runs[0].expect;
        assert_eq!(asked.outcome, None, "its store tells whether it was complete");
        assert_eq!((asked.exit, asked.guard.clone(), asked.max_requests), (None, None, None));
        assert_eq!(fair_script.runs[1].expect.outcome, None);
        assert!(struck.iter().any(|sentence| sentence.contains("`short-list`")), "{struck:?}");
        assert!(struck.iter().any(|sentence| sentence.contains("nobody can see it")), "{struck:?}");
        let mut knowing = stranger(StoreReader::Unread);
        knowing.guards.push(GuardSign::parse("short-list=exit:9").unwrap());
        let (fair_script, _) = fair(&script, &knowing.knowable());
        assert_eq!(fair_script.runs[0].expect.guard.as_deref(), Some("short-list"));
    }

    #[test]
    fn who_has_no_guard_may_do_what_the_repository_says() {
        let script = script(
            "[[run]]\naction = \"harvest\"\n\
             expect = { outcome = \"incomplete\", guard = \"mass-delete\", changes = 0 }\n\
             [expect]\nstore = \"withheld\"\n",
        );
        let mut harvester = stranger(StoreReader::Unread);
        let (fair_script, _) = fair(&script, &harvester.knowable());
        assert_eq!(fair_script.runs[0].expect.changes, None);
        harvester.guards.push(GuardSign::parse("mass-delete=exit:9").unwrap());
        let (fair_script, _) = fair(&script, &harvester.knowable());
        assert_eq!(fair_script.runs[0].expect.changes, Some(0));
    }

    #[test]
    fn a_new_date_alone_is_no_change_that_anybody_outside_could_count() {
        let script = script(
            "[[run]]\naction = \"harvest\"\n[[run]]\naction = \"incremental\"\n\
             before = [{ restamp = [1] }]\nexpect = { outcome = \"complete\", changes = 0 }\n",
        );
        let harvester = stranger(StoreReader::Unread);
        let (fair_script, struck) = fair(&script, &harvester.knowable());
        assert_eq!(fair_script.runs[1].expect.changes, None);
        assert!(struck.iter().any(|sentence| sentence.contains("a new date alone")), "{struck:?}");
        let seeing = Knowable { payloads: true, ..harvester.knowable() };
        assert_eq!(fair(&script, &seeing).0.runs[1].expect.changes, Some(0));
    }

    #[test]
    fn in_which_order_a_stranger_asks_is_its_own_business() {
        let mut script = script("[[run]]\naction = \"harvest\"\n");
        script.expect.trace =
            vec![TraceRule::Order(vec!["Identify".to_owned()]), TraceRule::TokenVerbatim];
        let (fair_script, _) = fair(&script, &stranger(StoreReader::Unread).knowable());
        assert_eq!(fair_script.expect.trace, [TraceRule::TokenVerbatim]);
    }

    #[test]
    fn settings_of_ours_are_asked_of_nobody_else() {
        for setting in ["strict = true", "infer-deletions = true\nfull = true"] {
            let script = script(&format!("[[run]]\naction = \"harvest\"\n{setting}\n"));
            let why = cannot_be_asked(&script, &stranger(StoreReader::Unread));
            assert!(why.is_some_and(|why| why.contains("a setting of the shipped")), "{setting}");
        }
    }

    #[test]
    fn what_a_command_has_no_place_for_cannot_be_asked() {
        let script = script("[[run]]\naction = \"harvest\"\nfrom = 2024-01-01\n");
        let mut harvester = stranger(StoreReader::Unread);
        let why = cannot_be_asked(&script, &harvester).expect("there is no place");
        assert!(why.contains("no place for {from}"), "{why}");
        harvester.command.push("--from={from}".to_owned());
        assert_eq!(cannot_be_asked(&script, &harvester), None);
    }

    #[test]
    fn long_waits_are_shortened_and_deaths_that_nobody_sees_left_out() {
        let script = script(
            "[[fault]]\nname = \"busy\"\nwhen = { page = 1, attempt = 1 }\n\
             do.http = { status = 503, retry-after = \"3600\" }\n\
             [[run]]\nname = \"a\"\naction = \"harvest\"\ncrash = { phase = \"before-close\" }\n\
             [[run]]\nname = \"b\"\naction = \"resume\"\ncrash = { at = { page = 1 }, phase = \"uncommitted\" }\n\
             [[run]]\nname = \"c\"\naction = \"resume\"\n",
        );
        let (fair_script, struck) = fair(&script, &stranger(StoreReader::Unread).knowable());
        let Effect::Http(HttpEffect { retry_after, .. }) = &fair_script.faults[0].effect else {
            panic!("it was an HTTP fault")
        };
        assert_eq!(retry_after.as_deref(), Some("2"));
        assert_eq!(fair_script.runs[0].crash, None);
        assert_eq!(fair_script.runs[1].crash.unwrap().phase, CrashPhase::NextRequest);
        assert!(struck.iter().any(|sentence| sentence.contains("end of the list")), "{struck:?}");
    }
}
