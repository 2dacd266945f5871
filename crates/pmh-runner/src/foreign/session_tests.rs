//! Small strangers, written in a shell, and what is found of them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pmh_oracle::Class;
use pmh_scenario::Script;

use super::{GuardSign, Harvester, Place, StoreReader, Trial, try_harvester};

/// Reads pages until there is no token, and writes down what it was given: as much as a shell can do.
const LOOP: &str = r#"
        url="$1?verb=ListRecords&metadataPrefix=oai_dc"
        for turn in 1 2 3 4 5 6 7 8 9; do
            page=$(curl -sf "$url") || exit 7
            printf '%s' "$page" > "$2/$turn.xml"
            token=$(printf '%s' "$page" | sed -n 's/.*<resumptionToken[^>]*>\([^<]*\)<.*/\1/p')
            [ -n "$token" ] || exit 0
            url="$1?verb=ListRecords&resumptionToken=$token"
        done"#;

fn shell(script: &str, store: StoreReader) -> Harvester {
    let words = ["sh", "-c", script, "sh", "{base-url}", "{work}"].map(str::to_owned).to_vec();
    Harvester::new("shell".to_owned(), words, store).expect("a command")
}

fn play(harvester: &Harvester, script: Script) -> Trial {
    let place = Place { project: PathBuf::from("."), keep: None };
    try_harvester(&Arc::new(script), harvester, &place).expect("it can be played")
}

fn words(trial: &Trial) -> String {
    trial.result.as_ref().expect("it was played").to_text()
}

#[test]
fn a_loop_in_a_shell_is_proved_by_what_it_leaves() {
    let trial = play(&shell(LOOP, StoreReader::XmlDir(".".to_owned())), Script::plain(6, 2, 1));
    assert_eq!(trial.class(), Some(Class::Held), "{}", words(&trial));
    assert!(words(&trial).contains("6 of 6 records held"), "{}", words(&trial));
    assert_eq!(trial.journal.exchanges().count(), 3);
}

#[test]
fn who_stops_after_a_page_and_says_it_is_complete_is_told_which_page_is_missing() {
    let early = LOOP.replace("1 2 3 4 5 6 7 8 9", "1 2");
    let trial = play(&shell(&early, StoreReader::XmlDir(".".to_owned())), Script::plain(6, 2, 1));
    assert_eq!(trial.class(), Some(Class::Failed), "{}", words(&trial));
    assert!(trial.failed().contains(&"nothing-lost"), "{:?}", trial.failed());
    assert_eq!(trial.whys[0].identifiers.len(), 2);
    assert!(trial.whys[0].conclusion.contains("page 3 was never asked for"), "{:?}", trial.whys);
}

#[test]
fn who_stops_and_says_so_has_given_up_and_who_does_not_say_so_has_not() {
    let plain = || {
        let mut script = Script::plain(6, 2, 1);
        script.runs[0].expect.outcome = Some("complete".to_owned());
        script
    };
    let early = LOOP.replace("1 2 3 4 5 6 7 8 9", "1 2");
    let store = || StoreReader::XmlDir(".".to_owned());
    let honest = play(&shell(&format!("{early}\nexit 9"), store()), plain());
    assert!(honest.gave_up(), "{}", words(&honest));
    assert_eq!(honest.class(), Some(Class::Failed));
    assert!(!play(&shell(&early, store()), plain()).gave_up());
}

#[test]
fn of_a_store_that_nobody_sees_only_what_never_came_is_judged() {
    let early = LOOP.replace("1 2 3 4 5 6 7 8 9", "1 2");
    let trial = play(&shell(&early, StoreReader::Unread), Script::plain(6, 2, 1));
    assert_eq!(trial.failed(), ["nothing-lost"], "{}", words(&trial));
    let trial = play(&shell(LOOP, StoreReader::Unread), Script::plain(6, 2, 1));
    assert_eq!(trial.class(), Some(Class::Held), "{}", words(&trial));
    assert!(words(&trial).contains("not judged: the store: nobody can see it"));
}

#[test]
fn who_never_ends_is_stopped_with_all_that_it_has_started() {
    let mut harvester = shell(&format!("sleep 60 & {LOOP}\nwait"), StoreReader::Unread);
    harvester.command[2] = harvester.command[2].replace("exit 0", "break");
    harvester.timeout = Some(Duration::from_millis(900));
    let started = Instant::now();
    let trial = play(&harvester, Script::plain(6, 2, 1));
    assert!(started.elapsed() < Duration::from_secs(20), "the child of the child was left");
    assert_eq!(trial.failed(), ["terminates"], "{}", words(&trial));
    assert!(words(&trial).contains("stopped by the clock · 3 requests"), "{}", words(&trial));
}

