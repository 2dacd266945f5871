//! Files become scripts.

use pmh_scenario::{
    Advances, AfterEnd, Announced, Bound, Cap, CapEnd, Change, CrashPhase, Cursor, Dates,
    DatestampForm, DocumentOf, Earliest, Effect, ErrorPlace, Expiration, Filter, Hidden,
    HttpEffect, Ignored, LastToken, ListKind, ListSize, Loaded, Move, OaiEffect, OaiErrors, Order,
    Paging, RepoEffect, ResponseDate, Script, StoreExpect, TimeEffect, TokenEffect, TokenLife,
    TokenStyle, TraceRule, UntilDay, Vocabulary, When, load,
};

const FULL: &str = include_str!("full.toml");
const SHORT: &str = "format = 1\n[[run]]\naction = \"harvest\"\n";

fn loaded(text: &str) -> Loaded {
    let known = Vocabulary {
        specimens: &["never-counts"],
        guards: &["no-progress"],
        outcomes: &["complete", "incomplete", "refused"],
    };
    load("token/x", text, &known).expect("the file is sound")
}

fn debug(script: &Script) -> String {
    format!("{script:#?}")
}

#[test]
fn every_key_reaches_the_script() {
    let script = loaded(FULL).script();
    assert_eq!(
        (script.id.as_str(), script.kind.as_deref(), script.seed),
        ("token/x", Some("F008"), 7)
    );
    assert_eq!(script.rules, [136, 151]);
    assert_eq!(script.catches, ["never-counts"]);
    let repository = &script.repository;
    assert_eq!((repository.world.records.len(), repository.page_size), (9, 2));
    assert_eq!(repository.world.records.values().filter(|record| record.deleted).count(), 5);
    assert_eq!(repository.world.records[&2].stamp.to_string(), "2024-06-01T00:02:00Z");
    assert_eq!(repository.world.sets, ["art", "art:paint"]);
    let protocol = &repository.protocol;
    assert_eq!(protocol.granularity.pattern(), "YYYY-MM-DD");
    assert_eq!(protocol.deleted_records.as_str(), "transient");
    assert_eq!((protocol.token, protocol.life.requests), (TokenStyle::Session, Some(4)));
    assert_eq!(protocol.last_token, LastToken::Blank);
    assert_eq!(
        protocol.announced,
        Announced {
            cursor: Cursor::Wrong(-1),
            size: ListSize::Absent,
            expiration: Expiration::Right
        }
    );
    assert_eq!(
        protocol.life,
        TokenLife {
            requests: Some(4),
            seconds: Some(3_600),
            is_one_use: false,
            bound: Bound::Cookie,
            advances: Advances::Asked,
        }
    );
    assert_eq!(
        protocol.paging,
        Paging {
            order: Order::Id,
            list: ListKind::Live,
            overlap: 1,
            cap: Some(Cap { records: 100, then: CapEnd::Refused }),
            hidden: Some(Hidden { from: 3, to: 4 }),
        }
    );
    assert_eq!(
        protocol.dates,
        Dates {
            datestamps: DatestampForm::Second,
            response_date: ResponseDate::Offset,
            earliest: Earliest::Text("once".into()),
        }
    );
    assert_eq!(
        protocol.filter,
        Filter {
            until_day: UntilDay::Midnight,
            ignores: vec![Ignored::From, Ignored::Set],
            forgotten_after: Some(2),
        }
    );
    assert_eq!(protocol.index_lag_seconds, 300);
    assert_eq!(protocol.identify.protocol_version.as_deref(), Some("1.1"));
    assert_eq!(protocol.identify.admin_emails, Some(Vec::new()));
    assert_eq!(repository.clock.run_start(1).to_string(), "2024-12-26T00:00:00Z");
    assert_eq!(repository.clock.tick_seconds, 2);

    let busy = &script.faults[0];
    let when = When {
        run: Some("one".into()),
        list: Some(1),
        page: Some(2),
        token: Some(1),
        attempt: Some(1),
        ..When::default()
    };
    let http = HttpEffect { status: 503, retry_after: Some("120".into()), ..HttpEffect::default() };
    assert_eq!((&busy.when, &busy.effect), (&when, &Effect::Http(http)));
    assert_eq!((busy.times, busy.optional, busy.line), (Some(3), true, 48));
    let effects: Vec<&Effect> = script.faults[1..].iter().map(|fault| &fault.effect).collect();
    let (effects, midway) = (&effects[..8], &effects[8..17]);
    let errors = OaiErrors {
        codes: vec!["badArgument".into(), "madeUp".into()],
        text: "no".into(),
        place: ErrorPlace::Inside,
        status: 422,
    };
    let expected = [
        Effect::Repo(RepoEffect::Change(Change::Touch(vec![3, 4]))),
        Effect::Repo(RepoEffect::Deploy { page_size: Some(7) }),
        Effect::Repo(RepoEffect::Reorder),
        Effect::Oai(OaiEffect::Errors(errors)),
        Effect::Oai(OaiEffect::Document(DocumentOf::ListSets)),
        Effect::Oai(OaiEffect::NoIdentifier(2)),
        Effect::Time(TimeEffect::Delay(5)),
        Effect::Time(TimeEffect::Jump(-3_600)),
        Effect::Time(TimeEffect::ResponseDate("yesterday".into())),
    ];
    assert_eq!(midway, expected.iter().collect::<Vec<_>>());
    let expected = [
        TokenEffect::WrapTo(1),
        TokenEffect::RewindTo(2),
        TokenEffect::Skip(1),
        TokenEffect::AfterEnd(AfterEnd::Status(404)),
        TokenEffect::Foreign,
        TokenEffect::Raw("a+b/c==".into()),
        TokenEffect::Long(9_000),
        TokenEffect::SwapCase,
    ]
    .map(Effect::Token);
    assert_eq!(effects, expected.iter().collect::<Vec<_>>());
    assert_eq!(script.faults[3].when, When::default());

    let crash = script.runs[0].crash.expect("the first run crashes");
    assert_eq!((crash.page, crash.phase), (2, CrashPhase::MidBody));
    let second = &script.runs[1];
    assert_eq!(
        second.before,
        [
            Change::Add(5),
            Change::Delete(vec![10, 11]),
            Change::Touch(vec![3]),
            Change::Purge(vec![1]),
            Change::Restamp(vec![2]),
            Change::Move(Move { records: vec![4], to: vec!["art".into()], is_silent: true }),
        ]
    );
    assert_eq!(
        (second.expect.outcome.as_deref(), second.expect.guard.as_deref()),
        (Some("incomplete"), Some("no-progress"))
    );
    assert_eq!(
        (second.expect.exit, second.expect.max_requests, second.expect.changes),
        (Some(4), Some(30), Some(12))
    );
    assert_eq!((script.expect.store, script.expect.idempotent), (StoreExpect::Subset, true));
    assert_eq!(script.expect.trace, [TraceRule::MaxConcurrency(2)]);
    assert_eq!((script.budget.requests, script.budget.wall_seconds), (60, 10));
    assert_eq!([script.run_name(1), script.run_name(2)], ["two", "once-more"]);
}

