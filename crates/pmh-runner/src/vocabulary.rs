//! The names that scenario files may use: the loader checks them without knowing the crates they come from.

use std::sync::LazyLock;

use pmh_harvest::Trip;
use pmh_scenario::Vocabulary;
use pmh_specimens::Specimen;

/// Guards, outcomes and specimens by name.
#[must_use]
pub fn vocabulary() -> Vocabulary<'static> {
    static SPECIMENS: LazyLock<Vec<&str>> =
        // The one without a defect must hold every scenario, and none can be asked to catch it.
        LazyLock::new(|| {
            let wrong = Specimen::ALL.iter().filter(|specimen| **specimen != Specimen::SOUND);
            wrong.map(Specimen::name).collect()
        });
    Vocabulary {
        guards: &Trip::GUARDS,
        outcomes: &["complete", "incomplete", "refused"],
        specimens: &SPECIMENS,
    }
}
