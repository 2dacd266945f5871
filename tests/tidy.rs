//! What crates must not know, and what files belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pmh_scenario::{Effect, OaiEffect, RepoEffect, TimeEffect, TokenEffect, kind_name};

use crate::support::{files_below, root, scripts};

/// What each crate may use: the whole truth about the direction of dependencies. A crate that is not here, or a
/// dependency that is not in its line, fails the test; change both together and say why.
const MAY_USE: &[(&str, &[&str])] = &[
    (
        "pmh-protocol",
        &[
            "brotli-decompressor",
            "encoding_rs",
            "flate2",
            "jiff",
            "memchr",
            "percent-encoding",
            "quick-xml",
            "ruzstd",
            "thiserror",
        ],
    ),
    ("pmh-harvest", &["httpdate", "pmh-protocol", "url", "xxhash-rust"]),
    (
        "pmh-scenario",
        &[
            "annotate-snippets",
            "pmh-protocol",
            "rand",
            "rand_chacha",
            "regex-lite",
            "schemars",
            "serde",
            "serde_json",
            "sha2",
            "strsim",
            "toml",
        ],
    ),
    ("pmh-check", &["pmh-protocol", "schemars", "serde", "serde_json", "url", "xxhash-rust"]),
    ("pmh-repository", &["flate2", "httpdate", "pmh-protocol", "pmh-scenario"]),
    ("pmh-oracle", &["pmh-protocol", "pmh-scenario"]),
    ("pmh-specimens", &["flate2", "httpdate", "pmh-protocol"]),
    (
        "pmh-store",
        &[
            "nix",
            "pmh-harvest",
            "pmh-protocol",
            "rusqlite",
            "serde",
            "serde_json",
            "thiserror",
            "xxhash-rust",
        ],
    ),
    (
        "pmh-client",
        &[
            // It tells which proxy reqwest went through, by reqwest's own rules.
            "hyper-util",
            "pmh-harvest",
            "pmh-protocol",
            "reqwest",
            "rustls",
            "serde_json",
            "tempfile",
            "thiserror",
            "tokio",
        ],
    ),
    (
        "pmh-mock",
        &[
            "flate2",
            "http-body-util",
            "httpdate",
            "hyper",
            "hyper-util",
            "jiff",
            "pmh-protocol",
            "pmh-repository",
            "pmh-scenario",
            "tokio",
        ],
    ),
    (
        "pmh-runner",
        &[
            "base64",
            "httparse",
            "httpdate",
            "jiff",
            "nix",
            "pmh-harvest",
            "pmh-mock",
            "pmh-oracle",
            "pmh-protocol",
            "pmh-repository",
            "pmh-scenario",
            "pmh-specimens",
            "pmh-store",
            "quick-xml",
            "rusqlite",
            "serde_json",
            "strsim",
            "tempfile",
            "thiserror",
            "tokio",
        ],
    ),
];

/// Crates without clock, socket, file or ambient randomness.
const PURE: &[&str] = &[
    "pmh-protocol",
    "pmh-harvest",
    "pmh-scenario",
    "pmh-repository",
    "pmh-oracle",
    "pmh-specimens",
    "pmh-check",
];

/// Words that no source of a pure crate may contain: what a manifest or a lint cannot see.
const IMPURE_WORDS: &[&str] = &[
    "std::fs",
    "std::net",
    "std::env",
    "std::thread",
    "std::process",
    "SystemTime::now",
    "Instant::now",
    "HashMap",
    "HashSet",
    "thread_rng",
    "from_os_rng",
];

fn manifest(name: &str) -> toml::Table {
    let path = root().join("crates").join(name).join("Cargo.toml");
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest = manifest(name);
    ["dependencies", "build-dependencies"]
        .iter()
        .filter_map(|section| manifest.get(*section)?.as_table())
        .flat_map(|table| table.keys().cloned())
        .collect()
}

/// Every crate of ours that a crate reaches, however many steps it takes.
fn reaches(name: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        for dependency in dependencies(&name) {
            if dependency.starts_with("pmh-") && reached.insert(dependency.clone()) {
                open.push(dependency);
            }
        }
    }
    reached
}

