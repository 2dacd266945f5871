//! Harvests as a user meets them.

use std::fs;
use std::process::{Command, Stdio};

use super::{Mock, ScriptServer, pmh, wait_until};
use crate::support::program;

#[test]
fn a_repository_is_harvested_looked_at_and_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "45", "--page-size", "20"]);

    let first = pmh(folder, &["harvest", &mock.base_url]);
    assert_eq!(first.exit, 0, "{}{}", first.stdout, first.stderr);
    assert!(first.stdout.starts_with("complete: 45 records on 3 pages"), "{}", first.stdout);
    assert!(first.stdout.contains("45 new"), "{}", first.stdout);

    let second = pmh(folder, &["harvest", &mock.base_url, "--json"]);
    let said: serde_json::Value = serde_json::from_str(&second.stdout).expect("one JSON object");
    assert_eq!((said["outcome"].as_str(), said["new"].as_u64()), (Some("complete"), Some(0)));

    let status = pmh(folder, &["status"]);
    assert_eq!(status.exit, 0);
    assert!(status.stdout.contains("45 live records"), "{}", status.stdout);
    assert!(status.stdout.contains("complete up to 2025-01-01T"), "{}", status.stdout);

    let export = pmh(folder, &["export", "--format", "jsonl"]);
    assert_eq!((export.exit, export.stdout.lines().count()), (0, 45));
    let line: serde_json::Value =
        serde_json::from_str(export.stdout.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line["identifier"].as_str(), Some("oai:repository.example:000001"));
    assert!(line["payload"].as_str().is_some_and(|payload| payload.starts_with("<oai_dc:dc")));

    let journal =
        fs::read_to_string(folder.join("journal.ndjson")).expect("the mock wrote its journal");
    assert!(journal.lines().count() >= 5, "{journal}");
    assert_eq!(mock.stop(), 0);
}

#[test]
fn a_store_answers_the_questions_people_ask_it_in_sql() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "7"]);
    assert_eq!(pmh(folder.path(), &["harvest", &mock.base_url]).exit, 0);
    let store = rusqlite::Connection::open(folder.path().join("pmh.sqlite")).expect("it is SQLite");
    let (last_ts, token, errors): (String, Option<String>, u32) = store
        .query_row("SELECT last_ts, token, errors FROM state;", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .expect("the view is there");
    assert_eq!((last_ts.as_str(), token, errors), ("2025-01-01T00:00:02Z", None, 0));
    let count: u32 = store
        .query_row(
            "SELECT count(*) FROM catalog_record WHERE harvested_at >= '2026-07-01';",
            [],
            |row| row.get(0),
        )
        .expect("the view is there");
    assert_eq!(count, 7);
}

#[test]
fn an_unfinished_harvest_says_why_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["token/ends-early"]);
    let ran = pmh(folder.path(), &["harvest", &mock.base_url]);
    assert_eq!(ran.exit, 4);
    for text in ["incomplete: the list ended after", "short-list", "blame: repository", "hint:"] {
        assert!(ran.stdout.contains(text), "no `{text}` in {}", ran.stdout);
    }
}

#[test]
fn a_signal_ends_a_harvest_in_order_and_the_next_run_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "400", "--page-size", "4"]);
    // A pause makes the harvest last long enough to be interrupted.
    let mut harvest = Command::new(program())
        .args(["harvest", &mock.base_url, "--pause", "0.05", "--json"])
        .args(["--prefix", "oai_dc", "--prefix", "marc21"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let journal = || fs::read_to_string(folder.join("journal.ndjson")).unwrap_or_default();
    wait_until("the fifth page", || journal().lines().count() > 6);
    let id = i32::try_from(harvest.id()).expect("a process id");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGTERM)
        .expect("it is running");
    let mut status = None;
    wait_until("the end of the harvest", || {
        status = harvest.try_wait().expect("it can be waited for");
        status.is_some()
    });
    assert_eq!(status.and_then(|status| status.code()), Some(4));
    let said: serde_json::Value = serde_json::from_reader(harvest.stdout.take().expect("a pipe"))
        .expect("one JSON object: the second key is not begun");
    assert_eq!(
        (said["outcome"].as_str(), said["reason"].as_str()),
        (Some("incomplete"), Some("stopped"))
    );
    let pages = said["pages"].as_u64().expect("a number");
    assert!((1..100).contains(&pages), "stopped after {pages} of 100 pages");

    let resumed = pmh(folder, &["harvest", &mock.base_url, "--json"]);
    let said: serde_json::Value = serde_json::from_str(&resumed.stdout).expect("one JSON object");
    assert_eq!(
        (said["outcome"].as_str(), said["distinct"].as_u64()),
        (Some("complete"), Some(400))
    );
    // Who the repository is, what formats it has, and every page that was still missing, once.
    assert_eq!(said["requests"].as_u64(), Some(2 + 100 - pages));
}

