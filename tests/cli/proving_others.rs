//! Harvesters that are not ours, as their owners prove them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use boon::{Compiler, Schemas};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use super::{Ran, pmh, pmh_in};
use crate::support::{program, root};

/// Our own program as anybody's: what it knows of itself is not told.
fn stranger() -> [String; 4] {
    let command = format!(
        "'{}' harvest {{base-url}} --store {{work}}/s.sqlite --prefix={{prefix}} --wait-scale=0.01",
        program().display()
    );
    let query = "sqlite=s.sqlite:select identifier, datestamp, deleted, payload as metadata from catalog_record";
    ["--harvester".to_owned(), command, "--store".to_owned(), query.to_owned()]
}

fn prove(folder: &Path, before: &[&str], harvester: &[String]) -> Ran {
    let path = std::env::var("PATH").expect("a search path");
    let mut arguments = vec!["prove"];
    arguments.extend(before);
    arguments.extend(harvester.iter().map(String::as_str));
    pmh_in(folder, &[("PATH", path.as_str())], &arguments)
}

#[test]
fn our_own_program_holds_as_anybodys_and_reports_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let reports = "junit=out/a.xml,json=out/a.json,tap=out/a.tap,markdown=out/a.md,html=out/a.html";
    let ran = prove(
        folder.path(),
        &["token/ring", "healthy/pages", "--report", reports, "--keep", "kept", "--jobs", "2"],
        &stranger(),
    );
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("2 held"), "{}", ran.stdout);
    for name in ["a.xml", "a.json", "a.tap", "a.md", "a.html"] {
        let text = fs::read_to_string(folder.path().join("out").join(name)).expect("a report");
        assert!(text.contains("token/ring"), "{name}: {text}");
    }
    let kept: Vec<_> = fs::read_dir(folder.path().join("kept")).expect("kept").collect();
    assert_eq!(kept.len(), 2, "a folder per scenario");
    assert!(folder.path().join("kept/token.ring.pmh/work/s.sqlite").exists());
    assert!(folder.path().join("kept/token.ring.pmh/journal.ndjson").exists());
}

/// Takes the first page for everything: half a harvester in a shell.
const FIRST_PAGE: &str = "sh -c 'curl -s \"$1?verb=ListRecords&metadataPrefix=oai_dc\" > \"$2/1.xml\"' sh {base-url} {work}";

fn first_page() -> [String; 4] {
    ["--harvester", FIRST_PAGE, "--store", "xml-dir=."].map(str::to_owned)
}

#[test]
fn a_failure_names_the_records_the_page_and_the_command_that_plays_it_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = prove(folder.path(), &["healthy/pages"], &first_page());
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    for said in [
        "✖ nothing-lost",
        "why, after run `harvest`: ",
        "on page 2 of the list that #1 opened",
        "page 2 was never asked for; run `harvest` ended complete, exit 0",
        "again: pmh prove --harvester 'sh -c ",
        "sh: 1 failed",
    ] {
        assert!(ran.stdout.contains(said), "no `{said}` in\n{}", ran.stdout);
    }
}

#[test]
fn a_report_is_as_the_published_schema_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = pmh(folder.path(), &["prove", "--report-schema"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let schema: Value = serde_json::from_str(&ran.stdout).expect("the schema is JSON");
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    // Nothing is fetched. The schema itself is held against the draft that it names.
    compiler.add_resource("report.json", schema).expect("a resource");
    let schema = compiler.compile("report.json", &mut schemas).expect("the schema is one");
    let known =
        "[[known]]\ncase = \"token/ring\"\nreason = \"a page is enough\"\nuntil = \"9999-01-01\"\n";
    fs::write(folder.path().join("known.toml"), known).expect("a file");
    let asked = ["healthy/pages", "token/ring", "--known", "known.toml", "--report", "json=a.json"];
    prove(folder.path(), &asked, &first_page());
    let text = fs::read_to_string(folder.path().join("a.json")).expect("a report");
    let mut report: Value = serde_json::from_str(&text).expect("the report is JSON");
    let wrong =
        |report: &Value| schemas.validate(report, schema).err().map(|error| error.to_string());
    assert_eq!(wrong(&report), None);
    let lost = &report["results"][0];
    assert_eq!(lost["standing"], "failed");
    assert_eq!(lost["why"][0]["wrong"], "are missing", "{lost:#}");
    assert_eq!(report["results"][1]["standing"], "known-failure");
    report["results"][0]["standing"] = "fine".into();
    assert!(wrong(&report).is_some_and(|error| error.contains("/results/0/standing")));
}

#[test]
fn a_line_that_did_it_can_be_read_and_advice_follows_what_failed() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |scenario: &str, specimen: &str| {
        let harvester = ["--harvester".to_owned(), format!("specimen:{specimen}")];
        prove(folder.path(), &[scenario], &harvester).stdout
    };
    let said = of("token/expires", "ends-at-refused-token");
    assert!(said.contains("  its lines: pmh scenario show --source token/expires\n"), "{said}");
    let said = of("token/ring", "never-counts");
    assert!(said.contains("what to do: remember every token"), "{said}");
}