#[test]
fn every_crate_uses_only_what_it_may() {
    let may_use: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    let mut crates = BTreeSet::new();
    for entry in fs::read_dir(root().join("crates")).expect("the crates can be listed") {
        let name =
            entry.expect("the crates can be listed").file_name().to_string_lossy().into_owned();
        if !name.starts_with("pmh-") {
            continue;
        }
        let allowed =
            may_use.get(name.as_str()).unwrap_or_else(|| panic!("`{name}` has no line in MAY_USE"));
        for dependency in dependencies(&name) {
            assert!(allowed.contains(&dependency.as_str()), "`{name}` must not use `{dependency}`");
        }
        crates.insert(name);
    }
    let listed: BTreeSet<_> = MAY_USE.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(crates, listed, "MAY_USE names crates that do not exist");
}

#[test]
fn the_judge_never_reaches_the_accused_nor_the_harvester_its_test() {
    for (from, to) in [
        ("pmh-oracle", "pmh-harvest"),
        ("pmh-harvest", "pmh-scenario"),
        ("pmh-specimens", "pmh-harvest"),
        ("pmh-store", "pmh-scenario"),
        ("pmh-client", "pmh-scenario"),
        ("pmh-repository", "pmh-harvest"),
        ("pmh-check", "pmh-scenario"),
    ] {
        assert!(!reaches(from).contains(to), "`{from}` reaches `{to}`");
    }
}

#[test]
fn pure_crates_reach_only_pure_crates_and_name_nothing_impure() {
    for name in PURE {
        for reached in reaches(name) {
            assert!(PURE.contains(&reached.as_str()), "`{name}` is pure and reaches `{reached}`");
        }
        for path in files_below(&root().join("crates").join(name).join("src"), "rs") {
            let text = fs::read_to_string(&path).expect("sources are text");
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                for word in IMPURE_WORDS {
                    assert!(!code.contains(word), "{}:{}: `{word}`", path.display(), number + 1);
                }
            }
        }
    }
}

#[test]
fn pure_crates_carry_the_bans_of_the_root_and_their_own() {
    let bans = |path: &Path| -> BTreeSet<String> {
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let table: toml::Table = text.parse().expect("clippy.toml is TOML");
        let entries = table["disallowed-methods"].as_array().expect("a list of bans");
        entries.iter().map(|ban| ban["path"].as_str().expect("a path").to_owned()).collect()
    };
    let root_bans = bans(&root().join("clippy.toml"));
    let first = bans(&root().join("crates").join(PURE[0]).join("clippy.toml"));
    assert!(
        first.is_superset(&root_bans),
        "a clippy.toml replaces the one at the root, so it repeats its bans"
    );
    assert!(first.contains("std::time::SystemTime::now"));
    for name in PURE {
        assert_eq!(bans(&root().join("crates").join(name).join("clippy.toml")), first, "{name}");
    }
}

#[test]
fn every_crate_takes_lints_and_versions_from_the_workspace() {
    for (name, _) in MAY_USE {
        let manifest = manifest(name);
        assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true), "{name}");
        for section in ["dependencies", "dev-dependencies"] {
            let Some(table) = manifest.get(section).and_then(toml::Value::as_table) else {
                continue;
            };
            for (dependency, value) in table {
                let from_workspace = value.get("workspace").and_then(toml::Value::as_bool);
                assert_eq!(
                    from_workspace,
                    Some(true),
                    "{name}: `{dependency}` has a version of its own"
                );
            }
        }
    }
}

#[test]
fn every_scenario_has_its_snapshot_and_every_snapshot_its_scenario() {
    let scenarios: BTreeSet<String> = scripts()
        .iter()
        .map(|script| format!("verdict@{}.toml.snap", script.family.replace('/', "__")))
        .collect();
    let snapshots: BTreeSet<String> = fs::read_dir(root().join("snapshots"))
        .expect("the snapshots can be listed")
        .map(|entry| {
            entry.expect("the snapshots can be listed").file_name().to_string_lossy().into_owned()
        })
        .collect();
    assert_eq!(scenarios, snapshots);
}

