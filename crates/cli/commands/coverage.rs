//! What scenarios speak of: kinds of failure and rules of the protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use pmh_scenario::{KINDS, RULES_MAX, Script, kinds};
use serde_json::json;

/// Kinds that no scenario can play, and why: a scenario begins with a request that has reached a repository.
const BEFORE_ANY_REQUEST: [(&str, &str); 3] = [
    (
        "F122",
        "a matter of the TLS that a client brings: `tests/cli/network.rs` has certificates of its own",
    ),
    ("F139", "a matter of names and addresses, settled by a client before it asks"),
    ("F172", "such a base URL is turned down before anything is asked: `tests/cli/misuse.rs`"),
];

/// Why no scenario can play this kind, if none can.
fn why_unplayed(kind: &str) -> Option<&'static str> {
    BEFORE_ANY_REQUEST.iter().find(|(name, _)| *name == kind).map(|(_, why)| *why)
}

/// The scenarios of each kind, and the rules that are cited at all.
pub(crate) struct Coverage {
    by_kind: BTreeMap<String, Vec<String>>,
    rules: BTreeSet<u32>,
}

impl Coverage {
    pub(crate) fn of(scripts: &[Script]) -> Self {
        let mut coverage = Self { by_kind: BTreeMap::new(), rules: BTreeSet::new() };
        for script in scripts {
            if let Some(kind) = &script.kind {
                coverage.by_kind.entry(kind.clone()).or_default().push(script.family.clone());
            }
            coverage.rules.extend(&script.rules);
        }
        coverage
    }

    /// A line a kind: those with scenarios, those that could have one, and those that cannot.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for (kind, name) in kinds() {
            if let Some(scenarios) = self.by_kind.get(&kind) {
                let _ = writeln!(text, "● {kind}  {name}: {}", scenarios.join(", "));
            }
        }
        let without = || kinds().filter(|(kind, _)| !self.by_kind.contains_key(kind));
        for (kind, name) in without().filter(|(kind, _)| why_unplayed(kind).is_none()) {
            let _ = writeln!(text, "○ {kind}  {name}");
        }
        for (kind, name) in without() {
            if let Some(why) = why_unplayed(&kind) {
                let _ = writeln!(text, "– {kind}  {name}: {why}");
            }
        }
        let (kinds, rules) = (self.by_kind.len(), self.rules.len());
        let _ = writeln!(text, "\n{kinds} of {KINDS} kinds, {rules} of {RULES_MAX} rules");
        text
    }

    pub(crate) fn to_json(&self) -> serde_json::Value {
        let kinds: Vec<_> = kinds()
            .map(|(kind, name)| {
                let scenarios = self.by_kind.get(&kind).cloned().unwrap_or_default();
                json!({
                    "kind": kind,
                    "name": name,
                    "scenarios": scenarios,
                    "why_none": why_unplayed(&kind),
                })
            })
            .collect();
        json!({ "kinds": kinds, "rules": self.rules, "rules_in_all": RULES_MAX })
    }
}