#[test]
fn a_date_to_wait_for_is_one_of_the_wall_clock() {
    let mut script = Script::plain(6, 2, 1);
    let busy = pmh_scenario::load(
        "busy",
        "format = 1\nrepository.records.generate = { count = 6 }\n[[fault]]\nname = \"busy\"\n\
         when = { page = 1, attempt = 1 }\ndo.http = { status = 503, retry-after-date = \"2s\" }\n\
         [[run]]\naction = \"harvest\"\n",
        &crate::vocabulary(),
    );
    script.faults = busy.expect("the file is sound").script().faults;
    let patient = format!(
        "curl -si \"$1?verb=ListRecords&metadataPrefix=oai_dc\" > \"$2/head\"
         until=$(sed -n 's/^[Rr]etry-[Aa]fter: *//p' \"$2/head\" | tr -d '\\r')
         rm \"$2/head\"
         [ -z \"$until\" ] || while [ $(date +%s) -lt $(date -d \"$until\" +%s) ]; do sleep 0.2; done
         {LOOP}"
    );
    let trial = play(&shell(&patient, StoreReader::XmlDir(".".to_owned())), script);
    assert_eq!(trial.class(), Some(Class::Held), "{}", words(&trial));
    assert!(words(&trial).contains("● honours-retry-after"), "{}", words(&trial));
    assert!(trial.took > Duration::from_secs(2), "it waited {:?}", trial.took);
}

#[test]
fn who_goes_on_asking_may_take_longer_than_it_may_be_silent() {
    let slow =
        format!("for pause in 1 2 3 4; do curl -s $1?verb=Identify; sleep 0.5; done\n{LOOP}");
    let mut harvester = shell(&slow, StoreReader::XmlDir(".".to_owned()));
    harvester.timeout = Some(Duration::from_millis(1_500));
    let trial = play(&harvester, Script::plain(6, 2, 1));
    assert_eq!(trial.class(), Some(Class::Held), "{}", words(&trial));
    assert!(trial.took > Duration::from_millis(1_500), "it took {:?}", trial.took);
}

#[test]
fn a_rule_about_what_a_stranger_never_does_is_no_fault_of_it() {
    let mut script = Script::plain(6, 2, 1);
    let verb = Some("Identify".to_owned());
    script.expect.trace = vec![pmh_scenario::TraceRule::AtMost { n: 1, verb }];
    let trial = play(&shell(LOOP, StoreReader::XmlDir(".".to_owned())), script);
    assert_eq!(trial.class(), Some(Class::Held), "{}", words(&trial));
    assert!(words(&trial).contains("not judged: the rule at-most: "), "{}", words(&trial));
}

#[test]
fn a_brake_is_known_by_its_sign() {
    let mut harvester =
        shell("echo too many >&2; curl -s $1?verb=Identify; exit 3", StoreReader::Unread);
    harvester.guards.push(GuardSign::parse("no-progress=stderr:too many").unwrap());
    let trial = play(&harvester, Script::plain(6, 2, 1));
    assert!(words(&trial).contains("guard no-progress, exit 3"), "{}", words(&trial));
}

#[test]
fn a_sign_of_two_guards_is_the_one_that_was_to_come_and_another_one_is_no_giving_up() {
    let awaiting = |guard: &str| {
        let mut script = Script::plain(6, 2, 1);
        script.runs[0].expect.guard = Some(guard.to_owned());
        script
    };
    let mut harvester = shell("curl -s $1?verb=Identify; exit 3", StoreReader::Unread);
    harvester.guards.push(GuardSign::parse("no-progress=exit:3").unwrap());
    harvester.guards.push(GuardSign::parse("shrink=exit:3").unwrap());
    for guard in ["no-progress", "shrink"] {
        let trial = play(&harvester, awaiting(guard));
        assert!(words(&trial).contains(&format!("guard {guard}, exit 3")), "{}", words(&trial));
    }
    harvester.guards.push(GuardSign::parse("mass-delete=exit:4").unwrap());
    let trial = play(&harvester, awaiting("mass-delete"));
    assert!(!trial.gave_up(), "{}", words(&trial));
}