#[test]
fn what_is_shown_loads_to_the_same_script() {
    for text in [FULL, SHORT] {
        let loaded_once = loaded(text);
        let shown = loaded_once.show();
        // Only the lines of the faults have moved.
        let mut again = loaded(&shown).script();
        for (fault, before) in again.faults.iter_mut().zip(loaded_once.script().faults) {
            fault.line = before.line;
        }
        assert_eq!(debug(&again), debug(&loaded_once.script()), "{shown}");
    }
}

#[test]
fn only_what_was_not_written_is_marked_as_a_default() {
    insta::assert_snapshot!(loaded(SHORT).show(), @r#"
    format = 1
    rules = [] # default
    tags = [] # default
    seed = 1 # default
    catches = [] # default

    [repository]
    records.generate.count = 60 # default
    records.generate.deleted = 0.0 # default
    records.generate.stamps.every.from = "2024-01-02T00:00:00Z" # default
    records.generate.stamps.every.step = "1h" # default
    records.generate.identifiers = "counted" # default
    # formats: ["oai_dc"] # default
    sets-each = 1 # default
    page-size = 20 # default
    order = "stamp-then-id" # default
    sets = [] # default

    [protocol]
    granularity = "second" # default
    deleted-records = "persistent" # default
    token = "stateless" # default
    # ttl.requests: tokens live for ever # default
    ttl.one-use = false # default
    bound = "nowhere" # default
    advances = "sent" # default
    last-token = "empty" # default
    list-size = "right" # default
    cursor = "right" # default
    expiration = "absent" # default
    list = "frozen" # default
    overlap = 0 # default
    datestamps = "right" # default
    response-date = "right" # default
    earliest = "right" # default
    until-day = "end" # default
    ignores = [] # default
    index-lag = "0s" # default

    [clock]
    start = "2025-01-01T00:00:00Z" # default
    tick = "1s" # default
    between-runs = "1d" # default

    [client]
    # guards-at: the harvester's own # default
    # base-url-query: nothing # default

    [[run]]
    name = "harvest" # default
    action = "harvest"
    # prefix: "oai_dc" # default
    full = false # default
    switches = [] # default
    allow-mass-delete = false # default
    infer-deletions = false # default
    strict = false # default
    before = [] # default
    expect = {}

    [expect]
    store = "truth" # default
    guards = [] # default
    no-guards = false # default
    trace = [] # default
    idempotent = false # default

    [budget]
    requests = 500 # default
    wall = "30s" # default
    "#);
    let full = loaded(FULL).show();
    let head: Vec<&str> = full.lines().take_while(|line| !line.starts_with("[[fault]]")).collect();
    assert!(head.len() > 20 && head.iter().all(|line| !line.contains("# default")), "{full}");
}

#[test]
fn the_same_file_gives_the_same_script_and_another_seed_another() {
    assert_eq!(debug(&loaded(FULL).script()), debug(&loaded(FULL).script()));
    let other = FULL.replace("seed = 7", "seed = 8");
    assert_ne!(debug(&loaded(FULL).script()), debug(&loaded(&other).script()));
}

#[test]
fn records_have_the_formats_sets_dates_and_sizes_that_are_written() {
    let text = "format = 1\n[repository]\nrecords.generate = { count = 50, body-bytes = 3000, identifiers = \"uuid\", \
                stamps.spread = { from = 2024-01-01, until = 2024-02-01 } }\nformats = [\"oai_dc\", \"iso19139\"]\n\
                sets = [\"a\", \"b\", \"c\"]\nsets-each = 2\n[[run]]\naction = \"harvest\"\n";
    let world = loaded(text).script().repository.world;
    let (from, until) = ("2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z");
    for record in world.records.values() {
        assert_eq!(record.sets.len(), 2);
        assert!((from..=until).contains(&record.stamp.to_string().as_str()), "{}", record.stamp);
        for prefix in world.prefixes() {
            assert!(world.payload(record, prefix).is_some_and(|payload| payload.len() >= 3000));
        }
        assert_eq!(world.find(&record.identifier), Some(record));
    }
    assert_ne!(world.records[&1].stamp, world.records[&2].stamp);
}

#[test]
fn a_record_that_is_written_down_has_what_is_written() {
    let text = "format = 1\n[repository]\nformats = [\"oai_dc\", \"marc21\"]\nsets = [\"x\"]\nrecords.literal = [\n\
                { id = \"urn:a\", stamp = 2024-01-01, sets = [\"x\"], xml.marc21 = \"<m/>\" },\n\
                { id = \"urn:b\", stamp = 2024-01-02, deleted = true },\n]\n[[run]]\naction = \"harvest\"\n";
    let world = loaded(text).script().repository.world;
    let record = &world.records[&1];
    assert_eq!((record.identifier.as_str(), &record.sets[..]), ("urn:a", &["x".to_owned()][..]));
    assert_eq!(world.payload(record, "marc21").as_deref(), Some("<m/>"));
    assert_eq!(world.payload(record, "oai_dc"), None);
    assert_eq!(world.prefixes_of(record), ["marc21"]);
    assert!(world.records[&2].deleted);
    let shown = loaded(text).show();
    assert_eq!(loaded(&shown).script().repository.world, world, "{shown}");
}
