//! What a check found, with its evidence.

use pmh_protocol::Element;

use crate::exchange::Exchange;

/// How grave a finding is within its check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth telling.
    Note,
    /// Tolerated, and not as it should be.
    Warn,
    /// What the check asks for does not hold.
    Fail,
}

/// A place in the text of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What stands there.
    pub excerpt: String,
}

/// One instance of what a check looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How grave.
    pub severity: Severity,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// Number of the exchange that shows it, from 1; `None` where no single one does.
    pub exchange: Option<usize>,
    /// Where in its answer.
    pub place: Option<Place>,
}

/// How many instances of one check are kept; the rest are counted.
const FINDINGS_MAX: usize = 20;
/// How much is quoted of an answer.
const EXCERPT_CHARS: usize = 160;
/// How long a text in a finding may be: repositories are quoted in it.
const TEXT_CHARS: usize = 300;

/// What a check has found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) findings: Vec<Finding>,
    /// Instances that were not kept.
    pub(crate) more: usize,
    /// How many things were looked at: a check that saw nothing proves nothing.
    pub(crate) looked_at: usize,
}

/// Findings at an element, or of a whole answer, each named after how grave it is.
macro_rules! at_element {
    ($($name:ident: $severity:ident),*) => {$(
        pub(crate) fn $name(
            &mut self,
            exchange: &Exchange,
            at: Option<&Element>,
            expected: impl AsRef<str>,
            found: impl AsRef<str>,
        ) {
            let place = at.and_then(|element| exchange.place(element.start));
            self.push(Severity::$severity, exchange, place, expected.as_ref(), found.as_ref());
        }
    )*};
}

impl Found {
    /// One more thing was looked at.
    pub(crate) const fn look(&mut self) {
        self.looked_at += 1;
    }

    at_element! { fail: Fail, warn: Warn, note: Note }

    /// A finding at a byte of the text.
    pub(crate) fn fail_at(
        &mut self,
        exchange: &Exchange,
        offset: usize,
        expected: impl AsRef<str>,
        found: impl AsRef<str>,
    ) {
        let place = exchange.place(offset);
        self.push(Severity::Fail, exchange, place, expected.as_ref(), found.as_ref());
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Fail)
    }

    fn push(
        &mut self,
        severity: Severity,
        exchange: &Exchange,
        place: Option<Place>,
        expected: &str,
        found: &str,
    ) {
        if self.findings.len() >= FINDINGS_MAX {
            // What fails must not be crowded out by what is only told.
            let weakest = self.findings.iter().rposition(|each| each.severity < severity);
            self.more += 1;
            let Some(weakest) = weakest else { return };
            self.findings.remove(weakest);
        }
        let cut = |text: &str| shorten(text, TEXT_CHARS);
        self.findings.push(Finding {
            severity,
            expected: cut(expected),
            found: cut(found),
            exchange: Some(exchange.number),
            place,
        });
    }
}

/// The place of a byte in a text, with what stands there on its line.
pub(crate) fn place_in(text: &str, offset: usize) -> Option<Place> {
    let before = text.get(..offset)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    let from_here = text[offset..].lines().next().unwrap_or_default();
    Some(Place { line, column, excerpt: shorten(from_here, EXCERPT_CHARS) })
}

/// At most so many characters; what steers a terminal, hides, or turns the direction of writing is made visible.
pub(crate) fn shorten(text: &str, chars: usize) -> String {
    let mut short: String = text
        .chars()
        .take(chars)
        .map(|character| match character {
            '\n' | '\t' => ' ',
            '\u{200B}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' => '\u{FFFD}',
            other if other.is_control() => '\u{FFFD}',
            other => other,
        })
        .collect();
    if text.chars().nth(chars).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let place = place_in("ab\nüö<x>\ny", "ab\nüö".len()).unwrap();
        assert_eq!((place.line, place.column, place.excerpt.as_str()), (2, 3, "<x>"));
        assert!(place_in("ü", 1).is_none(), "no character begins there");
    }

    #[test]
    fn what_is_quoted_holds_no_control_characters() {
        assert_eq!(shorten("a\u{1b}[31m\nb", 100), "a\u{FFFD}[31m b");
        assert_eq!(
            shorten("gpj\u{202E}exe\u{2066}\u{FEFF}", 100),
            "gpj\u{FFFD}exe\u{FFFD}\u{FFFD}"
        );
        assert_eq!(shorten("abcd", 3), "abc…");
    }
}
