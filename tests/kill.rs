//! Sudden ends at moments nobody chose, by a signal or by a disk that is full: whatever the moment, running again ends
//! complete, and the store is the one of a harvest that was never disturbed.
//!
//! `PMH_KILL_RECORDS=10000 cargo test --test tests kill` does it with a longer harvest, its deaths spread over all of it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Mock, pmh, program};

/// Deaths of one harvest.
const DEATHS: u64 = 20;
/// Records of the list, unless the environment says otherwise.
const RECORDS: u64 = 2_000;
/// A run that is let live takes less.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many records are to be harvested.
fn records() -> u64 {
    match std::env::var("PMH_KILL_RECORDS") {
        Ok(text) => match text.parse() {
            Ok(records) if records >= RECORDS => records,
            _ => {
                panic!("PMH_KILL_RECORDS: expected a number of at least {RECORDS}, found `{text}`")
            }
        },
        Err(_) => RECORDS,
    }
}

/// A harvest that takes about a second for a hundred pages, because it pauses between them.
fn start(folder: &Path, base_url: &str) -> Child {
    Command::new(program())
        .args(["harvest", base_url, "--store", "disturbed.sqlite", "--pause", "0.008", "--json"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the harvest starts")
}

/// Every row but for the moments it was stored at.
fn rows(store: &Path) -> Vec<String> {
    let store = rusqlite::Connection::open(store).expect("it is SQLite");
    let mut statement = store
        .prepare(
            "SELECT identifier || '|' || coalesce(datestamp, '') || '|' || deleted || '|' || coalesce(payload, '')
             FROM catalog_record ORDER BY identifier",
        )
        .expect("the view is there");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}

/// Kills a harvest again and again with `signal`, each time at another moment drawn from `seed`; then lets it live.
fn disturb(signal: Signal, seed: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let records = records();
    let mock = Mock::start(folder, &["--records", &records.to_string(), "--page-size", "20"]);
    let undisturbed = pmh(folder, &["harvest", &mock.base_url, "--store", "undisturbed.sqlite"]);
    assert_eq!(undisturbed.exit, 0, "{}", undisturbed.stderr);

    let mut moments = seed;
    let mut deaths = 0;
    for _ in 0..DEATHS {
        let mut harvest = start(folder, &mock.base_url);
        // A linear congruence is random enough for moments: 5 to 130 milliseconds, and more of a longer harvest.
        moments =
            moments.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(5 + (moments >> 33) % (126 * records / RECORDS)));
        let id = Pid::from_raw(i32::try_from(harvest.id()).expect("a process id"));
        kill(id, signal).expect("it is not reaped yet");
        let status = wait(&mut harvest);
        deaths += u64::from(!status.success());
        if status.success() {
            break;
        }
    }
    assert!(
        deaths >= 5,
        "only {deaths} deaths came before the end: the harvest is too short (seed {seed})"
    );
    let last = pmh(folder, &["harvest", &mock.base_url, "--store", "disturbed.sqlite"]);
    assert_eq!(last.exit, 0, "{}{} (seed {seed})", last.stdout, last.stderr);
    let (disturbed, undisturbed) =
        (rows(&folder.join("disturbed.sqlite")), rows(&folder.join("undisturbed.sqlite")));
    assert_eq!(undisturbed.len() as u64, records);
    assert!(disturbed == undisturbed, "the rows differ (seed {seed})");
}

fn wait(harvest: &mut Child) -> std::process::ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = harvest.try_wait().expect("it can be waited for") {
            return status;
        }
        if started.elapsed() > PATIENCE {
            drop(harvest.kill());
            panic!("the harvest does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn twenty_sudden_deaths_lose_nothing() {
    disturb(Signal::SIGKILL, 1);
}

#[test]
fn twenty_orderly_stops_lose_nothing() {
    disturb(Signal::SIGTERM, 2);
}

/// Blocks that one file may take when the disk is full: the first, and the last by which a harvest must have come through.
const BLOCKS: std::ops::Range<u64> = 100..100_000;

/// A run that no file of may grow beyond so many blocks. Without the trap a process that writes more would be killed.
fn cramped(folder: &Path, base_url: &str, blocks: u64) -> (bool, u64) {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(program())
        .args(["harvest", base_url, "--store", "cramped.sqlite", "--json"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    // A store that could not even be opened is told of in words.
    let said: Option<serde_json::Value> = serde_json::from_slice(&output.stdout).ok();
    let stored = said.and_then(|said| said["new"].as_u64()).unwrap_or_default();
    (output.status.success(), stored)
}

#[test]
fn a_disk_that_is_full_at_any_size_takes_nothing_that_was_said_to_be_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "200", "--page-size", "20"]);
    let undisturbed = pmh(folder, &["harvest", &mock.base_url, "--store", "undisturbed.sqlite"]);
    assert_eq!(undisturbed.exit, 0, "{}", undisturbed.stderr);
    let undisturbed = rows(&folder.join("undisturbed.sqlite"));

    let store = folder.join("cramped.sqlite");
    let (mut blocks, mut failures, mut stopped_midway) = (BLOCKS.start, 0, 0);
    loop {
        assert!(blocks < BLOCKS.end, "no harvest comes through");
        drop(std::fs::remove_file(&store));
        let (is_through, stored) = cramped(folder, &mock.base_url, blocks);
        if is_through {
            break;
        }
        failures += 1;
        if stored > 0 {
            stopped_midway += 1;
            let held = rows(&store).len() as u64;
            assert!(held >= stored, "{blocks} blocks: said {stored}, held {held}");
        }
        let last = pmh(folder, &["harvest", &mock.base_url, "--store", "cramped.sqlite"]);
        assert_eq!(last.exit, 0, "{blocks} blocks: {}{}", last.stdout, last.stderr);
        assert!(rows(&store) == undisturbed, "the rows differ ({blocks} blocks)");
        blocks += blocks / 3;
    }
    assert!(failures > 5 && stopped_midway > 1, "{failures} full disks, {stopped_midway} midway");
}
