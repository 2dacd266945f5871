//! How a property collects what it finds: counted when it holds, bounded when it does not.

use crate::verdict::Finding;

/// Most sentences of evidence that one property prints; a further one counts the rest.
pub const EVIDENCE_MAX: usize = 6;

/// What one property has looked at and found so far.
#[derive(Default)]
pub(crate) struct Inquiry {
    checked: u64,
    evidence: Vec<String>,
    beyond: u64,
}

impl Inquiry {
    /// Looks at one place; the sentence says what is wrong there if it does not hold.
    pub(crate) fn check(&mut self, holds: bool, sentence: impl FnOnce() -> String) {
        self.checked += 1;
        if !holds {
            self.blame(sentence());
        }
    }

    /// Counts places that are known to have been looked at.
    pub(crate) const fn add_checked(&mut self, places: u64) {
        self.checked += places;
    }

    /// Says what is wrong.
    pub(crate) fn blame(&mut self, sentence: String) {
        if self.evidence.len() < EVIDENCE_MAX {
            self.evidence.push(sentence);
        } else {
            self.beyond += 1;
        }
    }

    /// What was found; `nothing` says what the case would have needed for anything to be looked at.
    pub(crate) fn finding(mut self, nothing: &str) -> Finding {
        if self.beyond > 0 {
            self.evidence.push(format!("… and {} more like these", self.beyond));
        }
        if !self.evidence.is_empty() {
            Finding::Failed { evidence: self.evidence }
        } else if self.checked == 0 {
            Finding::NotApplicable { why: nothing.to_owned() }
        } else {
            Finding::Held { checked: self.checked }
        }
    }
}

/// The first of some identifiers, and how many there are besides.
pub(crate) fn first_of(identifiers: &[&str]) -> String {
    match identifiers {
        [] => "nothing".to_owned(),
        [only] => format!("`{only}`"),
        [first, rest @ ..] => format!("`{first}` and {} more", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_bounded_and_the_rest_is_counted() {
        let mut inquiry = Inquiry::default();
        for number in 0..100 {
            inquiry.check(false, || format!("wrong {number}"));
        }
        let Finding::Failed { evidence } = inquiry.finding("") else {
            panic!("a hundred wrongs held")
        };
        assert_eq!(evidence.len(), EVIDENCE_MAX + 1);
        assert_eq!(evidence[EVIDENCE_MAX], "… and 94 more like these");
    }

    #[test]
    fn looking_at_nothing_is_not_holding() {
        let why = "there was nothing".to_owned();
        assert_eq!(Inquiry::default().finding("there was nothing"), Finding::NotApplicable { why });
    }
}