#[test]
fn a_second_run_on_a_key_is_told_who_holds_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "400", "--page-size", "4"]);
    let mut first = Command::new(program())
        .args(["harvest", &mock.base_url, "--pause", "0.05", "--json"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    wait_until("the store", || folder.path().join("pmh.sqlite").exists());
    wait_until("the first page", || {
        fs::read_to_string(folder.path().join("journal.ndjson")).unwrap_or_default().lines().count()
            > 2
    });
    let second = pmh(folder.path(), &["harvest", &mock.base_url]);
    drop(first.kill());
    drop(first.wait());
    assert_eq!(second.exit, 3, "{}{}", second.stdout, second.stderr);
    assert!(second.stderr.contains(&format!("process `{}`", first.id())), "{}", second.stderr);
    assert!(second.stderr.contains("hint:"), "{}", second.stderr);
}

#[test]
fn an_unreachable_repository_is_answered_with_three() {
    let folder = tempfile::tempdir().expect("a folder");
    // Nobody listens on port 1.
    let ran = pmh(folder.path(), &["harvest", "http://127.0.0.1:1/oai", "--wait-scale", "0"]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("refused: no OAI-PMH answer: no connection"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("window"), "none was opened: {}", ran.stdout);
}

/// Two sets of ten records each.
const TWO_SETS: &str = r#"
format = 1
title = "A repository with sets"
kind = "F002"
rules = [137]
repository.records.generate = { count = 20 }
repository.sets = ["art", "maps"]
repository.page-size = 5

[[run]]
action = "harvest"
"#;

#[test]
fn several_keys_are_harvested_one_after_the_other_and_the_worst_end_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("sets.toml"), TWO_SETS).expect("a file");
    let mock = Mock::start(folder, &["sets.toml"]);
    let both = pmh(folder, &["harvest", &mock.base_url, "--set", "art", "--set", "maps", "--json"]);
    assert_eq!(both.exit, 0, "{}{}", both.stdout, both.stderr);
    let said: Vec<serde_json::Value> =
        both.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let sets: Vec<_> = said.iter().map(|said| said["set"].as_str()).collect();
    assert_eq!(sets, [Some("art"), Some("maps")]);
    let held: u64 = said.iter().filter_map(|said| said["distinct"].as_u64()).sum();
    assert_eq!(held, 20);

    let wrong =
        pmh(folder, &["harvest", &mock.base_url, "--prefix", "marc21", "--prefix", "oai_dc"]);
    assert_eq!(wrong.exit, 3, "{}{}", wrong.stdout, wrong.stderr);
    assert!(wrong.stdout.contains("refused: "), "{}", wrong.stdout);
    assert!(wrong.stdout.contains("complete: 20 records"), "{}", wrong.stdout);
}

#[test]
fn a_full_harvest_asks_for_everything_again_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "9", "--page-size", "4"]);
    assert_eq!(pmh(folder.path(), &["harvest", &mock.base_url]).exit, 0);
    let again = pmh(folder.path(), &["harvest", &mock.base_url, "--full", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&again.stdout).expect("one JSON object");
    assert_eq!(
        (said["window"].as_str(), said["unchanged"].as_u64(), said["new"].as_u64()),
        (Some("everything"), Some(9), Some(0))
    );
}

