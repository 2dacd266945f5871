//! A repository that keeps every rule passes everything.

use pmh_check::Verdict;

use super::support::{REPOSITORY, examine, ids, options, report, repository};

#[test]
fn a_repository_that_keeps_every_rule_passes_everything() {
    let examined = examine(options(), repository(REPOSITORY), |_| {});
    for verdict in [Verdict::Fail, Verdict::Warn, Verdict::Inconclusive] {
        assert!(ids(&examined, verdict).is_empty(), "{}", report(&examined));
    }
    assert!(examined.exchanges.len() < 250, "{} requests", examined.exchanges.len());
    assert_eq!(examined.conformance(), "conformant, as far as it was tested");
}
