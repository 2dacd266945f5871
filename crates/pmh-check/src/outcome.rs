//! What came of a check, and of all of them.

use crate::check::{Check, Level};
use crate::exchange::Exchange;
use crate::finding::{Finding, Severity};
use crate::options::Options;

/// What came of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It holds wherever it was looked at.
    Pass,
    /// It holds, and something is told beside.
    Note,
    /// It was not judged; the reason is told.
    Skip,
    /// It could not be judged: no answer, or the repository changed meanwhile.
    Inconclusive,
    /// Tolerated, and not as it should be.
    Warn,
    /// It does not hold.
    Fail,
}

impl Verdict {
    /// All of them, the gravest first.
    pub const ALL: [Self; 6] =
        [Self::Fail, Self::Warn, Self::Inconclusive, Self::Note, Self::Skip, Self::Pass];

    /// Its name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Note => "note",
            Self::Skip => "skip",
            Self::Inconclusive => "inconclusive",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }

    /// The verdict of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == name)
    }
}

impl From<Severity> for Verdict {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Note => Self::Note,
            Severity::Warn => Self::Warn,
            Severity::Fail => Self::Fail,
        }
    }
}

/// A check and what came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The check.
    pub check: &'static Check,
    /// What came of it.
    pub verdict: Verdict,
    /// Why it was skipped or is inconclusive; or, from outside, why its failure is expected.
    pub reason: Option<String>,
    /// The instances, at most some twenty.
    pub findings: Vec<Finding>,
    /// Instances that were not kept.
    pub more: usize,
    /// How many things it looked at.
    pub looked_at: usize,
    /// Whether its failure is expected and does not count.
    pub is_expected: bool,
}

/// An examination that is over.
#[derive(Clone, Debug)]
pub struct Examined {
    /// What was asked for.
    pub options: Options,
    /// Every exchange, in order.
    pub exchanges: Vec<Exchange>,
    /// Every check that was asked for, in the order of the table.
    pub outcomes: Vec<Outcome>,
    /// Whether it was ended from outside before it had come to all of them.
    pub is_cut_short: bool,
}

impl Examined {
    /// How many checks of this level have this verdict.
    #[must_use]
    pub fn count(&self, level: Level, verdict: Verdict) -> usize {
        let is_it = |each: &&Outcome| each.check.level == level && each.verdict == verdict;
        self.outcomes.iter().filter(is_it).count()
    }

    /// How many checks have this verdict.
    #[must_use]
    pub fn total(&self, verdict: Verdict) -> usize {
        self.outcomes.iter().filter(|each| each.verdict == verdict).count()
    }

    /// Failures at this level or a more binding one that nobody expected.
    pub fn failures(&self, threshold: Level) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(move |each| {
            each.verdict == Verdict::Fail && !each.is_expected && each.check.level <= threshold
        })
    }

    /// Checks that tell of something, and said another thing of `other`, where the same checks were run.
    #[must_use]
    pub fn told_unlike(&self, other: &Self) -> Vec<&'static str> {
        let tells = |verdict| {
            matches!(verdict, Verdict::Note | Verdict::Warn | Verdict::Fail | Verdict::Inconclusive)
        };
        let pairs = other.outcomes.iter().zip(&self.outcomes);
        pairs
            .filter(|(theirs, ours)| theirs.verdict != ours.verdict && tells(ours.verdict))
            .map(|(_, ours)| ours.check.id)
            .collect()
    }

    /// Whether anything was judged at all.
    #[must_use]
    pub fn is_tested(&self) -> bool {
        self.outcomes.iter().any(|each| {
            matches!(each.verdict, Verdict::Pass | Verdict::Note | Verdict::Warn | Verdict::Fail)
        })
    }

    /// Whether a document of the protocol came at all: without, nothing of it was tested.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        // A file that is there is judged as what it should be.
        let is_of_file = self.outcomes.iter().any(|outcome| outcome.check.is_of_file());
        let is_had = |exchange: &Exchange| {
            exchange.root().is_some() || (is_of_file && exchange.page().is_some())
        };
        self.exchanges.iter().any(is_had)
    }

    /// The verdict on the repository (rule 1): only what the protocol demands counts.
    #[must_use]
    pub fn conformance(&self) -> &'static str {
        if !self.is_reached() || !self.is_tested() {
            "not tested"
        } else if self
            .outcomes
            .iter()
            .any(|each| each.check.level == Level::Must && each.verdict == Verdict::Fail)
        {
            "not conformant"
        } else if self.is_cut_short {
            "not tested to the end"
        } else {
            "conformant, as far as it was tested"
        }
    }
}