#[test]
fn a_dry_run_asks_who_it_is_and_stores_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "9"]);
    let asked = || {
        let journal = fs::read_to_string(folder.join("journal.ndjson")).expect("a journal");
        journal.matches("\"exchange\"").count()
    };
    let first = pmh(folder, &["harvest", &mock.base_url, "--dry-run"]);
    assert_eq!(first.exit, 0, "{}{}", first.stdout, first.stderr);
    for text in ["deletions   persistent", "asks for    everything", "verb=ListRecords"] {
        assert!(first.stdout.contains(text), "no `{text}` in {}", first.stdout);
    }
    assert!(!folder.join("pmh.sqlite").exists());
    assert_eq!(asked(), 2, "Identify, ListMetadataFormats and nothing else");

    assert_eq!(pmh(folder, &["harvest", &mock.base_url]).exit, 0);
    let (before, status) = (asked(), pmh(folder, &["status"]).stdout);
    let second = pmh(folder, &["harvest", &mock.base_url, "--dry-run"]);
    assert!(second.stdout.contains("asks for    from 2024-12-31T00:00:0"), "{}", second.stdout);
    assert_eq!((asked(), pmh(folder, &["status"]).stdout), (before + 2, status));

    let nobody = ["harvest", "http://127.0.0.1:1/oai", "--dry-run", "--wait-scale", "0"];
    assert_eq!(pmh(folder, &nobody).exit, 3);
    let prefix = pmh(folder, &["harvest", &mock.base_url, "--dry-run", "--prefix", "nope"]);
    assert!(prefix.stdout.contains("complaint: prefix-not-offered"), "{}", prefix.stdout);
    assert!(prefix.stdout.ends_with("was asked, and nothing was stored\n"), "{}", prefix.stdout);
}

#[test]
fn a_dry_run_where_no_repository_is_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    for (status, said) in
        [("200 OK", "hint: check the base URL"), ("500 Broken", "HTTP status 500")]
    {
        let answer =
            format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}");
        let server = ScriptServer::start(move |_| answer.clone());
        let dry = ["harvest", &server.base_url(), "--dry-run", "--wait-scale", "0"];
        let ran = pmh(folder.path(), &dry);
        assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "no `{said}` in {}", ran.stderr);
    }
}

#[test]
fn a_sample_ends_in_order_and_names_the_switches_that_were_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "90", "--page-size", "10"]);
    let sample = ["harvest", &mock.base_url, "--limit", "15", "--compat", "end-by-count", "--json"];
    let sample = pmh(folder, &sample);
    let said: serde_json::Value = serde_json::from_str(&sample.stdout).expect("one JSON object");
    assert_eq!((sample.exit, said["reason"].as_str()), (4, Some("stopped")));
    assert_eq!(said["distinct"].as_u64(), Some(20), "the page that reaches the limit is stored");
    assert_eq!(said["switches"], serde_json::json!(["end-by-count"]));

    let rest = pmh(folder, &["harvest", &mock.base_url, "--size", "ignore", "--strict"]);
    assert_eq!(rest.exit, 0, "{}{}", rest.stdout, rest.stderr);
    assert!(rest.stdout.contains("switches: ignore-size"), "{}", rest.stdout);
    assert!(rest.stdout.contains("90 records on 9 pages"), "{}", rest.stdout);
}

#[test]
fn a_disk_without_room_stops_a_harvest_that_goes_on_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "90", "--page-size", "10"]);
    let full = pmh(folder, &["harvest", &mock.base_url, "--disk-floor", "1000000000", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&full.stdout).expect("one JSON object");
    assert_eq!((full.exit, said["guard"].as_str()), (4, Some("disk-floor")));
    assert_eq!(said["blame"].as_str(), Some("store"));
    let status = pmh(folder, &["status"]).stdout;
    assert!(status.contains("goes on with token"), "{status}");
    assert_eq!(pmh(folder, &["harvest", &mock.base_url]).exit, 0);
}