#[test]
fn every_flag_that_a_hint_names_is_there() {
    let help = std::process::Command::new(crate::support::program())
        .args(["harvest", "--help"])
        .output()
        .expect("the program starts");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let mut flags = BTreeSet::new();
    for file in [
        "pmh-harvest/src/fetched.rs",
        "pmh-harvest/src/guard.rs",
        "pmh-harvest/src/outcome.rs",
        "pmh-client/src/ask.rs",
        "pmh-client/src/options.rs",
    ] {
        let path = root().join("crates").join(file);
        let text = fs::read_to_string(&path).expect("sources are text");
        for quoted in text.split('`').skip(1).step_by(2) {
            if let Some(flag) =
                quoted.split_whitespace().next().filter(|word| word.starts_with("--"))
            {
                flags.insert(flag.to_owned());
            }
        }
    }
    assert!(flags.contains("--from"), "no hint was found");
    for flag in flags {
        assert!(
            help.contains(&format!("{flag} ")) || help.contains(&format!("{flag}\n")),
            "no flag `{flag}`"
        );
    }
}

#[test]
fn every_rule_and_kind_that_a_scenario_cites_is_explained() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut rules = BTreeSet::new();
    for row in text.lines().filter_map(|line| line.strip_prefix("| ")) {
        let cited = row.split(" | ").next().unwrap_or_default();
        for part in cited.split(", ") {
            if let Some((first, last)) = part.split_once(" to ") {
                let number = |text: &str| text.parse::<u32>().expect("a range of rules");
                rules.extend(number(first)..=number(last));
            } else {
                rules.extend(part.parse::<u32>());
            }
        }
    }
    for script in scripts() {
        let kind = script.kind.clone().unwrap_or_default();
        assert!(kind_name(&kind).is_some(), "{} cites the kind `{kind}`", script.id);
        assert!(!script.rules.is_empty(), "{} cites no rule", script.id);
        for rule in &script.rules {
            assert!(rules.contains(rule), "{} cites rule {rule}", script.id);
        }
    }
}

#[test]
fn every_kind_has_a_scenario_or_a_reason_to_have_none() {
    let output = std::process::Command::new(crate::support::program())
        .args(["scenario", "coverage"])
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let open: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("○ ")?.split_whitespace().next())
        .collect();
    assert_eq!(open, [""; 0], "without a scenario");
    let reasons = text.lines().filter(|line| line.starts_with('–')).count();
    assert!((1..=3).contains(&reasons), "{text}");
}

#[test]
fn every_name_that_the_catalogue_is_translated_into_is_one_of_ours() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (_, section) =
        text.split_once("\n## Names of the catalogue").expect("the section has its name");
    let section = section.split("\n## ").next().unwrap_or_default();
    let sources: String = ["pmh-harvest", "pmh-protocol"]
        .iter()
        .flat_map(|name| files_below(&root().join("crates").join(name).join("src"), "rs"))
        .map(|path| fs::read_to_string(path).expect("sources are text"))
        .collect();
    let guards = pmh_runner::vocabulary().guards;
    let mut translated = BTreeSet::new();
    for row in section.lines().filter_map(|line| line.strip_prefix("| `")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [_, here, what] = cells[..] else { panic!("three cells: {row}") };
        for name in here.split('`').skip(1).step_by(2) {
            assert_eq!(guards.contains(&name), what.starts_with("guard"), "`{name}` in {row}");
            assert!(sources.contains(&format!("\"{name}\"")), "nothing is called `{name}`");
            translated.insert(name);
        }
    }
    assert!(translated.len() > 20, "{translated:?}");
}