#[test]
fn a_failure_that_is_known_is_put_up_with_and_a_pass_that_is_not_expected_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let known = |case: &str, until: &str| {
        let text = format!(
            "[[known]]\ncase = \"{case}\"\nreason = \"a page is enough\"\nuntil = \"{until}\"\n"
        );
        fs::write(folder.path().join("known.toml"), text).expect("a file");
    };
    let asked = ["healthy/pages", "--known", "known.toml"];
    known("healthy/pages", "9999-01-01");
    let ran = prove(folder.path(), &asked, &first_page());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("1 known-failure"), "{}", ran.stdout);
    known("healthy/pages", "2020-01-01");
    let ran = prove(folder.path(), &asked, &first_page());
    assert_eq!(ran.exit, 4, "{}", ran.stdout);
    assert!(ran.stdout.contains("known until 2020-01-01 (a page is enough): that is over"));
    known("healthy/pages", "9999-01-01");
    let ran = prove(folder.path(), &asked, &stranger());
    assert_eq!(ran.exit, 4, "{}", ran.stdout);
    assert!(ran.stdout.contains("1 unexpected-pass"), "{}", ran.stdout);
    assert!(ran.stdout.contains("healthy/pages: unexpected-pass\n"), "{}", ran.stdout);
}

#[test]
fn who_stops_and_says_so_is_not_called_failed() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = ["--harvester", "sh -c 'curl -s \"$0?verb=Identify\" >&2; exit 1' {base-url}"]
        .map(str::to_owned);
    let ran = prove(folder.path(), &["healthy/pages", "--store", "none"], &asked);
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("healthy/pages: gave-up\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("nobody saw what it keeps"), "{}", ran.stdout);
}

#[test]
fn what_the_action_runs_annotates_failures_and_leaves_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).expect("a folder");
    std::os::unix::fs::symlink(program(), bin.join("pmh")).expect("a link");
    fs::write(folder.path().join("mine.toml"), PAGES_OF_MINE).expect("a file");
    let path = std::env::var("PATH").expect("a search path");
    let output = Command::new(root().join(".ci/prove"))
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"))
        .envs([("HARVESTER", FIRST_PAGE), ("STORE", "xml-dir=.")])
        .envs([("PATHS", "mine.toml token/ring"), ("KNOWN", ""), ("REPORTS", "out")])
        .output()
        .expect("it starts");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("::error file=mine.toml,line=1,title=mine × sh::"), "{text}");
    let summary = fs::read_to_string(folder.path().join("summary.md")).expect("a summary");
    assert!(summary.contains("| mine | ✖ |"), "{summary}");
    for name in ["pmh.xml", "pmh.json", "pmh.html"] {
        assert!(folder.path().join("out").join(name).exists(), "{name}");
    }
    let action = fs::read_to_string(root().join("action.yml")).expect("the action");
    for name in ["HARVESTER", "STORE", "PATHS", "KNOWN", "JOBS", "REPORTS"] {
        let input = format!("{name}: ${{{{ inputs.{} }}}}", name.to_lowercase());
        assert!(action.contains(&input), "no `{input}`");
    }
}

/// A file of a project's own.
const PAGES_OF_MINE: &str = "format = 1\ntitle = \"Three pages\"\n[repository]\n\
     records.generate = { count = 6 }\npage-size = 2\n[[run]]\naction = \"harvest\"\n\
     expect = { outcome = \"complete\" }\n";

