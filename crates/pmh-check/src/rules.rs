//! The rules that checks cite, in our own words.
//!
//! Kept as a table in a file of its own: number, level, place in the specification, sentence.

const TABLE: &str = include_str!("rules.tsv");
const SITE: &str = "http://www.openarchives.org/OAI/";

/// One rule of the protocol or of a companion guideline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its number in the project's list.
    pub number: u16,
    /// How binding it is: MUST, must (said without the keyword), SHOULD, MAY, schema, G (guideline), or ruling (the text
    /// is silent, and this is our reading).
    pub level: &'static str,
    /// Document and anchor below the site of the specification.
    place: &'static str,
    /// What it asks for.
    pub sentence: &'static str,
}

impl Rule {
    /// Where the specification says so.
    #[must_use]
    pub fn url(&self) -> String {
        let folder = if self.place.starts_with("guidelines-") { "2.0/" } else { "" };
        format!("{SITE}{folder}{}", self.place)
    }
}

/// The rule of this number, if it binds a repository.
#[must_use]
pub fn rule(number: u16) -> Option<Rule> {
    TABLE.lines().find_map(|line| {
        let mut fields = line.split('\t');
        if fields.next()?.parse() != Ok(number) {
            return None;
        }
        let (level, place, sentence) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Rule { number, level, place, sentence })
    })
}
