//! What a trace rule finds in what a right harvester leaves of a script, after it was spoiled.

use pmh_scenario::{Script, TraceRule};

use crate::case::Case;
use crate::observation::Observation;
use crate::testing::right;
use crate::verdict::Finding;

/// No evidence means that the rule holds and has looked at something.
pub(super) fn check(
    rule: TraceRule,
    script: &Script,
    spoil: impl FnOnce(&mut Observation),
    evidence: &[&str],
) {
    match finding(rule, script, spoil) {
        Finding::Held { checked } => {
            assert!(checked > 0 && evidence.is_empty(), "held although {evidence:?} was expected");
        }
        Finding::Failed { evidence: found } => assert_eq!(found, evidence),
        other => panic!("neither held nor failed: {other:?}"),
    }
}

pub(super) fn finding(
    rule: TraceRule,
    script: &Script,
    spoil: impl FnOnce(&mut Observation),
) -> Finding {
    let mut observation = right(script);
    spoil(&mut observation);
    super::judge(&rule, &Case::new(script, &observation))
}