#[test]
fn a_command_is_killed_at_every_page_and_must_come_back_with_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mine.toml"), PAGES_OF_MINE).expect("a file");
    let path = std::env::var("PATH").expect("a search path");
    let sweep = |harvester: &[String]| {
        let mut arguments = vec!["sweep", "crash", "mine.toml", "--verbose"];
        arguments.extend(harvester.iter().map(String::as_str));
        pmh_in(folder.path(), &[("PATH", path.as_str())], &arguments)
    };
    let ran = sweep(&stranger());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    // Three pages, and three moments of each: nothing is asked for after the last.
    assert!(
        ran.stdout.contains("pmh: 1 of 1 scenario end complete: 8 deaths, 0 failures"),
        "{}",
        ran.stdout
    );
    let ran = sweep(&first_page());
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    let (failure, again) =
        ran.stdout.split_once("\n  again: pmh sweep crash ").expect("it says how to see it again");
    assert!(failure.contains("✖ mine: nothing-lost: "), "{failure}");
    assert!(failure.contains("first: run 1 dies at page 1, BeforeResponse"), "{failure}");
    let (again, _) = again.split_once('\n').expect("a line");
    assert!(again.starts_with("mine.toml --harvester "), "{again}");
    assert!(again.ends_with(" --place 'run 1 dies at page 1, BeforeResponse' -v"), "{again}");
    assert!(ran.stdout.contains("page 2 was never asked for"), "{}", ran.stdout);
    let place = ["--place", "run 1 dies at page 2, AfterResponse"].map(str::to_owned);
    let ran = sweep(&[&stranger()[..], &place[..]].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains(": 1 death, 0 failures"), "{}", ran.stdout);
    let ran = sweep(&["--harvester", "specimen:sound"].map(str::to_owned));
    assert_eq!(ran.exit, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("no process that could be killed"), "{}", ran.stderr);
}

#[test]
fn whoever_ends_a_proof_ends_all_that_it_plays() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let folder = tempfile::tempdir().expect("a folder");
        let ticks = folder.path().join("ticks");
        let length = || fs::metadata(&ticks).map_or(0, |found| found.len());
        let endless = format!(
            "sh -c '(trap \"\" INT TERM HUP; while true; do echo >> \"{}\"; sleep 0.02; done) & wait' {{base-url}}",
            ticks.display()
        );
        let mut proof = Command::new(program())
            .args(["prove", "healthy/pages", "--store", "none", "--harvester", &endless])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let began = Instant::now();
        while length() < 3 {
            assert!(began.elapsed() < Duration::from_secs(30), "it never ticked");
            thread::sleep(Duration::from_millis(5));
        }
        let id = Pid::from_raw(proof.id().try_into().expect("a number"));
        kill(id, signal).expect("it is not reaped yet");
        assert_eq!(proof.wait().expect("it ends").code(), Some(130), "{signal}");
        let last = length();
        thread::sleep(Duration::from_millis(300));
        assert_eq!(length(), last, "{signal}: what it had started goes on");
    }
}

#[test]
fn harvesters_are_named_in_a_file_beside_the_project() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[harvester.half]\ncommand = [\"sh\", \"-c\", \"curl -s \\\"$1?verb=Identify\\\"; exit 3\", \"sh\", \"{base-url}\"]\n\
                store = \"none\"\nguards = [\"no-progress=exit:3\"]\n";
    fs::write(folder.path().join("pmh.toml"), text).expect("a file");
    let half = ["--harvester", "half", "--harvester", "specimen:sound"].map(str::to_owned);
    let ran = prove(folder.path(), &["healthy/pages", "--verbose"], &half);
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("incomplete, guard no-progress, exit 3"), "{}", ran.stdout);
    assert!(ran.stdout.contains("not judged: the store: nobody can see it"), "{}", ran.stdout);
    assert!(ran.stdout.contains("sound: 1 held"), "{}", ran.stdout);
    let unknown = ["--harvester", "whole"].map(str::to_owned);
    let ran = prove(folder.path(), &["healthy/pages"], &unknown);
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("`whole` is no harvester: named are half"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_played_is_told_with_what_to_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |harvester: &[&str], said: &str| {
        let mut arguments = vec!["prove", "healthy/pages"];
        arguments.extend(harvester);
        let ran = pmh(folder.path(), &arguments);
        assert_eq!(ran.exit, 2, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "no `{said}` in {}", ran.stderr);
    };
    check(&["--harvester", "get me"], "--store jsonl=records.jsonl");
    check(
        &["--harvester", "get me", "--store", "none"],
        "write {base-url} where its address belongs",
    );
    check(&["--harvester", "get {base-url}", "--store", "csv=x"], "write `jsonl=PATH`");
    check(
        &["--harvester", "get {base-url} --out={wrok}", "--store", "none"],
        "did you mean {work}?",
    );
    check(
        &["--harvester", "get {base-url}", "--store", "none", "--guard", "shrink=exit:0"],
        "exit code 0 says that a run has everything",
    );
    let config = "[harvester.pmh]\ncommand = [\"get\", \"{base-url}\"]\nstore = \"none\"\n";
    fs::write(folder.path().join("taken.toml"), config).expect("a file");
    check(&["--harvester", "pmh", "--config", "taken.toml"], "give yours another name");
    check(&["--harvester", "pmh", "--store", "none"], "stands beside it in pmh.toml");
    check(&["--report", "json=a", "--report", "html=./a"], "give each its own file");
    check(&["--harvester", "specimen:sond"], "no specimen is called `sond`");
    check(&["--store", "none"], "--harvester");
    check(&["--report", "xunit=x"], "write junit=FILE");
    check(&["--case", "healthy/page"], "the nearest is `healthy/pages`");
    check(&["--filter", "nothing like it"], "`--list` names them");
}