#[test]
fn every_kind_of_fault_is_played_by_a_scenario_or_in_a_conversation() {
    let name = |effect: &Effect| match effect {
        Effect::Token(TokenEffect::Expire) => "TokenEffect::Expire",
        Effect::Token(TokenEffect::Same) => "TokenEffect::Same",
        Effect::Token(TokenEffect::WrapTo(_)) => "TokenEffect::WrapTo",
        Effect::Token(TokenEffect::RewindTo(_)) => "TokenEffect::RewindTo",
        Effect::Token(TokenEffect::EmptyPages(_)) => "TokenEffect::EmptyPages",
        Effect::Token(TokenEffect::Drop) => "TokenEffect::Drop",
        Effect::Token(TokenEffect::Skip(_)) => "TokenEffect::Skip",
        Effect::Token(TokenEffect::AfterEnd(_)) => "TokenEffect::AfterEnd",
        Effect::Token(TokenEffect::Foreign) => "TokenEffect::Foreign",
        Effect::Token(TokenEffect::Raw(_)) => "TokenEffect::Raw",
        Effect::Token(TokenEffect::Long(_)) => "TokenEffect::Long",
        Effect::Token(TokenEffect::SwapCase) => "TokenEffect::SwapCase",
        Effect::Xml(_) => "Effect::Xml",
        Effect::Http(_) => "Effect::Http",
        Effect::Repo(RepoEffect::Change(_)) => "RepoEffect::Change",
        Effect::Repo(RepoEffect::Reorder) => "RepoEffect::Reorder",
        Effect::Repo(RepoEffect::Deploy { .. }) => "RepoEffect::Deploy",
        Effect::Oai(OaiEffect::Errors(_)) => "OaiEffect::Errors",
        Effect::Oai(OaiEffect::Document(_)) => "OaiEffect::Document",
        Effect::Oai(OaiEffect::Repeat(_)) => "OaiEffect::Repeat",
        Effect::Oai(OaiEffect::NoHeader(_)) => "OaiEffect::NoHeader",
        Effect::Oai(OaiEffect::NoIdentifier(_)) => "OaiEffect::NoIdentifier",
        Effect::Oai(OaiEffect::NoMetadata(_)) => "OaiEffect::NoMetadata",
        Effect::Oai(OaiEffect::TwoMetadata(_)) => "OaiEffect::TwoMetadata",
        Effect::Oai(OaiEffect::WrappedHeaders) => "OaiEffect::WrappedHeaders",
        Effect::Oai(OaiEffect::Outsider) => "OaiEffect::Outsider",
        Effect::Time(TimeEffect::Delay(_)) => "TimeEffect::Delay",
        Effect::Time(TimeEffect::Jump(_)) => "TimeEffect::Jump",
        Effect::Time(TimeEffect::ResponseDate(_)) => "TimeEffect::ResponseDate",
        Effect::Wire(_) => "Effect::Wire",
    };
    let scripts = scripts();
    let played: BTreeSet<&str> =
        scripts.iter().flat_map(|script| &script.faults).map(|fault| name(&fault.effect)).collect();
    let conversations: String =
        files_below(&root().join("crates/pmh-repository/tests/conversations"), "rs")
            .iter()
            .map(|path| fs::read_to_string(path).expect("sources are text"))
            .collect();
    for kind in [
        "TokenEffect::Expire",
        "TokenEffect::Same",
        "TokenEffect::WrapTo",
        "TokenEffect::RewindTo",
        "TokenEffect::EmptyPages",
        "TokenEffect::Drop",
        "TokenEffect::Skip",
        "TokenEffect::AfterEnd",
        "TokenEffect::Foreign",
        "TokenEffect::Raw",
        "TokenEffect::Long",
        "TokenEffect::SwapCase",
        "Effect::Xml",
        "Effect::Http",
        "RepoEffect::Change",
        "RepoEffect::Reorder",
        "RepoEffect::Deploy",
        "OaiEffect::Errors",
        "OaiEffect::Document",
        "OaiEffect::Repeat",
        "OaiEffect::NoHeader",
        "OaiEffect::NoIdentifier",
        "OaiEffect::NoMetadata",
        "OaiEffect::TwoMetadata",
        "OaiEffect::WrappedHeaders",
        "OaiEffect::Outsider",
        "TimeEffect::Delay",
        "TimeEffect::Jump",
        "TimeEffect::ResponseDate",
        "Effect::Wire",
    ] {
        assert!(played.contains(kind) || conversations.contains(kind), "nothing plays `{kind}`");
    }
}

#[test]
fn no_file_names_a_place_on_somebodys_machine() {
    for ending in ["rs", "toml", "md", "sh", "py", "sql"] {
        let mut files = files_below(&root().join("crates"), ending);
        files.extend(files_below(&root().join("tests"), ending));
        files.extend(files_below(&root().join("scenarios"), ending));
        for path in files.iter().filter(|path| !path.ends_with("tidy.rs")) {
            let text =
                String::from_utf8_lossy(&fs::read(path).expect("files can be read")).into_owned();
            for (number, line) in text.lines().enumerate() {
                for start in ["/home/", "/root/", "/Users/", "C:\\Users"] {
                    assert!(!line.contains(start), "{}:{}: {line}", path.display(), number + 1);
                }
            }
        }
    }
}