#[test]
fn scenarios_are_listed_and_chosen() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = pmh(folder.path(), &["prove", "--list", "--case", "crash/every-moment"]).stdout;
    assert!(all.lines().count() > 2, "every case of the matrix: {all}");
    let one = all.split_whitespace().next().expect("a name").to_owned();
    let ran = pmh(folder.path(), &["prove", "--list", "--case", &one]);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    let ran = pmh(folder.path(), &["prove", "--list", "--filter", "F025"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("token/ring "), "{}", ran.stdout);
    assert!(!ran.stdout.contains("healthy/pages"), "{}", ran.stdout);
    let ran = pmh(
        folder.path(),
        &["prove", "--arm", "pure", "--case", "token/ring", "--report", "junit=a.xml"],
    );
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("1 scenario: 1 held"), "{}", ran.stdout);
    let text = fs::read_to_string(folder.path().join("a.xml")).expect("a report");
    assert!(text.contains("<testsuite name=\"pmh\" tests=\"1\" failures=\"0\""), "{text}");
}

#[test]
fn a_store_that_cannot_be_read_costs_its_scenario_and_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let harvester = [
        "--harvester",
        "sh -c 'mkdir -p \"$2/out.jsonl\"' sh {base-url} {work}",
        "--store",
        "jsonl=out.jsonl",
        "--timeout",
        "9",
    ]
    .map(str::to_owned);
    let asked = ["healthy/pages", "token/ring", "--report", "json=a.json"];
    let ran = prove(folder.path(), &asked, &harvester);
    assert_eq!(ran.exit, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("is a folder, not a file"), "{}", ran.stdout);
    assert!(ran.stdout.contains("--store 'jsonl=out.jsonl' --timeout 9 --case"), "{}", ran.stdout);
    let text = fs::read_to_string(folder.path().join("a.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("the report is JSON");
    for result in report["results"].as_array().expect("results") {
        assert_eq!(result["failed"][0], "cannot-be-judged", "{result:#}");
    }
    assert_eq!(report["results"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_our_own_leaves_is_kept_and_its_known_failures_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mine.toml"), PAGES_OF_MINE.replace("complete", "incomplete"))
        .expect("a file");
    let ours = ["--harvester", "pmh", "--harvester", "specimen:sound"].map(str::to_owned);
    prove(folder.path(), &["mine.toml", "--keep", "kept"], &ours);
    for name in ["mine.pmh/journal.ndjson", "mine.sound/journal.ndjson"] {
        assert!(folder.path().join("kept").join(name).exists(), "{name}");
    }
    let known = "[[known]]\ncase = \"mine\"\nreason = \"it is asked for too much\"\nuntil = 9999-12-31\n\
                 [[known]]\ncase = \"mind\"\nreason = \"r\"\nuntil = \"2020-01-01\"\n";
    fs::write(folder.path().join("known.toml"), known).expect("a file");
    let asked = ["prove", "mine.toml", "mine.toml", "--known", "known.toml", "--arm", "pure"];
    let ran = pmh(folder.path(), &asked);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("1 scenario: 1 known-failure"), "{}", ran.stdout);
    assert!(ran.stdout.contains("known as a failure: it is asked for too much"), "{}", ran.stdout);
    for said in ["known.toml:6:8", "no case is called `mind`", "did you mean `mine`?", "is over"] {
        assert!(ran.stderr.contains(said), "no `{said}` in {}", ran.stderr);
    }
}
